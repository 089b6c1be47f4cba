package simd

// MaxPool2x2F32 sets z to the maximum of each 2 by 2 window and at to its index: for r < rows and c < cols the window is
// x[2r*xs+2c], the element to its right, and the two below. Of equals the first is taken, of NaNs the last. z and at are
// contiguous.
func MaxPool2x2F32(z []float32, at []int64, x []float32, rows, cols, xs int) {
	if rows <= 0 || cols <= 0 {
		return
	}
	z, at, x = z[:rows*cols], at[:rows*cols], x[:(2*rows-1)*xs+2*cols]
	if !maxPool2x2(z, at, x, rows, cols, xs) {
		maxPool2x2Generic(z, at, x, rows, cols, xs)
	}
}

func maxPool2x2Generic(z []float32, at []int64, x []float32, rows, cols, xs int) {
	for r := range rows {
		for c := range cols {
			best := 2*r*xs + 2*c
			for _, i := range [3]int{best + 1, best + xs, best + xs + 1} {
				if v := x[i]; v > x[best] || v != v {
					best = i
				}
			}
			z[r*cols+c], at[r*cols+c] = x[best], int64(best)
		}
	}
}

// MaxUnpool2x2F32 is the transpose of MaxPool2x2F32: of each 2 by 2 window of z, whose rows are zs apart, the element at index
// at[r*cols+c] becomes x[r*cols+c] and the others zero. An index outside its window has no effect.
func MaxUnpool2x2F32(z, x []float32, at []int64, rows, cols, zs int) {
	if rows <= 0 || cols <= 0 {
		return
	}
	x, at, z = x[:rows*cols], at[:rows*cols], z[:(2*rows-1)*zs+2*cols]
	if !maxUnpool2x2(z, x, at, rows, cols, zs) {
		maxUnpool2x2Generic(z, x, at, rows, cols, zs)
	}
}

func maxUnpool2x2Generic(z, x []float32, at []int64, rows, cols, zs int) {
	for r := range rows {
		for c := range cols {
			v, index, first := x[r*cols+c], at[r*cols+c], 2*r*zs+2*c
			for _, i := range [4]int{first, first + 1, first + zs, first + zs + 1} {
				if z[i] = 0; int64(i) == index {
					z[i] += v // a negative zero becomes a positive one, as in any sum
				}
			}
		}
	}
}

// maxPoolRows is MaxPool2x2F32 by a routine for the full vectors of a row, given the indices of the first elements of both
// input rows; the tail of a row is done in Go.
func maxPoolRows(z []float32, at []int64, x []float32, rows, cols, xs, lanes int,
	row func(z *float32, at *int64, x, below *float32, n, first, second int)) bool {
	w := cols / lanes * lanes
	if w == 0 {
		return false
	}
	for r := range rows {
		first, to := 2*r*xs, r*cols
		row(&z[to], &at[to], &x[first], &x[first+xs], w, first, first+xs)
		for c := w; c < cols; c++ {
			maxPool2x2Generic(z[to+c:], at[to+c:], x[first+2*c:], 1, 1, xs)
			at[to+c] += int64(first + 2*c)
		}
	}
	return true
}

// maxUnpoolRows is MaxUnpool2x2F32 likewise.
func maxUnpoolRows(z, x []float32, at []int64, rows, cols, zs, lanes int,
	row func(z, below, x *float32, at *int64, n, first, second int)) bool {
	w := cols / lanes * lanes
	if w == 0 {
		return false
	}
	for r := range rows {
		first, from := 2*r*zs, r*cols
		row(&z[first], &z[first+zs], &x[from], &at[from], w, first, first+zs)
		for c := w; c < cols; c++ {
			i := first + 2*c
			index := [1]int64{at[from+c] - int64(i)}
			maxUnpool2x2Generic(z[i:], x[from+c:], index[:], 1, 1, zs)
		}
	}
	return true
}
