package ref

import (
	"sort"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

func init() {
	register(backend.Table{"copy": copyKernel, "cat": cat, "slice_update": sliceUpdate, "arange": arange,
		"take_slices": takeSlices, "put_slices": putSlices, "gather": gather, "scatter": scatter,
		"cumsum": scan(sumOf), "cumprod": scan(prodOf), "argsort": argsort, "matmul": matmul, "const": konst})
}

func konst(_ *backend.Ctx, a attr.Attr, out, _ []backend.View) error {
	out[0].DType.Put(out[0].Buf.Mem, 0, a.(attr.Const).Value)
	return nil
}

func copyKernel(_ *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	store(out[0], load(in[0]))
	return nil
}

func cat(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	axis, at := a.(attr.Axis).Axis, 0
	res, os := make([]dtype.Scalar, out[0].Numel()), rowMajor(out[0].Shape)
	for _, v := range in {
		x, k := load(v), 0
		indices(v.Shape.Dims(), func(i []int) {
			res[offset(i, os)+at*os[axis]] = x[k]
			k++
		})
		at += v.Shape.Dim(axis)
	}
	store(out[0], res)
	return nil
}

func sliceUpdate(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	s, res, os := a.(attr.Slice), load(in[0]), rowMajor(out[0].Shape)
	u, k := load(in[1]), 0
	indices(in[1].Shape.Dims(), func(i []int) {
		o := 0
		for d, at := range i {
			o += (s.Start.At(d) + at*s.Step.At(d)) * os[d]
		}
		res[o] = u[k]
		k++
	})
	store(out[0], res)
	return nil
}

func arange(_ *backend.Ctx, a attr.Attr, out, _ []backend.View) error {
	r := a.(attr.Arange)
	for i := range r.N {
		v := dtype.Scalar{Kind: dtype.KindInt, I: r.Start.Int() + int64(i)*r.Step.Int()}
		if r.Start.Kind == dtype.KindFloat || r.Step.Kind == dtype.KindFloat {
			v = float(r.Start.Float() + float64(float64(i)*r.Step.Float()))
		}
		out[0].DType.Put(out[0].Buf.Mem, out[0].Offset()+i, v)
	}
	return nil
}

// position reads a checked index.
func position(s dtype.Scalar, size int) int {
	if s.I < 0 || s.I >= int64(size) {
		fault.Throw(fault.Index, "index", "position %d is out of range for size %d", s.I, size)
	}
	return int(s.I)
}

// slices calls f with the flat places of matching elements in x and in the taken slices.
func slices(xd []int, axis int, idx []dtype.Scalar, f func(x, y int)) {
	outer, inner := 1, 1
	for _, d := range xd[:axis] {
		outer *= d
	}
	for _, d := range xd[axis+1:] {
		inner *= d
	}
	for o := range outer {
		for k, s := range idx {
			p := position(s, xd[axis])
			for i := range inner {
				f((o*xd[axis]+p)*inner+i, (o*len(idx)+k)*inner+i)
			}
		}
	}
}

func takeSlices(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	x, idx, res := load(in[0]), load(in[1]), make([]dtype.Scalar, out[0].Numel())
	slices(in[0].Shape.Dims(), a.(attr.Axis).Axis, idx, func(i, j int) { res[j] = x[i] })
	store(out[0], res)
	return nil
}

// meet combines what is there with what is written.
func meet(d dtype.DType, r attr.Reduction, old, v dtype.Scalar) dtype.Scalar {
	two := []dtype.Scalar{old, v}
	switch r {
	case attr.ReduceAdd:
		if d == dtype.Bool {
			return boolean(truth(old) || truth(v))
		}
		return sumOf(d, two)
	case attr.ReduceMul:
		return prodOf(d, two)
	case attr.ReduceMax:
		return pick(old, v, less(old, v))
	case attr.ReduceMin:
		return pick(old, v, less(v, old))
	}
	return v
}

func putSlices(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	s := a.(attr.Scatter)
	res, idx, src := load(in[0]), load(in[1]), load(in[2])
	slices(in[0].Shape.Dims(), s.Axis, idx, func(i, j int) { res[i] = meet(out[0].DType, s.Reduce, res[i], src[j]) })
	store(out[0], res)
	return nil
}

func gather(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	axis := a.(attr.Axis).Axis
	x, idx, xs := load(in[0]), load(in[1]), rowMajor(in[0].Shape)
	res := make([]dtype.Scalar, out[0].Numel())
	k := 0
	indices(in[1].Shape.Dims(), func(at []int) {
		res[k] = x[offset(at, xs)+(position(idx[k], in[0].Shape.Dim(axis))-at[axis])*xs[axis]]
		k++
	})
	store(out[0], res)
	return nil
}

func scatter(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	s := a.(attr.Scatter)
	res, idx, src := load(in[0]), load(in[1]), load(in[2])
	xs, ss := rowMajor(in[0].Shape), rowMajor(in[2].Shape)
	k := 0
	indices(in[1].Shape.Dims(), func(at []int) {
		o := offset(at, xs) + (position(idx[k], in[0].Shape.Dim(s.Axis))-at[s.Axis])*xs[s.Axis]
		res[o] = meet(out[0].DType, s.Reduce, res[o], src[offset(at, ss)])
		k++
	})
	store(out[0], res)
	return nil
}

// rows calls f with the places of every row along an axis.
func rows(dims []int, axis int, f func(at []int)) {
	inner := 1
	for _, d := range dims[axis+1:] {
		inner *= d
	}
	outer := 1
	for _, d := range dims[:axis] {
		outer *= d
	}
	at := make([]int, dims[axis])
	for o := range outer {
		for i := range inner {
			for k := range at {
				at[k] = (o*dims[axis]+k)*inner + i
			}
			f(at)
		}
	}
}

func scan(combine func(dtype.DType, []dtype.Scalar) dtype.Scalar) backend.Kernel {
	return func(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		s, x := a.(attr.Scan), load(in[0])
		rows(in[0].Shape.Dims(), s.Axis, func(at []int) {
			for k := 1; k < len(at); k++ {
				i, before := at[k], at[k-1]
				if s.Reverse {
					i, before = at[len(at)-1-k], at[len(at)-k]
				}
				x[i] = combine(in[0].DType, []dtype.Scalar{x[before], x[i]})
			}
		})
		store(out[0], x)
		return nil
	}
}

func argsort(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	s, x := a.(attr.Sort), load(in[0])
	res := make([]dtype.Scalar, len(x))
	rows(in[0].Shape.Dims(), s.Axis, func(at []int) {
		p := make([]int, len(at))
		for i := range p {
			p[i] = i
		}
		before := func(i, j dtype.Scalar) bool { return less(i, j) || isNaN(j) && !isNaN(i) }
		sort.SliceStable(p, func(i, j int) bool {
			if s.Descending {
				i, j = j, i
			}
			return before(x[at[p[i]]], x[at[p[j]]])
		})
		for k, i := range p {
			res[at[k]] = integer(int64(i))
		}
	})
	store(out[0], res)
	return nil
}

func matmul(_ *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	a, b := load(in[0]), load(in[1])
	r := in[0].Shape.Rank()
	m, k, n := in[0].Shape.Dim(r-2), in[0].Shape.Dim(r-1), in[1].Shape.Dim(r-1)
	res := make([]dtype.Scalar, out[0].Numel())
	x := make([]dtype.Scalar, k)
	if m*n == 0 {
		return nil
	}
	for i := range res {
		batch, row, col := i/(m*n), i/n%m, i%n
		for l := range x {
			x[l] = prodOf(in[0].DType, []dtype.Scalar{a[(batch*m+row)*k+l], b[(batch*k+l)*n+col]})
		}
		res[i] = sumOf(in[0].DType, x)
	}
	store(out[0], res)
	return nil
}
