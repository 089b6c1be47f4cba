package cuda

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/shape"
)

// class is how an input lies.
type class byte

const (
	byValue   class = 'v' // an immediate, passed with the launch
	scalar    class = 'b' // one value in memory for all elements
	aligned   class = 'c' // contiguous, whole vectors can be loaded
	unaligned class = 'u' // contiguous, from an odd address
	rows      class = 'p' // strided with contiguous, aligned vectors
	across    class = 'a' // one value for all of the last dimension
	strided   class = 's' // anything else
	drawn     class = 'r' // random numbers, made by the kernel; what lies in memory is their key
)

// form is what a run adds to a program's key.
type form struct {
	classes []class
	vector  int
	wide    bool // indices need 64 bits
	dims    []int
	strides [][]int // of the inputs of classes rows, across and strided, in order
	cols    int     // elements of the rows that tails sum, 0: they sum columns
	drawing *drawing
}

// contiguousInputs counts the inputs that lie like the outputs; -1: some lie otherwise, and need offsets of their own.
func (f *form) contiguousInputs() (n int) {
	for _, c := range f.classes {
		switch c {
		case rows, across, strided:
			return -1
		case aligned, unaligned:
			n++
		}
	}
	return n
}

// looping reports whether a kernel walks a span of several vectors a thread, loading ahead: where functions are computed,
// arithmetic and memory must both be busy all the time.
func (f *form) looping(p *program) bool {
	n := f.contiguousInputs()
	return p.heavy && n > 0 && n <= 4 && f.drawing == nil
}

// many is how many vectors a thread takes at once: two where they are less than 16 bytes and registers are enough, so that more bytes are
// under way. Of 16 bytes one is better, by 3 % of a copy.
func (f *form) many(p *program) int {
	if f.pairs() {
		return 2
	}
	if n := f.contiguousInputs(); n < 0 || n > 3 || f.looping(p) || f.drawing != nil {
		return 1
	}
	for i, c := range f.classes {
		if (c == aligned || c == unaligned) && f.vector*p.DTypes[i].Size() < 16 {
			return 2
		}
	}
	return 1
}

// span is how many elements a block takes. Long loops need many blocks, so that the last ones do not run alone.
func (f *form) span(p *program, n int) int {
	const loops, fill = 8, 4096
	step := threads * f.vector
	if f.looping(p) {
		return step * max(1, min(loops, n/(step*fill)))
	}
	return step * f.many(p)
}

func (f *form) key() string {
	return fmt.Sprintf("%s/%d/%d/%v/%d", f.classes, f.vector, len(f.dims), f.wide, f.cols)
}

// classOf tells immediates and lone values from the rest.
func classOf(v backend.View) class {
	one := true
	for i, s := range v.Strides() {
		if s != 0 && v.Shape.Dim(i) != 1 {
			one = false
		}
	}
	switch {
	case one && v.Buf.Dev == 0:
		return byValue
	case one:
		return scalar
	case v.Contiguous():
		return aligned
	}
	return strided
}

// settle chooses the vector's length for elements of a shape, 16 bytes of the widest type that lies like the outputs, and merges dimensions.
func (f *form) settle(s *shape.Shape, out, in []backend.View) {
	widest := 1
	for _, v := range out {
		widest = max(widest, v.DType.Size())
	}
	for i, c := range f.classes {
		if c == aligned {
			widest = max(widest, in[i].DType.Size())
		} else if widest == 1 && in[i].DType.Size() > 1 {
			widest = 2 // registers for more than 8 wide values would be too many
		}
	}
	f.vector = 16 / widest
	var layouts [][]int
	last := s.Numel()
	for i, c := range f.classes {
		if c == strided {
			if layouts == nil {
				layouts = append(layouts, s.Strides())
			}
			layouts = append(layouts, in[i].Strides())
			lo, hi := span(in[i])
			last = max(last, hi, -lo)
		}
	}
	f.wide = last >= 1<<31-1<<16
	if len(layouts) > 1 {
		dims, strides := shape.Collapse(s, layouts...)
		f.dims, f.strides = dims, strides[1:]
		for dims[len(dims)-1]%f.vector != 0 {
			f.vector /= 2
		}
	}
	k := 0
	for i, c := range f.classes {
		size := in[i].DType.Size()
		fits := address(in[i])%uintptr(min(16, f.vector*size)) == 0
		switch c {
		case aligned:
			if !fits {
				f.classes[i] = unaligned
			}
		case strided:
			if f.strides[k][len(f.dims)-1] == 0 {
				f.classes[i] = across
			} else if fits && f.vector > 1 && wholeVectors(f.strides[k], f.vector) {
				f.classes[i] = rows
			}
			k++
		}
	}
}

// wholeVectors reports whether vectors of the last dimension are contiguous and begin at multiples of their length.
func wholeVectors(strides []int, vector int) bool {
	last := len(strides) - 1
	for _, s := range strides[:last] {
		if s%vector != 0 {
			return false
		}
	}
	return strides[last] == 1
}

// span returns the lowest and the highest element a view shows, from its first.
func span(v backend.View) (lo, hi int) {
	for i, s := range v.Strides() {
		if d := (v.Shape.Dim(i) - 1) * s; d < 0 {
			lo += d
		} else {
			hi += d
		}
	}
	return lo, hi
}
