package quantize

import "math"

// levels are the values of e2m1.
var levels = [16]float32{0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6}

// e4m3 are the values of numbers of eight bits.
var e4m3 = func() (all [256]float32) {
	for i := range all {
		all[i] = FromE4M3(byte(i))
	}
	return all
}()

const (
	top4 = 6
	top8 = 448
)

// quantizeFloats writes a group from number at on and returns the code of its scale.
func (f Format) quantizeFloats(group []float32, packed []uint32, at int) byte {
	largest := float32(0)
	for _, v := range group {
		if a := math.Float32frombits(math.Float32bits(v) &^ (1 << 31)); !(a <= largest) {
			largest = a
		}
	}
	top := float32(top4)
	if f.Bits == 8 {
		top = top8
	}
	code := f.scaleCode(largest / top)
	scale := f.scale(code)
	for i, v := range group {
		x, q := float32(0), uint32(0)
		if scale != 0 {
			x = v / scale
		}
		if f.Bits == 8 {
			q = uint32(ToE4M3(x))
		} else {
			q = nearest4(x)
		}
		f.put(packed, at+i, q)
	}
	return code
}

// scaleCode rounds a scale to its type: the next power of two that is not smaller, or the nearest e4m3.
func (f Format) scaleCode(scale float32) byte {
	switch {
	case f.Mode == NVFP4:
		return ToE4M3(scale)
	case scale == 0:
		return 127
	}
	return byte(int(math.Ceil(math.Log2(float64(scale)))) + 127)
}

// scale is the value of a scale's code.
func (f Format) scale(code byte) float32 {
	if f.Mode == NVFP4 {
		return FromE4M3(code)
	}
	if code == 0 {
		return 0x1p-127
	}
	return math.Float32frombits(uint32(code) << 23)
}

// float is the value of a number.
func (f Format) float(q uint32) float32 {
	if f.Bits == 8 {
		return FromE4M3(byte(q))
	}
	return levels[q]
}

// nearest4 is the number of the nearest level, of equally near ones the first.
func nearest4(x float32) uint32 {
	best, at := float32(math.Inf(1)), 0
	for i, l := range levels {
		if d := float32(math.Abs(float64(x - l))); d < best {
			best, at = d, i
		}
	}
	return uint32(at)
}

// ToE4M3 rounds to the nearest number of eight bits with four of exponent and three of mantissa, ties to even. What is larger than
// 448, infinite or not a number becomes 448.
func ToE4M3(x float32) byte {
	u := math.Float32bits(x)
	sign := byte(u >> 24 & 0x80)
	a := math.Float32frombits(u &^ (1 << 31))
	switch {
	case !(a < 464): // from here on it would round up
		return sign&boolByte(a == a) | 0x7e
	case a < 0x1p-6: // multiples of 2^-9
		return sign | byte(math.RoundToEven(float64(a)*512))
	}
	u &^= 1 << 31
	u += 0x7ffff + u>>20&1 // half of what is cut, less one if the result would be even
	return sign | min(byte(u>>20-(127-7)<<3), 0x7e)
}

func boolByte(b bool) byte {
	if b {
		return 0xff
	}
	return 0
}

// FromE4M3 is the value of the eight bits.
func FromE4M3(x byte) float32 {
	e, m := int(x>>3&15), float32(x&7)
	v := m * 0x1p-9
	if e > 0 {
		v = (8 + m) * float32(math.Ldexp(1, e-10))
	}
	if x&0x7f == 0x7f {
		v = float32(math.NaN())
	}
	if x&0x80 != 0 {
		v = -v
	}
	return v
}
