package cpu

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/dtype"
)

// Sorting works on unsigned keys in the order of the elements: NaN is the largest, -0 equals 0. For a descending order
// keys are inverted, so that the sort stays stable.

// floatKey converts the bits of a float to its sort key. exp are the bits of infinity, sign is the sign bit.
func floatKey[T uint16 | uint32 | uint64](b, exp, sign T) T {
	m := b &^ sign
	switch {
	case m > exp:
		return ^T(0)
	case m == 0:
		return sign
	}
	return b ^ (-(b >> (8*unsafe.Sizeof(b) - 1)) | sign) // signs cannot be guessed
}

func keyF32(b uint32) uint32 {
	if m := b &^ (1 << 31); m > 0x7f800000 {
		return math.MaxUint32
	} else if m == 0 {
		return 1 << 31
	}
	return b ^ (uint32(int32(b)>>31) | 1<<31)
}

// keys32 fills a with key<<32 | index for elements of at most 32 bits, stride apart.
func keys32(a []uint64, p unsafe.Pointer, stride int, d dtype.DType, invert uint32) {
	step := stride * d.Size()
	switch d {
	case dtype.Float32:
		for i := range a {
			a[i] = uint64(keyF32(*(*uint32)(unsafe.Add(p, i*step)))^invert)<<32 | uint64(i)
		}
	case dtype.Int32:
		for i := range a {
			a[i] = uint64(*(*uint32)(unsafe.Add(p, i*step))^1<<31^invert)<<32 | uint64(i)
		}
	case dtype.Uint32:
		for i := range a {
			a[i] = uint64(*(*uint32)(unsafe.Add(p, i*step))^invert)<<32 | uint64(i)
		}
	case dtype.BFloat16:
		for i := range a {
			a[i] = uint64(uint32(floatKey[uint16](*(*uint16)(unsafe.Add(p, i*step)), 0x7f80, 0x8000))^invert&0xffff)<<32 | uint64(i)
		}
	case dtype.Float16:
		for i := range a {
			a[i] = uint64(uint32(floatKey[uint16](*(*uint16)(unsafe.Add(p, i*step)), 0x7c00, 0x8000))^invert&0xffff)<<32 | uint64(i)
		}
	case dtype.Int16:
		for i := range a {
			a[i] = uint64(uint32(*(*uint16)(unsafe.Add(p, i*step)))^0x8000^invert&0xffff)<<32 | uint64(i)
		}
	case dtype.Uint16:
		for i := range a {
			a[i] = uint64(uint32(*(*uint16)(unsafe.Add(p, i*step)))^invert&0xffff)<<32 | uint64(i)
		}
	case dtype.Int8:
		for i := range a {
			a[i] = uint64(uint32(*(*uint8)(unsafe.Add(p, i*step)))^0x80^invert&0xff)<<32 | uint64(i)
		}
	default: // bool, uint8
		for i := range a {
			a[i] = uint64(uint32(*(*uint8)(unsafe.Add(p, i*step)))^invert&0xff)<<32 | uint64(i)
		}
	}
}

// keys64 fills keys for elements of 64 bits.
func keys64(a []uint64, p unsafe.Pointer, stride int, d dtype.DType, invert uint64) {
	step := stride * 8
	switch d {
	case dtype.Float64:
		for i := range a {
			a[i] = floatKey[uint64](*(*uint64)(unsafe.Add(p, i*step)), 0x7ff<<52, 1<<63) ^ invert
		}
	case dtype.Int64:
		for i := range a {
			a[i] = *(*uint64)(unsafe.Add(p, i*step)) ^ 1<<63 ^ invert
		}
	default:
		for i := range a {
			a[i] = *(*uint64)(unsafe.Add(p, i*step)) ^ invert
		}
	}
}

// gatherAt sets z[k·zs] = x[at(k)·xs] for elements of any size.
func gatherAt(z unsafe.Pointer, zs int, x unsafe.Pointer, xs, size int, at []int64, as int) {
	switch size {
	case 1:
		gatherAtT[uint8](z, zs, x, xs, at, as)
	case 2:
		gatherAtT[uint16](z, zs, x, xs, at, as)
	case 4:
		gatherAtT[uint32](z, zs, x, xs, at, as)
	default:
		gatherAtT[uint64](z, zs, x, xs, at, as)
	}
}

func gatherAtT[T any](z unsafe.Pointer, zs int, x unsafe.Pointer, xs int, at []int64, as int) {
	var t T
	size := int(unsafe.Sizeof(t))
	for k, i := 0, 0; i < len(at); k, i = k+1, i+as {
		*(*T)(unsafe.Add(z, k*zs*size)) = *(*T)(unsafe.Add(x, int(at[i])*xs*size))
	}
}
