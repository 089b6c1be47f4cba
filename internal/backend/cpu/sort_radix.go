package cpu

import (
	"cmp"
	"slices"
)

// Long rows are sorted by radix, from the lowest digit up: every pass counts digits by chunk, gives each chunk its
// place for each digit, and moves the elements. Chunks are fixed by the length, so several may run at once and the
// result is the same; a pass in which all digits are equal is left out.

const (
	radixChunk = 1 << 16
	shortRow   = 256 // rows up to this are sorted by comparing
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

// sortNarrow sorts a by its upper 32 bits, keeping the order of equal ones; the lower ones are places, rising. The
// result is in a or in b.
func sortNarrow(run runner, a, b []uint64) ([]uint64, error) {
	if len(a) <= shortRow {
		slices.Sort(a) // places differ and rise: no two are equal
		return a, nil
	}
	bits := digitBits(len(a))
	for shift := 32; shift < 64; shift += bits {
		moved, err := radixPass(run, a, b, nil, nil, shift, bits)
		if err != nil {
			return nil, err
		}
		if moved {
			a, b = b, a
		}
	}
	return a, nil
}

// wideRow is keys of 64 bits with their places.
type wideRow struct {
	key []uint64
	at  []uint32
}

func makeWide(n int) wideRow { return wideRow{make([]uint64, n), make([]uint32, n)} }

// sortWide sorts keys with their places; the result is in a or in b.
func sortWide(run runner, a, b wideRow) (wideRow, error) {
	n := len(a.key)
	if n <= shortRow {
		p := make([]int, n)
		for i := range p {
			p[i] = i
		}
		slices.SortStableFunc(p, func(i, j int) int { return cmp.Compare(a.key[i], a.key[j]) })
		for k, i := range p {
			b.key[k], b.at[k] = a.key[i], a.at[i]
		}
		return b, nil
	}
	bits := digitBits(n)
	for shift := 0; shift < 64; shift += bits {
		moved, err := radixPass(run, a.key, b.key, a.at, b.at, shift, bits)
		if err != nil {
			return a, err
		}
		if moved {
			a, b = b, a
		}
	}
	return a, nil
}

// radixPass moves a to b in the order of one digit, and at to bt along with it; false: all digits are equal.
func radixPass(run runner, a, b []uint64, at, bt []uint32, shift, bits int) (bool, error) {
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
		if at == nil {
			for _, v := range a[lo:hi] {
				d := v >> shift & mask
				b[h[d]] = v
				h[d]++
			}
			return
		}
		for i := lo; i < hi; i++ {
			v := a[i]
			d := v >> shift & mask
			b[h[d]], bt[h[d]] = v, at[i]
			h[d]++
		}
	})
}
