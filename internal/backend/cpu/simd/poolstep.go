package simd

import "math"

// One step of pooling combines one element of every window with the result so far. A row has n windows, step elements apart;
// rows are zrs apart in z and xrs in x. Strides of 1 and 2 have their own loads, others gather. Up to StepSlack elements of z
// behind the last window of a row may be read and written back, with a zero added at most; so no other worker may write
// them at the same time.

// StepSlack is how many elements must follow the last row.
const StepSlack = 32

// MaxStepF32 replaces z[r*zrs+i] by x[r*xrs+i*step] where that is greater or NaN; at[r*zrs+i] is then its index,
// base + r*xrs + i*step.
func MaxStepF32(z []float32, at []int32, zrs int, x []float32, xrs, rows, n, step, base int) {
	if n <= 0 || rows <= 0 {
		return
	}
	z, at, x = z[:(rows-1)*zrs+n+StepSlack], at[:(rows-1)*zrs+n+StepSlack], x[:(rows-1)*xrs+(n-1)*step+1]
	if !maxStep(z, at, zrs, x, xrs, rows, n, step, base) {
		maxStepGeneric(z, at, zrs, x, xrs, rows, n, step, base)
	}
}

func maxStepGeneric(z []float32, at []int32, zrs int, x []float32, xrs, rows, n, step, base int) {
	for r := range rows {
		for i := range n {
			to, from := r*zrs+i, r*xrs+i*step
			if v := x[from]; v > z[to] || v != v {
				z[to], at[to] = v, int32(base+from)
			}
		}
	}
}

// AddStepF32 adds x[r*xrs+i*step] to z[r*zrs+i].
func AddStepF32(z []float32, zrs int, x []float32, xrs, rows, n, step int) {
	if n <= 0 || rows <= 0 {
		return
	}
	z, x = z[:(rows-1)*zrs+n+StepSlack], x[:(rows-1)*xrs+(n-1)*step+1]
	if !addStep(z, zrs, x, xrs, rows, n, step) {
		addStepGeneric(z, zrs, x, xrs, rows, n, step)
	}
}

func addStepGeneric(z []float32, zrs int, x []float32, xrs, rows, n, step int) {
	for r := range rows {
		for i := range n {
			z[r*zrs+i] += x[r*xrs+i*step]
		}
	}
}

// ScatterStepF32 adds x[r*xrs+i] to z[r*zrs+i*step]. Elements between may have a zero added.
func ScatterStepF32(z []float32, zrs int, x []float32, xrs, rows, n, step int) {
	if n <= 0 || rows <= 0 {
		return
	}
	z, x = z[:(rows-1)*zrs+(n-1)*step+1+StepSlack], x[:(rows-1)*xrs+n]
	switch {
	case step == 1:
		AddStepF32(z, zrs, x, xrs, rows, n, 1)
	case !scatterStep(z, zrs, x, xrs, rows, n, step):
		scatterStepGeneric(z, zrs, x, xrs, rows, n, step)
	}
}

func scatterStepGeneric(z []float32, zrs int, x []float32, xrs, rows, n, step int) {
	for r := range rows {
		for i, v := range x[r*xrs:][:n] {
			z[r*zrs+i*step] += v
		}
	}
}

// UnpoolStepF32 adds x[r*xrs+i] to z[r*zrs+i*step] where at[r*xrs+i] is base + r*prs + i*step, the index of that
// element. The others may have a zero added. at is as long as x.
func UnpoolStepF32(z []float32, zrs int, x []float32, at []int32, xrs, rows, n, step, base, prs int) {
	if n <= 0 || rows <= 0 {
		return
	}
	z, x, at = z[:(rows-1)*zrs+(n-1)*step+1+StepSlack], x[:(rows-1)*xrs+n], at[:(rows-1)*xrs+n]
	if !unpoolStep(z, zrs, x, at, xrs, rows, n, step, base, prs) {
		unpoolStepGeneric(z, zrs, x, at, xrs, rows, n, step, base, prs)
	}
}

func unpoolStepGeneric(z []float32, zrs int, x []float32, at []int32, xrs, rows, n, step, base, prs int) {
	for r := range rows {
		at := at[r*xrs:][:n]
		for i, v := range x[r*xrs:][:n] {
			if int(at[i]) == base+r*prs+i*step {
				z[r*zrs+i*step] += v
			}
		}
	}
}

// NarrowIndices sets z to x; an index that is negative or too large becomes -1.
func NarrowIndices(z []int32, x []int64) {
	z = z[:len(x)]
	n := narrowIndices(z, x)
	for i, v := range x[n:] {
		if v < 0 || v > math.MaxInt32 {
			v = -1
		}
		z[n+i] = int32(v)
	}
}

// WidenIndices sets z to x.
func WidenIndices(z []int64, x []int32) {
	z = z[:len(x)]
	n := widenIndices(z, x)
	for i, v := range x[n:] {
		z[n+i] = int64(v)
	}
}
