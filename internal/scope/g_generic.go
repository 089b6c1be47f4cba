//go:build purego || !(amd64 || arm64)

package scope

import "runtime"

// goroutine returns the goroutine's number, read from the head of its stack trace: slow, but portable.
// It is shifted because the table drops the low bits, which in a pointer say nothing.
func goroutine() uintptr {
	var buf [40]byte
	n := runtime.Stack(buf[:], false)
	id := uintptr(0)
	for _, c := range buf[len("goroutine "):n] {
		if c < '0' || c > '9' {
			break
		}
		id = id*10 + uintptr(c-'0')
	}
	return id << 8
}
