package distributions

import (
	"math"
	"reflect"
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/fault"
)

// pairOf is two types of distributions.
type pairOf struct{ p, q reflect.Type }

// divergences is the table of closed forms.
var divergences = struct {
	sync.RWMutex
	table map[pairOf]func(p, q Distribution) *lucid.Tensor
}{table: map[pairOf]func(p, q Distribution) *lucid.Tensor{}}

// RegisterKL adds the divergence of a pair of types to the table, replacing one that is there. It is safe for concurrent use.
func RegisterKL[P, Q Distribution](f func(p P, q Q) *lucid.Tensor) {
	divergences.Lock()
	defer divergences.Unlock()
	key := pairOf{reflect.TypeFor[P](), reflect.TypeFor[Q]()}
	divergences.table[key] = func(p, q Distribution) *lucid.Tensor { return f(p.(P), q.(Q)) }
}

// A child is a distribution that is a special case of another.
type child interface{ Parent() Distribution }

// lineage is a distribution and what it is a special case of.
func lineage(d Distribution) []Distribution {
	list := []Distribution{d}
	for {
		c, ok := d.(child)
		if !ok {
			return list
		}
		d = c.Parent()
		list = append(list, d)
	}
}

// KL is the Kullback–Leibler divergence ∫ p log(p/q) in closed form. A pair is looked up by the distributions' types, then by those of
// what they are special cases of. A pair without a closed form is an error; see MonteCarloKL and RegisterKL.
func KL(p, q Distribution) *lucid.Tensor {
	ps, qs := lineage(p), lineage(q)
	divergences.RLock()
	var found func(p, q Distribution) *lucid.Tensor
	var a, b Distribution
	best := math.MaxInt
	for i, x := range ps {
		for j, y := range qs {
			f, ok := divergences.table[pairOf{reflect.TypeOf(x), reflect.TypeOf(y)}]
			if ok && i+j < best {
				found, a, b, best = f, x, y, i+j
			}
		}
	}
	divergences.RUnlock()
	if found == nil {
		fault.Throw(fault.NotImplemented, "distributions.KL",
			"no closed form of %v against %v; use MonteCarloKL, or add one with RegisterKL", p, q)
	}
	return found(a, b)
}

// MonteCarloOptions are the options of MonteCarloKL.
type MonteCarloOptions struct {
	Samples int           // 0: 1000
	Key     *lucid.Tensor // nil: of the default generator
}

// MonteCarloKL estimates the divergence by the mean of log p - log q over samples of p. Gradients pass to both, to p through its
// samples where it has RSample.
func MonteCarloKL(p, q Distribution, opts ...MonteCarloOptions) *lucid.Tensor {
	o := door.Option("distributions.MonteCarloKL", opts)
	if o.Samples < 0 {
		fault.Throw(fault.Value, "distributions.MonteCarloKL", "%d samples; want a positive number", o.Samples)
	}
	if o.Samples == 0 {
		o.Samples = 1000
	}
	if o.Key == nil {
		o.Key = lucid.DefaultGenerator().Key()
	}
	var x *lucid.Tensor
	if p.HasRSample() {
		x = p.RSampleKey(o.Key, o.Samples)
	} else {
		x = p.SampleKey(o.Key, o.Samples)
	}
	return p.LogProb(x).Sub(q.LogProb(x)).Mean(0)
}
