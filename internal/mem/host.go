package mem

import "unsafe"

// Host is the source of ordinary memory. Large blocks are mapped outside the Go heap, so that the collector
// neither scans nor counts them; under the race detector, which cannot see mapped memory, they are Go slices.
type Host struct{}

// Alloc returns n zeroed bytes aligned for every element type.
func (Host) Alloc(n int) ([]byte, uintptr, error) {
	b, err := mapBytes(n)
	return b, 0, err
}

// Release gives the bytes back.
func (Host) Release(b []byte, _ uintptr) { unmapBytes(b) }

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
