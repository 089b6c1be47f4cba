package cpu

import (
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/par"
)

// Sizes of a block of productOf: its part of b stays in the cache while the rows of a pass by.
const (
	genericRows  = 32
	genericCols  = 256
	genericDepth = 64
)

// productOf multiplies in any number type, block by block. Each element is summed in the order of k.
func productOf[T numbers](m, n, k int, a []T, ars, acs int, b []T, brs, bcs int, c []T, crs int, add bool, run gemm.Runner) {
	rows, cols := (m+genericRows-1)/genericRows, (n+genericCols-1)/genericCols
	block := func(i int) {
		r, j := i/cols*genericRows, i%cols*genericCols
		productBlock(min(genericRows, m-r), min(genericCols, n-j), k, tail(a, r*ars), ars, acs, tail(b, j*bcs), brs, bcs, c[r*crs+j:], crs, add)
	}
	if run == nil || m*n*k < 1<<16 {
		for i := range rows * cols {
			block(i)
		}
		return
	}
	run(rows*cols, block)
}

// tail is s from i on; an operand without elements stays so.
func tail[T any](s []T, i int) []T {
	if i >= len(s) {
		return nil
	}
	return s[i:]
}

func productBlock[T numbers](m, n, k int, a []T, ars, acs int, b []T, brs, bcs int, c []T, crs int, add bool) {
	if !add {
		for i := range m {
			clear(c[i*crs : i*crs+n])
		}
	}
	var pack []T
	if bcs != 1 {
		pack = make([]T, min(genericDepth, k)*n)
	}
	pace := par.NewPace()
	for p := 0; p < k; p += genericDepth {
		depth := min(genericDepth, k-p)
		strip, rs := b[p*brs:], brs
		if bcs != 1 {
			for q := range depth {
				row, src := pack[q*n:][:n], b[(p+q)*brs:]
				for j := range row {
					row[j] = src[j*bcs]
				}
			}
			strip, rs = pack, n
		}
		for i := range m {
			row := c[i*crs:][:n]
			x := a[i*ars+p*acs:]
			q := 0
			for ; q+4 <= depth; q += 4 {
				addFour(row, x[q*acs], x[(q+1)*acs], x[(q+2)*acs], x[(q+3)*acs],
					strip[q*rs:], strip[(q+1)*rs:], strip[(q+2)*rs:], strip[(q+3)*rs:])
			}
			for ; q < depth; q++ {
				addOne(row, x[q*acs], strip[q*rs:])
			}
			if n*depth >= tileElems {
				pace.Step()
			}
		}
	}
}

// addFour adds four scaled rows, in order.
func addFour[T numbers](z []T, x0, x1, x2, x3 T, b0, b1, b2, b3 []T) {
	b0, b1, b2, b3 = b0[:len(z)], b1[:len(z)], b2[:len(z)], b3[:len(z)]
	for j := range z {
		z[j] = z[j] + x0*b0[j] + x1*b1[j] + x2*b2[j] + x3*b3[j]
	}
}

func addOne[T numbers](z []T, x T, b []T) {
	b = b[:len(z)]
	for j := range z {
		z[j] += x * b[j]
	}
}
