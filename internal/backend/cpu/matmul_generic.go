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
	if n == 1 {
		productVector(m, k, a, ars, acs, b, brs, c, crs, add)
		return
	}
	rows, cols := (m+genericRows-1)/genericRows, (n+genericCols-1)/genericCols
	block := func(i int) {
		r, j := i/cols*genericRows, i%cols*genericCols
		productBlock(min(genericRows, m-r), min(genericCols, n-j), k, tail(a, r*ars), ars, acs, tail(b, j*bcs), brs, bcs,
			c[r*crs+j:], crs, add)
	}
	if run == nil || m*n*k < 1<<16 {
		for i := range rows * cols {
			block(i)
		}
		return
	}
	run(rows*cols, block)
}

// productVector is productOf with one column.
func productVector[T numbers](m, k int, a []T, ars, acs int, b []T, brs int, c []T, crs int, add bool) {
	pace := par.NewPace()
	for i := range m {
		x := tail(a, i*ars)
		var sum T
		if add {
			sum = c[i*crs]
		}
		for p := 0; p < k; p += tileElems {
			depth := min(tileElems, k-p)
			sum += dotRows(x[p*acs:], acs, b[p*brs:], brs, depth)
			if depth == tileElems {
				pace.Step()
			}
		}
		c[i*crs] = sum
	}
}

// dotRows is a sum of n products, four of them side by side.
func dotRows[T numbers](x []T, xs int, y []T, ys, n int) T {
	var s0, s1, s2, s3 T
	i := 0
	if xs == 1 && ys == 1 {
		for ; i+4 <= n; i += 4 {
			u, v := x[i:i+4:i+4], y[i:i+4:i+4]
			s0 += u[0] * v[0]
			s1 += u[1] * v[1]
			s2 += u[2] * v[2]
			s3 += u[3] * v[3]
		}
	}
	for ; i+4 <= n; i += 4 {
		s0 += x[i*xs] * y[i*ys]
		s1 += x[(i+1)*xs] * y[(i+1)*ys]
		s2 += x[(i+2)*xs] * y[(i+2)*ys]
		s3 += x[(i+3)*xs] * y[(i+3)*ys]
	}
	for ; i < n; i++ {
		s0 += x[i*xs] * y[i*ys]
	}
	return s0 + s1 + (s2 + s3)
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
		pack = newScratch[T](min(genericDepth, k) * n)
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
				gemm.Axpy4(row, x[q*acs], x[(q+1)*acs], x[(q+2)*acs], x[(q+3)*acs],
					strip[q*rs:], strip[(q+1)*rs:], strip[(q+2)*rs:], strip[(q+3)*rs:])
			}
			for ; q < depth; q++ {
				gemm.Axpy(row, x[q*acs], strip[q*rs:])
			}
			if n*depth >= tileElems {
				pace.Step()
			}
		}
	}
}
