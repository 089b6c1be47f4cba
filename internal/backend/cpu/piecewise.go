package cpu

import (
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
		"mish": bothFloats(simd.MishF32, mishF64), "sinc": bothFloats(simd.SincF32, simd.SincF64),
	} {
		addBlocks(name, t)
	}
	nan := bothFloats2(simd.NanToNumF32, simd.NanToNumF64) // of half types the largest numbers are others
	makers["nan_to_num"] = nan.maker()
}
