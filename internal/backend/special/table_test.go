package special

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tableRow is a line of testdata/values.txt.gz, which scripts/special/table.py writes.
type tableRow struct {
	name        string
	args        []float64
	want, scale float64
}

func readTable(t *testing.T) (rows []tableRow) {
	f, err := os.Open("testdata/values.txt.gz")
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
		v := make([]float64, len(w)-1)
		for i := range v {
			if v[i], err = strconv.ParseFloat(w[i+1], 64); err != nil {
				t.Fatal(err)
			}
		}
		n := len(v) - 2
		rows = append(rows, tableRow{w[0], v[:n], v[n], v[n+1]})
	}
	return rows
}

// tableFunctions are the functions by their names in the table.
func tableFunctions() map[string]func(x []float64) float64 {
	m := map[string]func(x []float64) float64{
		"zeta":      func(x []float64) float64 { return Zeta(x[0], x[1]) },
		"gammainc":  func(x []float64) float64 { return Gammainc(x[0], x[1]) },
		"gammaincc": func(x []float64) float64 { return Gammaincc(x[0], x[1]) },
		"betainc":   func(x []float64) float64 { return Betainc(x[0], x[1], x[2]) },
		"beta":      func(x []float64) float64 { return Beta(x[0], x[1]) },
		"betaln":    func(x []float64) float64 { return Betaln(x[0], x[1]) },
	}
	for name, f := range map[string]func(float64) float64{"lgamma": Lgamma, "digamma": Digamma, "i0": I0, "i0e": I0e, "i1": I1, "i1e": I1e,
		"j0": J0, "j1": J1, "y0": Y0, "y1": Y1, "k0": K0, "k1": K1, "k0e": K0e, "k1e": K1e, "spherical_j0": SphericalJ0,
		"erfcx": Erfcx, "ndtr": Ndtr, "log_ndtr": LogNdtr, "ndtri": Ndtri, "entr": Entr,
		"erfcinv": Erfcinv, "airy_ai": AiryAi} {
		m[name] = func(x []float64) float64 { return f(x[0]) }
	}
	for _, n := range []int{1, 2, 3, 5, 10} {
		m[fmt.Sprint("polygamma", n)] = func(x []float64) float64 { return Polygamma(n, x[0]) }
	}
	return m
}

// TestTable asks for 4 units in the last bit of the scale at most.
func TestTable(t *testing.T) {
	functions, worst, at := tableFunctions(), map[string]float64{}, map[string][]float64{}
	for _, r := range readTable(t) {
		f := functions[r.name]
		if f == nil {
			t.Errorf("no function %s", r.name)
			continue
		}
		unit := math.Nextafter(r.scale, math.Inf(1)) - r.scale
		e := math.Abs(f(r.args)-r.want) / unit
		if !(e <= worst[r.name]) {
			worst[r.name], at[r.name] = e, r.args
		}
	}
	var names []string
	for n := range worst {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		t.Logf("%-14s %10.1f ulp at %v", n, worst[n], at[n])
		if worst[n] > 4 {
			t.Errorf("%s is wrong by %v units in the last bit at %v, want 4 at most", n, worst[n], at[n])
		}
	}
	for n := range functions {
		if _, ok := worst[n]; !ok {
			t.Errorf("the table has no %s", n)
		}
	}
}
