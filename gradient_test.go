package lucid_test

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn/functional"
)

func close12(t *testing.T, what string, got *lucid.Tensor, want []float64) {
	t.Helper()
	w := lucid.New(want, got.Shape()...)
	if !lucid.AllClose(got, w, lucid.CloseOptions{RTol: new(1e-12), ATol: new(1e-12)}) {
		t.Errorf("%s: %v, want %v", what, got, w)
	}
}

// TestGradientCoordinates: samples at uneven positions, or a distance that is a tensor. Values are PyTorch's.
func TestGradientCoordinates(t *testing.T) {
	x := lucid.New([]float64{1, 4, 9, 16, 30, 2, 3, 5, 8, 13, 1, 0, 4, 2, 7}, 3, 5)
	p, q := lucid.New([]float64{0, 1, 3, 3.5, 6}, 5), lucid.New([]float64{0, 2, 3}, 3)
	g := lucid.Gradient(x, lucid.GradientOptions{Coordinates: []*lucid.Tensor{q, p}})
	close12(t, "rows", g[0], []float64{0.5, -0.5, -2, -4, -8.5, -0.5, -13. / 6, -4. / 3, -16. / 3, -41. / 6, -1, -3, -1, -6, -6})
	close12(t, "columns", g[1], []float64{3, 17. / 6, 11.7, 12.6, 5.6, 1, 1, 5, 16. / 3, 2, -1, 0, -2.8, -3, 2})
	g = lucid.Gradient(x, lucid.GradientOptions{Coordinates: []*lucid.Tensor{q, p}, EdgeOrder: 2})
	close12(t, "rows, parabolas", g[0], []float64{1.5, 7. / 6, -8. / 3, -8. / 3, -61. / 6, -0.5, -13. / 6, -4. / 3, -16. / 3, -41. / 6,
		-1.5, -23. / 6, -2. / 3, -20. / 3, -31. / 6})
	close12(t, "columns, parabolas", g[1], []float64{19. / 6, 17. / 6, 11.7, 12.6, -1.4, 1, 1, 5, 16. / 3, -4. / 3, -2, 0, -2.8, -3, 7})
	g = lucid.Gradient(x, lucid.GradientOptions{Coordinates: []*lucid.Tensor{lucid.Scalar(2.0)}})
	close12(t, "distance", g[1], []float64{1.5, 2, 3, 5.25, 7, 0.5, 0.75, 1.25, 2, 2.5, -0.5, 0.75, 0.5, 0.75, 2.5})

	xg, pg := x.Clone().RequiresGrad_(true), p.Clone().RequiresGrad_(true)
	lucid.Gradient(xg, lucid.GradientOptions{Coordinates: []*lucid.Tensor{pg}, Dim: []int{1}, EdgeOrder: 2})[0].Square().Sum().Backward()
	close12(t, "by samples", xg.Grad(), []float64{-110. / 9, 9.993333333333334, -81.87777777777778, 84.48, -0.37333333333333085, -4, 3,
		-335. / 9, 39.46666666666667, -1.2444444444444427, 16. / 3, -5.44, 42.4, -52.16, 148. / 15})
	close12(t, "by positions", pg.Grad(), []float64{43.25925925925925, -63.31933333333336, 1822.4055555555562, -1809.8880000000008,
		7.542518518518527})
	for _, o := range []lucid.GradientOptions{{Coordinates: []*lucid.Tensor{p, p}}, {Coordinates: []*lucid.Tensor{p, p, p}},
		{Coordinates: []*lucid.Tensor{q, p}, Spacing: []float64{1}}} {
		if err := lucid.Try(func() { lucid.Gradient(x, o) }); !errors.Is(err, lucid.ErrShapeMismatch) && !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%v: %v", o, err)
		}
	}
}

// TestELUAtZero: at 0 the slope is the left one and the second derivative 0, as in PyTorch.
func TestELUAtZero(t *testing.T) {
	two := 2.0
	for _, c := range []struct {
		name       string
		f          func(x *lucid.Tensor) *lucid.Tensor
		first, two []float64
	}{
		{"elu", func(x *lucid.Tensor) *lucid.Tensor { return functional.ELU(x, functional.ELUOptions{Alpha: new(1.5)}) },
			[]float64{0.5518191617571635, 1.5, 1.5, 1}, []float64{0.5518191617571635, 0, 0, 0}},
		{"selu", functional.SELU, []float64{0.646768603034814, 1.7580993408473766, 1.7580993408473766, 1.0507009873554805},
			[]float64{0.646768603034814, 0, 0, 0}},
		{"celu", func(x *lucid.Tensor) *lucid.Tensor { return functional.CELU(x, functional.ELUOptions{Alpha: &two}) },
			[]float64{0.6065306597126334, 1, 1, 1}, []float64{0.3032653298563167, 0, 0, 0}},
	} {
		x := lucid.New([]float64{-1, 0, 0, 1}, 4)
		x = x.Mul(lucid.New([]float64{1, -1, 1, 1}, 4)) // -0 too
		slope := func(x *lucid.Tensor) *lucid.Tensor {
			return lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return c.f(x).Sum() })(x)
		}
		close12(t, c.name, slope(x), c.first)
		close12(t, c.name+" twice", lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return slope(x).Sum() })(x), c.two)
	}
}
