package cuda

import (
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestEpilogueOfSums: what follows a half-precision product with an addition is matched as the epilogue it is: a bias, a
// matrix, gelu, and no more.
func TestEpilogueOfSums(t *testing.T) {
	gelu := func(x *lucid.Tensor) *lucid.Tensor { return F.GELU(x, F.GELUOptions{Approximate: "tanh"}) }
	for _, c := range []struct {
		name  string
		f     func(x, w, bias, rest *lucid.Tensor) *lucid.Tensor
		added int // -1: no epilogue does it
		gelu  bool
	}{
		{"linear", func(x, w, b, _ *lucid.Tensor) *lucid.Tensor { return F.Linear(x, w, F.LinearOptions{Bias: b}) }, 1, false},
		{"gelu", func(x, w, b, _ *lucid.Tensor) *lucid.Tensor { return gelu(F.Linear(x, w, F.LinearOptions{Bias: b})) }, 1, true},
		{"residual", func(x, w, b, rest *lucid.Tensor) *lucid.Tensor {
			return F.Linear(x, w, F.LinearOptions{Bias: b}).Add(rest)
		}, 2, false},
		{"addmm", func(x, w, _, rest *lucid.Tensor) *lucid.Tensor { return lucid.Addmm(rest, x, w.MT()) }, 1, false},
		{"factor", func(x, w, _, rest *lucid.Tensor) *lucid.Tensor {
			return lucid.Addmm(rest, x, w.MT(), lucid.AddmmOptions{Alpha: 2})
		}, -1, false},
		{"tanh", func(x, w, b, _ *lucid.Tensor) *lucid.Tensor { return F.Linear(x, w, F.LinearOptions{Bias: b}).Tanh() }, -1, false},
	} {
		heads := 0
		for _, p := range seen(func() {
			half := func(sizes ...int) *lucid.Tensor { return lucid.Ones(sizes...).To(lucid.BFloat16).Eval() }
			f := lucid.Compile(func(in []*lucid.Tensor) *lucid.Tensor { return c.f(in[0], in[1], in[2], in[3]) })
			f([]*lucid.Tensor{half(64, 32), half(128, 32), half(128), half(64, 128)}).Eval()
		}) {
			if p.Producer == nil {
				continue
			}
			heads++
			a := p.Prep.(*program).epilogue
			if a == nil && c.added >= 0 || a != nil && (len(a.added) != c.added || a.gelu != c.gelu) {
				t.Errorf("%s: seen as %+v", c.name, a)
			}
		}
		if heads != 1 {
			t.Errorf("%s: %d programs begin with a product, want 1", c.name, heads)
		}
	}
}

// TestSumsOfStep: a training step of a transformer block stores no half-precision sum in float32.
func TestSumsOfStep(t *testing.T) {
	const rows, width, wide = 64, 32, 128
	products := 0
	for _, p := range seen(func() {
		half := func(sizes ...int) *lucid.Tensor { return lucid.Ones(sizes...).To(lucid.BFloat16).Eval() }
		in := []*lucid.Tensor{half(2, rows, width), half(3*width, width), half(3 * width), half(width, width), half(width),
			half(wide, width), half(wide), half(width, wide), half(width)}
		step := lucid.Compile(func(in []*lucid.Tensor) []*lucid.Tensor {
			out, grads := lucid.VJPN(func(in []*lucid.Tensor) []*lucid.Tensor {
				x := in[0]
				parts := F.Linear(x, in[1], F.LinearOptions{Bias: in[2]}).Chunk(3, -1)
				x = x.Add(F.Linear(parts[0].Mul(parts[1]).Sub(parts[2]), in[3], F.LinearOptions{Bias: in[4]}))
				y := F.GELU(F.Linear(x, in[5], F.LinearOptions{Bias: in[6]}), F.GELUOptions{Approximate: "tanh"})
				return []*lucid.Tensor{x.Add(F.Linear(y, in[7], F.LinearOptions{Bias: in[8]})).Softmax(-1).Square().Sum()}
			}, in, []*lucid.Tensor{half()})
			return append(grads, out...)
		})
		lucid.Eval(step(in)...)
	}) {
		for _, v := range p.out {
			if v.DType == lucid.Float32 && v.Numel() >= rows*width && !(p.Producer != nil && p.Producer.Unwritten) {
				t.Errorf("%s writes float32 of %v", p.Code(), v.Shape)
			}
		}
		if p.Producer == nil || p.Producer.Attr == nil {
			continue
		}
		products++
		if a := p.Prep.(*program).epilogue; a == nil || len(a.added) == 0 {
			t.Errorf("a product of %v: %s is seen as %+v", p.Shape, p.Code(), a)
		}
	}
	if products != 4 {
		t.Errorf("%d products whose sums are stored begin a program, want 4", products)
	}
}
