//go:build purego || (!amd64 && !arm64)

package simd

import "unsafe"

func prefetch(p unsafe.Pointer, bytes int) {}

func prefetchRows(p unsafe.Pointer, stride, rows, bytes int) {}

func prefetchOwn(p unsafe.Pointer, stride, rows, bytes int) {}
