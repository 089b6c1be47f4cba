package ref

import (
	"sort"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() {
	register(backend.Table{"argsort": argsort, "sort": sortKernel, "topk": topk, "argpartition": argpartition, "lexsort": lexsort,
		"searchsorted": searchsorted})
}

// before orders numbers with NaN behind all others.
func before(x, y dtype.Scalar) bool { return less(x, y) || isNaN(y) && !isNaN(x) }

// order returns the numbers of a row's elements in order; equal ones keep theirs.
func order(x []dtype.Scalar, at []int, descending bool) []int {
	p := make([]int, len(at))
	for i := range p {
		p[i] = i
	}
	sort.SliceStable(p, func(i, j int) bool {
		if descending {
			i, j = j, i
		}
		return before(x[at[p[i]]], x[at[p[j]]])
	})
	return p
}

func argsort(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	s, x := a.(attr.Sort), load(in[0])
	res := make([]dtype.Scalar, len(x))
	rows(in[0].Shape.Dims(), s.Axis, func(at []int) {
		for k, i := range order(x, at, s.Descending) {
			res[at[k]] = integer(int64(i))
		}
	})
	store(out[0], res)
	return nil
}

func sortKernel(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	s := a.(attr.Sort)
	return firstOf(out, in, s.Axis, in[0].Shape.Dim(s.Axis), s.Descending)
}

func topk(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	t := a.(attr.TopK)
	return firstOf(out, in, t.Axis, t.K, !t.Smallest)
}

// argpartition sorts, then puts the indices before K, and those behind it, in order.
func argpartition(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	t, x := a.(attr.TopK), load(in[0])
	res := make([]dtype.Scalar, len(x))
	rows(in[0].Shape.Dims(), t.Axis, func(at []int) {
		p := order(x, at, false)
		sort.Ints(p[:t.K])
		sort.Ints(p[t.K+1:])
		for k, i := range p {
			res[at[k]] = integer(int64(i))
		}
	})
	store(out[0], res)
	return nil
}

// firstOf writes the first k elements in order of every row, and their indices.
func firstOf(out, in []backend.View, axis, k int, descending bool) error {
	x, inner := load(in[0]), 1
	for _, d := range in[0].Shape.Dims()[axis+1:] {
		inner *= d
	}
	val, idx := make([]dtype.Scalar, out[0].Numel()), make([]dtype.Scalar, out[0].Numel())
	row := 0
	rows(in[0].Shape.Dims(), axis, func(at []int) {
		for j, i := range order(x, at, descending)[:k] {
			o := (row/inner*k+j)*inner + row%inner
			val[o], idx[o] = x[at[i]], integer(int64(i))
		}
		row++
	})
	store(out[0], val)
	store(out[1], idx)
	return nil
}

// lexsort orders the rows of matrices by their first element that differs.
func lexsort(_ *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	x, r := load(in[0]), in[0].Shape.Rank()
	n, m := in[0].Shape.Dim(r-2), in[0].Shape.Dim(r-1)
	res := make([]dtype.Scalar, out[0].Numel())
	for base := 0; base < len(res); base += n {
		p := make([]int, n)
		for i := range p {
			p[i] = base + i
		}
		sort.SliceStable(p, func(i, j int) bool {
			for c := range m {
				a, b := x[p[i]*m+c], x[p[j]*m+c]
				if before(a, b) || before(b, a) {
					return before(a, b)
				}
			}
			return false
		})
		for i, v := range p {
			res[base+i] = integer(int64(v - base))
		}
	}
	store(out[0], res)
	return nil
}

func searchsorted(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	seq, v, right := load(in[0]), load(in[1]), a.(attr.Search).Right
	n := in[0].Shape.Dim(-1)
	perRow := len(v)
	if in[0].Shape.Rank() > 1 {
		perRow = in[1].Shape.Dim(-1)
	}
	res := make([]dtype.Scalar, len(v))
	for i, x := range v {
		row := seq[i/perRow*n : (i/perRow+1)*n]
		res[i] = integer(int64(sort.Search(n, func(k int) bool {
			if right {
				return less(x, row[k])
			}
			return !less(row[k], x) && !isNaN(x)
		})))
	}
	store(out[0], res)
	return nil
}
