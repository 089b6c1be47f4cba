package simd

import (
	"bytes"
	"testing"
	"unsafe"
)

// TestPrefetch: asking for memory changes nothing, and prefetching a protected page is no fault.
func TestPrefetch(t *testing.T) {
	const most = 4096
	for _, end := range []bool{true, false} {
		x := fence(t, most, end)
		for i := range x {
			x[i] = byte(i)
		}
		old := bytes.Clone(x)
		for n := range 131 {
			for _, at := range []int{0, 1, 63, most - 65, most - 1} {
				p := unsafe.Pointer(&x[at])
				Prefetch(p, n)
				for rows := range 3 {
					PrefetchRows(p, 100, rows, n)
					PrefetchOwn(p, 4096, rows, n)
				}
			}
		}
		Prefetch(unsafe.Pointer(&x[0]), 2*most)
		if !bytes.Equal(x, old) {
			t.Fatal("memory changed")
		}
	}
}
