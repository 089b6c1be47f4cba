// Package simd holds block kernels: one loop over contiguous slices each, in Go
// and in assembly for AVX2, AVX-512 and NEON. It knows element types and nothing of
// tensors, shapes or strides; the tile interpreter above calls it with tiles of a
// few thousand elements.
//
// The first slice is written and its length is the number of elements; the others
// must be at least as long. A result may be written over an input of the same
// element size if both start at the same element; other overlaps are not allowed.
//
//	simd.AddF32(z, x, y)        // z[i] = x[i] + y[i]
//	simd.ExpF32(z, z)           // in place
//	s := simd.ExpSubSumF32(z, x, simd.MaxOfF32(x))
//	simd.ScaleF32(z, z, 1/s)    // softmax of a row
//
// Every variant of a routine gives the same bits, NaN payloads aside, and an
// element's result depends neither on its index in the slice nor on the length.
// The polynomials are evaluated with fused multiply-add everywhere; the Go twins,
// named with the ending Generic, round in the same way.
//
// The elementwise kernels are written by internal/backend/cpu/simd/asmgen from one
// description per routine. On arm64 non-temporal stores are ordinary ones.
// Chains of cheap operations stay in registers: see chain.go. Reductions add in a fixed order: see reduce.go.
package simd

//go:generate go -C asmgen run . -write
