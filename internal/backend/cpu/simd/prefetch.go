package simd

import "unsafe"

// Prefetch asks the first cache for bytes that will be read soon, where the machine can be asked. It reads and changes
// nothing.
func Prefetch(p unsafe.Pointer, bytes int) {
	if bytes > 0 {
		prefetch(p, bytes)
	}
}
