package utils_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/nn/utils"
	"github.com/lucid-go/lucid/optim"
)

// gap is how far the columns of q, or its rows if there are fewer, are from orthogonal.
func gap(q *lucid.Tensor) float64 {
	q = q.Detach()
	if q.Size(-2) < q.Size(-1) {
		q = q.Transpose(-2, -1)
	}
	eye := lucid.With{DType: q.DType()}.Eye(q.Size(-1))
	return q.Transpose(-2, -1).MatMul(q).Sub(eye).Abs().Max().Item()
}

type weighted struct {
	nn.Base
	Weight *lucid.Tensor
}

func (m *weighted) Forward(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(nn.Use(m, m.Weight)) }

// For every map and shape the tensor is orthogonal at once and stays so in training, and keeps a value that was
// orthogonal.
func TestOrthogonal(t *testing.T) {
	for _, shape := range [][]int{{1, 1}, {6, 6}, {40, 40}, {7, 3}, {3, 7}, {2, 5, 4}, {33, 1}} {
		for _, way := range []string{"", "matrix_exp", "cayley", "householder"} {
			for _, plain := range []bool{false, true} {
				name := fmt.Sprint(shape, " ", way, " plain ", plain)
				lucid.Seed(1)
				m := &weighted{Weight: nn.Parameter(lucid.With{DType: lucid.Float64}.Randn(shape...))}
				utils.Orthogonal(m, utils.OrthogonalOptions{OrthogonalMap: way, NoTrivialization: plain})
				if e := gap(nn.Value(m, "weight")); !(e < 1e-13) {
					t.Errorf("%s: %g from orthogonal at the start", name, e)
				}
				x := lucid.With{DType: lucid.Float64}.Randn(append(shape[:len(shape)-2:len(shape)-2], 3, shape[len(shape)-2])...)
				before := nn.Value(m, "weight").Detach()
				opt := optim.NewSGD(nn.Parameters(m), optim.SGDOptions{LR: 0.1})
				step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
					nn.ZeroGrad(m)
					loss := m.Forward(x).Sigmoid().Sum()
					loss.Backward()
					if err := opt.TryStep(); err != nil {
						t.Error(err)
					}
					return loss
				})
				first := step(x).Item()
				last := first
				for range 20 {
					last = step(x).Item()
				}
				after := nn.Value(m, "weight").Detach()
				if e := gap(after); !(e < 1e-12) {
					t.Errorf("%s: %g from orthogonal after training", name, e)
				}
				if size := shape[len(shape)-1] * shape[len(shape)-2]; size > 1 && (lucid.Equal(before, after) || !(last < first)) {
					t.Errorf("%s: nothing was learned: loss %v, then %v", name, first, last)
				}
			}
		}
	}
}

func TestOrthogonalAssign(t *testing.T) {
	lucid.Seed(2)
	for _, way := range []string{"matrix_exp", "cayley", "householder"} {
		for _, shape := range [][]int{{5, 5}, {6, 2}, {2, 6}} {
			m := &weighted{Weight: nn.Parameter(lucid.Randn(shape...))}
			utils.Orthogonal(m, utils.OrthogonalOptions{OrthogonalMap: way})
			q := nn.Value(m, "weight").Detach().Neg()
			nn.SetParametrized(m, "weight", q)
			if d := nn.Value(m, "weight").Sub(q).Abs().Max().Item(); !(d < 1e-5) {
				t.Errorf("%s %v: assigned and read again, %g apart", way, shape, d)
			}
			if got := nn.StateDict(m).Names(); !slices.Equal(got,
				[]string{"parametrizations.weight.original", "parametrizations.weight.0.base"}) {
				t.Errorf("state %v", got)
			}
			nn.RemoveParametrizations(m, "weight")
			if d := m.Weight.Detach().Sub(q).Abs().Max().Item(); !(d < 1e-5) || nn.IsParametrized(m, "") {
				t.Errorf("%s %v: taken off, %g apart", way, shape, d)
			}
		}
	}
	m := &weighted{Weight: nn.Parameter(lucid.Eye(3))}
	utils.Orthogonal(m, utils.OrthogonalOptions{OrthogonalMap: "householder", NoTrivialization: true})
	nn.SetParametrized(m, "weight", lucid.Eye(3).Neg())
	if d := nn.Value(m, "weight").Add(lucid.Eye(3)).Abs().Max().Item(); !(d < 1e-6) {
		t.Errorf("reflections alone: %g apart", d)
	}
	m = &weighted{Weight: nn.Parameter(lucid.Eye(3))}
	utils.Orthogonal(m, utils.OrthogonalOptions{OrthogonalMap: "cayley", NoTrivialization: true})
	if err := lucid.Try(func() { nn.SetParametrized(m, "weight", lucid.Eye(3)) }); !errors.Is(err, lucid.ErrNotImplemented) {
		t.Errorf("a map without an inverse was assigned to: %v", err)
	}
}

// Gradients of gradients come out right, and the exponential does for rotations by many times 2π.
func TestOrthogonalMaps(t *testing.T) {
	for _, way := range []string{"matrix_exp", "cayley", "householder"} {
		m := &weighted{Weight: nn.Parameter(lucid.With{DType: lucid.Float64}.Eye(4, 3))}
		utils.Orthogonal(m, utils.OrthogonalOptions{OrthogonalMap: way, NoTrivialization: true})
		p := nn.Parametrizations(m, "weight")[0]
		x := lucid.With{DType: lucid.Float64}.Randn(4, 3)
		f := func(in []*lucid.Tensor) []*lucid.Tensor { // the signs on the diagonal are constants
			x := lucid.Tril(in[0], lucid.TriOptions{Diagonal: -1}).Sub(lucid.With{DType: lucid.Float64}.Eye(4, 3))
			return []*lucid.Tensor{p.Forward(x)}
		}
		if err := lucid.GradCheck(f, []*lucid.Tensor{x}); err != nil {
			t.Errorf("%s: %v", way, err)
		}
		if err := lucid.GradGradCheck(f, []*lucid.Tensor{x}); err != nil {
			t.Errorf("%s: %v", way, err)
		}
	}
	m := &weighted{Weight: nn.Parameter(lucid.With{DType: lucid.Float64}.Zeros(2, 2))}
	utils.Orthogonal(m, utils.OrthogonalOptions{OrthogonalMap: "matrix_exp", NoTrivialization: true})
	p := nn.Parametrizations(m, "weight")[0]
	for _, angle := range []float64{0, 1e-9, 0.5, 0.8, 0.81, 3, 100, 4000} {
		q := lucid.ToSlice[float64](p.Forward(lucid.New([]float64{0, 0, angle, 0}, 2, 2)))
		for i, want := range []float64{math.Cos(angle), -math.Sin(angle), math.Sin(angle), math.Cos(angle)} {
			if math.Abs(q[i]-want) > 1e-14*(1+angle) {
				t.Errorf("rotation by %v: %v", angle, q)
			}
		}
	}
}

func TestOrthogonalRefuses(t *testing.T) {
	for want, f := range map[error]func(){
		lucid.ErrValue:         func() { utils.Orthogonal(nn.NewLinear(2, 2), utils.OrthogonalOptions{OrthogonalMap: "qr"}) },
		lucid.ErrShapeMismatch: func() { utils.Orthogonal(nn.NewLinear(2, 2), utils.OrthogonalOptions{Name: "bias"}) },
		lucid.ErrDType: func() {
			utils.Orthogonal(nn.NewLinear(2, 2, nn.LinearOptions{DType: lucid.BFloat16}))
		},
	} {
		if err := lucid.Try(f); !errors.Is(err, want) {
			t.Errorf("%v; want %v", err, want)
		}
	}
}
