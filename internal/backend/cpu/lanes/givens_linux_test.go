//go:build !race

package lanes

import (
	"math/cmplx"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// TestGivensGuard: rotations of rows and of columns are those of a plain loop, and nothing outside the operand is read or written.
func TestGivensGuard(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, count := range []int{1, 2, 3, 16} {
		f := make([]float64, 4*count)
		for i := range count {
			c, s := r.NormFloat64(), complex(r.NormFloat64(), r.NormFloat64())
			f[4*i], f[4*i+1], f[4*i+2], f[4*i+3] = c, real(s), -imag(s), imag(s)
		}
		for n := 1; n < 20; n++ {
			for _, columns := range []bool{false, true} {
				rows, cols := count+1, n
				if columns {
					rows, cols = n, count+1
				}
				flat := fenced[float64](t, 2*rows*cols, n%2 == 0)
				for i := range flat {
					flat[i] = r.NormFloat64()
				}
				x := unsafe.Slice((*complex128)(unsafe.Pointer(&flat[0])), rows*cols)
				want := append([]complex128(nil), x...)
				if columns {
					for i := range n {
						givensOne(want[i*cols:], 1, f)
					}
					GivensColumns(x, cols, n, f)
				} else {
					for k := range n {
						givensOne(want[k:], cols, f)
					}
					GivensRows(x, cols, n, f)
				}
				for i := range x {
					if cmplx.Abs(x[i]-want[i]) > 1e-9*(1+cmplx.Abs(want[i])) {
						t.Fatalf("%d rotations, %d, columns %v: element %d is %v, want %v", count, n, columns, i, x[i], want[i])
					}
				}
			}
		}
	}
}
