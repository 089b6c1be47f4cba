package fusion

import (
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestRoundedOnce: a product in half types to which something is added is rounded once, when all is summed. Operands are whole numbers, so
// that every sum is exact in float32, and the product needs more bits than a half has while what is left of it does not.
func TestRoundedOnce(t *testing.T) {
	for _, d := range []lucid.DType{lucid.BFloat16, lucid.Float16} {
		for _, s := range [][3]int{{3, 5, 7}, {1, 64, 1}, {4, 40, 33}, {70, 130, 65}, {300, 520, 300}} {
			m, k, n := s[0], s[1], s[2]
			whole := func(limit float64, dims ...int) *lucid.Tensor {
				return lucid.With{DType: lucid.Float64}.Uniform(-limit, limit, dims...).Round().Eval()
			}
			x, w, weak := whole(60, m, k), whole(60, n, k), whole(3, n)
			p := x.MatMul(w.MT()).Eval()
			near := p.Neg().To(d).To(lucid.Float64).Eval() // cancels all but what the product loses in rounding
			hx, hw, hb := x.To(d).Eval(), w.To(d).Eval(), near.To(d).Eval()
			check := func(name string, got, want *lucid.Tensor) {
				t.Helper()
				if want = want.To(lucid.Float32).To(d).Reshape(got.Shape()...).Eval(); !asGood(got, want) {
					t.Errorf("%v %v: %s is %v, want %v", d, s, name, got, want)
				}
			}
			check("addmm", lucid.Addmm(hb, hx, hw.MT(), lucid.AddmmOptions{}), p.Add(near))
			check("addmm with factors", lucid.Addmm(hb, hx, hw.MT(), lucid.AddmmOptions{Alpha: 2.0, Beta: -0.5}),
				p.Mul(2).Sub(near.Mul(0.5)))
			check("baddbmm", lucid.Baddbmm(hb.Reshape(1, m, n), hx.Reshape(1, m, k), hw.MT().Reshape(1, k, n)), p.Add(near))
			check("addmv", lucid.Addmv(hb.Select(1, 0), hx, hw.Select(0, 0)), p.Add(near).Select(1, 0))
			row := near.Select(0, 0).Add(weak).To(d).Eval()
			linear := func(x, w, b *lucid.Tensor) *lucid.Tensor { return F.Linear(x, w, F.LinearOptions{Bias: b}) }
			for name, f := range map[string]func(x, w, b *lucid.Tensor) *lucid.Tensor{"linear": linear,
				"compiled linear": lucid.Compile(linear)} {
				check(name, f(hx, hw, row), p.Add(row.To(lucid.Float64)))
				check(name+" over a batch", f(hx.Reshape(1, m, k), hw, row), p.Add(row.To(lucid.Float64)))
			}
		}
	}
}

// TestGradientsStayHalf: the gradients of a layer in half types are in half types, though it adds up and rounds in float32.
func TestGradientsStayHalf(t *testing.T) {
	half := func(sizes ...int) *lucid.Tensor { return lucid.Randn(sizes...).To(lucid.BFloat16).Eval() }
	x, w, b, g := half(2, 3, 4), half(5, 4), half(5), half(2, 3, 5)
	_, grads := lucid.VJPN(func(in []*lucid.Tensor) []*lucid.Tensor {
		return []*lucid.Tensor{F.Linear(in[0], in[1], F.LinearOptions{Bias: in[2]})}
	}, []*lucid.Tensor{x, w, b}, []*lucid.Tensor{g})
	if s := lucid.Dump(grads...); strings.Contains(s, "float32") {
		t.Errorf("something is float32:\n%s", s)
	}
}
