//go:build purego || !amd64

package simd

import "unsafe"

func prefetch(p unsafe.Pointer, bytes int) {}
