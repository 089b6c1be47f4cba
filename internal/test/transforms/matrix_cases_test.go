package transforms

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/golden"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// matrixCase is a call whose floats are in double precision.
type matrixCase struct {
	op, name string
	in       []*lucid.Tensor
	attrs    map[string]any
	grads    bool // PyTorch differentiates it

	smooth         bool            // its gradient met finite differences
	differentiable bool            // it has floats in and out
	point          []*lucid.Tensor // where it is smooth
	refused        int             // times it was a typed error for reading values
}

// matrixCases gathers the cases of every op: PyTorch's, those of an op that is the same under another name, and the
// hand-made ones, with floats in double precision or as they are.
func matrixCases(t testing.TB, double bool) map[string][]*matrixCase {
	all := map[string][]*matrixCase{}
	seen := map[string]bool{}
	add := func(c *matrixCase) {
		if double {
			c.double()
		}
		if k := c.op + c.key(); !seen[k] {
			seen[k] = true
			all[c.op] = append(all[c.op], c)
		}
	}
	for _, family := range golden.Families() {
		for _, g := range golden.Read(t, family) {
			s := tensortest.Schema(g.Op)
			if s == nil || golden.Waived(family, g) != "" {
				continue
			}
			c := &matrixCase{op: s.Name, name: g.Name, attrs: g.Attrs, grads: len(g.Grads) > 0}
			for _, in := range g.Inputs {
				c.in = append(c.in, tensortest.Golden(in))
			}
			add(c)
		}
	}
	for _, c := range handCases() {
		add(c)
	}
	for op, like := range matrixLike {
		for _, c := range all[like] {
			d := *c
			d.op = op
			all[op] = append(all[op], &d)
		}
	}
	return all
}

// double casts floats to double precision, in the attributes as well.
func (c *matrixCase) double() {
	for i, x := range c.in {
		if x == nil {
			continue
		}
		switch d := x.DType(); {
		case d.IsComplex():
			c.in[i] = x.To(lucid.Complex128)
		case d.IsFloat():
			c.in[i] = x.To(lucid.Float64)
		}
	}
	if d, ok := c.attrs["dtype"].(string); ok && c.op != "to" && c.op != "view_dtype" {
		attrs := map[string]any{}
		for k, v := range c.attrs {
			attrs[k] = v
		}
		switch d {
		case "float16", "bfloat16", "float32":
			attrs["dtype"] = "float64"
		case "complex64":
			attrs["dtype"] = "complex128"
		}
		c.attrs = attrs
	}
}

// key tells cases apart that are not the same after the cast.
func (c *matrixCase) key() string {
	k := fmt.Sprint(c.attrs)
	for _, x := range c.in {
		if x == nil {
			k += " nil"
			continue
		}
		k += fmt.Sprint(x.DType(), x.Shape(), numbers(x))
	}
	return k
}

// shapes describes the inputs.
func (c *matrixCase) shapes() string {
	var s []string
	for _, x := range c.in {
		if x == nil {
			s = append(s, "nil")
			continue
		}
		s = append(s, fmt.Sprintf("%v%v", x.DType(), x.Shape()))
	}
	return "(" + strings.Join(s, ", ") + ")"
}

// kind is what a sample should have once: which inputs there are, of what sort, with sizes one or zero, and the
// names of the attributes.
func (c *matrixCase) kind() string {
	k := ""
	for _, x := range c.in {
		switch {
		case x == nil:
			k += " nil"
			continue
		case x.DType() == lucid.Float64:
			k += " f"
		case x.DType() == lucid.Complex128:
			k += " c"
		case c.grads && !x.DType().IsInexact():
			k += " i"
		default:
			k += " " + x.DType().String()
		}
		k += fmt.Sprint(min(x.Dim(), 2))
		if x.NumElement() == 0 {
			k += "e"
		}
	}
	return k + c.attrKind()
}

func (c *matrixCase) attrKind() string {
	var names []string
	for n, v := range c.attrs {
		if s, ok := v.(string); ok && n != "dtype" {
			n += "=" + s
		}
		names = append(names, n)
	}
	sort.Strings(names)
	return fmt.Sprint(names)
}

// numbers reads any tensor.
func numbers(x *lucid.Tensor) []complex128 { return lucid.ToSlice[complex128](x) }

func finite(xs ...*lucid.Tensor) bool {
	for _, x := range xs {
		for _, v := range numbers(x) {
			if math.IsNaN(real(v)-real(v)) || math.IsNaN(imag(v)-imag(v)) {
				return false
			}
		}
	}
	return true
}
