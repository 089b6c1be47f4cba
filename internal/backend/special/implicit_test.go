package special

import (
	"math"
	"testing"
	"time"
)

// Values of mpmath: differences of the regularised functions at 40 digits.
var gammaGrads = [][4]float64{ // a, x, dx/da, its derivative by a
	{0.5, 0.1, 0.50976556708269724, -0.854585938424},
	{0.5, 3, 2.9129424164403646, -3.6174615509},
	{2, 1, 0.7507786921262598, -0.240153297151},
	{2, 9, 2.0939182642175737, -0.475051814612},
	{0.001, 1e-05, 0.10937472778081825, -109.358303576},
	{10, 3, 0.52421196060143801, -0.0322385479372},
	{10, 25, 1.5522439909006024, -0.0683237217304},
	{100, 80, 0.89406066835618287, -0.00465152504393},
	{100, 130, 1.1388044458372277, -0.00546394858225},
	{10000, 10100, 1.0050001660066193, -5.01683483009e-5},
	{0.1, 1e-20, 4.5627946919469832e-18, -4.54846170044e-17},
}

var betaGrads = [][5]float64{ // a, b, x, dx/da and dx/db over x(1-x)
	{0.5, 0.5, 0.1, 6.2059023597862041, -2.8988053924126758},
	{2, 3, 0.3, 0.66432817121996412, -0.34970591989221437},
	{2, 3, 0.9, 0.3827861882605292, -0.78390584815616971},
	{10, 1, 0.99, 0.10050335853501441, -2.8534890036230346},
	{0.01, 5, 1e-09, 1865.4052013462391, -0.22107936372795546},
	{30, 40, 0.4, 0.03485157671366093, -0.024615522160189361},
	{30, 40, 0.7, 0.026105062837388835, -0.034190804085889959},
	{1000, 500, 0.66, 0.0010054239648301841, -0.0019813654037621214},
	{3, 0.2, 0.999, 0.38045362619609343, -28.181420673456059},
}

func close(got, want, tol float64) bool { return math.Abs(got-want) <= tol*math.Abs(want) }

func TestGammaGrad(t *testing.T) {
	for _, c := range gammaGrads {
		for order, tol := range []float64{2e-13, 2e-11} {
			if got := GammaGrad(order, c[0], c[1]); !close(got, c[2+order], tol) {
				t.Errorf("order %d at a = %v, x = %v: %v, want %v", order, c[0], c[1], got, c[2+order])
			}
		}
	}
	for _, order := range []int{0, 1} { // the expansion for large concentrations continues the series
		for _, m := range []float64{-0.003, 0, 0.0005, 0.002, 0.02} {
			a := farConcentration
			near, far := GammaGrad(order, a, a*(1+m)), farGammaGrad(order, a, a*(1+m))
			if !close(far, near, []float64{2e-12, 2e-5}[order]) {
				t.Errorf("order %d at x/a = %v: %v by series, %v by the expansion", order, 1+m, near, far)
			}
		}
	}
	for _, c := range [][2]float64{{-1, 1}, {0, 1}, {1, -1}, {math.NaN(), 1}, {1, math.NaN()}, {math.Inf(1), 1}} {
		if got := GammaGrad(0, c[0], c[1]); got == got {
			t.Errorf("a = %v, x = %v: %v, want NaN", c[0], c[1], got)
		}
	}
}

func TestBetaGrad(t *testing.T) {
	for _, c := range betaGrads {
		for order := range 2 {
			if got := BetaGrad(order, c[0], c[1], c[2]); !close(got, c[3+order], 2e-13) {
				t.Errorf("order %d at a = %v, b = %v, x = %v: %v, want %v", order, c[0], c[1], c[2], got, c[3+order])
			}
		}
	}
	for _, c := range betaGrads { // second derivatives are differences of the first
		for order := 2; order < 6; order++ {
			h, a, b := 1e-5*c[0], 1e-5*c[0], 0.0
			if order%2 == 1 {
				h = 1e-5 * c[1]
				a, b = 0, h
			}
			want := (BetaGrad((order-2)/2, c[0]+a, c[1]+b, c[2]) - BetaGrad((order-2)/2, c[0]-a, c[1]-b, c[2])) / (2 * h)
			if got := BetaGrad(order, c[0], c[1], c[2]); !close(got, want, 1e-4) {
				t.Errorf("order %d at a = %v, b = %v, x = %v: %v, want %v", order, c[0], c[1], c[2], got, want)
			}
		}
	}
	for order := range 6 {
		for _, x := range []float64{0.3333, 0.3333333, 0.334, 0.335} {
			a, b := 1e6, 2e6
			if near, far := BetaGrad(order, a, b, x), farBetaGrad(order, a, b, x); !close(far, near, 1e-6) {
				t.Errorf("order %d at %v: %v by the fraction, %v by the expansion", order, x, near, far)
			}
		}
	}
}

// The expansion for large concentrations continues the continued fraction; huge numbers do not take long.
func TestBetaFar(t *testing.T) {
	for _, c := range [][2]float64{{1e6, 2e6}, {3e6, 3e6}, {5e6, 1e6}} {
		n := c[0] + c[1]
		p := c[0] / n
		for k := -6.0; k <= 6; k += 0.5 {
			x := p + k*math.Sqrt(p*(1-p)/n)
			off := twoSum(c[0], c[1]).times(-x).add(dd{c[0], 0}).hi
			if near, far := Betainc(c[0], c[1], x), betaFar(c[0], c[1], x, off); !close(far, near, 1e-8) {
				t.Errorf("a = %v, b = %v, %v deviations from the mean: %v by the fraction, %v by the expansion", c[0], c[1], k, near, far)
			}
		}
	}
	start := time.Now()
	for _, a := range []float64{1e-300, 1, 1e9, 1e300, math.MaxFloat64} {
		for _, b := range []float64{1e-300, 1, 1e9, 1e300, math.MaxFloat64} {
			for _, x := range []float64{1e-300, 0.5, 1 - 0x1p-53} {
				Betainc(a, b, x)
				BetaDensity(a, b, x)
				Gammainc(a, b)
				Gammaincc(a, b)
				GammaDensity(a, b)
				for order := range 6 {
					BetaGrad(order, a, b, x)
					GammaGrad(order%2, a, b)
				}
			}
		}
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
}
