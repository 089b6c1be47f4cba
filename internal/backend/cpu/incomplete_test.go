package cpu

import (
	"bufio"
	"compress/gzip"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// gammaTable has the columns of package special's table for a function: two operands and the value.
func gammaTable(t *testing.T, name string) (c [3][]float64) {
	f, err := os.Open("../special/testdata/values.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(z); s.Scan(); {
		w := strings.Fields(s.Text())
		for i := range c {
			if w[0] == name {
				v, err := strconv.ParseFloat(w[i+1], 64)
				if err != nil {
					t.Fatal(err)
				}
				c[i] = append(c[i], v)
			}
		}
	}
	return c
}

// TestIncompleteGammaTable asks for 4 units in the last bit at most, whichever formula an element goes to.
func TestIncompleteGammaTable(t *testing.T) {
	asmvariant.ForEach(t, "simd", func(variant string) {
		for _, upper := range []bool{false, true} {
			name := "gammainc"
			if upper {
				name = "gammaincc"
			}
			c := gammaTable(t, name)
			z := make([]float64, len(c[0]))
			incompleteGamma64(upper)(z, c[0], c[1])
			var worst [len(gammaFormulas)]float64
			var at, n [len(gammaFormulas)]int
			for i, got := range z {
				a, x := c[0][i], c[1][i]
				k := gammaFormula(a, x, upper)
				unit := math.Nextafter(c[2][i], 2) - c[2][i]
				n[k]++
				if e := math.Abs(got-c[2][i]) / unit; !(e <= worst[k]) {
					worst[k], at[k] = e, i
				}
			}
			for k, e := range worst {
				if n[k] > 0 {
					t.Logf("%s %s formula %d, %d values: %.1f ulp", variant, name, k, n[k], e)
				}
				if !(e <= 4) {
					t.Errorf("%s %s formula %d: %.1f ulp at %v %v", variant, name, k, e, c[0][at[k]], c[1][at[k]])
				}
			}
		}
	})
}
