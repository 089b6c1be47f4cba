//go:build !arm64

package simd

import "math"

// fma is a*b + c rounded once to float32. The product is exact in float64, so the
// sum is rounded to float64 and then again to float32; the second rounding errs only
// where the first landed on a midpoint of float32 or where the result is subnormal.
func fma(a, b, c float32) float32 {
	s := float64(a)*float64(b) + float64(c)
	if u := math.Float64bits(s); u&0x1fffffff == 0x10000000 || u<<1 < 0x381<<53 {
		return fmaSlow(a, b, c)
	}
	return float32(s)
}

// fmaSlow rounds the sum to odd first, which keeps the second rounding honest.
func fmaSlow(a, b, c float32) float32 {
	p, q := float64(a)*float64(b), float64(c)
	s := p + q
	t := s - p
	e := (p - (s - t)) + (q - t) // what s lost
	u := math.Float64bits(s)
	if e == 0 || e != e || u&1 == 1 {
		return float32(s)
	}
	if (e > 0) == (s > 0) {
		u++
	} else {
		u--
	}
	return float32(math.Float64frombits(u))
}
