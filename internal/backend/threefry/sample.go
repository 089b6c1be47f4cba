package threefry

import "math"

// A sampler holds what a distribution computes once for its parameters, so that elements with equal parameters share it.
// Set takes parameters; Draw makes a number from the words of one element.

// PoissonSampler draws numbers of events.
type PoissonSampler struct {
	rate, root, log float64
	cdf             [64]float64 // of a small rate, as far as it was computed
	known           int
	last            float64 // the probability of the last of them
}

// Set takes a rate. One that is negative, NaN or infinite gives NaN.
func (p *PoissonSampler) Set(rate float64) {
	p.rate = rate
	switch {
	case rate >= 10:
		p.root, p.log = math.Sqrt(rate), math.Log(rate)
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
	b := 0.931 + 2.53*p.root
	a := -0.059 + 0.02483*b
	vr := 0.9277 - 3.6224/(b-2)
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
	for k := range p.known {
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
	root, lpq  float64
	m, h       float64
	rejection  bool
	late       bool // lpq, m and h are computed
	cdf        [64]float64
	known      int
	last, odds float64
}

// Set takes a number of trials and a probability. Those outside their range give NaN.
func (b *BinomialSampler) Set(n, p float64) {
	n = math.Floor(n)
	b.swapped = p > 0.5
	if b.swapped {
		p = 1 - p
	}
	b.n, b.p, b.late = n, p, false
	b.rejection = n*p >= 10
	if b.rejection {
		b.root = math.Sqrt(n * p * (1 - p))
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
	n, p := b.n, b.p
	w := 1.15 + 2.53*b.root
	a := -0.0873 + 0.0248*w + 0.01*p
	c := n*p + 0.5
	vr := 0.92 - 4.2/w
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
			b.lpq, b.m, b.late = math.Log(p/(1-p)), math.Floor((n+1)*p), true
			b.h = logFactorial(b.m) + logFactorial(n-b.m)
		}
		alpha := (2.83 + 5.1/w) * b.root
		if math.Log(v*alpha/(a/(us*us)+w)) <= b.h-logFactorial(k)-logFactorial(n-k)+(k-b.m)*b.lpq {
			return k
		}
	}
}

// invert finds the first k whose distribution function is above u.
func (b *BinomialSampler) invert(u float64) float64 {
	for k := range b.known {
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
