package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/mem"
)

// newScratch is make for scratch whose size comes from operands. An operand that broadcasts few elements may need more memory than the
// machine has, and Go ends a program that asks for that.
func newScratch[T any](n int) []T {
	const small = 1 << 20
	if n > small {
		var t T
		if err := mem.CheckFree(n * int(unsafe.Sizeof(t))); err != nil {
			panic(fault.Wrap(fault.OutOfMemory, "scratch", err, "an operand cannot be laid out"))
		}
	}
	return make([]T, n)
}
