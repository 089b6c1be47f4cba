package mem

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Host is the source of ordinary memory. Large blocks are mapped outside the Go heap, so that the collector
// neither scans nor counts them; under the race detector, which cannot see mapped memory, they are Go slices.
type Host struct{}

// hostBytes counts the bytes that Alloc has given and Release not taken back.
var hostBytes atomic.Int64

// Alloc returns n zeroed bytes aligned for every element type. Systems promise more memory than there is and end the program that
// takes them at their word, so it is refused here what the machine does not have.
func (Host) Alloc(n int) ([]byte, uintptr, error) {
	before := hostBytes.Add(int64(n)) - int64(n)
	err := fits(int64(n), before)
	var b []byte
	if err == nil {
		b, err = mapBytes(n)
	}
	if err != nil {
		hostBytes.Add(-int64(n))
	}
	return b, 0, err
}

// Release gives the bytes back.
func (Host) Release(b []byte, _ uintptr) {
	hostBytes.Add(-int64(len(b)))
	unmapBytes(b)
}

// MachineBytes is how much memory this process can have at most; 0 if that is not known.
var MachineBytes = sync.OnceValue(machineBytes)

// muchAsked is from where on it is worth some microseconds to ask how much memory is free.
const muchAsked = 256 << 20

// CheckFree says why n more bytes of the Go heap cannot be had, if so: the runtime would not come back to say it.
func CheckFree(n int) error { return fits(int64(n), hostBytes.Load()) }

// fits says why n more bytes than the allocated ones cannot be had, if so.
func fits(n, before int64) error {
	if most := MachineBytes(); most > 0 && n > most-before {
		return fmt.Errorf("%d bytes in addition to %d are more than the machine's %d", n, before, most)
	}
	if n < muchAsked {
		return nil
	}
	// Pages that were promised and not touched yet are not free, though they are counted so.
	if free, resident, ok := available(); ok && n > free-max(0, before-resident) {
		return fmt.Errorf("%d bytes are more than the machine has free", n)
	}
	return nil
}

// bytesOf views words as n bytes: a word slice is aligned for every element type.
func bytesOf(w []uint64, n int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), 8*len(w))[:n:n]
}

// poisonBytes fills freed memory with NaN in every float type, so that a read after free shows.
func poisonBytes(b []byte) {
	w := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
	for i := range w {
		w[i] = 0x7fffffff
	}
}
