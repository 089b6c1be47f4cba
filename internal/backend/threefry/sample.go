package threefry

import "math"

// A sampler holds what a distribution computes once for its parameters, so that elements with equal parameters share it.
// Set takes parameters; Draw makes a number from the words of one element.

// PoissonSampler draws numbers of events.
type PoissonSampler struct {
	rate, log float64
	a, b, vr  float64     // of the rejection
	cdf       [64]float64 // of a small rate, as far as it was computed
	known     int
	last      float64 // the probability of the last of them
	guide     guide
}

// guide says where to begin the search of a distribution function: for a 64th of the unit interval, a number of leading values below
// it. It is made after some samples, and changes no result.
type guide struct {
	start [64]uint8
	draws int
}

const drawsBeforeGuide = 24

// begin is where the search for u may begin.
func (g *guide) begin(u float64) int {
	if g.draws <= drawsBeforeGuide {
		return 0
	}
	return int(g.start[int(u*64)&63])
}

// count makes the table when it is worth it.
func (g *guide) count(cdf []float64) {
	if g.draws++; g.draws != drawsBeforeGuide {
		return
	}
	k := 0
	for i := range g.start {
		for k < len(cdf)-1 && cdf[k] <= float64(i)/64 {
			k++
		}
		g.start[i] = uint8(k)
	}
	g.draws++
}

// Set takes a rate. One that is negative, NaN or infinite gives NaN.
func (p *PoissonSampler) Set(rate float64) {
	p.rate, p.guide.draws = rate, 0
	switch {
	case rate >= 10:
		p.log = math.Log(rate)
		p.b = 0.931 + 2.53*math.Sqrt(rate)
		p.a = -0.059 + 0.02483*p.b
		p.vr = 0.9277 - 3.6224/(p.b-2)
	case rate > 0:
		p.last = math.Exp(-rate)
		p.cdf[0], p.known = p.last, 1
	}
}

// Draw inverts the distribution function for small rates, and uses transformed rejection (PTRS, Hörmann 1993) for others.
func (p *PoissonSampler) Draw(s *Stream) float64 {
	rate := p.rate
	switch {
	case rate == 0:
		return 0
	case !(rate > 0) || math.IsInf(rate, 1):
		return math.NaN()
	case rate < 10:
		return float64(p.invert(s.Float()))
	}
	a, b, vr := p.a, p.b, p.vr
	for {
		u, v := s.Float()-0.5, s.Float()
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+b)*u + rate + 0.43)
		if us >= 0.07 && v <= vr {
			return k
		}
		if k < 0 || us < 0.013 && v > us {
			continue
		}
		invAlpha := 1.1239 + 1.1328/(b-3.4)
		if math.Log(v*invAlpha/(a/(us*us)+b)) <= k*p.log-rate-logFactorial(k) {
			return k
		}
	}
}

// invert finds the first k whose distribution function is above u. Beyond 64 the sum does not change for rates below 10.
func (p *PoissonSampler) invert(u float64) int {
	p.guide.count(p.cdf[:p.known])
	for k := p.guide.begin(u); k < p.known; k++ {
		if u < p.cdf[k] {
			return k
		}
	}
	for p.known < len(p.cdf) {
		k := p.known
		p.last *= p.rate / float64(k)
		p.cdf[k] = p.cdf[k-1] + p.last
		p.known++
		if u < p.cdf[k] {
			return k
		}
	}
	return len(p.cdf) - 1
}

// Poisson draws one number of events.
func (s *Stream) Poisson(rate float64) float64 {
	var p PoissonSampler
	p.Set(rate)
	return p.Draw(s)
}

// BinomialSampler draws numbers of successes.
type BinomialSampler struct {
	n, p       float64 // p at most a half
	swapped    bool
	a, w, c    float64 // of the rejection
	vr, alpha  float64
	lpq        float64
	m, h       float64
	rejection  bool
	late       bool // lpq, m and h are computed
	cdf        [64]float64
	known      int
	last, odds float64
	guide      guide
}

// Set takes a number of trials and a probability. Those outside their range give NaN.
func (b *BinomialSampler) Set(n, p float64) {
	n = math.Floor(n)
	b.swapped = p > 0.5
	if b.swapped {
		p = 1 - p
	}
	b.n, b.p, b.late, b.guide.draws = n, p, false, 0
	b.rejection = n*p >= 10
	if b.rejection {
		root := math.Sqrt(n * p * (1 - p))
		b.w = 1.15 + 2.53*root
		b.a = -0.0873 + 0.0248*b.w + 0.01*p
		b.c = n*p + 0.5
		b.vr = 0.92 - 4.2/b.w
		b.alpha = (2.83 + 5.1/b.w) * root
		return
	}
	b.odds = p / (1 - p)
	b.last = math.Exp(n * math.Log1p(-p))
	b.cdf[0], b.known = b.last, 1
}

// Draw inverts the distribution function where few successes are expected, and uses transformed rejection (BTRS, Hörmann 1993)
// elsewhere.
func (b *BinomialSampler) Draw(s *Stream) float64 {
	n, p := b.n, b.p
	if !(n >= 0) || !(p >= 0 && p <= 0.5) || math.IsInf(n, 1) {
		return math.NaN()
	}
	k := 0.0
	switch {
	case n == 0 || p == 0:
	case b.rejection:
		k = b.reject(s)
	default:
		k = b.invert(s.Float())
	}
	if b.swapped {
		return n - k
	}
	return k
}

func (b *BinomialSampler) reject(s *Stream) float64 {
	n, a, w, c, vr := b.n, b.a, b.w, b.c, b.vr
	for {
		u, v := s.Float()-0.5, s.Float()
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+w)*u + c)
		if us >= 0.07 && v <= vr {
			return k
		}
		if k < 0 || k > n {
			continue
		}
		if !b.late {
			b.lpq, b.m, b.late = math.Log(b.p/(1-b.p)), math.Floor((n+1)*b.p), true
			b.h = logFactorial(b.m) + logFactorial(n-b.m)
		}
		if math.Log(v*b.alpha/(a/(us*us)+w)) <= b.h-logFactorial(k)-logFactorial(n-k)+(k-b.m)*b.lpq {
			return k
		}
	}
}

// invert finds the first k whose distribution function is above u.
func (b *BinomialSampler) invert(u float64) float64 {
	b.guide.count(b.cdf[:b.known])
	for k := b.guide.begin(u); k < b.known; k++ {
		if u < b.cdf[k] {
			return float64(k)
		}
	}
	for b.known < len(b.cdf) && float64(b.known) < b.n {
		k := b.known
		b.last *= (b.n - float64(k-1)) / float64(k) * b.odds
		b.cdf[k] = b.cdf[k-1] + b.last
		b.known++
		if u < b.cdf[k] {
			return float64(k)
		}
	}
	return min(float64(len(b.cdf)), b.n)
}

// Binomial draws the number of successes in n trials of probability p.
func (s *Stream) Binomial(n, p float64) float64 {
	var b BinomialSampler
	b.Set(n, p)
	return b.Draw(s)
}

const factorials = 128

// logFactorials are log k! of small k.
var logFactorials = func() (t [factorials]float64) {
	for k := range t {
		t[k], _ = math.Lgamma(float64(k) + 1)
	}
	return t
}()

// logFactorial is log k! of an integer: Stirling's series beyond the table.
func logFactorial(k float64) float64 {
	if k < factorials {
		return logFactorials[int(k)]
	}
	r := 1 / k
	return (k+0.5)*math.Log(k) - k + 0.91893853320467274178 + r*(1.0/12-r*r*(1.0/360-r*r/1260))
}
