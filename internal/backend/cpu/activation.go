package cpu

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// vector makes a kernel of a routine over float32 slices.
func vector(f func(z, x []float32)) Block {
	return func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) { f(elems[float32](z, n), elems[float32](x, n)) }
}

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
func overTiles(z, x []float32, f func(z, x, t []float32)) {
	var t [activationTile]float32
	for at := 0; at < len(z); at += activationTile {
		m := min(activationTile, len(z)-at)
		f(z[at:at+m], x[at:at+m], t[:m])
	}
}

// logsigmoidF32 is min(x, 0) - log(1 + exp(-|x|)).
func logsigmoidF32(z, x []float32) {
	overTiles(z, x, func(z, x, t []float32) {
		simd.AbsF32(t, x)
		simd.NegF32(t, t)
		simd.ExpF32(t, t)
		simd.Log1pF32(t, t)
		for i, v := range x {
			if v > 0 {
				v = 0
			}
			z[i] = v - t[i]
		}
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
	s, out := a.(attr.Softplus), elems[float64](z, n)
	for i, v := range elems[float64](x, n) {
		if !(v*s.Beta > s.Threshold) {
			v = math.Log1p(math.Exp(v*s.Beta)) / s.Beta
		}
		out[i] = v
	}
}

// showFirst copies the first operand.
func showFirst(out dtype.DType, _ []dtype.DType) Block {
	size := out.Size()
	return func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) { copyBytes(z, x, n*size) }
}

func init() {
	makers["with_grad"] = showFirst
	var relu, softplus byDType
	onIntegers(&relu, reluB[uint8], reluB[uint16], reluB[uint32], reluB[uint64], reluB[int8], reluB[int16], vec1(simd.ReluI32), vec1(simd.ReluI64))
	relu[dtype.Float32], relu[dtype.Float64] = vector(simd.ReluF32), vec1(simd.ReluF64)
	addBlocks("relu", relu)
	softplus[dtype.Float32], softplus[dtype.Float64] = softplusF32, softplusF64
	addBlocks("softplus", softplus)
	for name, f := range map[string]struct {
		wide   func(float64) float64
		single func(z, x []float32)
	}{
		"silu":       {func(x float64) float64 { return x / (1 + math.Exp(-x)) }, simd.SiluF32},
		"gelu":       {func(x float64) float64 { return 0.5 * x * (1 + math.Erf(x/math.Sqrt2)) }, simd.GeluF32},
		"gelu_tanh":  {func(x float64) float64 { return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x))) }, simd.GeluTanhF32},
		"logsigmoid": {func(x float64) float64 { return min(x, 0) - math.Log1p(math.Exp(-math.Abs(x))) }, logsigmoidF32},
	} {
		t := real64(f.wide)
		t[dtype.Float32] = vector(f.single)
		if name == "silu" || name == "gelu_tanh" {
			t[dtype.Float32] = vector(timesZero(f.single))
		}
		addBlocks(name, t)
	}
}
