package mem

import (
	"math/bits"
	"sync"
	"unsafe"
)

// small returns a buffer of ordinary Go memory: the collector frees it without our help, so it is not counted. The least
// ones are one object with their memory; that of others is used again if the buffer is freed by count.
func (p *Pool) small(n int) *Buffer {
	if n <= Inline {
		s := new(struct {
			Buffer
			data [Inline / 8]uint64
		})
		s.SetGoMemory(s.data[:], n)
		return &s.Buffer
	}
	b := new(Buffer)
	p.AllocSmall(b, n)
	return b
}

// Inline is the size in bytes up to which a buffer's memory should be part of the same object.
const Inline = 64

// OnHeap reports whether the pool takes n bytes from the Go heap.
func (p *Pool) OnHeap(n int) bool { return n <= smallSize && p.hostHeap() }

// AllocSmall gives an empty buffer n bytes of the Go heap, which are used again if it is freed by count.
func (p *Pool) AllocSmall(b *Buffer, n int) {
	k := bits.Len(uint(n - 1)) // n <= 1<<k
	w, ok := smalls[k].Get().(unsafe.Pointer)
	if !ok {
		w = unsafe.Pointer(unsafe.SliceData(make([]uint64, 1<<k/8)))
	}
	b.SetGoMemory(unsafe.Slice((*uint64)(w), 1<<k/8), n)
	b.pool, b.class = p, int16(-k)
}

// smalls has the memory of freed small buffers, by the logarithm of its size.
var smalls [13]sync.Pool

// giveSmall takes back the memory of a small buffer.
func (p *Pool) giveSmall(k int, host []byte) {
	w := unsafe.Pointer(unsafe.SliceData(host))
	if p.poison {
		poisonBytes(unsafe.Slice((*byte)(w), 1<<k))
	}
	smalls[k].Put(w)
}

// SetGoMemory gives an empty buffer n bytes of memory that the collector frees.
func (b *Buffer) SetGoMemory(w []uint64, n int) { b.Mem, b.Size, b.class = bytesOf(w, n), n, -1 }
