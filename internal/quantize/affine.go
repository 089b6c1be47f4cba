package quantize

import "math"

// smallest is the least scale of an affine group.
const smallest = 1e-7

// Quantize quantizes a row: words get the numbers, scales and biases a number for each group. For the modes of floats scales get
// the codes of their types, and biases is nil. round gives scales and biases the precision in which they are stored.
func (f Format) Quantize(w []float32, packed []uint32, scales, biases []float32, round func(float32) float32) {
	clear(packed)
	for g := range len(w) / f.Group {
		group := w[g*f.Group : (g+1)*f.Group]
		if f.Mode != Affine {
			scales[g] = float32(f.quantizeFloats(group, packed, g*f.Group))
			continue
		}
		scale, bias := f.affine(group)
		for i, v := range group {
			f.put(packed, g*f.Group+i, f.level((v-bias)/scale))
		}
		scales[g], biases[g] = round(scale), round(bias)
	}
}

// level is the nearest level; what is not a number is level 0.
func (f Format) level(x float32) uint32 {
	q := float32(math.RoundToEven(float64(x)))
	if !(q > 0) {
		return 0
	}
	return uint32(min(q, float32(int(1)<<f.Bits-1)))
}

// affine returns a scale and a bias: the end of the range that is farther from zero is a level, and so is zero.
func (f Format) affine(group []float32) (scale, bias float32) {
	low, high := float32(math.Inf(1)), float32(math.Inf(-1))
	for _, v := range group {
		if v > high {
			high = v
		}
		if v < low {
			low = v
		}
	}
	abs := func(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }
	scale = max((high-low)/float32(int(1)<<f.Bits-1), smallest)
	edge := low
	if !(abs(low) > abs(high)) {
		scale, edge = -scale, high
	}
	if q := float32(math.RoundToEven(float64(edge / scale))); q != 0 {
		return edge / q, edge
	}
	return scale, 0
}

// Dequantize gives the values of a row. round is the precision of the result, in which it is computed.
func (f Format) Dequantize(dst []float32, packed []uint32, scales, biases []float32, round func(float32) float32) {
	for g := range len(dst) / f.Group {
		group := dst[g*f.Group : (g+1)*f.Group]
		if f.Mode != Affine {
			scale := f.scale(byte(scales[g]))
			for i := range group {
				group[i] = round(scale * f.float(f.number(packed, g*f.Group+i)))
			}
			continue
		}
		for i := range group {
			v := round(scales[g] * float32(f.number(packed, g*f.Group+i)))
			group[i] = round(v + biases[g])
		}
	}
}
