package mem

import (
	"syscall"
	"unsafe"
)

// machineBytes is what memory and page file hold together.
func machineBytes() int64 {
	s := memoryStatus{size: uint32(unsafe.Sizeof(memoryStatus{}))}
	r, _, _ := syscall.NewLazyDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx").Call(uintptr(unsafe.Pointer(&s)))
	if r == 0 {
		return 0
	}
	return int64(s.totalPageFile)
}

// memoryStatus is MEMORYSTATUSEX.
type memoryStatus struct {
	size, load                             uint32
	totalPhys, availPhys                   uint64
	totalPageFile, availPageFile           uint64
	totalVirtual, availVirtual, availExtra uint64
}

// available: the system commits what it promises, and says no by itself.
func available() (free, resident int64, ok bool) { return 0, 0, false }
