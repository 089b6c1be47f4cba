package simd

import "math"

// Sums run in lanes: element i is added to lane i%64 in the order of i, all lanes
// starting at +0; then lane i takes lane i+32, then i+16, 8, 4, 2 and 1. The order
// does not depend on the machine, so neither do the bits. Products are rounded
// before they are added.
const lanes = 64

// treeSum joins the lanes.
func treeSum(l *[lanes]float32) float32 {
	for h := lanes / 2; h > 0; h /= 2 {
		for i := range h {
			l[i] += l[i+h]
		}
	}
	return l[0]
}

func sumF32Generic(x []float32) float32 {
	var l [lanes]float32
	for i, v := range x {
		l[i%lanes] += v
	}
	return treeSum(&l)
}

func sumSqF32Generic(x []float32) float32 {
	var l [lanes]float32
	for i, v := range x {
		l[i%lanes] += float32(v * v)
	}
	return treeSum(&l)
}

func dotF32Generic(x, y []float32) float32 {
	var l [lanes]float32
	y = y[:len(x)]
	for i, v := range x {
		l[i%lanes] += float32(v * y[i])
	}
	return treeSum(&l)
}

// The extremes use the lanes of the sums too, because -0 and +0 compare equal and
// the order decides which one is left.
func maxOfF32Generic(x []float32) (m float32, top int32) {
	var l [lanes]float32
	for i := range l {
		l[i] = float32(math.Inf(-1))
	}
	for i, v := range x {
		l[i%lanes] = greater(v, l[i%lanes])
		top = max(top, int32(math.Float32bits(v)&math.MaxInt32))
	}
	for h := lanes / 2; h > 0; h /= 2 {
		for i := range h {
			l[i] = greater(l[i+h], l[i])
		}
	}
	return l[0], top
}

func minOfF32Generic(x []float32) (m float32, top int32) {
	var l [lanes]float32
	for i := range l {
		l[i] = float32(math.Inf(1))
	}
	for i, v := range x {
		l[i%lanes] = lesser(v, l[i%lanes])
		top = max(top, int32(math.Float32bits(v)&math.MaxInt32))
	}
	for h := lanes / 2; h > 0; h /= 2 {
		for i := range h {
			l[i] = lesser(l[i+h], l[i])
		}
	}
	return l[0], top
}

// orNaN returns NaN if the largest magnitude seen, top, is beyond infinity.
func orNaN(m float32, top int32) float32 {
	if top > 0x7f800000 {
		return float32(math.NaN())
	}
	return m
}
