package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

func init() { register(backend.Table{"class_loss": classLoss, "class_loss_grad": classLossGrad}) }

// lossUnit is how many targets a block of a loss has.
const lossUnit = 4096

// lossTargets are the targets of a loss and what they weigh.
type lossTargets[T floats] struct {
	attr.ClassLoss
	at     []int64
	weight []T // by class; nil: 1
	n      int // classes
}

// newLossTargets reads the operands that have one element for a target or for a class; weights has those of the classes, or nothing.
func newLossTargets[T floats](c *backend.Ctx, a attr.Attr, x, target backend.View, weights []backend.View) (l *lossTargets[T], err error) {
	l = &lossTargets[T]{ClassLoss: a.(attr.ClassLoss)}
	l.n = x.Shape.Dim(l.Axis)
	p, err := dense(c, target)
	if err != nil {
		return nil, err
	}
	l.at = elems[int64](p, target.Numel())
	if len(weights) > 0 {
		if p, err = dense(c, weights[0]); err != nil {
			return nil, err
		}
		l.weight = elems[T](p, l.n)
	}
	return l, nil
}

// refuse returns true for a target that is ignored and throws for one that is no class.
func (l *lossTargets[T]) refuse(k int) bool {
	if k != l.Ignore {
		panic(fault.IndexError(l.Op(), int64(k), int64(l.n)))
	}
	return true
}

// lossRow finds elements of x by target: how many bytes apart outer positions, targets within one, and classes are.
type lossRow struct {
	base                      unsafe.Pointer
	inner, outer, step, class int
}

// lossWalk describes a view so; one whose dimensions do not follow each other evenly is copied.
func lossWalk(c *backend.Ctx, v backend.View, axis int) (lossRow, error) {
	w, size := walkSlices(v, axis), v.DType.Size()
	r := lossRow{base: w.base, inner: w.elems, class: w.axis * size}
	if len(w.inner) == 1 {
		r.step = w.innerStr[0] * size
	}
	outer := shape.Of("class_loss", w.outer...)
	dims, strides := shape.Collapse(outer, w.outerStr)
	if len(w.inner) > 1 || len(dims) > 1 {
		base, err := dense(c, v)
		n := v.Shape.Dim(axis)
		return lossRow{base: base, inner: w.elems, outer: n * w.elems * size, step: size, class: w.elems * size}, err
	}
	if len(dims) == 1 {
		r.outer = strides[0][0] * size
	}
	return r, nil
}

// at is where the first class of a target is.
func (w *lossRow) at(r int) unsafe.Pointer {
	return unsafe.Add(w.base, r/w.inner*w.outer+r%w.inner*w.step)
}

func classLoss(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	switch d := in[0].DType; d {
	case dtype.Float32:
		return foldClasses(c, a, outOf[float32](out[0]), out, in, nil)
	case dtype.Float64:
		return foldClasses(c, a, outOf[float64](out[0]), out, in, nil)
	default:
		losses, widen := newScratch[float32](out[0].Numel()), widener(d)
		err := foldClasses(c, a, losses, out, in, func(p unsafe.Pointer) (v float32) {
			widen(unsafe.Slice(&v, 1), p)
			return v
		})
		if err != nil {
			return err
		}
		return storeHalf(c, out[0], losses)
	}
}

// foldClasses is class_loss over elements that read gives as T, nil where they are of T. losses are those of the targets, or the one.
func foldClasses[T floats](c *backend.Ctx, a attr.Attr, losses []T, out, in []backend.View, read func(unsafe.Pointer) T) error {
	l, err := newLossTargets[T](c, a, in[0], in[1], in[2:])
	if err != nil {
		return err
	}
	var lse []T
	if l.Logits {
		axes := attr.Axes{Axes: attr.MakeInts(l.Axis)}
		if err := table["logsumexp"](c, axes, out[2:], in[:1]); err != nil {
			return err
		}
		lse = outOf[T](out[2])
	}
	w, err := lossWalk(c, in[0], l.Axis)
	if err != nil {
		return err
	}
	rows := len(l.at)
	blocks := ceil(rows, lossUnit)
	sums, weights := newScratch[float64](blocks), newScratch[float64](blocks)
	err = each(c, blocks, func(b int) {
		sum, weight := 0.0, 0.0
		for r, end := b*lossUnit, min((b+1)*lossUnit, rows); r < end; {
			o := r / w.inner
			row, last := w.at(r), min(end, (o+1)*w.inner)
			for ; r < last; r, row = r+1, unsafe.Add(row, w.step) {
				k, wt := int(l.at[r]), T(1)
				if (uint(k) >= uint(l.n) || k == l.Ignore) && l.refuse(k) {
					if l.Fold == attr.LossNone {
						losses[r] = 0
					}
					continue
				}
				if l.weight != nil {
					wt = l.weight[k]
				}
				p, v := unsafe.Add(row, k*w.class), T(0)
				if read == nil {
					v = *(*T)(p)
				} else {
					v = read(p)
				}
				if lse != nil {
					v -= lse[r]
				}
				v *= -wt
				sum += float64(v)
				weight += float64(wt)
				if l.Fold == attr.LossNone {
					losses[r] = v
				}
			}
		}
		sums[b], weights[b] = sum, weight
	})
	if err != nil {
		return err
	}
	sum, weight := 0.0, 0.0
	for b := range sums {
		sum, weight = sum+sums[b], weight+weights[b]
	}
	outOf[T](out[1])[0] = T(weight)
	switch l.Fold {
	case attr.LossMean:
		losses[0] = T(sum / weight)
	case attr.LossSum:
		losses[0] = T(sum)
	}
	return nil
}

func classLossGrad(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	switch in[2].DType {
	case dtype.Float32:
		return spreadClasses[float32](c, a, out[0], in)
	case dtype.Float64:
		return spreadClasses[float64](c, a, out[0], in)
	}
	return spreadClasses[float32](c, a, out[0], in) // not of logits
}

// spreadClasses is class_loss_grad: what a target's loss is to be multiplied by, then the pass of class_nll_grad, or zeros and the targets.
func spreadClasses[T floats](c *backend.Ctx, a attr.Attr, out backend.View, in []backend.View) error {
	cl, rest := a.(attr.ClassLoss), in[4:]
	var lse []backend.View
	if cl.Logits {
		lse, rest = rest[:1], rest[1:]
	}
	l, err := newLossTargets[T](c, a, in[2], in[1], rest)
	if err != nil {
		return err
	}
	g, err := lossCotangent[T](c, in[0])
	if err != nil {
		return err
	}
	by := T(1)
	if l.Fold == attr.LossMean {
		p, err := dense(c, in[3])
		if err != nil {
			return err
		}
		by = *(*T)(p)
	}
	rows, one := len(l.at), T(0)
	if len(g) > 0 {
		one = g[0] / by
	}
	s, at := newScratch[T](rows), newScratch[int64](rows)
	err = each(c, ceil(rows, lossUnit), func(b int) {
		for r := b * lossUnit; r < min((b+1)*lossUnit, rows); r++ {
			k, v := l.at[r], one
			if (uint64(k) >= uint64(l.n) || int(k) == l.Ignore) && l.refuse(int(k)) {
				continue // class 0, times 0
			}
			if l.weight != nil || len(g) > 1 {
				v = g[min(r, len(g)-1)]
				if l.weight != nil {
					v *= l.weight[k]
				}
				v /= by
			}
			at[r], s[r] = k, v
		}
	})
	if err != nil {
		return err
	}
	d := in[2].Shape.Dims()
	if cl.Logits {
		p, err := dense(c, lse[0])
		if err != nil {
			return err
		}
		keep := append([]int{}, d...)
		keep[cl.Axis] = 1
		ks := shape.Of("class_loss_grad", keep...)
		share, sums := scratchView(s, in[2].DType, ks), scratchView(elems[T](p, rows), in[2].DType, ks)
		return classNLLGrad(c, attr.Axis{Axis: cl.Axis}, []backend.View{out},
			[]backend.View{in[2], sums, scratchView(at, dtype.Int64, ks), share, share})
	}
	z, inner, unit := out.Bytes(), volume(d[cl.Axis+1:]), 16*blockElems
	if err := each(c, ceil(len(z), unit), func(b int) { clear(z[b*unit : min((b+1)*unit, len(z))]) }); err != nil {
		return err
	}
	var narrow func(z unsafe.Pointer, x []float32)
	if out.DType.IsHalf() {
		narrow = narrower(out.DType)
	}
	return each(c, ceil(rows, lossUnit), func(b int) {
		wide := make([]float32, 1)
		for r := b * lossUnit; r < min((b+1)*lossUnit, rows); r++ {
			o := r / inner
			at := (o*l.n+int(at[r]))*inner + r - o*inner
			if narrow != nil {
				wide[0] = float32(-s[r])
				narrow(unsafe.Pointer(&z[2*at]), wide)
			} else {
				outOf[T](out)[at] = -s[r]
			}
		}
	})
}

// scratchView shows memory of a kernel as a contiguous operand.
func scratchView[T any](x []T, d dtype.DType, s *shape.Shape) backend.View {
	return backend.View{Buf: mem.FromGo(dtype.Bytes(x)), DType: d, Shape: s}
}

// lossCotangent reads the cotangent of a loss, or of each.
func lossCotangent[T floats](c *backend.Ctx, v backend.View) ([]T, error) {
	if !v.DType.IsHalf() {
		p, err := dense(c, v)
		return elems[T](p, v.Numel()), err
	}
	wide, err := denseF32(c, v)
	return elems[T](unsafe.Pointer(unsafe.SliceData(wide)), len(wide)), err
}
