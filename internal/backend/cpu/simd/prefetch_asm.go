//go:build !purego && (amd64 || arm64)

package simd

import "unsafe"

//go:noescape
func prefetch(p unsafe.Pointer, bytes int)

//go:noescape
func prefetchRows(p unsafe.Pointer, stride, rows, bytes int)

//go:noescape
func prefetchOwn(p unsafe.Pointer, stride, rows, bytes int)
