package simd

import "unsafe"

// Prefetch fetches bytes that will be read soon into the L1 cache, where the machine has such an instruction.
func Prefetch(p unsafe.Pointer, bytes int) {
	if bytes > 0 {
		prefetch(p, bytes)
	}
}

// PrefetchRows fetches rows that will be read soon into the L2 cache: bytes of each, stride bytes apart. Rows a page apart
// would conflict in L1.
func PrefetchRows(p unsafe.Pointer, stride, rows, bytes int) {
	if rows > 0 && bytes > 0 {
		prefetchRows(p, stride, rows, bytes)
	}
}

// PrefetchOwn fetches rows that will be written soon, with ownership of their cache lines.
func PrefetchOwn(p unsafe.Pointer, stride, rows, bytes int) {
	if rows > 0 && bytes > 0 {
		prefetchOwn(p, stride, rows, bytes)
	}
}
