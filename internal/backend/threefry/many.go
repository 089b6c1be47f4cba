package threefry

import "math"

// Samplers of numbers of events for many elements with equal parameters. They decide as Draw does, bit for bit: what is compared with
// the logarithm of a number there is compared with the number itself here, where the difference is far above all rounding errors.

// Pairs are two words of each of some elements: word j of element i is X[j][i] above Y[j][i].
type Pairs struct{ X, Y [2][]int32 }

// unitOf is the number in [0, 1) of the upper and lower part of a word.
func unitOf(x, y int32) float64 {
	return float64(int64(uint64(uint32(x))<<21|uint64(uint32(y))>>11)) * (1.0 / (1 << 53))
}

const (
	most   = 1024  // results that have entries in a table
	margin = 1e-12 // relative; logarithms and their bounds have errors of less than 1e-13
	few    = 32    // elements for which a table is not worth it
)

// acceptance has, for each result k, the numbers that are accepted and that are not accepted for sure.
type acceptance struct {
	sure  []int64   // bits, which are ordered as positive numbers are; at the end an entry for all other results, which accepts none
	never []float64 // NaN: not known
	ready bool
}

// drop forgets what was known.
func (a *acceptance) drop() { a.sure, a.never, a.ready = a.sure[:0], a.never[:0], false }

// prepare makes a table for the results, if there is none and it serves enough elements. One for no results leaves all to logarithms.
func (a *acceptance) prepare(elements, results int) {
	if a.ready {
		return
	}
	if a.ready = elements >= few; !a.ready {
		results = 0
	}
	if cap(a.sure) <= results {
		a.sure, a.never = make([]int64, results+1), make([]float64, results+1)
	}
	a.sure, a.never = a.sure[:results+1], a.never[:results+1]
	for k := range a.sure {
		a.sure[k], a.never[k] = 0, math.NaN()
	}
	a.sure[results] = -1
}

// below says whether log t <= bound, and remembers the bound of result k.
func (a *acceptance) below(k int, t, bound float64) bool {
	if k < len(a.sure)-1 {
		e := math.Exp(bound)
		a.sure[k], a.never[k] = int64(math.Float64bits(e*(1-margin))), e*(1+margin)
	}
	return math.Log(t) <= bound
}

// rejects says that t is not accepted for result k, as far as it is known.
func (a *acceptance) rejects(k, t float64) bool {
	return k < float64(len(a.never)-1) && t > a.never[int(k)]
}

// Law is what an attempt of transformed rejection computes: of a number u and v from 0 to 1 less a half, with us = 1/2 - |u|, it is
// k = floor((2A/us + B)·u + C + D) and t = v·Alpha/(A/us² + B). It is accepted for us of at least 0.07 and v up to Quick, and where
// log t is at most a bound that depends on k.
type Law struct{ A, B, C, D, Alpha, Quick float64 }

// attempt is one of them, rounded as kernels do.
func (l *Law) attempt(word0, word1 uint64) (k, us, v, t float64) {
	u, v := Unit(word0)-0.5, Unit(word1)
	us = 0.5 - math.Abs(u)
	k = math.Floor(float64((2*l.A/us+l.B)*u) + l.C + l.D)
	return k, us, v, float64(v*l.Alpha) / (l.A/float64(us*us) + l.B)
}

// word is word j of element i.
func (p *Pairs) word(j, i int) uint64 {
	return uint64(uint32(p.X[j][i]))<<32 | uint64(uint32(p.Y[j][i]))
}

// Decide takes attempts for the elements at of a block: numbers k, and t, which is 0 for what is accepted for sure and infinite where
// it is not enough. again receives those that need another attempt; it returns how many these are.
func (b *BinomialSampler) Decide(res []float64, at, again []int32, k, t []float64, pairs *Pairs) int {
	b.table.prepare(len(at), int(min(b.n+1, most))%most)
	n := b.table.decide(res, at, again, k, t, func(j int) bool {
		k, us, v, t := b.law.attempt(pairs.word(0, j), pairs.word(1, j))
		return b.accepts(k, us, v, t)
	})
	if b.swapped {
		for _, i := range at {
			res[i] = b.n - res[i]
		}
	}
	return n
}

// decide asks accepts where the table does not know.
func (a *acceptance) decide(res []float64, at, again []int32, k, t []float64, accepts func(j int) bool) int {
	sure, never, last, n := a.sure, a.never, uint64(len(a.sure)-1), 0
	k, t = k[:len(at)], t[:len(at)]
	for j, i := range at {
		res[i] = k[j]
		slot := min(uint64(int64(k[j])), last)
		if int64(math.Float64bits(t[j])) <= sure[slot] {
			continue
		}
		if t[j] > never[slot] && t[j] <= math.MaxFloat64 || !accepts(j) {
			again[n] = i
			n++
		}
	}
	return n
}

// Regular says that there is a law of rejection for these parameters, or that Invert serves them.
func (b *BinomialSampler) Regular() (law *Law, regular bool) {
	regular = b.n > 0 && b.p > 0 && b.p <= 0.5 && !math.IsInf(b.n, 1)
	if regular && b.rejection {
		law = &b.law
	}
	return law, regular
}

// Invert makes numbers of one word of each element.
func (b *BinomialSampler) Invert(res []float64, x, y []int32) {
	y = y[:len(x)]
	for i := range x {
		u := unitOf(x[i], y[i])
		k, ok := b.guide.find(b.cdf[:b.known], uint32(x[i]), u)
		if res[i] = float64(k); !ok {
			res[i] = b.invert(u)
		}
		if b.swapped {
			res[i] = b.n - res[i]
		}
	}
}

// accepts is the test of the rejection.
func (b *BinomialSampler) accepts(k, us, v, t float64) bool {
	switch {
	case us >= 0.07 && v <= b.law.Quick:
		return true
	case k < 0 || k > b.n || b.table.rejects(k, t):
		return false
	}
	if !b.late {
		b.lpq, b.m, b.late = math.Log(b.p/(1-b.p)), math.Floor((b.n+1)*b.p), true
		b.h = logFactorial(b.m) + logFactorial(b.n-b.m)
	}
	return b.table.below(int(k), t, b.h-logFactorial(k)-logFactorial(b.n-k)+(k-b.m)*b.lpq)
}

// Decide takes attempts for the elements at of a block; see BinomialSampler.Decide.
func (p *PoissonSampler) Decide(res []float64, at, again []int32, k, t []float64, pairs *Pairs) int {
	p.table.prepare(len(at), most)
	return p.table.decide(res, at, again, k, t, func(j int) bool {
		k, us, v, t := p.law.attempt(pairs.word(0, j), pairs.word(1, j))
		return p.accepts(k, us, v, t)
	})
}

// Regular says that there is a law of rejection for the rate, or that Invert serves it.
func (p *PoissonSampler) Regular() (law *Law, regular bool) {
	if p.rate >= 10 {
		law = &p.law
	}
	return law, p.rate > 0 && !math.IsInf(p.rate, 1)
}

// Invert makes numbers of one word of each element.
func (p *PoissonSampler) Invert(res []float64, x, y []int32) {
	y = y[:len(x)]
	for i := range x {
		u := unitOf(x[i], y[i])
		k, ok := p.guide.find(p.cdf[:p.known], uint32(x[i]), u)
		if !ok {
			k = p.invert(u)
		}
		res[i] = float64(k)
	}
}

// accepts is the test of the rejection.
func (p *PoissonSampler) accepts(k, us, v, t float64) bool {
	switch {
	case us >= 0.07 && v <= p.law.Quick:
		return true
	case k < 0 || us < 0.013 && v > us || p.table.rejects(k, t):
		return false
	}
	return p.table.below(int(k), t, k*p.log-p.rate-logFactorial(k))
}
