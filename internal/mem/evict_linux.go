package mem

import (
	"syscall"
	"unsafe"
)

// Evict tells the system that a part of a mapped file will not be read soon: its pages no longer count as the process's memory, and
// are read again from the file, or from the system's cache of it, when they are touched. Of other buffers nothing is evicted.
func (b *Buffer) Evict(from, to int) {
	if !b.Mapped || from >= to {
		return
	}
	part := b.Mem[from:to]
	page := syscall.Getpagesize()
	// The whole pages that contain the part are in the mapping, since a mapping is whole pages. Neighbours are read again at need.
	first := unsafe.SliceData(part)
	before := int(uintptr(unsafe.Pointer(first))) & (page - 1)
	size := (before + len(part) + page - 1) &^ (page - 1)
	start := (*byte)(unsafe.Add(unsafe.Pointer(first), -before))
	_ = syscall.Madvise(unsafe.Slice(start, size), syscall.MADV_DONTNEED) // a system that cannot leaves the pages
}
