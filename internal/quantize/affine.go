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

// Dequantize gives the values of a row. round is the precision of the result, in which it is computed; nil: that of float32.
func (f Format) Dequantize(dst []float32, packed []uint32, scales, biases []float32, round func(float32) float32) {
	var q [32]byte
	var v groupValues
	each := min(f.Group, len(q))
	for at := 0; at < len(dst); at += each {
		if at%len(q) == 0 {
			f.numbers(&q, packed[at/len(q)*f.Bits:][:f.Bits])
		}
		if at%f.Group == 0 {
			v.set(f, scales[at/f.Group], biases[at/f.Group], round)
		}
		v.look(dst[at:][:each], q[at%len(q):][:each])
	}
}

// groupValues gives the values of the numbers of a group. There are as few numbers as elements or fewer, but for eight bits.
type groupValues struct {
	values      [64]float32
	scale, bias float32
	bits        int
	floats      bool // numbers are floats
	round       func(float32) float32
}

func (v *groupValues) set(f Format, scale, bias float32, round func(float32) float32) {
	if v.bits, v.floats, v.round = f.Bits, f.Mode != Affine, round; v.floats {
		scale = f.scale(byte(scale))
	}
	if v.scale, v.bias = scale, bias; f.Bits == 8 {
		return
	}
	for q := range v.values[:1<<f.Bits] {
		if v.floats {
			v.values[q] = rounded(scale*levels[q], round)
		} else {
			v.values[q] = rounded(rounded(scale*float32(q), round)+bias, round)
		}
	}
}

// look writes the values of numbers.
func (v *groupValues) look(dst []float32, q []byte) {
	switch {
	case v.bits < 8:
		for i, n := range q {
			dst[i] = v.values[n&63]
		}
	case v.floats:
		for i, n := range q {
			dst[i] = rounded(v.scale*e4m3[n], v.round)
		}
	default:
		for i, n := range q {
			dst[i] = rounded(rounded(v.scale*float32(n), v.round)+v.bias, v.round)
		}
	}
}

// rounded is round(v); the conversion keeps a product from being fused with a sum.
func rounded(v float32, round func(float32) float32) float32 {
	if round == nil {
		return float32(v)
	}
	return round(v)
}

// numbers takes 32 out of packed words.
func (f Format) numbers(q *[32]byte, w []uint32) {
	mask := uint64(1)<<f.Bits - 1
	for g := 0; g < len(q); g += 4 {
		at := g * f.Bits
		x := uint64(w[at/32])
		if at%32+4*f.Bits > 32 {
			x |= uint64(w[at/32+1]) << 32
		}
		x >>= at % 32
		q[g], q[g+1], q[g+2], q[g+3] = byte(x&mask), byte(x>>f.Bits&mask), byte(x>>(2*f.Bits)&mask), byte(x>>(3*f.Bits)&mask)
	}
}
