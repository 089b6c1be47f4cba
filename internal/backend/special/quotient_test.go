package special

import (
	"math"
	"math/cmplx"
	"testing"
)

// Values of NumPy 2 and PyTorch 2.15, which agree on these.
func TestComplexExtremes(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	neg0 := math.Copysign(0, -1)
	for _, c := range []struct {
		name string
		f    func(x, y complex128) complex128
		x, y complex128
		want complex128
	}{
		{"div", DivC, 1, complex(inf, inf), complex(nan, nan)},
		{"div", DivC, 1, complex(inf, 2), 0},
		{"div", DivC, complex(2, 1), complex(neg0, 0), complex(inf, inf)},
		{"div", DivC, complex(1e300, 1e300), complex(1e300, 1e300), 1},
		{"div", DivC, complex(1e-300, 0), complex(0, 1e-300), complex(0, -1)},
		{"div", DivC, complex(inf, nan), -1, complex(nan, nan)},
		{"pow", PowC, 0, complex(0, 1), complex(nan, nan)},
		{"pow", PowC, 0, complex(nan, 1), complex(nan, nan)},
		{"pow", PowC, 0, 2, 0},
		{"pow", PowC, 0, complex(2, 3), 0},
		{"pow", PowC, 0, 0, 1},
		{"pow", PowC, 0, -1, complex(inf, nan)},
		{"pow", PowC, complex(0, 1), complex(0, inf), 0},
		{"pow", PowC, complex(-0.5, -0.5), complex(math.Inf(-1), 0), complex(inf, nan)},
		{"pow", PowC, complex(1e200, 0), 2, complex(inf, 0)},
	} {
		if got := c.f(c.x, c.y); !alike(real(got), real(c.want)) || !alike(imag(got), imag(c.want)) {
			t.Errorf("%s(%v, %v) = %v; want %v", c.name, c.x, c.y, got, c.want)
		}
	}
	for _, c := range []struct {
		name    string
		f       func(complex128) complex128
		x, want complex128
	}{
		{"log", LogC, complex(-1e300, -1e-300), complex(690.7755278982137, -math.Pi)},
		{"log1p", Log1pC, complex(-1e300, -1e-300), complex(690.7755278982137, -math.Pi)},
		{"sinh", SinhC, complex(-745, 1e-300), complex(-inf, 1.7715728757651354e+23)},
		{"cosh", CoshC, complex(-745, 1e-300), complex(inf, -1.7715728757651354e+23)},
		{"sin", SinC, complex(1e-300, -745), complex(1.7715728757651354e+23, -inf)},
		{"exp", ExpC, complex(745, 1e-300), complex(inf, 2*1.7715728757651354e+23)},
		{"sigmoid", SigmoidC, complex(-745, 1e-300), 0},
		{"sqrt", SqrtC, complex(nan, 0), complex(nan, nan)},
		{"sqrt", SqrtC, complex(nan, inf), complex(inf, inf)},
		{"rsqrt", RsqrtC, complex(0, inf), complex(nan, nan)},
	} {
		if got := c.f(c.x); !alike(real(got), real(c.want)) || !alike(imag(got), imag(c.want)) {
			t.Errorf("%s(%v) = %v; want %v", c.name, c.x, got, c.want)
		}
	}
	if got := Atan2(-1e-300, -1e300); got != -math.Pi {
		t.Errorf("atan2 of a quotient that is too small is %v; want -π", got)
	}
	if !cmplx.IsNaN(complex(Atan2(nan, 1), 0)) || math.Signbit(Atan2(0, 1)) || !math.Signbit(Atan2(neg0, 1)) {
		t.Error("atan2 keeps NaN and the sign of zero")
	}
}

func alike(x, y float64) bool {
	return x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= 1e-13*math.Abs(y)
}
