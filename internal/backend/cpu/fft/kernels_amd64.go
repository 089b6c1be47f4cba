//go:build !purego

package fft

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/cpuid"
)

var (
	useAVX512 = cpuid.X86.AVX512
	useAVX2   = cpuid.X86.AVX2 && cpuid.X86.FMA
)

func init() {
	asmvariant.Register("internal/backend/cpu/fft", "lanes/avx512", &useAVX512)
	asmvariant.Register("internal/backend/cpu/fft", "lanes/avx2", &useAVX2)
}

// args are the operands of all kernels; not all read all of them. Distances are in bytes.
type args[T floats] struct {
	y, x, roots, consts *T
	count, s            int
	from, to            int
	reIn, imIn          int
	reOut, imOut        int
	stepIn, stepOut     int
	scale               T
	again               int // some kernels do it all so often, with x and y further on each time
	nextIn, nextOut     int
	rows                int // count again
	ahead               int // from what is read or written to what will be soon
	table               *T  // factors of elements, in blocks as these are
	work                *T  // scratch
}

// vectorBytes is how many bytes a part of an element has.
func vectorBytes() int {
	if useAVX2 && !useAVX512 {
		return 32
	}
	return 64
}

// repeat sets how often a kernel does its work.
func (a *args[T]) repeat(r again) {
	size := int(unsafe.Sizeof(a.scale))
	a.again, a.nextIn, a.nextOut, a.rows = r.times, r.in*size, r.out*size, a.count
}

// elementBytes is how many bytes an element has.
func elementBytes() int { return 2 * vectorBytes() }

type kernel[T floats] func(*args[T])

// kernelSet has the kernels of one type by radix: with roots, and of the last pass, which has none.
type kernelSet[T floats] struct {
	radix, last                           [14]kernel[T]
	consts                                [14][]T
	mul, twist, split, join, unpack, pack kernel[T]
	unpackRow, packRow                    kernel[T]
	pairs                                 pairSet[T]
}

// pairSet has the kernels that read or write tensors: passes by radix, with the parts of elements swapped or not.
type pairSet[T floats] struct {
	from, to         [2][14]kernel[T]
	stream           [2][14]kernel[T] // to, around the cache; nil: there are none
	second           [14]kernel[T]    // of rows whose first pass leaves half a vector of neighbours
	twistTranspose   kernel[T]
	fromRows, toRows kernel[T]
	unpack, pack     kernel[T]
	open, whole      [2]kernel[T]
	wholeStream      [2]kernel[T]       // around the cache; nil: there are none
	openHalf         kernel[T]          // of blocks whose second half is zeros
	openFilter       kernel[T]          // of blocks times a table, swapped
	chirp            [2]kernel[T]       // a row times a table, in blocks
	passes           [2][2][3]kernel[T] // rows of 128, 256, 512 elements, around the cache or not, swapped or not; nil: there are none
	tight            [2][14]kernel[T]   // a last pass whose results are rows that begin anywhere in a line; nil: there is none
	front            [2][14]kernel[T]   // a last pass of which half of the results are wanted, times a table; nil: there is none
}

var setF32AVX512 = kernelSet[float32]{
	radix: [14]kernel[float32]{2: radix2F32AVX512, 3: radix3F32AVX512, 4: radix4F32AVX512, 5: radix5F32AVX512,
		7: radix7F32AVX512, 8: radix8F32AVX512, 11: radix11F32AVX512, 13: radix13F32AVX512},
	last: [14]kernel[float32]{2: last2F32AVX512, 3: last3F32AVX512, 4: last4F32AVX512, 5: last5F32AVX512,
		7: last7F32AVX512, 8: last8F32AVX512, 11: last11F32AVX512, 13: last13F32AVX512},
	mul: mulF32AVX512, twist: twistF32AVX512, split: splitF32AVX512, join: joinF32AVX512, unpack: unpackF32AVX512,
	pack: packF32AVX512, unpackRow: unpackRowF32AVX512, packRow: packRowF32AVX512, consts: constants[float32](),
	pairs: pairSet[float32]{
		from: [2][14]kernel[float32]{{2: from2F32AVX512, 3: from3F32AVX512, 4: from4F32AVX512,
			5: from5F32AVX512, 7: from7F32AVX512, 8: from8F32AVX512},
			{2: fromSwap2F32AVX512, 3: fromSwap3F32AVX512, 4: fromSwap4F32AVX512,
				5: fromSwap5F32AVX512, 7: fromSwap7F32AVX512, 8: fromSwap8F32AVX512}},
		to: [2][14]kernel[float32]{{2: to2F32AVX512, 3: to3F32AVX512, 4: to4F32AVX512, 5: to5F32AVX512, 7: to7F32AVX512, 8: to8F32AVX512},
			{2: toSwap2F32AVX512, 3: toSwap3F32AVX512, 4: toSwap4F32AVX512,
				5: toSwap5F32AVX512, 7: toSwap7F32AVX512, 8: toSwap8F32AVX512}},
		second: [14]kernel[float32]{4: second4F32AVX512, 8: second8F32AVX512},
		stream: [2][14]kernel[float32]{
			{2: stream2F32AVX512, 3: stream3F32AVX512, 4: stream4F32AVX512, 5: stream5F32AVX512, 7: stream7F32AVX512, 8: stream8F32AVX512},
			{2: streamSwap2F32AVX512, 3: streamSwap3F32AVX512, 4: streamSwap4F32AVX512,
				5: streamSwap5F32AVX512, 7: streamSwap7F32AVX512, 8: streamSwap8F32AVX512}},
		wholeStream: [2]kernel[float32]{wholeStreamF32AVX512, wholeStreamSwapF32AVX512},
		passes: [2][2][3]kernel[float32]{
			{{passes128F32AVX512, passes256F32AVX512, passes512F32AVX512},
				{passesSwap128F32AVX512, passesSwap256F32AVX512, passesSwap512F32AVX512}},
			{{passesStream128F32AVX512, passesStream256F32AVX512, passesStream512F32AVX512},
				{passesStreamSwap128F32AVX512, passesStreamSwap256F32AVX512, passesStreamSwap512F32AVX512}}},
		twistTranspose: twistTransposeF32AVX512, fromRows: fromRowsF32AVX512, toRows: toRowsF32AVX512,
		unpack: unpackPairsF32AVX512, pack: packPairsF32AVX512,
		tight:    [2][14]kernel[float32]{{4: tight4F32AVX512, 8: tight8F32AVX512}, {4: tightSwap4F32AVX512, 8: tightSwap8F32AVX512}},
		open:     [2]kernel[float32]{openF32AVX512, openSwapF32AVX512},
		openHalf: openHalfF32AVX512, openFilter: openFilterF32AVX512, chirp: [2]kernel[float32]{chirpF32AVX512, chirpSwapF32AVX512},
		front: [2][14]kernel[float32]{{4: front4F32AVX512, 8: front8F32AVX512}, {4: frontSwap4F32AVX512, 8: frontSwap8F32AVX512}},
		whole: [2]kernel[float32]{wholeF32AVX512, wholeSwapF32AVX512},
	},
}

var setF64AVX512 = kernelSet[float64]{
	radix: [14]kernel[float64]{2: radix2F64AVX512, 3: radix3F64AVX512, 4: radix4F64AVX512, 5: radix5F64AVX512,
		7: radix7F64AVX512, 8: radix8F64AVX512, 11: radix11F64AVX512, 13: radix13F64AVX512},
	last: [14]kernel[float64]{2: last2F64AVX512, 3: last3F64AVX512, 4: last4F64AVX512, 5: last5F64AVX512,
		7: last7F64AVX512, 8: last8F64AVX512, 11: last11F64AVX512, 13: last13F64AVX512},
	mul: mulF64AVX512, twist: twistF64AVX512, split: splitF64AVX512, join: joinF64AVX512, unpack: unpackF64AVX512,
	pack: packF64AVX512, unpackRow: unpackRowF64AVX512, packRow: packRowF64AVX512, consts: constants[float64](),
	pairs: pairSet[float64]{
		from: [2][14]kernel[float64]{{2: from2F64AVX512, 3: from3F64AVX512, 4: from4F64AVX512,
			5: from5F64AVX512, 7: from7F64AVX512, 8: from8F64AVX512},
			{2: fromSwap2F64AVX512, 3: fromSwap3F64AVX512, 4: fromSwap4F64AVX512,
				5: fromSwap5F64AVX512, 7: fromSwap7F64AVX512, 8: fromSwap8F64AVX512}},
		to: [2][14]kernel[float64]{{2: to2F64AVX512, 3: to3F64AVX512, 4: to4F64AVX512, 5: to5F64AVX512, 7: to7F64AVX512, 8: to8F64AVX512},
			{2: toSwap2F64AVX512, 3: toSwap3F64AVX512, 4: toSwap4F64AVX512,
				5: toSwap5F64AVX512, 7: toSwap7F64AVX512, 8: toSwap8F64AVX512}},
		stream: [2][14]kernel[float64]{
			{2: stream2F64AVX512, 3: stream3F64AVX512, 4: stream4F64AVX512, 5: stream5F64AVX512, 7: stream7F64AVX512, 8: stream8F64AVX512},
			{2: streamSwap2F64AVX512, 3: streamSwap3F64AVX512, 4: streamSwap4F64AVX512,
				5: streamSwap5F64AVX512, 7: streamSwap7F64AVX512, 8: streamSwap8F64AVX512}},
		wholeStream:    [2]kernel[float64]{wholeStreamF64AVX512, wholeStreamSwapF64AVX512},
		twistTranspose: twistTransposeF64AVX512, fromRows: fromRowsF64AVX512, toRows: toRowsF64AVX512,
		unpack: unpackPairsF64AVX512, pack: packPairsF64AVX512,
		tight:    [2][14]kernel[float64]{{4: tight4F64AVX512, 8: tight8F64AVX512}, {4: tightSwap4F64AVX512, 8: tightSwap8F64AVX512}},
		open:     [2]kernel[float64]{openF64AVX512, openSwapF64AVX512},
		openHalf: openHalfF64AVX512, openFilter: openFilterF64AVX512, chirp: [2]kernel[float64]{chirpF64AVX512, chirpSwapF64AVX512},
		front: [2][14]kernel[float64]{{4: front4F64AVX512, 8: front8F64AVX512}, {4: frontSwap4F64AVX512, 8: frontSwap8F64AVX512}},
		whole: [2]kernel[float64]{wholeF64AVX512, wholeSwapF64AVX512},
	},
}

var setF32AVX2 = kernelSet[float32]{
	radix: [14]kernel[float32]{2: radix2F32AVX2, 3: radix3F32AVX2, 4: radix4F32AVX2, 5: radix5F32AVX2,
		7: radix7F32AVX2, 8: radix8F32AVX2, 11: radix11F32AVX2, 13: radix13F32AVX2},
	last: [14]kernel[float32]{2: last2F32AVX2, 3: last3F32AVX2, 4: last4F32AVX2, 5: last5F32AVX2,
		7: last7F32AVX2, 8: last8F32AVX2, 11: last11F32AVX2, 13: last13F32AVX2},
	mul: mulF32AVX2, twist: twistF32AVX2, split: splitF32AVX2, join: joinF32AVX2, unpack: unpackF32AVX2,
	pack: packF32AVX2, unpackRow: unpackRowF32AVX2, packRow: packRowF32AVX2, consts: constants[float32](),
	pairs: pairSet[float32]{
		from: [2][14]kernel[float32]{{2: from2F32AVX2, 3: from3F32AVX2, 4: from4F32AVX2, 5: from5F32AVX2, 7: from7F32AVX2, 8: from8F32AVX2},
			{2: fromSwap2F32AVX2, 3: fromSwap3F32AVX2, 4: fromSwap4F32AVX2, 5: fromSwap5F32AVX2, 7: fromSwap7F32AVX2, 8: fromSwap8F32AVX2}},
		to: [2][14]kernel[float32]{{2: to2F32AVX2, 3: to3F32AVX2, 4: to4F32AVX2, 5: to5F32AVX2, 7: to7F32AVX2, 8: to8F32AVX2},
			{2: toSwap2F32AVX2, 3: toSwap3F32AVX2, 4: toSwap4F32AVX2, 5: toSwap5F32AVX2, 7: toSwap7F32AVX2, 8: toSwap8F32AVX2}},
		twistTranspose: twistTransposeF32AVX2, fromRows: fromRowsF32AVX2, toRows: toRowsF32AVX2,
		unpack: unpackPairsF32AVX2, pack: packPairsF32AVX2,
		open:     [2]kernel[float32]{openF32AVX2, openSwapF32AVX2},
		openHalf: openHalfF32AVX2, openFilter: openFilterF32AVX2, chirp: [2]kernel[float32]{chirpF32AVX2, chirpSwapF32AVX2},
		front: [2][14]kernel[float32]{{4: front4F32AVX2, 8: front8F32AVX2}, {4: frontSwap4F32AVX2, 8: frontSwap8F32AVX2}},
		whole: [2]kernel[float32]{wholeF32AVX2, wholeSwapF32AVX2},
	},
}

var setF64AVX2 = kernelSet[float64]{
	radix: [14]kernel[float64]{2: radix2F64AVX2, 3: radix3F64AVX2, 4: radix4F64AVX2, 5: radix5F64AVX2,
		7: radix7F64AVX2, 8: radix8F64AVX2, 11: radix11F64AVX2, 13: radix13F64AVX2},
	last: [14]kernel[float64]{2: last2F64AVX2, 3: last3F64AVX2, 4: last4F64AVX2, 5: last5F64AVX2,
		7: last7F64AVX2, 8: last8F64AVX2, 11: last11F64AVX2, 13: last13F64AVX2},
	mul: mulF64AVX2, twist: twistF64AVX2, split: splitF64AVX2, join: joinF64AVX2, unpack: unpackF64AVX2,
	pack: packF64AVX2, unpackRow: unpackRowF64AVX2, packRow: packRowF64AVX2, consts: constants[float64](),
	pairs: pairSet[float64]{
		from: [2][14]kernel[float64]{{2: from2F64AVX2, 3: from3F64AVX2, 4: from4F64AVX2, 5: from5F64AVX2, 7: from7F64AVX2, 8: from8F64AVX2},
			{2: fromSwap2F64AVX2, 3: fromSwap3F64AVX2, 4: fromSwap4F64AVX2, 5: fromSwap5F64AVX2, 7: fromSwap7F64AVX2, 8: fromSwap8F64AVX2}},
		to: [2][14]kernel[float64]{{2: to2F64AVX2, 3: to3F64AVX2, 4: to4F64AVX2, 5: to5F64AVX2, 7: to7F64AVX2, 8: to8F64AVX2},
			{2: toSwap2F64AVX2, 3: toSwap3F64AVX2, 4: toSwap4F64AVX2, 5: toSwap5F64AVX2, 7: toSwap7F64AVX2, 8: toSwap8F64AVX2}},
		twistTranspose: twistTransposeF64AVX2, fromRows: fromRowsF64AVX2, toRows: toRowsF64AVX2,
		unpack: unpackPairsF64AVX2, pack: packPairsF64AVX2,
		open:     [2]kernel[float64]{openF64AVX2, openSwapF64AVX2},
		openHalf: openHalfF64AVX2, openFilter: openFilterF64AVX2, chirp: [2]kernel[float64]{chirpF64AVX2, chirpSwapF64AVX2},
		front: [2][14]kernel[float64]{{4: front4F64AVX2, 8: front8F64AVX2}, {4: frontSwap4F64AVX2, 8: frontSwap8F64AVX2}},
		whole: [2]kernel[float64]{wholeF64AVX2, wholeSwapF64AVX2},
	},
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

// kernelsOf are the kernels of a type, nil if this machine can run none.
func kernelsOf[T floats]() *kernelSet[T] {
	var z T
	single := unsafe.Sizeof(z) == 4
	var p unsafe.Pointer
	switch {
	case useAVX512 && single:
		p = unsafe.Pointer(&setF32AVX512)
	case useAVX512:
		p = unsafe.Pointer(&setF64AVX512)
	case useAVX2 && single:
		p = unsafe.Pointer(&setF32AVX2)
	case useAVX2:
		p = unsafe.Pointer(&setF64AVX2)
	}
	return (*kernelSet[T])(p) // a set of the same T
}

// call runs a kernel. A kernel does not keep its arguments; the compiler cannot see that, and would move them to the heap.
func call[T floats](k kernel[T], a *args[T]) { k((*args[T])(hide(unsafe.Pointer(a)))) }

// hide returns its argument.
//
//go:nosplit
func hide(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return *(*unsafe.Pointer)(unsafe.Pointer(&x))
}

// offsets are where the parts of an element are, in bytes.
func offsets(swap bool) (re, im int) { return parts(vectorBytes(), swap) }

// first is the address of an element that may be the one behind the last of an empty slice.
func first[T floats](x []T) *T { return unsafe.SliceData(x) }

func (st *pass[T]) fast(y, x []T, p, count int, by steps, sw swaps) bool {
	k := kernelsOf[T]()
	if k == nil {
		return false
	}
	l2, element := 2*lanesOf[T](), elementBytes()
	s := st.s * by.wide
	a := args[T]{y: first(y[s*st.radix*p*l2*by.out:]), x: first(x[s*p*l2*by.in:]), consts: first(k.consts[st.radix]), count: count,
		s: s, from: s * st.m * element * by.in, to: s * element * by.out, stepIn: element * by.in, stepOut: element * by.out}
	a.repeat(by.again)
	a.reIn, a.imIn = offsets(sw.in)
	a.reOut, a.imOut = offsets(sw.out)
	if st.roots == nil {
		call(k.last[st.radix], &a)
		return true
	}
	a.roots = first(st.roots[2*p*(st.radix-1):])
	call(k.radix[st.radix], &a)
	return true
}

func mulFast[T floats](y, x, w []T, n int, sw swaps) bool {
	k := kernelsOf[T]()
	if k == nil || n == 0 {
		return false
	}
	a := args[T]{y: first(y), x: first(x), roots: first(w), count: n, stepIn: elementBytes(), stepOut: elementBytes()}
	a.reIn, a.imIn = offsets(sw.in)
	a.reOut, a.imOut = offsets(sw.out)
	call(k.mul, &a)
	return true
}

func twistFast[T floats](x, roots []T, n int, sw swaps) bool {
	k := kernelsOf[T]()
	if k == nil || n == 0 {
		return false
	}
	a := args[T]{y: first(x), x: first(x), roots: first(roots), count: n, stepIn: elementBytes(), stepOut: elementBytes()}
	a.reIn, a.imIn = offsets(sw.in)
	a.reOut, a.imOut = offsets(sw.out)
	call(k.twist, &a)
	return true
}

// splitFast copies n elements of neighbouring rows, which are stride numbers apart in from, to lanes.
func splitFast[T floats](x, from []T, stride, n int) bool {
	k := kernelsOf[T]()
	if k == nil || n == 0 {
		return false
	}
	var z T
	a := args[T]{y: first(x), x: first(from), count: n, from: stride * int(unsafe.Sizeof(z)), to: elementBytes()}
	call(k.split, &a)
	return true
}

// joinFast is the opposite of splitFast.
func joinFast[T floats](to, x []T, stride, n int) bool {
	k := kernelsOf[T]()
	if k == nil || n == 0 {
		return false
	}
	var z T
	a := args[T]{y: first(to), x: first(x), count: n, from: elementBytes(), to: stride * int(unsafe.Sizeof(z))}
	call(k.join, &a)
	return true
}

// halfFast does unpack or pack for count elements from the k-th on; the bytes of the other elements are far from the first.
func halfFast[T floats](pack bool, y, x, w []T, h, k, count int, re, im T) bool {
	set := kernelsOf[T]()
	if set == nil || count <= 0 {
		return count <= 0
	}
	l2 := 2 * lanesOf[T]()
	factors := [2]T{re, im}
	a := args[T]{y: first(y[l2*k:]), x: first(x[l2*k:]), roots: first(w[2*k:]), consts: &factors[0], count: count,
		from: elementBytes() * (h - 2*k), to: elementBytes() * (h - 2*k)}
	if pack {
		call(set.pack, &a)
	} else {
		call(set.unpack, &a)
	}
	return true
}

// hasRows reports whether there are kernels for vectors of neighbouring elements of a row.
func hasRows() bool { return useAVX512 || useAVX2 }

// planesFast does the butterflies of a pass without roots for blocks of values of q + s·p; their j-th results are the j-th plane of y.
// The imaginary parts of x and y begin at d.
func planesFast[T floats](st *pass[T], y, x []T, d, blocks int, sw swaps) {
	k, size, vector := kernelsOf[T](), vectorBytes()/lanesOf[T](), vectorBytes()
	a := args[T]{y: first(y), x: first(x), consts: first(k.consts[st.radix]), count: 1, s: blocks, from: st.s * st.m * size,
		to: blocks * vector, stepIn: vector, stepOut: vector}
	a.reIn, a.imIn = parts(d*size, sw.in)
	a.reOut, a.imOut = parts(d*size, sw.out)
	call(k.last[st.radix], &a)
}

// vectors does a pass whose s is at least a vector: vectors have neighbouring values of q, the last ones again where s is no multiple.
func (st *pass[T]) vectors(y, x []T, d int, sw swaps) {
	k, l := kernelsOf[T](), lanesOf[T]()
	size, r, vector := vectorBytes()/l, st.radix, vectorBytes()
	do := func(p, q, count, blocks int) {
		a := args[T]{y: first(y[st.s*r*p+q:]), x: first(x[st.s*p+q:]), consts: first(k.consts[r]), count: count, s: blocks,
			from: st.s * st.m * size, to: st.s * size, stepIn: vector, stepOut: vector}
		a.reIn, a.imIn = parts(d*size, sw.in)
		a.reOut, a.imOut = parts(d*size, sw.out)
		if st.roots == nil {
			call(k.last[r], &a)
			return
		}
		a.roots = first(st.roots[2*p*(r-1):])
		call(k.radix[r], &a)
	}
	if st.s%l == 0 {
		do(0, 0, st.m, st.s/l)
		return
	}
	for p := range st.m {
		do(p, 0, 1, st.s/l)
		do(p, st.s-l, 1, 1)
	}
}

// mulRow multiplies blocks of a planar row by roots in packed order, in place; the imaginary parts begin at d.
func mulRow[T floats](x, roots []T, blocks, d int, sw swaps) {
	size, vector := vectorBytes()/lanesOf[T](), vectorBytes()
	a := args[T]{y: first(x), x: first(x), roots: first(roots), count: blocks, stepIn: vector, stepOut: vector}
	a.reIn, a.imIn = parts(d*size, sw.in)
	a.reOut, a.imOut = parts(d*size, sw.out)
	call(kernelsOf[T]().twist, &a)
}

// halfRowFast does unpack or pack for one value of k in each lane; see halfBlock.
func halfRowFast[T floats](pack bool, b *halfBlock[T], re, im T) {
	set, l2 := kernelsOf[T](), 2*lanesOf[T]()
	factors := [2]T{re, im}
	a := args[T]{y: &b[2*l2], x: &b[0], roots: &b[4*l2], consts: &factors[0], count: 1, from: elementBytes(), to: elementBytes()}
	if pack {
		call(set.packRow, &a)
	} else {
		call(set.unpackRow, &a)
	}
}

// transposeVector is how many rows and columns a block of transposeFast64 has, 0 if there is none.
func transposeVector() int {
	switch {
	case useAVX512:
		return 8
	case useAVX2:
		return 4
	}
	return 0
}

// transposeFast64 transposes blocks that are side by side in src.
func transposeFast64(dst []float64, ldd int, src []float64, lds, blocks int) {
	a := args[float64]{y: first(dst), x: first(src), count: blocks, from: 8 * lds, to: 8 * ldd}
	if useAVX512 {
		transposeF64AVX512(&a)
	} else {
		transposeF64AVX2(&a)
	}
}
