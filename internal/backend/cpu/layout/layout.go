// Package layout converts blocks of a matrix from one layout to another: it transposes them and copies strided rows.
package layout

import "github.com/lucid-go/lucid/internal/backend/cpu/simd"

// Inside returns which of n indices from first on, step apart, are less than size and not negative: lo to before hi.
func Inside(first, step, n, size int) (lo, hi int) {
	lo = min(n, max(0, (-first+step-1)/step))
	return lo, min(n, max(lo, (size-first+step-1)/step))
}

// TransposeBlock sets dst[j·ldd+i] = src[i·lds+j] for i < rows and j < cols.
func TransposeBlock[T any](dst []T, ldd int, src []T, lds, rows, cols int) {
	if z, ok := any(dst).([]float32); ok {
		simd.TransposeBlockF32(z, ldd, any(src).([]float32), lds, rows, cols)
		return
	}
	for i := range rows {
		from := src[i*lds:][:cols]
		for j, v := range from {
			dst[j*ldd+i] = v
		}
	}
}

// TransposeStrided sets dst[j·ldd+i] = src[i·lds+j·step] for i < rows and j < cols.
func TransposeStrided[T any](dst []T, ldd int, src []T, lds, step, rows, cols int) {
	if step == 1 {
		TransposeBlock(dst, ldd, src, lds, rows, cols)
		return
	}
	for j := range cols {
		to := dst[j*ldd:][:rows]
		for i := range to {
			to[i] = src[i*lds+j*step]
		}
	}
}

// CopyRows copies rows of n elements that are a step apart: dst[r·drs+i] = src[at+r·srs+i·step].
func CopyRows[T any](dst []T, drs int, src []T, at, srs, step, rows, n int) {
	if z, ok := any(dst).([]float32); ok && srs >= 0 && step > 0 {
		simd.PadRowsF32(z, drs, any(src).([]float32)[at:], srs, step, rows, 0, n, 0, 0)
		return
	}
	for r := range rows {
		to, from := dst[r*drs:][:n], at+r*srs
		if step == 1 {
			copy(to, src[from:])
			continue
		}
		for i := range to {
			to[i] = src[from+i*step]
		}
	}
}
