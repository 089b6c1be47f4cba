package simd

import "unsafe"

// Prefetch asks the first cache for bytes that will be read soon, where the machine can be asked. It reads and changes
// nothing.
func Prefetch(p unsafe.Pointer, bytes int) {
	if bytes > 0 {
		prefetch(p, bytes)
	}
}

// PrefetchRows asks the second cache for rows that will be read soon: bytes of each, which begin stride bytes apart. Rows
// a page apart would drive each other out of the first.
func PrefetchRows(p unsafe.Pointer, stride, rows, bytes int) {
	if rows > 0 && bytes > 0 {
		prefetchRows(p, stride, rows, bytes)
	}
}

// PrefetchOwn asks for rows that will be written soon, and takes them from the caches of other cores.
func PrefetchOwn(p unsafe.Pointer, stride, rows, bytes int) {
	if rows > 0 && bytes > 0 {
		prefetchOwn(p, stride, rows, bytes)
	}
}
