//go:build linux && (amd64 || arm64) && !race

package mem

import (
	"sync"
	"syscall"
	"unsafe"
)

const (
	pageSize = 4 << 10 // blocks are multiples of it, whatever the system's is
	hugeSize = 2 << 20

	adviseHuge = 14 // MADV_HUGEPAGE
)

// slab is memory from which small blocks are cut: fresh pages cost a call and a fault each, and less in a huge page.
// The first slab, which small programs never leave, is of ordinary pages.
var slab struct {
	sync.Mutex
	rest []byte
	used bool
}

// mapBytes returns n bytes outside the Go heap, zeroed, in huge pages where the system has them.
func mapBytes(n int) ([]byte, error) {
	size := roundUp(n)
	if size >= hugeSize || syscall.Getpagesize() != pageSize {
		b, err := mapAligned((n + syscall.Getpagesize() - 1) &^ (syscall.Getpagesize() - 1))
		if err != nil {
			return nil, err
		}
		advise(b)
		return b[:n:n], nil
	}
	slab.Lock()
	defer slab.Unlock()
	if len(slab.rest) < size {
		fresh, err := mapAligned(hugeSize)
		if err != nil {
			return nil, err
		}
		if slab.used {
			advise(fresh)
		}
		unmap(slab.rest)
		slab.rest, slab.used = fresh, true
	}
	b := slab.rest[:n:n]
	slab.rest = slab.rest[size:]
	return b, nil
}

func unmapBytes(b []byte) {
	if len(b) > 0 {
		page := max(pageSize, syscall.Getpagesize())
		unmap(unsafe.Slice(unsafe.SliceData(b), (len(b)+page-1)&^(page-1)))
	}
}

func roundUp(n int) int { return (n + pageSize - 1) &^ (pageSize - 1) }

// mapAligned maps n bytes, a multiple of the page; they begin where a huge page can.
func mapAligned(n int) ([]byte, error) {
	extra := 0
	if n >= hugeSize {
		extra = hugeSize
	}
	addr, _, errno := syscall.Syscall6(syscall.SYS_MMAP, 0, uintptr(n+extra), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE, ^uintptr(0), 0)
	if errno != 0 {
		return nil, errno
	}
	all := unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), n+extra)
	if extra == 0 {
		return all, nil
	}
	head := int(-addr & (hugeSize - 1))
	unmap(all[:head])
	unmap(all[head+n:])
	return all[head : head+n : head+n], nil
}

// unmap gives pages back; it fails only for addresses that are none of ours.
func unmap(b []byte) {
	if len(b) > 0 {
		_, _, _ = syscall.Syscall(syscall.SYS_MUNMAP, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), 0)
	}
}

// advise asks for huge pages; a system without them says no, which is no loss.
func advise(b []byte) { _ = syscall.Madvise(b, adviseHuge) }
