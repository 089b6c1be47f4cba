package codec

import "syscall"

// Evict says that the first n bytes will not be read soon: they no longer count as memory of the process.
func (m *Mapping) Evict(n int) {
	if n = n &^ (syscall.Getpagesize() - 1); n > 0 {
		_ = syscall.Madvise(m.data[:n], syscall.MADV_DONTNEED) // a system that cannot leaves them
	}
}
