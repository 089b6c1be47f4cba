package dtype

import "math"

// F16 is an IEEE 754 half: 1 sign, 5 exponent, 10 fraction bits.
type F16 uint16

// BF16 is a bfloat16: the upper half of a float32.
type BF16 uint16

// Float32 widens exactly.
func (h BF16) Float32() float32 { return math.Float32frombits(uint32(h) << 16) }

// ToBF16 rounds to nearest even; NaN stays NaN.
func ToBF16(f float32) BF16 {
	b := math.Float32bits(f)
	if b&0x7fffffff > 0x7f800000 {
		return BF16(b>>16 | 0x40)
	}
	return BF16((b + 0x7fff + b>>16&1) >> 16)
}

// Float32 widens exactly.
func (h F16) Float32() float32 {
	sign, exp, frac := uint32(h&0x8000)<<16, uint32(h>>10)&0x1f, uint32(h)&0x3ff
	switch {
	case exp == 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	case exp == 0:
		// Subnormal: frac · 2^-24 is exact in float32.
		f := float32(frac) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(f) | sign)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// ToF16 rounds to nearest even; overflow gives infinity, NaN stays NaN.
func ToF16(f float32) F16 {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000:
		return F16(sign | 0x7e00)
	case b >= 0x47800000: // 65536 and up, infinity included
		return F16(sign | 0x7c00)
	case b < 0x38800000: // below 2^-14: subnormal or zero
		// Adding 0.5 aligns the value so that the low bits of the sum are the rounded fraction.
		s := math.Float32frombits(b) + 0.5
		return F16(sign | uint16(math.Float32bits(s)-0x3f000000))
	}
	b += 0xfff + b>>13&1
	return F16(sign | uint16(b>>13-0x1c000))
}

// F64ToF16 rounds once from float64: through float32 with round-to-odd, so that no double rounding shows.
func F64ToF16(f float64) F16 { return ToF16(roundToOdd(f)) }

// F64ToBF16 rounds once from float64.
func F64ToBF16(f float64) BF16 { return ToBF16(roundToOdd(f)) }

// roundToOdd narrows to float32 keeping a sticky bit in the last bit, which makes a second rounding exact.
func roundToOdd(f float64) float32 {
	g := float32(f)
	if float64(g) == f || f != f || math.IsInf(float64(g), 0) {
		return g
	}
	b := math.Float32bits(g)
	if b&1 == 1 {
		return g
	}
	// g was rounded to an even neighbour; the odd one is towards f.
	if (float64(g) < f) == (g >= 0) && g != 0 {
		return math.Float32frombits(b + 1)
	}
	if g == 0 {
		return math.Float32frombits(b | 1)
	}
	return math.Float32frombits(b - 1)
}
