package ref

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

func init() {
	register(backend.Table{"copy": copyKernel, "depends": copyKernel, "cat": cat, "slice_update": sliceUpdate, "arange": arange,
		"take_slices": takeSlices, "put_slices": putSlices, "gather": gather, "scatter": scatter,
		"const": konst})
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
		panic(fault.IndexError("index", s.I, int64(size)))
	}
	return int(s.I)
}

// slices calls f with the flat indices of matching elements in x and in the taken slices.
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

// combine is the scatter combine of the old value and an update.
func combine(d dtype.DType, r attr.Reduction, old, v dtype.Scalar) dtype.Scalar {
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
	slices(in[0].Shape.Dims(), s.Axis, idx, func(i, j int) { res[i] = combine(out[0].DType, s.Reduce, res[i], src[j]) })
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
		res[o] = combine(out[0].DType, s.Reduce, res[o], src[offset(at, ss)])
		k++
	})
	store(out[0], res)
	return nil
}
