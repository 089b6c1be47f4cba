//go:build !purego

package fft

import (
	"math/bits"
	"unsafe"
)

// pairsOf are the kernels that read and write tensors, nil if there are none.
func pairsOf[T floats]() *pairSet[T] {
	if k := kernelsOf[T](); k != nil {
		return &k.pairs
	}
	return nil
}

// hasPairs reports whether the pass can read pairs, or write them.
func (st *pass[T]) hasPairs(read bool) bool {
	k := pairsOf[T]()
	if k == nil {
		return false
	}
	if read {
		return st.roots != nil && k.from[0][st.radix] != nil
	}
	return st.roots == nil && k.to[0][st.radix] != nil
}

// streamsLast reports whether the last pass of a plan can go around the cache.
func streamsLast[T floats](p *plan[T]) bool {
	k, last := pairsOf[T](), len(p.passes)-1
	return k != nil && last >= 0 && k.stream[0][p.passes[last].radix] != nil
}

// fromPairs does a first pass whose input are complex numbers, neighbours in lanes, step apart. What is so many bytes behind them, if next
// is not 0, is asked for.
func (st *pass[T]) fromPairs(y, x []T, step, next int, swap bool, yield func()) {
	k, l2, element := kernelsOf[T](), 2*lanesOf[T](), elementBytes()
	kernel := k.pairs.from[index(swap)][st.radix]
	bytes := 2 * step * int(unsafe.Sizeof(x[0]))
	each := max(1, chunk/st.radix)
	for p := 0; p < st.m; p += each {
		if p > 0 && yield != nil {
			yield()
		}
		a := args[T]{y: first(y[st.radix*p*l2:]), x: first(x[2*p*step:]), consts: first(k.consts[st.radix]),
			roots: first(st.roots[2*p*(st.radix-1):]), count: min(each, st.m-p), s: 1, from: st.m * bytes, to: element, stepIn: bytes,
			stepOut: element, imOut: vectorBytes()}
		a.repeat(again{})
		if a.ahead = next; next == 0 {
			a.ahead = st.ahead(0)
		}
		call(kernel, &a)
	}
}

// ahead is how far on the next input or output of a pass is: that of the next rows after so many bytes, or, where none are repeated,
// next to this one; the cache does not keep those of long columns until then.
func (st *pass[T]) ahead(bytes int) int {
	const most = 1 << 10
	switch {
	case bytes > 0:
		return bytes
	case st.m*st.radix*st.s <= most:
		return elementBytes()
	}
	return 0
}

// streams reports whether vectors that begin at y and so many bytes further on can be stored around the cache.
func streams[T floats](y []T, bytes int) bool {
	return uintptr(unsafe.Pointer(&y[0]))%64 == 0 && bytes%64 == 0
}

// toPairs does a last pass whose output are complex numbers, step apart, times scale; around the cache if asked and possible.
func (st *pass[T]) toPairs(y, x []T, step int, r again, swap, stream bool, scale T, yield func()) {
	k, l2, element := kernelsOf[T](), 2*lanesOf[T](), elementBytes()
	bytes := 2 * step * int(unsafe.Sizeof(x[0]))
	kernel := k.pairs.to[index(swap)][st.radix]
	if s := k.pairs.stream[index(swap)][st.radix]; stream && s != nil && streams(y, bytes|r.out*int(unsafe.Sizeof(x[0]))) {
		kernel = s
	}
	each := max(1, chunk/st.radix)
	for q := 0; q < st.s; q += each {
		if q > 0 && yield != nil {
			yield()
		}
		a := args[T]{y: first(y[2*q*step:]), x: first(x[q*l2:]), consts: first(k.consts[st.radix]), count: 1, s: min(each, st.s-q),
			from: st.s * element, to: st.s * bytes, stepIn: element, stepOut: bytes, imIn: vectorBytes(), scale: scale}
		a.repeat(r)
		a.ahead = st.ahead(a.nextOut * r.times)
		call(kernel, &a)
	}
}

// hasTight reports whether the pass can be the last one of columns whose results begin anywhere in a line of the cache: its parts begin at
// lines.
func (st *pass[T]) hasTight() bool {
	k := pairsOf[T]()
	return k != nil && st.roots == nil && k.tight[0][st.radix] != nil && st.s*2*int(unsafe.Sizeof(T(0)))%64 == 0
}

// tightFast does such a pass, of groups of columns, pitch numbers from row to row. y are rows of the groups' results and one bin more each,
// which last has; work is scratch of a line for each number of the radix.
func tightFast[T floats](st *pass[T], y, x, last, work []T, groups, pitch int, swap bool) {
	k, size := kernelsOf[T](), int(unsafe.Sizeof(y[0]))
	row := groups * elementBytes() // of bytes, and a bin
	a := args[T]{y: first(y), x: first(x), consts: first(k.consts[st.radix]), count: st.s, s: groups, from: st.s * pitch * size,
		to: st.s * (row + 2*size), stepOut: st.s * 2 * size, nextIn: pitch*size - row, table: first(last), work: first(work)}
	call(k.pairs.tight[index(swap)][st.radix], &a)
}

func index(swap bool) int {
	if swap {
		return 1
	}
	return 0
}

// twistTransposeFast is twistTranspose with assembly.
func twistTransposeFast[T floats](to []T, pitch int, x, roots []T, blocks int) bool {
	k := pairsOf[T]()
	if k == nil {
		return false
	}
	a := args[T]{y: first(to), x: first(x), roots: first(roots), count: blocks, to: pitch * int(unsafe.Sizeof(x[0]))}
	call(k.twistTranspose, &a)
	return true
}

// fromRowsFast copies blocks of as many numbers as there are lanes; see fromRows.
func fromRowsFast[T floats](x []T, wide int, from []T, apart, blocks int) bool {
	k := pairsOf[T]()
	if k == nil || blocks == 0 {
		return k != nil
	}
	a := args[T]{y: first(x), x: first(from), count: blocks, from: apart * int(unsafe.Sizeof(x[0])), to: wide * elementBytes()}
	call(k.fromRows, &a)
	return true
}

// toRowsFast is the opposite of fromRowsFast.
func toRowsFast[T floats](to []T, apart int, x []T, wide, blocks int) bool {
	k := pairsOf[T]()
	if k == nil || blocks == 0 {
		return k != nil
	}
	a := args[T]{y: first(to), x: first(x), count: blocks, from: wide * elementBytes(), to: apart * int(unsafe.Sizeof(x[0]))}
	call(k.toRows, &a)
	return true
}

// hasTensors reports whether there are kernels that read and write tensors.
func hasTensors[T floats]() bool { return pairsOf[T]() != nil }

// openFast does the first pass of a row; see straight.
func openFast[T floats](st *pass[T], y, x, roots []T, r again, swap bool) {
	k, l := kernelsOf[T](), lanesOf[T]()
	a := args[T]{y: first(y), x: first(x), roots: first(roots), consts: first(k.consts[st.radix]), count: st.m / l,
		from: 2 * st.m * int(unsafe.Sizeof(x[0]))}
	a.repeat(r)
	a.ahead = st.ahead(a.nextIn * r.times)
	call(k.pairs.open[index(swap)], &a)
}

// passesAt is where the kernels are that do all passes of such a row; -1: there are none.
func (s *straight[T]) passesAt() int {
	at := bits.Len(uint(s.n)) - 8
	if set := pairsOf[T]().passes; at < 0 || at >= len(set[0][0]) || 1<<(at+7) != s.n || set[0][0][at] == nil {
		return -1
	}
	return at
}

// hasPasses reports whether a kernel does all passes of a row.
func (s *straight[T]) hasPasses() bool { return s.passesAt() >= 0 }

// passesFast does all passes of rows that are so many numbers apart, in scratch of two rows. It reports whether there is a kernel for it.
func (s *straight[T]) passesFast(y, x []T, r again, work []T, sw swaps, stream bool, scale T) bool {
	at, size := s.passesAt(), int(unsafe.Sizeof(scale))
	if at < 0 || sw.in != sw.out {
		return false
	}
	kernels := pairsOf[T]().passes
	form := kernels[0]
	if stream && streams(y, r.out*size) {
		form = kernels[1]
	}
	a := args[T]{y: first(y), x: first(x), roots: first(s.roots), table: first(s.twice), consts: first(kernelsOf[T]().consts[8]),
		work: first(work), count: r.times, nextIn: r.in * size, nextOut: r.out * size, scale: scale}
	a.from, a.to = passesAhead*a.nextIn, passesAhead*a.nextOut
	call(form[index(sw.in)][at], &a)
	return true
}

// passesAhead is how many rows before they are read or written such rows are asked for.
const passesAhead = 2

// openHalfFast is openFast for a row in blocks of lanes whose second half is zeros; these are not read.
func openHalfFast[T floats](st *pass[T], y, x, roots []T) {
	a := openBlocks(st, y, x, roots)
	call(pairsOf[T]().openHalf, &a)
}

// openFilterFast is openFast for a row in blocks of lanes times a table of such blocks, with the parts swapped.
func openFilterFast[T floats](st *pass[T], y, x, roots, table []T) {
	a := openBlocks(st, y, x, roots)
	a.table = first(table)
	call(pairsOf[T]().openFilter, &a)
}

func openBlocks[T floats](st *pass[T], y, x, roots []T) args[T] {
	return args[T]{y: first(y), x: first(x), roots: first(roots), consts: first(kernelsOf[T]().consts[st.radix]),
		count: st.m / lanesOf[T](), from: 2 * st.m * int(unsafe.Sizeof(x[0]))}
}

// chirpFast sets blocks of lanes of y to a row times a table in blocks.
func chirpFast[T floats](y, x, table []T, blocks int, swap bool) {
	if blocks > 0 {
		a := args[T]{y: first(y), x: first(x), roots: first(table), count: blocks}
		call(pairsOf[T]().chirp[index(swap)], &a)
	}
}

// frontFast does a last pass of blocks of which the first half of the results is wanted, times a table, and times scale, as a tensor has
// them. It reports whether there is assembly for it.
func frontFast[T floats](st *pass[T], y, x, table []T, swap bool, scale T) bool {
	k, element := kernelsOf[T](), elementBytes()
	kernel := k.pairs.front[index(swap)][st.radix]
	if kernel == nil {
		return false
	}
	a := args[T]{y: first(y), x: first(x), consts: first(k.consts[st.radix]), table: first(table), s: st.s, from: st.s * element,
		to: st.s * element, scale: scale}
	call(kernel, &a)
	return true
}

// secondFast does the second pass of a row whose first one left half a vector of neighbours.
func secondFast[T floats](st *pass[T], y, x, roots []T, r again) {
	k, l := kernelsOf[T](), lanesOf[T]()
	a := args[T]{y: first(y), x: first(x), roots: first(roots), consts: first(k.consts[st.radix]), count: st.s * st.m / l,
		from: 2 * st.s * st.m * int(unsafe.Sizeof(x[0]))}
	a.repeat(r)
	call(k.pairs.second[st.radix], &a)
}

// wholeFast transforms groups of rows of wholeLength elements, times scale.
func wholeFast[T floats](y, x, roots []T, groups int, swap, stream bool, scale T) {
	if wholeHasLanes() {
		groups *= 4 // a vector has four elements of each of its rows
	}
	a := args[T]{y: first(y), x: first(x), roots: first(roots), count: groups, scale: scale}
	k := pairsOf[T]()
	kernel := k.whole[index(swap)]
	if s := k.wholeStream[index(swap)]; stream && s != nil && streams(y, 0) {
		kernel = s
	}
	call(kernel, &a)
}

// halfPairs does unpack or pack for so many blocks of values of k from the given one on, and of h-k, of rows of h elements. The roots are
// in blocks, from k = 1 on.
func halfPairs[T floats](pack bool, y, x, roots []T, h, block, count int, r again, re, im T) {
	if count == 0 {
		return
	}
	k, l := pairsOf[T](), lanesOf[T]()
	factors := [2]T{re, im}
	at := block*l + 1
	far := (h - 2*at - l + 1) * 2 * int(unsafe.Sizeof(re)) // from this k to the first of the block of h-k
	a := args[T]{y: first(y[2*at:]), x: first(x[2*at:]), roots: first(roots[2*l*block:]), consts: &factors[0], count: count,
		from: far, to: far}
	a.repeat(r)
	a.ahead = a.nextOut * r.times
	if pack {
		call(k.pack, &a)
	} else {
		call(k.unpack, &a)
	}
}

// wholeHasLanes reports whether the roots of wholeFast are in lanes.
func wholeHasLanes() bool { return useAVX512 }
