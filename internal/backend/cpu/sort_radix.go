package cpu

import (
	"slices"
	"unsafe"
)

// Long rows have an LSD radix sort: every pass makes a histogram of digits for each chunk, a prefix sum gives each chunk its
// first index for each digit, and the elements are scattered. Chunks are fixed by the length, so several may run at once and the
// result is the same; a pass in which all digits are equal is left out.

const (
	radixChunk = 1 << 16
	rankedRow  = 24  // rows up to this are sorted by rank
	shortRow   = 192 // rows up to this are sorted by comparing
)

// digitBits is the width of a digit: wide ones need fewer passes, but more counters.
func digitBits(n int) int {
	if n < 1<<13 {
		return 8
	}
	return 11
}

// runner runs blocks: c.For, or one after the other inside a block.
type runner func(n int, f func(block int)) error

func serially(n int, f func(block int)) error {
	for i := range n {
		f(i)
	}
	return nil
}

// sort32 sorts a by its upper 32 bits, of which only the lower bits differ, keeping the order of equal ones; the lower
// 32 are indices, ascending. The result is in a or in b.
func sort32(run runner, a, b []uint64, bits int) ([]uint64, error) {
	switch {
	case len(a) <= rankedRow:
		rankSort(a, b)
		return b[:len(a)], nil
	case len(a) <= shortRow:
		slices.Sort(a) // indices differ and rise: no two are equal
		return a, nil
	case len(a) < 1<<13:
		return sortBytes(a, b[:len(a)], bits), nil
	}
	digit := digitBits(len(a))
	for shift := 32; shift < 32+bits; shift += digit {
		moved, err := radixPass(run, a, b, shift, min(digit, 32+bits-shift))
		if err != nil {
			return nil, err
		}
		if moved {
			a, b = b, a
		}
	}
	return a, nil
}

// rankSort puts every element of a at the index that is the number of smaller ones, all being different: no branch depends on
// the data.
func rankSort(a, b []uint64) {
	var rank [rankedRow]uint32
	for j, v := range a {
		less := uint32(0)
		for i, w := range a[:j] {
			c := uint32(0)
			if w < v {
				c = 1
			}
			less += c
			rank[i%rankedRow] += 1 - c
		}
		rank[j%rankedRow] = less
	}
	for i, v := range a {
		b[rank[i%rankedRow]] = v
	}
}

// sortBytes sorts a row that fits the cache: all digits are counted in one go.
func sortBytes(a, b []uint64, bits int) []uint64 {
	var counts [4][256]uint32
	digits := (bits + 7) / 8
	for _, v := range a {
		counts[0][v>>32&255]++
		counts[1][v>>40&255]++
		counts[2][v>>48&255]++
		counts[3][v>>56]++
	}
	for d := range digits {
		h, shift := &counts[d], 32+8*d
		if int(h[a[0]>>shift&255]) == len(a) {
			continue
		}
		sum := uint32(0)
		for i, n := range h {
			h[i] = sum
			sum += n
		}
		base := unsafe.Pointer(unsafe.SliceData(b)) // all indices are below the length, which the counts add up to
		for _, v := range a {
			at := &h[v>>shift&255]
			*(*uint64)(unsafe.Add(base, 8*int(*at))) = v
			*at++
		}
		a, b = b, a
	}
	return a
}

// radixPass moves a to b in the order of one digit; false: all digits are equal.
func radixPass(run runner, a, b []uint64, shift, bits int) (bool, error) {
	n, size := len(a), 1<<bits
	mask := uint64(size - 1)
	chunks := (n + radixChunk - 1) / radixChunk
	counts := make([]uint32, chunks*size)
	err := split(run, n, func(lo, hi int) {
		h := counts[lo/radixChunk*size:][:size]
		for _, v := range a[lo:hi] {
			h[v>>shift&mask]++
		}
	})
	if err != nil {
		return false, err
	}
	sum := uint32(0)
	for d := range size {
		before := sum
		for c := range chunks {
			k := counts[c*size+d]
			counts[c*size+d] = sum
			sum += k
		}
		if sum-before == uint32(n) {
			return false, nil
		}
	}
	return true, split(run, n, func(lo, hi int) {
		h := counts[lo/radixChunk*size:][:size]
		base := unsafe.Pointer(unsafe.SliceData(b)) // indices are below the length, which the counts add up to
		for _, v := range a[lo:hi] {
			d := v >> shift & mask
			*(*uint64)(unsafe.Add(base, 8*int(h[d]))) = v
			h[d]++
		}
	})
}
