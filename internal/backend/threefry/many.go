package threefry

import "math"

// Samplers of numbers of events for many elements with equal parameters. They decide as Draw does, bit for bit: what is compared with
// the logarithm of a number there is compared with the number itself here, where the difference is far above all rounding errors.

// Pairs are two words of each of some elements: word j of element i is X[j][i] above Y[j][i].
type Pairs struct{ X, Y [2][]int32 }

// of cuts the pairs to n elements.
func (p *Pairs) of(n int) (x0, y0, x1, y1 []int32) {
	return p.X[0][:n], p.Y[0][:n], p.X[1][:n], p.Y[1][:n]
}

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

// Many makes one attempt for the elements at of a block, which have two words each; again receives those that need another. It returns
// how many these are.
func (b *BinomialSampler) Many(res []float64, at, again []int32, pairs *Pairs) int {
	x0, y0, x1, y1 := pairs.of(len(at))
	n := 0
	switch {
	case !b.rejection:
		for j, i := range at {
			res[i] = b.invert(unitOf(x0[j], y0[j]))
		}
	default:
		b.table.prepare(len(at), int(min(b.n+1, most))%most)
		a, w, c, alpha := b.a, b.w, b.c, b.alpha
		sure, last := b.table.sure, uint64(len(b.table.sure)-1)
		quick := int64(math.Float64bits(b.vr))
		for j, i := range at {
			u, v := unitOf(x0[j], y0[j])-0.5, unitOf(x1[j], y1[j])
			us := 0.5 - math.Abs(u)
			k := math.Floor((2*a/us+w)*u + c)
			t := v * alpha / (a/(us*us) + w)
			bits, limit := int64(math.Float64bits(t)), quick
			if us < 0.07 {
				limit = -1
			}
			if int64(math.Float64bits(v)) <= limit {
				bits = 0
			}
			res[i] = k
			if bits > sure[min(uint64(int64(k)), last)] && !b.accepts(k, us, v, t) {
				again[n] = i
				n++
			}
		}
	}
	if b.swapped {
		for _, i := range at {
			res[i] = b.n - res[i]
		}
	}
	return n
}

// Regular says that Many serves these parameters.
func (b *BinomialSampler) Regular() bool {
	return b.n > 0 && b.p > 0 && b.p <= 0.5 && !math.IsInf(b.n, 1)
}

// accepts is the test of the rejection: t is v·alpha/(a/us²+w).
func (b *BinomialSampler) accepts(k, us, v, t float64) bool {
	switch {
	case us >= 0.07 && v <= b.vr:
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

// Many makes one attempt for the elements at of a block, which have two words each; again receives those that need another. It returns
// how many these are.
func (p *PoissonSampler) Many(res []float64, at, again []int32, pairs *Pairs) int {
	x0, y0, x1, y1 := pairs.of(len(at))
	if p.rate < 10 {
		for j, i := range at {
			res[i] = float64(p.invert(unitOf(x0[j], y0[j])))
		}
		return 0
	}
	p.table.prepare(len(at), most)
	a, b, alpha := p.a, p.b, p.alpha
	sure, last := p.table.sure, uint64(len(p.table.sure)-1)
	quick, n := int64(math.Float64bits(p.vr)), 0
	for j, i := range at {
		u, v := unitOf(x0[j], y0[j])-0.5, unitOf(x1[j], y1[j])
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+b)*u + p.rate + 0.43)
		t := v * alpha / (a/(us*us) + b)
		bits, limit, slot := int64(math.Float64bits(t)), quick, min(uint64(int64(k)), last)
		if us < 0.07 {
			limit = -1
		}
		if int64(math.Float64bits(v)) <= limit {
			bits = 0
		}
		if us < 0.013 {
			slot = last
		}
		res[i] = k
		if bits > sure[slot] && !p.accepts(k, us, v, t) {
			again[n] = i
			n++
		}
	}
	return n
}

// Regular says that Many serves the rate.
func (p *PoissonSampler) Regular() bool { return p.rate > 0 && !math.IsInf(p.rate, 1) }

// accepts is the test of the rejection: t is v·alpha/(a/us²+b).
func (p *PoissonSampler) accepts(k, us, v, t float64) bool {
	switch {
	case us >= 0.07 && v <= p.vr:
		return true
	case k < 0 || us < 0.013 && v > us || p.table.rejects(k, t):
		return false
	}
	return p.table.below(int(k), t, k*p.log-p.rate-logFactorial(k))
}
