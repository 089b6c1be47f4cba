//go:build !purego

package simd

import "unsafe"

// align64 is the number of bytes up to the next cache line.
func align64(b []byte) int { return int(-uintptr(unsafe.Pointer(&b[0])) & 63) }

func streamNT(dst, src []byte) bool {
	switch {
	case uintptr(unsafe.Pointer(&dst[0]))&63 != 0:
		return false
	case useAVX512:
		copyNTAVX512(&dst[0], &src[0], len(src))
	case useAVX2:
		copyNTAVX2(&dst[0], &src[0], len(src))
	default:
		return false
	}
	return true
}

func streamCopy(dst, src []byte) bool {
	switch {
	case useAVX512:
		copyAVX512(&dst[0], &src[0], len(src))
	case useAVX2:
		copyAVX2(&dst[0], &src[0], len(src))
	default:
		return false
	}
	return true
}

func streamRead(x []byte) (uint64, bool) {
	switch {
	case useAVX512:
		return readAVX512(&x[0], len(x)), true
	case useAVX2:
		return readAVX2(&x[0], len(x)), true
	}
	return 0, false
}

//go:noescape
func copyNTAVX512(dst, src *byte, n int)

//go:noescape
func copyNTAVX2(dst, src *byte, n int)

//go:noescape
func copyAVX512(dst, src *byte, n int)

//go:noescape
func copyAVX2(dst, src *byte, n int)

//go:noescape
func readAVX512(x *byte, n int) uint64

//go:noescape
func readAVX2(x *byte, n int) uint64
