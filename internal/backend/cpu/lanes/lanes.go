package lanes

import (
	"sync"
	"unsafe"
)

// Float is an element.
type Float interface{ float32 | float64 }

// maxSize is the number of rows and columns up to which matrices are interleaved; larger ones leave the caches and are served better by
// matrix products.
const maxSize = 32

// MaxSize is the largest number of rows and columns, 0 on a machine without vectors for it.
func MaxSize() int {
	if kernelsOf[float32]() == nil {
		return 0
	}
	return maxSize
}

// lineBytes is a line of a cache: cells begin with one, or with half of one.
const lineBytes = 64

// Batch factors up to Lanes matrices at once. One goroutine uses it at a time.
type Batch[T Float] struct {
	k     *kernelSet[T]
	lanes int
	arena []T // what cells are taken from
	used  int
	rest  []T // interleaved copies of a partial group
	same  sameCells[T]
	args  args[T]
	order [maxSize]int
	row   [maxSize]T
}

// sameCells is an operand that all matrices share, interleaved.
type sameCells[T Float] struct {
	from  *T
	cells []T
}

// New returns a Batch, or nil on a machine without vectors for it.
func New[T Float]() *Batch[T] {
	k := kernelsOf[T]()
	if k == nil {
		return nil
	}
	var z T
	return &Batch[T]{k: k, lanes: k.bytes / int(unsafe.Sizeof(z))}
}

var pool32, pool64 sync.Pool

func poolOf[T Float]() *sync.Pool {
	var z T
	if unsafe.Sizeof(z) == 4 {
		return &pool32
	}
	return &pool64
}

// Get is New with memory that Release gave back.
func Get[T Float]() *Batch[T] {
	if b, ok := poolOf[T]().Get().(*Batch[T]); ok && b.k == kernelsOf[T]() {
		return b
	}
	return New[T]()
}

// Release gives the memory back for another Get.
func (b *Batch[T]) Release() {
	b.same.from, b.args = nil, args[T]{} // their memory may have other contents later
	poolOf[T]().Put(b)
}

// Lanes is the number of matrices at once.
func (b *Batch[T]) Lanes() int { return b.lanes }

// take returns n cells that begin at a multiple of 64 bytes and hold anything. They are valid until reset.
func (b *Batch[T]) take(n int) []T {
	n *= b.lanes
	if b.used+n > len(b.arena) {
		line := lineBytes / (b.k.bytes / b.lanes)
		all := make([]T, max(2*len(b.arena), n, 64*b.lanes)+line)
		skip := 0
		for uintptr(unsafe.Pointer(&all[skip]))%lineBytes != 0 {
			skip++
		}
		b.arena, b.used = all[skip:len(all)-line+skip], 0
	}
	x := b.arena[b.used : b.used+n : b.used+n]
	b.used += n
	return x
}

// reset gives all cells back.
func (b *Batch[T]) reset() { b.used = 0 }

// pack interleaves count matrices of size elements, stride apart: element e of matrix i goes to z[e·lanes+i]. A stride of 0 is one matrix
// for all. Lanes without a matrix get a copy of the last one.
func (b *Batch[T]) pack(z, x []T, count, size, stride int) {
	if stride == 0 {
		b.packSame(z, x[:size])
		return
	}
	if count < b.lanes {
		if len(b.rest) < b.lanes*size {
			b.rest = make([]T, b.lanes*size)
		}
		for i := range b.lanes {
			copy(b.rest[i*size:][:size], x[min(i, count-1)*stride:][:size])
		}
		x, stride = b.rest, size
	}
	b.k.transpose(z, b.lanes, x, stride, b.lanes, size)
}

func (b *Batch[T]) packSame(z, x []T) {
	if b.same.from != &x[0] || len(b.same.cells) != len(x)*b.lanes {
		b.same.cells = make([]T, len(x)*b.lanes)
		for e, v := range x {
			cell := b.same.cells[e*b.lanes:][:b.lanes]
			for i := range cell {
				cell[i] = v
			}
		}
		b.same.from = &x[0]
	}
	copy(z, b.same.cells)
}

// unpack is the opposite of pack, to matrices that follow each other.
func (b *Batch[T]) unpack(z, x []T, count, size int) {
	b.k.transpose(z, size, x, b.lanes, size, count)
	b.ahead(z, count*size)
}

// cell is the i-th cell of x.
func (b *Batch[T]) cell(x []T, i int) []T { return x[i*b.lanes:][:b.lanes] }

// copyCell copies one cell.
func (b *Batch[T]) copyCell(z []T, to int, x []T, from int) { copy(b.cell(z, to), b.cell(x, from)) }

// identity fills n×n cells.
func (b *Batch[T]) identity(n int, z []T) {
	clear(z[:n*n*b.lanes])
	for i := range n {
		d := b.cell(z, i*n+i)
		for l := range d {
			d[l] = 1
		}
	}
}

// normalize multiplies the matrices of n cells by powers of two where their elements are so large or small that squares lose digits. bad
// has a bit for each lane with an element that is not finite; its elements become 0. undo, if not nil, is a cell with the inverse
// factors.
func (b *Batch[T]) normalize(n int, a []T) (undo []T, bad uint, norm []T) {
	norm = b.take(1)
	b.call(b.k.largest, args[T]{a: &a[0], b: &norm[0], n: n})
	factors := b.take(1)
	scaled := false
	for l, m := range norm {
		factors[l] = 1
		if !(m <= b.k.finite) {
			bad |= 1 << l
			continue
		}
		if m != 0 && (m < b.k.low || m > b.k.high) {
			factors[l] = powerNear(m)
			scaled = true
		}
	}
	if bad != 0 {
		for i := 0; i < n; i++ {
			c := b.cell(a, i)
			for l := range c {
				if bad>>l&1 != 0 {
					c[l] = 0
				}
			}
		}
		for l := range norm {
			if bad>>l&1 != 0 {
				norm[l] = 0
			}
		}
	}
	if !scaled {
		return nil, bad, norm
	}
	b.call(b.k.scale, args[T]{a: &a[0], b: &factors[0], n: n})
	undo = b.take(1)
	for l, f := range factors {
		undo[l] = 1 / f
		norm[l] *= f
	}
	return undo, bad, norm
}

// scaleCells multiplies n cells by a cell, if there is one.
func (b *Batch[T]) scaleCells(n int, a, factors []T) {
	if factors != nil && n > 0 {
		b.call(b.k.scale, args[T]{a: &a[0], b: &factors[0], n: n})
	}
}
