//go:build !purego

package simd

import "unsafe"

//go:noescape
func prefetch(p unsafe.Pointer, bytes int)
