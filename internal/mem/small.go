package mem

import (
	"math/bits"
	"sync"
	"unsafe"
)

// small returns a buffer of ordinary Go memory: the collector frees it without our help, so it is not counted. The least
// ones are one object with their memory; that of others is used again if the buffer is freed by count.
func (p *Pool) small(n int) *Buffer {
	if n <= 64 {
		s := new(struct {
			Buffer
			data [8]uint64
		})
		return s.fill(s.data[:], n)
	}
	k := bits.Len(uint(n - 1)) // n <= 1<<k
	b := &Buffer{pool: p}
	if w, ok := smalls[k].Get().(unsafe.Pointer); ok {
		b.fill(unsafe.Slice((*uint64)(w), 1<<k/8), n)
	} else {
		b.fill(make([]uint64, 1<<k/8), n)
	}
	b.class = int16(-k)
	return b
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

func (b *Buffer) fill(w []uint64, n int) *Buffer {
	b.Mem, b.Size, b.class = bytesOf(w, n), n, -1
	return b
}
