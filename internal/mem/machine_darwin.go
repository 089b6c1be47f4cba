package mem

import (
	"encoding/binary"
	"syscall"
)

// machineBytes is the memory of the system.
func machineBytes() int64 {
	s, err := syscall.Sysctl("hw.memsize")
	var b [8]byte
	if err != nil || copy(b[:], s) < 7 { // a last byte of 0 is taken for the end of a string
		return 0
	}
	return int64(binary.LittleEndian.Uint64(b[:]))
}

// available: free memory is not asked for; the system swaps and compresses before it ends anybody.
func available() (free, resident int64, ok bool) { return 0, 0, false }
