//go:build !purego && linux && !race

package lanes

import "testing"

// TestTransposeFour: the elements of a few small matrices arrive, and nothing outside the operands is touched.
func TestTransposeFour(t *testing.T) {
	for n := 1; n < 30; n++ {
		for _, s := range [][2]int{{8, n}, {n, 8}} {
			rows, cols := s[0], s[1]
			x, z := fenced[float32](t, rows*cols, true), fenced[float32](t, rows*cols, n%2 == 0)
			for i := range x {
				x[i] = float32(i)
			}
			transpose32(z, rows, x, cols, rows, cols)
			for i := range rows {
				for j := range cols {
					if z[j*rows+i] != x[i*cols+j] {
						t.Fatalf("%d×%d: element %d, %d is %v, want %v", rows, cols, i, j, z[j*rows+i], x[i*cols+j])
					}
				}
			}
		}
	}
}
