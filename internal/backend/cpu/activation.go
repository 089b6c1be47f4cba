package cpu

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

func reluB[T reals](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[T](z, n)
	for i, v := range elems[T](x, n) {
		if v <= 0 {
			v = 0
		}
		out[i] = v
	}
}

// timesZero makes the result at -Inf what the definition x·f(x) gives, Inf·0, where the routine has the limit.
func timesZero(f func(z, x []float32)) func(z, x []float32) {
	inf := float32(math.Inf(-1))
	return func(z, x []float32) {
		if least := simd.MinOfF32(x); least > inf {
			f(z, x)
			return
		}
		overTiles(z, x, func(z, x, t []float32) {
			copy(t, x)
			f(z, x)
			for i, v := range t {
				if v == inf {
					z[i] = float32(math.NaN())
				}
			}
		})
	}
}

// activationTile keeps the scratch of an activation in the first-level cache.
const activationTile = 256

// overTiles cuts a slice into pieces with scratch of the same size.
func overTiles[T floats](z, x []T, f func(z, x, t []T)) {
	var t [activationTile]T
	for at := 0; at < len(z); at += activationTile {
		m := min(activationTile, len(z)-at)
		f(z[at:at+m], x[at:at+m], t[:m])
	}
}

// zeros32 and zeros64 are operands of kernels that have no form with a number.
var (
	zeros32 [activationTile]float32
	zeros64 [activationTile]float64
)

// logsigmoidF32 is min(x, 0) - log(1 + exp(-|x|)).
func logsigmoidF32(z, x []float32) {
	overTiles(z, x, func(z, x, t []float32) {
		simd.AbsF32(t, x)
		simd.NegF32(t, t)
		simd.ExpF32(t, t)
		simd.Log1pF32(t, t)
		simd.MinF32(z, x, zeros32[:len(x)])
		simd.SubF32(z, z, t)
	})
}

func softplusF32(n int, z, x, _, _ unsafe.Pointer, a attr.Attr) {
	s := a.(attr.Softplus)
	beta, limit, inv := float32(s.Beta), float32(s.Threshold), float32(1/s.Beta)
	overTiles(elems[float32](z, n), elems[float32](x, n), func(z, x, t []float32) {
		simd.ScaleF32(t, x, beta)
		simd.ExpF32(t, t)
		simd.Log1pF32(t, t)
		for i, v := range x {
			if !(v*beta > limit) {
				v = t[i] * inv
			}
			z[i] = v
		}
	})
}

func softplusF64(n int, z, x, _, _ unsafe.Pointer, a attr.Attr) {
	s := a.(attr.Softplus)
	overTiles(elems[float64](z, n), elems[float64](x, n), func(z, x, t []float64) {
		simd.ScaleF64(t, x, s.Beta)
		simd.ExpF64(t, t)
		simd.Log1pF64(t, t)
		for i, v := range x {
			if !(v*s.Beta > s.Threshold) {
				v = t[i] / s.Beta
			}
			z[i] = v
		}
	})
}

// logsigmoidF64 is logsigmoidF32 for float64.
func logsigmoidF64(z, x []float64) {
	overTiles(z, x, func(z, x, t []float64) {
		simd.AbsF64(t, x)
		simd.NegF64(t, t)
		simd.ExpF64(t, t)
		simd.Log1pF64(t, t)
		simd.MinF64(z, x, zeros64[:len(x)])
		simd.SubF64(z, z, t)
	})
}

// hardsigmoidF64 is (x+3)/6 cut to [0, 1].
func hardsigmoidF64(z, x []float64) {
	for i, v := range x {
		z[i] = min(max(v+3, 0), 6) / 6
	}
}

// hardswishF64 is x times that.
func hardswishF64(z, x []float64) {
	for i, v := range x {
		z[i] = v * min(max(v+3, 0), 6) / 6
	}
}

// siluF64 is x / (1 + exp(-x)).
func siluF64(z, x []float64) {
	overTiles(z, x, func(z, x, t []float64) {
		simd.NegF64(t, x)
		simd.ExpF64(t, t)
		simd.AddScalarF64(t, t, 1)
		simd.DivF64(z, x, t)
	})
}

// geluTanhF64 is x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))).
func geluTanhF64(z, x []float64) {
	overTiles(z, x, func(z, x, t []float64) {
		for i, v := range x {
			t[i] = math.Sqrt(2/math.Pi) * (v + 0.044715*v*v*v)
		}
		simd.TanhF64(t, t)
		for i, v := range x {
			z[i] = 0.5 * v * (1 + t[i])
		}
	})
}

// showFirst copies the first operand.
func showFirst(out dtype.DType, _ []dtype.DType) Block {
	size := out.Size()
	return func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) { copyBytes(z, x, n*size) }
}

func init() {
	makers["with_grad"] = showFirst
	var relu, softplus byDType
	onIntegers(&relu, reluB[uint8], reluB[uint16], reluB[uint32], reluB[uint64], reluB[int8], reluB[int16], vec1(simd.ReluI32),
		vec1(simd.ReluI64))
	relu[dtype.Float32], relu[dtype.Float64] = vec1(simd.ReluF32), vec1(simd.ReluF64)
	addBlocks("relu", relu)
	softplus[dtype.Float32], softplus[dtype.Float64] = softplusF32, softplusF64
	addBlocks("softplus", softplus)
	for name, t := range map[string]byDType{
		"hardsigmoid": bothFloats(simd.HardsigmoidF32, hardsigmoidF64), "hardswish": bothFloats(simd.HardswishF32, hardswishF64),
		"silu": bothFloats(timesZero(simd.SiluF32), siluF64), "gelu": bothFloats(simd.GeluF32, simd.GeluF64),
		"gelu_tanh": bothFloats(timesZero(simd.GeluTanhF32), geluTanhF64), "logsigmoid": bothFloats(logsigmoidF32, logsigmoidF64),
	} {
		addBlocks(name, t)
	}
}
