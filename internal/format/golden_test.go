package format

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/dtype"
)

// golden is one tensor and PyTorch's text for it, written by scripts/golden_print.
type golden struct {
	Name      string   `json:"name"`
	DType     string   `json:"dtype"`
	Shape     []int    `json:"shape"`
	Data      []byte   `json:"data"`
	Precision int      `json:"precision"`
	Threshold int      `json:"threshold"`
	EdgeItems int      `json:"edge_items"`
	LineWidth int      `json:"line_width"`
	SciMode   *bool    `json:"sci_mode"`
	Profile   string   `json:"profile"`
	Suffix    []string `json:"suffix"`
	Want      string   `json:"want"`
}

func (g golden) options() Options {
	return Options{g.Precision, g.Threshold, g.EdgeItems, g.LineWidth, g.SciMode}
}

func goldens(t *testing.T) []golden {
	t.Helper()
	f, err := os.Open("testdata/print.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Cases []golden }
	if err := json.NewDecoder(z).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Cases) < 250 {
		t.Fatalf("only %d cases in the file; want at least 250", len(doc.Cases))
	}
	return doc.Cases
}

func TestGolden(t *testing.T) {
	t.Parallel()
	seen := map[dtype.DType]int{}
	for _, g := range goldens(t) {
		d, ok := dtype.Parse(g.DType)
		if !ok {
			t.Fatalf("%s: no dtype %q", g.Name, g.DType)
		}
		seen[d]++
		t.Run(g.Name, func(t *testing.T) {
			calls := map[int]int{}
			get := func(i int) dtype.Scalar { calls[i]++; return d.Get(g.Data, i) }
			if got := Tensor(g.options(), d, g.Shape, get, g.Suffix); got != g.Want {
				t.Errorf("got\n%s\nwant\n%s", got, g.Want)
			}
			for i, n := range calls {
				if n != 1 {
					t.Errorf("element %d was read %d times; want once", i, n)
				}
			}
			if g.Profile != "" {
				o, _ := Profile(g.Profile)
				if got := Tensor(o, d, g.Shape, get, g.Suffix); got != g.Want {
					t.Errorf("profile %s: got\n%s\nwant\n%s", g.Profile, got, g.Want)
				}
			}
			if len(g.Shape) == 0 {
				checkScalar(t, g, d)
			}
		})
	}
	for _, d := range dtype.All() {
		if seen[d] < 20 {
			t.Errorf("%v: only %d cases", d, seen[d])
		}
	}
}

// checkScalar: a lone number is what stands first between the parentheses of a 0-d tensor.
func checkScalar(t *testing.T, g golden, d dtype.DType) {
	t.Helper()
	want, _, _ := strings.Cut(strings.TrimPrefix(g.Want, "tensor("), ",")
	if got := Scalar(g.options(), d.Get(g.Data, 0), d); got != strings.TrimSuffix(want, ")") {
		t.Errorf("Scalar: got %q, want %q", got, want)
	}
}
