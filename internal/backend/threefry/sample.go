package threefry

import "math"

// A sampler holds what a distribution computes once for its parameters, so that elements with equal parameters share it.
// Set takes parameters; Draw makes a number from the words of one element.

// PoissonSampler draws numbers of events.
type PoissonSampler struct {
	rate, log float64
	law       Law // of the rejection
	table     acceptance
	cdf       [64]float64 // of a small rate, as far as it was computed
	known     int
	last      float64 // the probability of the last of them
	guide     guide
}

// guide says where to begin the search of a distribution function: for a 256th of the unit interval, a number of leading values below
// it. It is made after some samples, and changes no result.
type guide struct {
	start [256]uint8
	draws int
}

const drawsBeforeGuide = 48

// begin is where the search for u may begin.
func (g *guide) begin(u float64) int {
	if g.draws <= drawsBeforeGuide {
		return 0
	}
	return int(g.start[int(u*256)&255])
}

// find is the number of a word with the upper half x, if the guide and the values lead to one.
func (g *guide) find(cdf []float64, x uint32, u float64) (k int, found bool) {
	if g.draws <= drawsBeforeGuide {
		return 0, false
	}
	k = int(g.start[x>>24])
	for k < len(cdf) && u >= cdf[k] {
		k++
	}
	return k, k < len(cdf)
}

// count makes the table when it is worth it.
func (g *guide) count(cdf []float64) {
	if g.draws++; g.draws != drawsBeforeGuide {
		return
	}
	k := 0
	for i := range g.start {
		for k < len(cdf)-1 && cdf[k] <= float64(i)/256 {
			k++
		}
		g.start[i] = uint8(k)
	}
	g.draws++
}

// Set takes a rate. One that is negative, NaN or infinite gives NaN.
func (p *PoissonSampler) Set(rate float64) {
	p.rate, p.guide.draws = rate, 0
	p.table.drop()
	switch {
	case rate >= 10:
		p.log = math.Log(rate)
		b := 0.931 + 2.53*math.Sqrt(rate)
		p.law = Law{A: -0.059 + 0.02483*b, B: b, C: rate, D: 0.43, Alpha: 1.1239 + 1.1328/(b-3.4), Quick: 0.9277 - 3.6224/(b-2)}
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
	for {
		word0, word1 := s.Word(), s.Word()
		if k, us, v, t := p.law.attempt(word0, word1); p.accepts(k, us, v, t) {
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
	law        Law // of the rejection
	table      acceptance
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
	b.table.drop()
	b.rejection = n*p >= 10
	if b.rejection {
		root := math.Sqrt(n * p * (1 - p))
		w := 1.15 + 2.53*root
		b.law = Law{A: -0.0873 + 0.0248*w + 0.01*p, B: w, C: n*p + 0.5, Alpha: (2.83 + 5.1/w) * root, Quick: 0.92 - 4.2/w}
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
	for {
		word0, word1 := s.Word(), s.Word()
		if k, us, v, t := b.law.attempt(word0, word1); b.accepts(k, us, v, t) {
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
