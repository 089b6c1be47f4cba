package threefry

import "math"

// GammaSampler draws from the gamma distribution of scale 1.
type GammaSampler struct {
	alpha, d, c float64
	less        bool // alpha is below 1
}

// Set takes a concentration. One that is negative or NaN gives NaN.
func (g *GammaSampler) Set(alpha float64) {
	g.alpha, g.less = alpha, alpha < 1
	if g.less {
		alpha++
	}
	g.d = alpha - 1.0/3
	g.c = 1 / math.Sqrt(9*g.d)
}

// Draw uses the cube of a shifted normal number with rejection (Marsaglia and Tsang, 2000). Below a concentration of 1 it multiplies a
// number of the concentration plus 1 by a power of a uniform one.
func (g *GammaSampler) Draw(s *Stream) float64 {
	if !g.Usual() {
		return g.edge()
	}
	x := g.AtLeastOne(s)
	if g.less {
		x *= math.Exp(math.Log(1-s.Float()) / g.alpha)
	}
	return x
}

// DrawLog is the logarithm of Draw, also where Draw is too small for a number.
func (g *GammaSampler) DrawLog(s *Stream) float64 {
	if !g.Usual() {
		return math.Log(g.edge())
	}
	x := math.Log(g.AtLeastOne(s))
	if g.less {
		x += math.Log(1-s.Float()) / g.alpha
	}
	return x
}

// edge is the number for a concentration that is 0, infinite or none.
func (g *GammaSampler) edge() float64 {
	switch {
	case g.alpha == 0:
		return 0
	case math.IsInf(g.alpha, 1):
		return g.alpha
	}
	return math.NaN()
}

// Usual says that the concentration is a positive number.
func (g *GammaSampler) Usual() bool { return g.alpha > 0 && !math.IsInf(g.alpha, 1) }

// Less says that a number is AtLeastOne times a power of a uniform number.
func (g *GammaSampler) Less() bool { return g.less }

// Attempt is the first attempt from the first two words of an element: the square of the normal number, the cube v and the uniform
// number u, for Accepts. There is none where the normal number needs more words, or v is not positive.
func (g *GammaSampler) Attempt(word0, word1 uint64) (square, v, u float64, some bool) {
	i := word0 & 255
	x := (float64(int64(word0>>11))*(1.0/(1<<52)) - 1) * layerEnds[i]
	v = 1 + float64(g.c*x) // not fused, as in kernels
	if math.Abs(x) >= layerEnds[i+1] || v <= 0 || !g.Usual() {
		return 0, 0, 0, false
	}
	return x * x, v * (v * v), 1 - Unit(word1), true
}

// Accepts decides by logarithms of v and u.
func (g *GammaSampler) Accepts(square, v, logU, logV float64) bool {
	return logU < 0.5*square+g.d*(1-v+logV)
}

// Of is the number that belongs to v.
func (g *GammaSampler) Of(v float64) float64 { return g.d * v }

// AtLeastOne draws a number of the concentration, or of the concentration plus 1 where that is below 1.
func (g *GammaSampler) AtLeastOne(s *Stream) float64 {
	for {
		x := s.Normal()
		v := 1 + float64(g.c*x)
		if v <= 0 {
			continue
		}
		v *= v * v
		u := 1 - s.Float()
		x *= x
		if u < 1-0.0331*(x*x) || g.Accepts(x, v, math.Log(u), math.Log(v)) {
			return g.d * v
		}
	}
}

// Dirichlet fills a row with gamma numbers, one a concentration, and divides by their sum. start gives the words of element i of the
// row, from the first on.
func Dirichlet(row, alpha []float64, start func(i int) Stream) {
	var g GammaSampler
	for i, a := range alpha {
		g.Set(a)
		s := start(i)
		row[i] = g.Draw(&s)
	}
	Shares(row, alpha, start)
}

// Shares divides the gamma numbers of a row by their sum. Where all are too small for numbers, their logarithms are sampled.
func Shares(row, alpha []float64, start func(i int) Stream) {
	sum := 0.0
	for _, x := range row {
		sum += x
	}
	if sum > 1e-290 || math.IsNaN(sum) {
		by := 1 / sum
		for i := range row {
			row[i] *= by
		}
		return
	}
	var g GammaSampler
	top := math.Inf(-1)
	for i, a := range alpha {
		g.Set(a)
		s := start(i)
		row[i] = g.DrawLog(&s)
		top = max(top, row[i])
	}
	sum = 0
	for i := range row {
		row[i] = math.Exp(row[i] - top)
		sum += row[i]
	}
	for i := range row {
		row[i] /= sum
	}
}

// VonMisesSampler draws angles in [-π, π).
type VonMisesSampler struct{ kappa, r float64 }

// Set takes a concentration. One that is negative or NaN gives NaN.
func (v *VonMisesSampler) Set(kappa float64) {
	v.kappa = kappa
	switch {
	case kappa < 1e-4: // the series, where differences would cancel
		v.r = 1/kappa + kappa
	default:
		tau := 1 + math.Sqrt(1+4*kappa*kappa)
		rho := (tau - math.Sqrt(2*tau)) / (2 * kappa)
		v.r = (1 + rho*rho) / (2 * rho)
	}
}

// Draw rejects from a wrapped Cauchy distribution (Best and Fisher, 1979). Beyond a concentration of 10⁶ the distribution is normal to
// the precision of float32.
func (v *VonMisesSampler) Draw(s *Stream) float64 {
	k := v.kappa
	switch {
	case !(k >= 0):
		return math.NaN()
	case k > 1e6:
		return wrap(s.Normal() / math.Sqrt(k))
	case k < 1e-8:
		return (2*s.Float() - 1) * math.Pi
	}
	for {
		z := math.Cos(math.Pi * s.Float())
		f := (1 + v.r*z) / (v.r + z)
		c := k * (v.r - f)
		u := 1 - s.Float()
		if c*(2-c) > u || math.Log(c/u)+1 >= c {
			angle := math.Acos(max(-1, min(1, f)))
			if s.Word()>>63 != 0 {
				angle = -angle
			}
			return wrap(angle)
		}
	}
}

// wrap brings an angle to [-π, π).
func wrap(x float64) float64 {
	x = math.Mod(x+math.Pi, 2*math.Pi)
	if x < 0 {
		x += 2 * math.Pi
	}
	return x - math.Pi
}
