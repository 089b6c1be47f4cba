//go:build unix && !(linux && (amd64 || arm64)) && !race

package mem

import "syscall"

func mapBytes(n int) ([]byte, error) {
	return syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

func unmapBytes(b []byte) {
	if len(b) > 0 {
		// Only the exact mapping can be unmapped; blocks are never split, so this cannot fail.
		_ = syscall.Munmap(b)
	}
}
