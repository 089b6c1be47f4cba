package simd

import "math"

// The steps of pooling: one element of every window meets what was found before. Windows are n to a row, step apart, in
// rows that are zrs apart in z and xrs in x. Steps of one and two have their own loads, others gather. Behind the last
// window of a row, StepSlack elements of z may be read and written back, with a zero added at most; so rows of z belong
// to one who computes.

// StepSlack is how many elements must follow the last row.
const StepSlack = 32

// MaxStepF32 lets x[r*xrs+i*step] count instead of z[r*zrs+i], where it is greater or a NaN; at[r*zrs+i] is then
// place + r*xrs + i*step.
func MaxStepF32(z []float32, at []int32, zrs int, x []float32, xrs, rows, n, step, place int) {
	if n <= 0 || rows <= 0 {
		return
	}
	z, at, x = z[:(rows-1)*zrs+n+StepSlack], at[:(rows-1)*zrs+n+StepSlack], x[:(rows-1)*xrs+(n-1)*step+1]
	if !maxStep(z, at, zrs, x, xrs, rows, n, step, place) {
		maxStepGeneric(z, at, zrs, x, xrs, rows, n, step, place)
	}
}

func maxStepGeneric(z []float32, at []int32, zrs int, x []float32, xrs, rows, n, step, place int) {
	for r := range rows {
		for i := range n {
			to, from := r*zrs+i, r*xrs+i*step
			if v := x[from]; v > z[to] || v != v {
				z[to], at[to] = v, int32(place+from)
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

// SpreadStepF32 adds x[r*xrs+i] to z[r*zrs+i*step]. Elements between may have a zero added.
func SpreadStepF32(z []float32, zrs int, x []float32, xrs, rows, n, step int) {
	if n <= 0 || rows <= 0 {
		return
	}
	z, x = z[:(rows-1)*zrs+(n-1)*step+1+StepSlack], x[:(rows-1)*xrs+n]
	switch {
	case step == 1:
		AddStepF32(z, zrs, x, xrs, rows, n, 1)
	case !spreadStep(z, zrs, x, xrs, rows, n, step):
		spreadStepGeneric(z, zrs, x, xrs, rows, n, step)
	}
}

func spreadStepGeneric(z []float32, zrs int, x []float32, xrs, rows, n, step int) {
	for r := range rows {
		for i, v := range x[r*xrs:][:n] {
			z[r*zrs+i*step] += v
		}
	}
}

// GiveStepF32 adds x[r*xrs+i] to z[r*zrs+i*step] where at[r*xrs+i] is place + r*prs + i*step, the place of that element.
// Elements of which the place is another may have a zero added. at is as long as x.
func GiveStepF32(z []float32, zrs int, x []float32, at []int32, xrs, rows, n, step, place, prs int) {
	if n <= 0 || rows <= 0 {
		return
	}
	z, x, at = z[:(rows-1)*zrs+(n-1)*step+1+StepSlack], x[:(rows-1)*xrs+n], at[:(rows-1)*xrs+n]
	if !giveStep(z, zrs, x, at, xrs, rows, n, step, place, prs) {
		giveStepGeneric(z, zrs, x, at, xrs, rows, n, step, place, prs)
	}
}

func giveStepGeneric(z []float32, zrs int, x []float32, at []int32, xrs, rows, n, step, place, prs int) {
	for r := range rows {
		at := at[r*xrs:][:n]
		for i, v := range x[r*xrs:][:n] {
			if int(at[i]) == place+r*prs+i*step {
				z[r*zrs+i*step] += v
			}
		}
	}
}

// NarrowPlaces sets z to x; what is negative or too large becomes -1.
func NarrowPlaces(z []int32, x []int64) {
	z = z[:len(x)]
	n := narrowPlaces(z, x)
	for i, v := range x[n:] {
		if v < 0 || v > math.MaxInt32 {
			v = -1
		}
		z[n+i] = int32(v)
	}
}

// WidenPlaces sets z to x.
func WidenPlaces(z []int64, x []int32) {
	z = z[:len(x)]
	n := widenPlaces(z, x)
	for i, v := range x[n:] {
		z[n+i] = int64(v)
	}
}
