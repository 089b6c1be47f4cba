//go:build !purego

package fft

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/cpuid"
)

var useAVX512 = cpuid.X86.AVX512

func init() {
	asmvariant.Register("internal/backend/cpu/fft", "lanes/avx512", &useAVX512)
}

// args are the operands of all kernels; not all read all of them. Distances are in bytes.
type args[T floats] struct {
	y, x, roots, consts *T
	count, s            int
	from, to            int
	reIn, imIn          int
	reOut, imOut        int
}

// kernelSet has the kernels of one type by radix: with roots, and of the last pass, which has none.
type kernelSet[T floats] struct {
	radix, last                           [14]func(*args[T])
	consts                                [14][]T
	mul, twist, split, join, unpack, pack func(*args[T])
}

var kernels32 = kernelSet[float32]{
	radix: [14]func(*args[float32]){2: radix2F32AVX512, 3: radix3F32AVX512, 4: radix4F32AVX512, 5: radix5F32AVX512, 7: radix7F32AVX512,
		8: radix8F32AVX512, 11: radix11F32AVX512, 13: radix13F32AVX512},
	last: [14]func(*args[float32]){2: last2F32AVX512, 3: last3F32AVX512, 4: last4F32AVX512, 5: last5F32AVX512, 7: last7F32AVX512,
		8: last8F32AVX512, 11: last11F32AVX512, 13: last13F32AVX512},
	mul: mulF32AVX512, twist: twistF32AVX512, split: splitF32AVX512, join: joinF32AVX512, unpack: unpackF32AVX512, pack: packF32AVX512,
	consts: constants[float32](),
}

var kernels64 = kernelSet[float64]{
	radix: [14]func(*args[float64]){2: radix2F64AVX512, 3: radix3F64AVX512, 4: radix4F64AVX512, 5: radix5F64AVX512, 7: radix7F64AVX512,
		8: radix8F64AVX512, 11: radix11F64AVX512, 13: radix13F64AVX512},
	last: [14]func(*args[float64]){2: last2F64AVX512, 3: last3F64AVX512, 4: last4F64AVX512, 5: last5F64AVX512, 7: last7F64AVX512,
		8: last8F64AVX512, 11: last11F64AVX512, 13: last13F64AVX512},
	mul: mulF64AVX512, twist: twistF64AVX512, split: splitF64AVX512, join: joinF64AVX512, unpack: unpackF64AVX512, pack: packF64AVX512,
	consts: constants[float64](),
}

// constants are those the butterflies read: √½, or cos and sin of 2πk/radix.
func constants[T floats]() (all [14][]T) {
	for _, r := range []int{3, 5, 7, 11, 13} {
		c, s := oddFactors[T](r)
		all[r] = append(append(all[r], c[:r]...), s[:r]...)
	}
	all[8] = []T{T(math.Sqrt(0.5))}
	return all
}

func kernelsOf[T floats]() *kernelSet[T] {
	var z T
	if unsafe.Sizeof(z) == 4 {
		return any(&kernels32).(*kernelSet[T])
	}
	return any(&kernels64).(*kernelSet[T])
}

// offsets are where the parts of an element are, in bytes.
func offsets(swap bool) (re, im int) { return parts(64, swap) }

// first is the address of an element that may be the one behind the last of an empty slice.
func first[T floats](x []T) *T { return unsafe.SliceData(x) }

func (st *pass[T]) fast(y, x []T, p, count int, sw swaps) bool {
	if !useAVX512 {
		return false
	}
	k, l2 := kernelsOf[T](), 2*lanesOf[T]()
	a := args[T]{y: first(y[st.s*st.radix*p*l2:]), x: first(x[st.s*p*l2:]), consts: first(k.consts[st.radix]), count: count, s: st.s,
		from: st.s * st.m * 128, to: st.s * 128}
	a.reIn, a.imIn = offsets(sw.in)
	a.reOut, a.imOut = offsets(sw.out)
	if st.roots == nil {
		k.last[st.radix](&a)
		return true
	}
	a.roots = first(st.roots[2*p*(st.radix-1):])
	k.radix[st.radix](&a)
	return true
}

func mulFast[T floats](y, x, w []T, n int, sw swaps) bool {
	if !useAVX512 || n == 0 {
		return false
	}
	a := args[T]{y: first(y), x: first(x), roots: first(w), count: n}
	a.reIn, a.imIn = offsets(sw.in)
	a.reOut, a.imOut = offsets(sw.out)
	kernelsOf[T]().mul(&a)
	return true
}

func twistFast[T floats](x, roots []T, n int) bool {
	if !useAVX512 || n == 0 {
		return false
	}
	a := args[T]{y: first(x), x: first(x), roots: first(roots), count: n, imIn: 64, imOut: 64}
	kernelsOf[T]().twist(&a)
	return true
}

// splitFast copies n elements of neighbouring rows, which are stride numbers apart in from, to lanes.
func splitFast[T floats](x, from []T, stride, n int) bool {
	if !useAVX512 || n == 0 {
		return false
	}
	var z T
	kernelsOf[T]().split(&args[T]{y: first(x), x: first(from), count: n, from: stride * int(unsafe.Sizeof(z)), to: 128})
	return true
}

// joinFast is the opposite of splitFast.
func joinFast[T floats](to, x []T, stride, n int) bool {
	if !useAVX512 || n == 0 {
		return false
	}
	var z T
	kernelsOf[T]().join(&args[T]{y: first(to), x: first(x), count: n, from: 128, to: stride * int(unsafe.Sizeof(z))})
	return true
}

// halfFast does unpack or pack for count elements from the k-th on; the bytes of the other elements are far from the first.
func halfFast[T floats](pack bool, y, x, w []T, h, k, count int, re, im T) bool {
	if !useAVX512 || count <= 0 {
		return count <= 0
	}
	l2 := 2 * lanesOf[T]()
	factors := [2]T{re, im}
	a := args[T]{y: first(y[l2*k:]), x: first(x[l2*k:]), roots: first(w[2*k:]), consts: &factors[0], count: count,
		from: 128 * (h - 2*k), to: 128 * (h - 2*k)}
	if pack {
		kernelsOf[T]().pack(&a)
	} else {
		kernelsOf[T]().unpack(&a)
	}
	return true
}
