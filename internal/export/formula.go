package export

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
)

// formula is a number that depends on sizes s, open ones and behind them derived ones: whole ones are ⌊(Σ c·Πs^e) / div⌋, others
// scale·Πs^up / Πs^down, rounded to a dtype where they are the value of an immediate.
type formula struct {
	terms    []term
	div      int // at least 1; 0: not whole
	scale    float64
	up, down []int
	round    dtype.DType // 0: none
}

// term is a coefficient and the power of each size.
type term struct {
	c      int
	powers []int
}

// Limits of a formula.
const (
	maxTerms = 16
	maxPower = 4
)

// eval computes a formula; ok is false if it is out of range.
func (f *formula) eval(sizes []int) (v float64, ok bool) {
	if f.div == 0 {
		up, ok := product(f.up, sizes)
		down, fine := product(f.down, sizes)
		if !ok || !fine || down == 0 {
			return 0, false
		}
		return rounded(f.scale*up/down, f.round), true
	}
	sum := 0.0
	for _, t := range f.terms {
		p, ok := product(t.powers, sizes)
		if !ok {
			return 0, false
		}
		sum += float64(t.c) * p
	}
	if math.Abs(sum) > exact {
		return 0, false
	}
	return math.Floor(sum / float64(f.div)), true
}

// product multiplies powers of sizes; ok is false if a float64 cannot hold it.
func product(powers, sizes []int) (p float64, ok bool) {
	p = 1
	for i, e := range powers {
		for range e {
			p *= float64(sizes[i])
		}
	}
	return p, math.Abs(p) <= exact
}

// rounded is a number as a dtype holds it.
func rounded(v float64, d dtype.DType) float64 {
	if !d.Valid() || !d.IsFloat() {
		return v
	}
	var b [16]byte
	d.Put(b[:], 0, dtype.Scalar{F: v})
	return d.Get(b[:], 0).F
}

func sameFloat(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
