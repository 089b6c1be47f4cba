package special

import "math"

// dd is the sum of two float64, the second being the rounding error of the first. An exponent is computed so where its error
// would be multiplied: that of e⁻⁷⁰⁰ in float64 would be hundreds of units in the last bit of the result.
type dd struct{ hi, lo float64 }

func twoSum(x, y float64) dd {
	s := x + y
	t := s - x
	return dd{s, (x - (s - t)) + (y - t)}
}

func quickSum(x, y float64) dd { // |x| >= |y|
	s := x + y
	return dd{s, y - (s - x)}
}

func twoMul(x, y float64) dd {
	p := x * y
	return dd{p, math.FMA(x, y, -p)}
}

func (x dd) add(y dd) dd {
	s, t := twoSum(x.hi, y.hi), twoSum(x.lo, y.lo)
	s = quickSum(s.hi, s.lo+t.hi)
	return quickSum(s.hi, s.lo+t.lo)
}

func (x dd) mul(y dd) dd {
	p := twoMul(x.hi, y.hi)
	return quickSum(p.hi, p.lo+math.FMA(x.hi, y.lo, x.lo*y.hi))
}

func (x dd) times(y float64) dd {
	p := twoMul(x.hi, y)
	return quickSum(p.hi, math.FMA(x.lo, y, p.lo))
}

func (x dd) over(y dd) dd {
	q := x.hi / y.hi
	r := x.add(y.times(-q))
	q1 := r.hi / y.hi
	r = r.add(y.times(-q1))
	return quickSum(q, q1).add(dd{r.hi / y.hi, 0})
}

// by is x/y.
func (x dd) by(y float64) dd {
	q := x.hi / y
	return quickSum(q, (math.FMA(-q, y, x.hi)+x.lo)/y)
}

func (x dd) neg() dd { return dd{-x.hi, -x.lo} }

// exp is eˣ as a float64, within 0.53 ulp of normal numbers.
func (x dd) exp() float64 {
	if !(math.Abs(x.hi) < 800) {
		return math.Exp(x.hi)
	}
	k := math.Round(x.hi * (1 / math.Ln2))
	r := x.add(ln2DD.times(-k))
	p := 0.0
	for _, c := range expTerms {
		p = math.FMA(p, r.hi, c)
	}
	y := quickSum(1, r.hi)
	v := y.hi + (y.lo + (r.lo + r.hi*(r.hi*p+r.lo)))
	if n := int(k); n > -1022 && n < 1023 {
		return v * math.Float64frombits(uint64(n+1023)<<52)
	}
	return math.Ldexp(v, int(k))
}

// expTerms has 1/k! for k from 14 down to 2.
var expTerms = [...]float64{1.0 / 87178291200, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
	1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5}

var (
	ln2DD       = dd{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}
	oneThird    = dd{0x1.5555555555555p-2, 0x1.5555555555555p-56}
	oneFifth    = dd{0x1.999999999999ap-3, -0x1.999999999999ap-57}
	oneSeventh  = dd{0x1.2492492492492p-3, 0x1.2492492492492p-57}
	oneNinth    = dd{0x1.c71c71c71c71cp-4, 0x1.c71c71c71c71cp-58}
	oneEleventh = dd{0x1.745d1745d1746p-4, -0x1.745d1745d1746p-59}
)

// twiceArtanh is log((1+s)/(1-s)) for |s| up to 0.34.
func twiceArtanh(s dd) dd {
	q := s.mul(s)
	// The terms from s¹³ on are small enough for one float64.
	h, p := q.hi, 0.0
	for k := 45.0; k >= 13; k -= 2 {
		p = math.FMA(p, h, 1/k)
	}
	t := oneEleventh.add(twoMul(h, p))
	for _, c := range [...]dd{oneNinth, oneSeventh, oneFifth, oneThird} {
		t = c.add(t.mul(q))
	}
	t = s.add(s.mul(q.mul(t)))
	return dd{2 * t.hi, 2 * t.lo}
}

// logDD is log x for positive numbers.
func logDD(x float64) dd {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	l := twiceArtanh(dd{m - 1, 0}.over(twoSum(m, 1)))
	return ln2DD.times(float64(e)).add(l)
}

// logRatio is log(x/y) of x - y and x + y, where x and y are nearly equal; elsewhere it is what apart gives.
func logRatio(diff, sum dd, apart func() dd) dd {
	if math.Abs(diff.hi) < 0.33*sum.hi {
		return twiceArtanh(diff.over(sum))
	}
	return apart()
}

// powDD is xʸ for positive x.
func powDD(x, y float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) || math.IsInf(y, 0) || y != y {
		return math.Pow(x, y)
	}
	return logDD(x).times(y).exp()
}
