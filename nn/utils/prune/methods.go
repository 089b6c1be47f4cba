package prune

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// indices returns the indices of the elements that are left.
func indices(left []bool) (at []int) {
	for i, on := range left {
		if on {
			at = append(at, i)
		}
	}
	return at
}

// random returns n of the numbers below k.
func random(k, n int) []int { return lucid.ToSlice[int](lucid.RandPerm(k))[:n] }

// lowest returns the n numbers of at with the lowest scores; of equal ones the first.
func lowest(at []int, score func(i int) float64, n int) []int {
	at = slices.Clone(at)
	slices.SortStableFunc(at, func(a, b int) int {
		switch x, y := score(a), score(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return at[:n]
}

// byChance prunes elements at random.
func byChance(op string, amount Amount) Method {
	return func(_ []float64, _ []int, left []bool) []bool {
		at := indices(left)
		for _, k := range random(len(at), amount.of(op, len(at))) {
			left[at[k]] = false
		}
		return left
	}
}

// bySize prunes the elements with the smallest absolute values.
func bySize(op string, amount Amount) Method {
	return func(scores []float64, _ []int, left []bool) []bool {
		at := indices(left)
		for _, k := range lowest(at, func(i int) float64 { return math.Abs(scores[i]) }, amount.of(op, len(at))) {
			left[k] = false
		}
		return left
	}
}

// RandomUnstructured prunes elements at random.
func RandomUnstructured(m nn.Module, name string, amount Amount) {
	apply("random_unstructured", m, name, byChance("random_unstructured", amount), nil)
}

// L1Unstructured prunes the elements with the smallest absolute values, or scores.
func L1Unstructured(m nn.Module, name string, amount Amount, opts ...Options) {
	apply("l1_unstructured", m, name, bySize("l1_unstructured", amount), opts)
}

// channels says of which channel of a dimension each element is, and which channels have something left.
func channels(op string, shape []int, dim int, left []bool) (of []int, live []int) {
	if len(shape) < 2 {
		refuse(lucid.ErrShapeMismatch, op, "a tensor of shape %v has no channels; want at least 2 dimensions", shape)
	}
	d := dim
	if d < 0 {
		d += len(shape)
	}
	if d < 0 || d >= len(shape) {
		refuse(lucid.ErrIndex, op, "dim %d of shape %v", dim, shape)
	}
	inner := 1
	for _, k := range shape[d+1:] {
		inner *= k
	}
	of = make([]int, len(left))
	on := make([]bool, shape[d])
	for i := range of {
		of[i] = i / inner % shape[d]
		on[of[i]] = on[of[i]] || left[i]
	}
	return of, indices(on)
}

// drop prunes whole channels.
func drop(of, which []int, left []bool) []bool {
	for i := range left {
		left[i] = left[i] && !slices.Contains(which, of[i])
	}
	return left
}

// RandomStructured prunes channels, elements with the same index in a dimension, at random.
func RandomStructured(m nn.Module, name string, amount Amount, dim int) {
	const op = "random_structured"
	apply(op, m, name, func(_ []float64, shape []int, left []bool) []bool {
		of, live := channels(op, shape, dim, left)
		var which []int
		for _, k := range random(len(live), amount.of(op, len(live))) {
			which = append(which, live[k])
		}
		return drop(of, which, left)
	}, nil)
}

// LnStructured prunes the channels of a dimension with the smallest norms of order n, which may be infinite.
func LnStructured(m nn.Module, name string, amount Amount, n float64, dim int, opts ...Options) {
	const op = "ln_structured"
	apply(op, m, name, func(scores []float64, shape []int, left []bool) []bool {
		of, live := channels(op, shape, dim, left)
		norms := make([]float64, slices.Max(of)+1)
		if math.IsInf(n, -1) {
			for i := range norms {
				norms[i] = math.Inf(1)
			}
		}
		for i, v := range scores {
			a, k := math.Abs(v), of[i]
			switch {
			case math.IsInf(n, 1):
				norms[k] = max(norms[k], a)
			case math.IsInf(n, -1):
				norms[k] = min(norms[k], a)
			case n == 0:
				if a != 0 {
					norms[k]++
				}
			default:
				norms[k] += math.Pow(a, n) // its root has the same order, if n is positive
			}
		}
		sign := 1.0
		if n < 0 && !math.IsInf(n, 0) {
			sign = -1
		}
		return drop(of, lowest(live, func(i int) float64 { return sign * norms[i] }, amount.of(op, len(live))), left)
	}, opts)
}

// Target is a tensor of a module.
type Target struct {
	Module nn.Module
	Name   string
	Scores *lucid.Tensor // as in Options
}

// GlobalUnstructured prunes the tensors as if they were one: those with the smallest absolute values of all.
func GlobalUnstructured(targets []Target, amount Amount) {
	global("global_unstructured", targets, bySize("global_unstructured", amount))
}

// GlobalRandom prunes elements of the tensors at random, as if they were one.
func GlobalRandom(targets []Target, amount Amount) {
	global("global_random", targets, byChance("global_random", amount))
}

func global(op string, targets []Target, f Method) {
	var scores []float64
	var on []bool
	for _, g := range targets {
		t, p := of(op, g.Module, g.Name)
		scores = append(scores, lucid.ToSlice[float64](scoresOf(op, t, []Options{{g.Scores}}))...)
		on = append(on, left(t, p)...)
	}
	keep := f(scores, []int{len(scores)}, slices.Clone(on))
	for _, g := range targets {
		t, p := of(op, g.Module, g.Name)
		n := t.NumElement()
		set(g.Module, g.Name, t, p, keep[:n], on[:n])
		keep, on = keep[n:], on[n:]
	}
}
