package kernel

import "fmt"

// A convolution of one plane by one window of taps has a single row of kernels, so a product would load an element for each
// multiply-add. Here some rows of outputs are computed together: each element is loaded once for all that see it in a column
// of taps.

// depthwiseTile is a depthwise kernel; the rows of taps and of outputs and the number of vectors are fixed by the kernel:
//
//	for r < rows, j < cols: c[r*crs+j] = Σ_u Σ_t x[(r+t)*pitch+u+j] * w[u*taps+t], u < wide, t < taps, in this order, by FMA
//
// It reads whole vectors of x.
type depthwiseTile[T Float] = func(wide int, x []T, pitch int, w, c []T, crs, cols int)

// depthwiseGeneric is the Go twin of the kernels.
func depthwiseGeneric[T Float](rows, taps, wide int, x []T, pitch int, w, c []T, crs, cols int) {
	for r := range rows {
		for j := range cols {
			var s T
			for u := range wide {
				for t := range taps {
					s += x[(r+t)*pitch+u+j] * w[u*taps+t]
				}
			}
			c[r*crs+j] = s
		}
	}
}

// HasDepthwise reports whether there are kernels for so many rows of taps here.
func HasDepthwise[T Float](taps int) bool {
	e := engineOf[T]()
	return e.depthwise != nil && taps < len(e.depthwise) && e.depthwise[taps][1][1] != nil
}

// Depthwise convolves a plane by a window of taps rows and wide columns: for i < rows, j < cols,
//
//	c[i*crs+j] = Σ_u Σ_t x[(i+t)*pitch+u+j] * w[u*taps+t]    (in this order, by FMA)
//
// It may read DepthwiseSlack elements behind what it needs of x.
func Depthwise[T Float](taps, wide, rows, cols int, x []T, pitch int, w, c []T, crs int) {
	if rows == 0 || cols == 0 {
		return
	}
	if wide < 1 || taps < 1 || pitch < 0 || (rows+taps-2)*pitch+wide-1+cols+DepthwiseSlack > len(x) || wide*taps > len(w) ||
		crs < cols && rows > 1 || (rows-1)*crs+cols > len(c) {
		panic(fmt.Sprintf("conv: window outside its slices: %d by %d taps, %d by %d outputs, rows %d and %d apart, lengths %d, %d, %d",
			taps, wide, rows, cols, pitch, crs, len(x), len(w), len(c)))
	}
	if !HasDepthwise[T](taps) {
		depthwiseGeneric(rows, taps, wide, x, pitch, w, c, crs, cols)
		return
	}
	e := engineOf[T]()
	kernels := &e.depthwise[taps]
	for i, n := 0, 4; i < rows; i += n {
		for n > rows-i {
			n /= 2
		}
		for j := 0; j < cols; {
			nv := 1
			if cols-j > e.lanes && kernels[n][2] != nil {
				nv = 2
			}
			width := min(nv*e.lanes, cols-j)
			kernels[n][nv](wide, x[i*pitch+j:], pitch, w, c[i*crs+j:], crs, width)
			j += width
		}
	}
}

// DepthwiseSlack is what Depthwise may read behind the elements it needs.
const DepthwiseSlack = 16
