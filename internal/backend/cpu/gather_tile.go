package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/shape"
)

type pair struct{ a, b uint64 }

// collapse gives a view's dimensions with as few of them as its strides allow.
func collapse(v backend.View) (dims, strides []int) {
	d, s := shape.Collapse(v.Shape, v.Strides())
	if len(d) == 0 {
		return []int{1}, []int{0}
	}
	return d, s[0]
}

// fill repeats one element.
func fill(dst, src unsafe.Pointer, size, n int) {
	switch size {
	case 1:
		fillT[uint8](dst, src, n)
	case 2:
		fillT[uint16](dst, src, n)
	case 4:
		fillT[uint32](dst, src, n)
	case 8:
		fillT[uint64](dst, src, n)
	case 16:
		fillT[pair](dst, src, n)
	}
}

func fillT[T any](dst, src unsafe.Pointer, n int) {
	if n >= 8 && unsafe.Sizeof(*(*T)(src)) == 4 {
		repeatRuns(dst, src, 0, n, 1)
		return
	}
	repeat(unsafe.Slice((*T)(dst), n), *(*T)(src))
}

// repeatRuns repeats elements of 32 bits: count of them that are a step apart, each run times.
func repeatRuns(dst, src unsafe.Pointer, step, run, count int) {
	simd.RepeatRunsF32(unsafe.Slice((*float32)(dst), run*count), unsafe.Slice((*float32)(src), (count-1)*step+1), step, run, count)
}

// repeat sets all elements to v: some one by one, the others by copying those, which vectors do.
func repeat[T any](z []T, v T) {
	const few, most = 16, 1024
	for i := range z[:min(few, len(z))] {
		z[i] = v
	}
	for done := few; done < len(z); {
		done += copy(z[done:], z[:min(done, most)])
	}
}

// gatherTile copies elements at to at+n of an operand, counted in row-major order, into a tile.
func gatherTile(dst unsafe.Pointer, o *operand, at, n int) {
	switch o.size {
	case 1:
		gatherT[uint8](dst, o, at, n)
	case 2:
		gatherT[uint16](dst, o, at, n)
	case 4:
		gatherT[uint32](dst, o, at, n)
	case 8:
		gatherT[uint64](dst, o, at, n)
	case 16:
		gatherT[pair](dst, o, at, n)
	}
}

func gatherT[T any](dst unsafe.Pointer, o *operand, at, n int) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	last := len(o.dims) - 1
	var idx [shape.MaxRank]int
	off, rest := 0, at
	for d := last; d >= 0; d-- {
		idx[d] = rest % o.dims[d]
		rest /= o.dims[d]
		off += idx[d] * o.strides[d]
	}
	z := unsafe.Slice((*T)(dst), n)
	step := o.strides[last]
	for len(z) > 0 {
		run := min(o.dims[last]-idx[last], len(z))
		p := unsafe.Add(o.base, off*size)
		axis := last // the dimension that moves on
		switch step {
		case 1:
			copy(z[:run], unsafe.Slice((*T)(p), run))
			if k := o.sameRows(&idx, len(z)); k > 1 {
				axis = last - 1
				for all := k * run; run < all; {
					run += copy(z[run:all], z[:run])
				}
				idx[axis] += k
			}
		case 0:
			if k := o.wholeRuns(&idx, size, len(z)); k > 1 {
				axis, run = last-1, k*run
				repeatRuns(unsafe.Pointer(unsafe.SliceData(z)), p, o.strides[axis], o.dims[last], k)
				idx[axis] += k
				off += k * o.strides[axis]
			} else {
				fillT[T](unsafe.Pointer(unsafe.SliceData(z)), p, run)
			}
		default:
			for i := range z[:run] {
				z[i] = *(*T)(unsafe.Add(p, i*step*size))
			}
		}
		z = z[run:]
		if axis == last {
			idx[last] += run
			off += run * step
		}
		for d := axis; d > 0 && idx[d] == o.dims[d]; d-- {
			off += o.strides[d-1] - o.dims[d]*o.strides[d]
			idx[d] = 0
			idx[d-1]++
		}
	}
}

// sameRows is how many times the row at idx follows itself, at most n elements: a bias over its batch.
func (o *operand) sameRows(idx *[shape.MaxRank]int, n int) int {
	last := len(o.dims) - 1
	if last == 0 || idx[last] != 0 || o.strides[last-1] != 0 {
		return 0
	}
	return min(o.dims[last-1]-idx[last-1], n/o.dims[last])
}

// wholeRuns is how many runs of equal elements of 32 bits follow each other from idx on, at most n elements: those of a
// channel's value over its planes are short and many.
func (o *operand) wholeRuns(idx *[shape.MaxRank]int, size, n int) int {
	last := len(o.dims) - 1
	if size != 4 || last == 0 || idx[last] != 0 || o.strides[last-1] < 0 {
		return 0
	}
	return min(o.dims[last-1]-idx[last-1], n/o.dims[last])
}
