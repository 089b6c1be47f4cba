package cpu

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

func init() { register(backend.Table{"take_slices": takeSlices, "gather": gatherElements}) }

// checkedIndex returns index elements, checked against a size.
func checkedIndex(c *backend.Ctx, v backend.View, size int) ([]int64, error) {
	p, err := dense(c, v)
	if err != nil {
		return nil, err
	}
	idx := elems[int64](p, v.Numel())
	if len(idx) <= indexBlock {
		return idx, checkIndex(idx, size)
	}
	return idx, eachChecked(c, (len(idx)+indexBlock-1)/indexBlock, func(b int) error {
		return checkIndex(idx[b*indexBlock:min((b+1)*indexBlock, len(idx))], size)
	})
}

// eachChecked runs blocks that look at positions before they use them, while they are in the cache: the error is that of the first block
// that has one, for any order of execution.
func eachChecked(c *backend.Ctx, blocks int, f func(block int) error) error {
	errs := make([]error, blocks)
	err := each(c, blocks, func(b int) { errs[b] = f(b) })
	for _, e := range errs {
		if err == nil {
			err = e
		}
	}
	return err
}

const indexBlock = 1 << 15

// checkIndex looks for the first position that is out of range, if there is one.
func checkIndex(idx []int64, size int) error {
	if backend.AllWithin(idx, int64(size)) {
		return nil
	}
	for _, i := range idx {
		if uint64(i) >= uint64(size) {
			return fault.IndexError("index", int64(i), int64(size))
		}
	}
	return nil
}

// sliceWalk addresses slices along an axis of a strided view: outer positions, then the axis, then the slice's own.
type sliceWalk struct {
	outer, inner        []int // sizes
	outerStr, innerStr  []int
	axis, count, elems  int // stride of the axis, outer positions, elements of a slice
	base                unsafe.Pointer
	size                int
	wholeSlice, oneElem bool
}

func walkSlices(v backend.View, axis int) *sliceWalk {
	d, st := v.Shape.Dims(), v.Strides()
	w := &sliceWalk{axis: st[axis], base: unsafe.Add(v.Base(), v.Offset()*v.DType.Size()), size: v.DType.Size()}
	w.outer, w.outerStr = d[:axis], st[:axis]
	w.count, w.elems = volume(d[:axis]), volume(d[axis+1:])
	in, ins := shape.Collapse(shape.Of("take", d[axis+1:]...), st[axis+1:])
	w.inner, w.innerStr = in, ins[0]
	w.oneElem = len(in) == 0
	w.wholeSlice = len(in) == 1 && w.innerStr[0] == 1
	return w
}

// at is the offset of outer position o.
func (w *sliceWalk) at(o int) int {
	off := 0
	for d := len(w.outer) - 1; d >= 0; d-- {
		off += o % w.outer[d] * w.outerStr[d]
		o /= w.outer[d]
	}
	return off
}

// within is the offset of element i of a slice.
func (w *sliceWalk) within(i int) int {
	off := 0
	for d := len(w.inner) - 1; d > 0; d-- {
		off += i % w.inner[d] * w.innerStr[d]
		i /= w.inner[d]
	}
	if len(w.inner) > 0 {
		off += i * w.innerStr[0]
	}
	return off
}

const (
	rowsAhead = 2       // rows that are asked for before they are copied
	aheadRow  = 8 << 10 // bytes of the longest row that is asked for at once
)

func takeSlices(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	axis := a.(attr.Axis).Axis
	if out[0].Numel() == 0 {
		_, err := checkedIndex(c, in[1], in[0].Shape.Dim(axis))
		return err
	}
	idx, err := checkedIndex(c, in[1], in[0].Shape.Dim(axis))
	if err != nil {
		return err
	}
	w := walkSlices(in[0], axis)
	z := stridedOf(out[0]).base
	bytes := w.elems * w.size
	if w.oneElem {
		return w.takeElements(c, z, idx)
	}
	inner := operand{size: w.size, dims: w.inner, strides: w.innerStr}
	put := copyBytes
	if bytes >= streamRow && w.count*len(idx)*bytes >= StreamFrom {
		put = copyStream
	}
	// Rows are at random addresses, which defeats the hardware prefetcher.
	far := w.wholeSlice && bytes <= aheadRow && w.count*in[0].Shape.Dim(axis)*bytes >= StreamFrom
	group := max(1, copyBlock/2/bytes)
	parts := (len(idx) + group - 1) / group
	return each(c, w.count*parts, func(b int) {
		o, k := b/parts, b%parts*group
		row := unsafe.Add(w.base, w.at(o)*w.size)
		end := min((b%parts+1)*group, len(idx))
		for ; k < end; k++ {
			if far && k+rowsAhead < end {
				simd.Prefetch(unsafe.Add(row, int(idx[k+rowsAhead])*w.axis*w.size), bytes)
			}
			x := unsafe.Add(row, int(idx[k])*w.axis*w.size)
			y := unsafe.Add(z, (o*len(idx)+k)*bytes)
			if w.wholeSlice {
				put(y, x, bytes)
				continue
			}
			s := inner
			s.base = x
			gatherTile(y, &s, 0, w.elems)
		}
	})
}

// takeElements picks single elements.
func (w *sliceWalk) takeElements(c *backend.Ctx, z unsafe.Pointer, idx []int64) error {
	pick := picker(w.size)
	const unit = 1 << 14
	if len(idx) >= unit/4 {
		parts := (len(idx) + unit - 1) / unit
		return each(c, w.count*parts, func(b int) {
			o, lo := b/parts, b%parts*unit
			hi := min(lo+unit, len(idx))
			pick(unsafe.Add(z, (o*len(idx)+lo)*w.size), unsafe.Add(w.base, w.at(o)*w.size), idx[lo:hi], math.MaxInt, w.axis, 0)
		})
	}
	group := max(1, unit/max(1, len(idx)))
	return each(c, (w.count+group-1)/group, func(b int) {
		for o := b * group; o < min((b+1)*group, w.count); o++ {
			pick(unsafe.Add(z, o*len(idx)*w.size), unsafe.Add(w.base, w.at(o)*w.size), idx, math.MaxInt, w.axis, 0)
		}
	})
}

// picker gives the kernel z[k] = x[idx[k]·xs + k·step]. It ends with false at a position
// that is not from 0 on and below most.
func picker(size int) func(z, x unsafe.Pointer, idx []int64, most, xs, step int) bool {
	switch size {
	case 1:
		return pickT[uint8]
	case 2:
		return pickT[uint16]
	case 4:
		return pickT[uint32]
	case 8:
		return pickT[uint64]
	}
	return pickT[pair]
}

// pickT looks at a position just before it uses it: a branch that is never taken is less work than another pass over the positions.
func pickT[T any](z, x unsafe.Pointer, idx []int64, most, xs, step int) bool {
	var t T
	size := int(unsafe.Sizeof(t))
	out := elems[T](z, len(idx))
	xs *= size
	if step == 0 && xs == size { // a multiplication by what is no constant is most of the work
		for k, i := range idx {
			if uint64(i) >= uint64(most) {
				return false
			}
			out[k] = *(*T)(unsafe.Add(x, int(i)*int(unsafe.Sizeof(t))))
		}
		return true
	}
	if step == 0 {
		for k, i := range idx {
			if uint64(i) >= uint64(most) {
				return false
			}
			out[k] = *(*T)(unsafe.Add(x, int(i)*xs))
		}
		return true
	}
	at := 0
	for k, i := range idx {
		if uint64(i) >= uint64(most) {
			return false
		}
		out[k] = *(*T)(unsafe.Add(x, int(i)*xs+at))
		at += step * size
	}
	return true
}

func gatherElements(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	axis := a.(attr.Axis).Axis
	p, err := dense(c, in[1])
	idx, most := elems[int64](p, in[1].Numel()), in[0].Shape.Dim(axis)
	if err != nil || len(idx) == 0 {
		return err
	}
	d, xs := in[1].Shape.Dims(), in[0].Strides()
	x, z, size := stridedOf(in[0]).base, stridedOf(out[0]).base, out[0].DType.Size()
	last := len(d) - 1
	n, rows := d[last], len(idx)/d[last]
	step := xs[last]
	if axis == last {
		step = 0
	}
	pick := picker(size)
	const unit = 1 << 14
	piece := min(n, unit)
	pieces := (n + piece - 1) / piece
	group := max(1, unit/n)
	return eachChecked(c, (rows+group-1)/group*pieces, func(b int) error {
		lo := b % pieces * piece
		hi := min(lo+piece, n)
		for r := b / pieces * group; r < min((b/pieces+1)*group, rows); r++ {
			off, rest := lo*step, r
			for k := last - 1; k >= 0; k-- {
				if k != axis {
					off += rest % d[k] * xs[k]
				}
				rest /= d[k]
			}
			if !pick(unsafe.Add(z, (r*n+lo)*size), unsafe.Add(x, off*size), idx[r*n+lo:r*n+hi], most, xs[axis], step) {
				return checkIndex(idx[r*n+lo:r*n+hi], most)
			}
		}
		return nil
	})
}
