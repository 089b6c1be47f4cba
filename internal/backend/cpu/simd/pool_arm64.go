//go:build !purego

package simd

// vectorWindows is how many of n windows full vectors cover: stride 2 reads one element more than it needs, so the last are left.
func vectorWindows(n, step int) int {
	switch {
	case !useNEON || step < 1 || step > 2:
		return 0
	case step == 2:
		n--
	}
	return n &^ 3
}

func maxStep(z []float32, at []int32, zrs int, x []float32, xrs, rows, n, step, base int) bool {
	w := vectorWindows(n, step)
	if w == 0 {
		return false
	}
	for r := range rows {
		maxStepNEON(&z[r*zrs], &at[r*zrs], &x[r*xrs], w, step, base+r*xrs)
		maxStepGeneric(z[r*zrs+w:], at[r*zrs+w:], 0, x[r*xrs+w*step:], 0, 1, n-w, step, base+r*xrs+w*step)
	}
	return true
}

func addStep(z []float32, zrs int, x []float32, xrs, rows, n, step int) bool {
	w := vectorWindows(n, step)
	if w == 0 {
		return false
	}
	for r := range rows {
		addStepNEON(&z[r*zrs], &x[r*xrs], w, step)
		addStepGeneric(z[r*zrs+w:], 0, x[r*xrs+w*step:], 0, 1, n-w, step)
	}
	return true
}

func scatterStep(z []float32, zrs int, x []float32, xrs, rows, n, step int) bool {
	w := n &^ 3
	if !useNEON || step != 2 || w == 0 {
		return false
	}
	for r := range rows {
		scatterTwoNEON(&z[r*zrs], &x[r*xrs], w)
		scatterStepGeneric(z[r*zrs+2*w:], 0, x[r*xrs+w:], 0, 1, n-w, 2)
	}
	return true
}

func unpoolStep(z []float32, zrs int, x []float32, at []int32, xrs, rows, n, step, base, prs int) bool {
	w := n &^ 3
	if !useNEON || step < 1 || step > 2 || w == 0 {
		return false
	}
	for r := range rows {
		unpoolStepNEON(&z[r*zrs], &x[r*xrs], &at[r*xrs], w, step, base+r*prs)
		unpoolStepGeneric(z[r*zrs+w*step:], 0, x[r*xrs+w:], at[r*xrs+w:], 0, 1, n-w, step, base+r*prs+w*step, 0)
	}
	return true
}

func widenIndices(z []int64, x []int32) int {
	n := len(x) &^ 3
	if !useNEON || n == 0 {
		return 0
	}
	widenIndicesNEON(&z[0], &x[0], n)
	return n
}

func narrowIndices(z []int32, x []int64) int {
	n := len(x) &^ 3
	if !useNEON || n == 0 {
		return 0
	}
	narrowIndicesNEON(&z[0], &x[0], n)
	return n
}

func maxPool2x2(z []float32, at []int64, x []float32, rows, cols, xs int) bool {
	return useNEON && len(x) < 1<<31 && maxPoolRows(z, at, x, rows, cols, xs, 4, maxPoolNEON)
}

func maxUnpool2x2(z, x []float32, at []int64, rows, cols, zs int) bool {
	return useNEON && len(z) < 1<<31 && maxUnpoolRows(z, x, at, rows, cols, zs, 4, maxUnpoolNEON)
}

func padRows(dst []float32, drs int, src []float32, srs, step, rows, lo, n, hi, ahead int) bool {
	if !useNEON || step != 2 && step != 4 || n < 5 {
		return false
	}
	w := (n - 1) &^ 3
	for r := range rows {
		row, from := dst[r*drs:][:lo+n+hi], src[r*srs:]
		clear(row[:lo])
		if step == 2 {
			everySecondNEON(&row[lo], &from[0], w)
		} else {
			everyFourthNEON(&row[lo], &from[0], w)
		}
		for i := w; i < n; i++ {
			row[lo+i] = from[i*step]
		}
		clear(row[lo+n:])
	}
	return true
}

//go:noescape
func maxStepNEON(z *float32, at *int32, x *float32, n, step, base int)

//go:noescape
func addStepNEON(z, x *float32, n, step int)

//go:noescape
func scatterTwoNEON(z, x *float32, n int)

//go:noescape
func unpoolStepNEON(z, x *float32, at *int32, n, step, base int)

//go:noescape
func widenIndicesNEON(z *int64, x *int32, n int)

//go:noescape
func narrowIndicesNEON(z *int32, x *int64, n int)

//go:noescape
func maxPoolNEON(z *float32, at *int64, x, below *float32, n, first, second int)

//go:noescape
func maxUnpoolNEON(z, below, x *float32, at *int64, n, first, second int)

//go:noescape
func everySecondNEON(z, x *float32, n int)

//go:noescape
func everyFourthNEON(z, x *float32, n int)
