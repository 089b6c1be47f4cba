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
	if !(g.alpha > 0) || math.IsInf(g.alpha, 1) {
		return g.edge()
	}
	x := g.atLeastOne(s)
	if g.less {
		x *= math.Exp(math.Log(1-s.Float()) / g.alpha)
	}
	return x
}

// DrawLog is the logarithm of Draw, also where Draw is too small for a number.
func (g *GammaSampler) DrawLog(s *Stream) float64 {
	if !(g.alpha > 0) || math.IsInf(g.alpha, 1) {
		return math.Log(g.edge())
	}
	x := math.Log(g.atLeastOne(s))
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

// First makes the number from the first words of an element where both steps accept at once, which is the case for some 95 of 100. It
// is what Draw would return. A concentration below 1 needs the third word.
func (g *GammaSampler) First(word0, word1, word2 uint64, n int) (float64, bool) {
	i := word0 & 255
	x := (float64(int64(word0>>11))*(1.0/(1<<52)) - 1) * layerEnds[i]
	v := 1 + g.c*x
	if math.Abs(x) >= layerEnds[i+1] || v <= 0 || !(g.alpha > 0) || g.alpha > math.MaxFloat64 || g.less && n < 3 {
		return 0, false
	}
	x *= x
	if u := 1 - unit(word1); u >= 1-0.0331*(x*x) {
		return 0, false
	}
	v *= v * v
	if g.less {
		return g.d * v * math.Exp(math.Log(1-unit(word2))/g.alpha), true
	}
	return g.d * v, true
}

func (g *GammaSampler) atLeastOne(s *Stream) float64 {
	for {
		x := s.Normal()
		v := 1 + g.c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		u := 1 - s.Float()
		x *= x
		if u < 1-0.0331*(x*x) || math.Log(u) < 0.5*x+g.d*(1-v+math.Log(v)) {
			return g.d * v
		}
	}
}

// Dirichlet fills a row with gamma numbers, one a concentration, and divides by their sum. start makes s the words of element i of the
// row, from the first on also when it is asked again: where all of a row are too small for numbers, their logarithms are sampled.
//
// Samplers are as many as concentrations; those of the row before serve again where concentrations are equal.
func Dirichlet(row, alpha []float64, samplers []GammaSampler, s *Stream, start func(i int, again bool)) {
	sum := 0.0
	for i, a := range alpha {
		g := &samplers[i]
		if a != g.alpha || a == 0 {
			g.Set(a)
		}
		start(i, false)
		x, ok := 0.0, false
		if s.hashed >= 2 {
			x, ok = g.First(s.ready[0], s.ready[1], s.ready[2], int(s.hashed))
		}
		if !ok {
			x = g.Draw(s)
		}
		row[i] = x
		sum += x
	}
	if sum > 1e-290 || math.IsNaN(sum) {
		by := 1 / sum
		for i := range row {
			row[i] *= by
		}
		return
	}
	top := math.Inf(-1)
	for i := range alpha {
		g := &samplers[i]
		start(i, true)
		row[i] = g.DrawLog(s)
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
