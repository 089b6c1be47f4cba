package cpu

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// vec3 makes a block of a kernel over slices with three operands.
func vec3[T any](f func(z, x, y, w []T)) Block {
	return func(n int, z, x, y, w unsafe.Pointer, _ attr.Attr) {
		f(elems[T](z, n), elems[T](x, n), elems[T](y, n), elems[T](w, n))
	}
}

// between cuts x to the interval from y to w, by the kernels of both bounds.
func between(low, high byDType) (t byDType) {
	for d := range t {
		if low[d] == nil {
			continue
		}
		t[d] = func(n int, z, x, y, w unsafe.Pointer, _ attr.Attr) {
			low[d](n, z, x, y, nil, nil)
			high[d](n, z, z, w, nil, nil)
		}
	}
	return t
}

// mishF64 is x tanh(log(1 + e^x)).
func mishF64(z, x []float64) {
	overTiles(z, x, func(z, x, t []float64) {
		for i, v := range x {
			t[i] = min(v, 20) // from 20 on the factor is 1
		}
		simd.ExpF64(t, t)
		for i, v := range x {
			n := t[i] * (t[i] + 2)
			z[i] = v * (n / (n + 2))
		}
	})
}

// sincF32 is sin(πx)/πx, 1 at 0.
func sincF32(z, x []float32) {
	sincOver(z, x, simd.SinF32, simd.RoundF32, simd.ScaleF32, simd.SubF32, simd.MulF32, simd.DivF32)
}

func sincF64(z, x []float64) {
	sincOver(z, x, simd.SinF64, simd.RoundF64, simd.ScaleF64, simd.SubF64, simd.MulF64, simd.DivF64)
}

// sincOver takes the sine of π times the distance from the nearest whole number, which is exact: near the zeros no digit is lost.
func sincOver[T floats](z, x []T, sin, round func(z, x []T), scale func(z, x []T, by T), sub, mul, div func(z, x, y []T)) {
	buf := floatTiles.Get().(*floatTile)
	defer floatTiles.Put(buf)
	far := elems[T](unsafe.Pointer(buf), activationTile)
	overTiles(z, x, func(z, x, t []T) {
		d := far[:len(x)]
		scale(t, x, 0.5)
		round(t, t)
		scale(t, t, 2)
		sub(d, x, t) // from an even number
		round(t, d)
		sub(d, d, t)
		scale(d, d, math.Pi)
		sin(d, d)
		mul(t, t, t) // 1 where the whole number is odd
		mul(t, t, d)
		sub(d, d, t)
		sub(d, d, t)
		scale(t, x, math.Pi)
		div(z, d, t)
		for i, v := range t {
			if v == 0 {
				z[i] = 1
			}
		}
	})
}

// addPiecewise registers the activations of two forms; low and high are the kernels of bounds.
func addPiecewise(low, high byDType) {
	clamp := between(low, high)
	clamp[dtype.Float32], clamp[dtype.Float64] = vec3(simd.ClampF32), vec3(simd.ClampF64)
	hardtanh := byDType{dtype.Float32: clamp[dtype.Float32], dtype.Float64: clamp[dtype.Float64]}
	elu := byDType{dtype.Float32: vec3(simd.EluF32), dtype.Float64: vec3(simd.EluF64)}
	for name, t := range map[string]byDType{
		"clamp": clamp, "hardtanh": hardtanh, "elu": elu,
		"leaky_relu": bothFloats2(simd.LeakyReluF32, simd.LeakyReluF64), "softshrink": bothFloats2(simd.SoftshrinkF32, simd.SoftshrinkF64),
		"hardshrink": bothFloats2(simd.HardshrinkF32, simd.HardshrinkF64), "selu": bothFloats(simd.SeluF32, simd.SeluF64),
		"mish": bothFloats(simd.MishF32, mishF64), "sinc": bothFloats(sincF32, sincF64),
	} {
		addBlocks(name, t)
	}
	nan := bothFloats2(simd.NanToNumF32, simd.NanToNumF64) // of half types the largest numbers are others
	makers["nan_to_num"] = nan.maker()
}
