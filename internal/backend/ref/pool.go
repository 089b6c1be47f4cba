package ref

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// windows calls f for every output of every plane with the indices that its window sees, and the sum's divisor.
func windows(w attr.Pool, planes int, f func(out int, in []int, divisor float64)) {
	k := w.In.Len()
	spans := make([][]attr.Span, k)
	for d := range spans {
		spans[d] = w.Spans(d)
	}
	plane := 1
	for d := range k {
		plane *= w.In.At(d)
	}
	o := 0
	for p := range planes {
		indices(w.Out.Slice(), func(at []int) {
			indices, divisor := []int{p * plane}, 1
			for d := range k {
				s := spans[d][at[d]]
				var next []int
				for _, base := range indices {
					for i := s.Start; i < s.End; i += s.Step {
						stride := 1
						for e := d + 1; e < k; e++ {
							stride *= w.In.At(e)
						}
						next = append(next, base+i*stride)
					}
				}
				indices = next
				divisor *= s.Size
			}
			switch {
			case w.Divisor != 0:
				divisor = w.Divisor
			case w.Count == attr.CountNone:
				divisor = 1
			}
			f(o, indices, float64(divisor))
			o++
		})
	}
}

func planesOf(v backend.View, sizes ...attr.Ints) int {
	n := 1
	for _, s := range sizes {
		for i := range s.Len() {
			n *= s.At(i)
		}
	}
	return v.Numel() / max(1, n)
}

func poolMax(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	w, x := a.(attr.Pool), load(in[0])
	vals, idx := make([]dtype.Scalar, out[0].Numel()), make([]dtype.Scalar, out[0].Numel())
	plane := 1
	for d := range w.In.Len() {
		plane *= w.In.At(d)
	}
	windows(w, planesOf(in[0], w.In), func(o int, at []int, _ float64) {
		best := at[0]
		for _, i := range at {
			if less(x[best], x[i]) || isNaN(x[i]) {
				best = i
			}
		}
		vals[o], idx[o] = x[best], integer(int64(best%plane))
	})
	store(out[0], vals)
	store(out[1], idx)
	return nil
}

func poolMean(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	w, x, res := a.(attr.Pool), load(in[0]), make([]dtype.Scalar, out[0].Numel())
	windows(w, planesOf(in[0], w.In), func(o int, at []int, divisor float64) {
		s := 0.0
		for _, i := range at {
			s += x[i].F
		}
		res[o] = float(s / divisor)
	})
	store(out[0], res)
	return nil
}

func poolMeanT(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	w, g, res := a.(attr.Pool), load(in[0]), make([]dtype.Scalar, out[0].Numel())
	for i := range res {
		res[i] = float(0)
	}
	windows(w, planesOf(out[0], w.In), func(o int, at []int, divisor float64) {
		for _, i := range at {
			res[i].F += g[o].F / divisor
		}
	})
	store(out[0], res)
	return nil
}

// laidOut calls f with matching indices of an unfolded tensor and its image; padding is -1.
func laidOut(w attr.Pool, planes int, f func(unfolded, image int)) {
	k := w.In.Len()
	plane := 1
	for d := range k {
		plane *= w.In.At(d)
	}
	u := 0
	for p := range planes {
		indices(append(w.Kernel.Slice(), w.Out.Slice()...), func(at []int) {
			index := 0
			for d := range k {
				i := at[k+d]*w.Stride.At(d) - w.Pad.At(d) + at[d]*w.Dilation.At(d)
				if i < 0 || i >= w.In.At(d) || index < 0 {
					index = -1
					continue
				}
				index = index*w.In.At(d) + i
			}
			if index >= 0 {
				index += p * plane
			}
			f(u, index)
			u++
		})
	}
}

func poolUnfold(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	w, x, res := a.(attr.Pool), load(in[0]), make([]dtype.Scalar, out[0].Numel())
	laidOut(w, planesOf(in[0], w.In), func(u, i int) {
		if i >= 0 {
			res[u] = x[i]
		}
	})
	store(out[0], res)
	return nil
}

func poolFold(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	w, x := a.(attr.Pool), load(in[0])
	parts := make([][]dtype.Scalar, out[0].Numel())
	laidOut(w, planesOf(out[0], w.In), func(u, i int) {
		if i >= 0 {
			parts[i] = append(parts[i], x[u])
		}
	})
	res := make([]dtype.Scalar, len(parts))
	for i, p := range parts {
		res[i] = sumOf(out[0].DType, p)
	}
	store(out[0], res)
	return nil
}

func init() {
	register(backend.Table{"pool_max": poolMax, "pool_max_t": poolMaxT, "pool_mean": poolMean, "pool_mean_t": poolMeanT,
		"pool_unfold": poolUnfold, "pool_fold": poolFold})
}

// poolMaxT adds the value of every window to the element that was its maximum.
func poolMaxT(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	w, d := a.(attr.Pool), in[0].DType
	g, at := load(in[0]), load(in[1])
	planes := planesOf(in[0], w.Out)
	plane := out[0].Numel() / max(1, planes)
	terms := make([][]dtype.Scalar, out[0].Numel())
	windows(w, planes, func(o int, indices []int, _ float64) {
		for _, p := range indices {
			if p%plane == int(at[o].I) {
				terms[p] = append(terms[p], g[o])
			}
		}
	})
	res := make([]dtype.Scalar, len(terms))
	for i, t := range terms {
		res[i] = sumOf(d, t)
	}
	store(out[0], res)
	return nil
}
