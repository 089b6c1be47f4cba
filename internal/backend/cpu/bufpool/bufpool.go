// Package bufpool lends scratch memory for the time of a kernel.
package bufpool

import (
	"math/bits"
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/mem"
)

// New is make for scratch whose size comes from operands. A view that repeats a few elements very often may need more than the
// machine has, and Go ends a program that asks for that.
func New[T any](n int) []T {
	const small = 1 << 20
	if n > small {
		var t T
		if err := mem.CheckFree(n * int(unsafe.Sizeof(t))); err != nil {
			panic(fault.Wrap(fault.OutOfMemory, "scratch", err, "an operand cannot be laid out"))
		}
	}
	return make([]T, n)
}

// pools has scratch by the number of bits of its size, so that small and large ones do not replace each other.
var pools [64]sync.Pool

// Borrow returns scratch for n elements, contents unknown, and how to give it back.
func Borrow[T any](n int) ([]T, func()) {
	var zero T
	words := (n*int(unsafe.Sizeof(zero)) + 7) / 8
	class := bits.Len(uint(max(words, 64) - 1))
	buf, ok := pools[class].Get().(*[]uint64)
	if !ok {
		b := New[uint64](1 << class)
		buf = &b
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(*buf))), n), func() { pools[class].Put(buf) }
}
