//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package codec

import (
	"math"
	"os"
	"syscall"

	"github.com/lucid-go/lucid/internal/fault"
)

func mapFile(f *os.File, size int64) ([]byte, error) {
	if size == 0 {
		return nil, nil // the system refuses an empty mapping
	}
	if size > math.MaxInt {
		return nil, fault.New(fault.OutOfMemory, "map", "a file of %d bytes is larger than the address space", size)
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, IOError("map", &os.PathError{Op: "mmap", Path: f.Name(), Err: err})
	}
	return data, nil
}

func unmap(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	return IOError("unmap", syscall.Munmap(data))
}
