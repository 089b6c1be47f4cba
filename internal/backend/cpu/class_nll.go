package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// classNLL reduces the rows to log Σ exp(x) by that kernel, then reads one element of each.
func classNLL(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	axis := a.(attr.Axis).Axis
	if out[0].Numel() == 0 {
		return nil
	}
	if err := table["logsumexp"](c, attr.Axes{Axes: attr.MakeInts(axis), Keep: true}, out[1:], in[:1]); err != nil {
		return err
	}
	t, err := dense(c, in[1])
	if err != nil {
		return err
	}
	targets, w := elems[int64](t, in[1].Numel()), walkSlices(in[0], axis)
	n := in[0].Shape.Dim(axis)
	switch d := in[0].DType; d {
	case dtype.Float32:
		return classTerms(c, outOf[float32](out[0]), outOf[float32](out[1]), w, targets, n, readAs[float32])
	case dtype.Float64:
		return classTerms(c, outOf[float64](out[0]), outOf[float64](out[1]), w, targets, n, readAs[float64])
	default: // a half type
		wide := newScratch[float32](len(targets))
		lse, err := denseF32(c, out[1])
		if err != nil {
			return err
		}
		err = classTerms(c, wide, lse, w, targets, n, func(p unsafe.Pointer) (v float32) {
			widener(d)(unsafe.Slice(&v, 1), p)
			return v
		})
		if err != nil {
			return err
		}
		return storeHalf(c, out[0], wide)
	}
}

func readAs[T any](p unsafe.Pointer) T { return *(*T)(p) }

// classTerms sets z[r] = lse[r] - x[target[r]], x being row r of n classes.
func classTerms[T floats](c *backend.Ctx, z, lse []T, w *sliceWalk, targets []int64, n int, read func(p unsafe.Pointer) T) error {
	const per = 4096
	return c.For(ceil(len(targets), per), func(b int) {
		for r, end := b*per, min((b+1)*per, len(targets)); r < end; {
			o, i := r/w.elems, r%w.elems
			row := unsafe.Add(w.base, w.at(o)*w.size)
			step, even := 0, len(w.inner) <= 1 // most often: the elements behind the classes are at equal distances
			if len(w.inner) == 1 {
				step = w.innerStr[0]
			}
			for at := step * i; r < end && i < w.elems; r, i, at = r+1, i+1, at+step {
				k := targets[r]
				if uint64(k) >= uint64(n) {
					fault.Throw(fault.Index, "cross_entropy", "target %d is out of range for %d classes", k, n)
				}
				if !even {
					at = w.within(i)
				}
				z[r] = lse[r] - read(unsafe.Add(row, (int(k)*w.axis+at)*w.size))
			}
		}
	})
}

func init() { register(backend.Table{"class_nll": classNLL}) }
