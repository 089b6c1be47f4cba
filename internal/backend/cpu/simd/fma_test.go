package simd

import (
	"math"
	"math/big"
)

// exactFma rounds a*b + c once, by big arithmetic.
func exactFma(a, b, c float32) float32 {
	s := float64(a)*float64(b) + float64(c)
	if math.IsNaN(s) || math.IsInf(s, 0) || s == 0 {
		return float32(s)
	}
	z := new(big.Float).SetPrec(1000).SetMode(big.ToNearestEven)
	z.Mul(big.NewFloat(float64(a)), big.NewFloat(float64(b)))
	z.SetPrec(1000)
	z.Add(z, big.NewFloat(float64(c)))
	f, _ := z.Float32()
	return f
}
