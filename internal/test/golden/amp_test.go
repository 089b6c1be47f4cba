package golden

import (
	"slices"
	"sort"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/golden"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// ampSeen tells by its result what an op does under Autocast: "half" if float32 comes out as bfloat16, "float32" if
// bfloat16 comes out as float32, "keep" if neither. Cases without a float input or output say nothing: "".
func ampSeen(c *golden.Case) (seen string) {
	defer func() {
		if recover() != nil {
			seen = "" // refused in one dtype or the other
		}
	}()
	for _, g := range c.Inputs {
		if g != nil && g.DType != "float32" && g.DType != "int64" && g.DType != "bool" {
			return ""
		}
	}
	run := func(d lucid.DType) lucid.DType {
		var in []*lucid.Tensor
		some := false
		for _, g := range c.Inputs {
			t := tensortest.Golden(g)
			if t != nil && t.DType() == lucid.Float32 {
				t, some = t.To(d), true
			}
			in = append(in, t)
		}
		var got lucid.DType
		lucid.Autocast(lucid.BFloat16, func() {
			if out, err := lucid.Call(c.Op, in, c.Attrs); err == nil && len(out) > 0 {
				got = out[0].DType()
			}
		})
		if !some {
			return lucid.DType(0)
		}
		return got
	}
	wide, half := run(lucid.Float32), run(lucid.BFloat16)
	switch {
	case !wide.IsFloat() || !half.IsFloat():
		return ""
	case wide == lucid.BFloat16:
		return "half"
	case half == lucid.Float32:
		return "float32"
	}
	return "keep"
}

// TestAMPDeclared checks that ops do under Autocast what their schemas say.
func TestAMPDeclared(t *testing.T) {
	seen := map[string][]string{}
	for _, family := range golden.Families() {
		for _, c := range golden.Read(t, family) {
			if s := tensortest.Schema(c.Op); s != nil && c.Attrs["dtype"] == nil && len(seen[s.Name]) < 4 {
				if as := ampSeen(&c); as != "" && !slices.Contains(seen[s.Name], as) {
					seen[s.Name] = append(seen[s.Name], as)
				}
			}
		}
	}
	names := make([]string, 0, len(seen))
	for n := range seen {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		said := tensortest.Schema(n).AMP
		if !slices.Contains(seen[n], said) || len(seen[n]) > 1 && ampVaries[n] == "" {
			t.Errorf("%s is said to be %s under Autocast; it was %v", n, said, seen[n])
		}
	}
}

// ampVaries lists ops whose way depends on their operands or options, and how.
var ampVaries = map[string]string{
	"cumprod": isNothingToScan, "cumsum": isNothingToScan, "logcumsumexp": isNothingToScan,
	"einsum":             "an equation without a product is a view or a sum",
	"tensordot":          "a product over no dimension is an outer one",
	"inner":              "with a 0-d operand it is a plain product",
	"hadamard_transform": "small sizes are one product, others are sums",
	"matrix_power":       "powers 0 and 1 multiply nothing",
}

const isNothingToScan = "of a 0-d tensor it is the tensor"
