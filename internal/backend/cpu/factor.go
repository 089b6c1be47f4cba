package cpu

import (
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/backend/cpu/lanes"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/backend/factor"
	"github.com/lucid-go/lucid/internal/backend/lapack"
)

func init() {
	f32, f64 := withVectors(inLoop(product32), simd.DotF32), withVectors(inLoop(product64), simd.DotF64)
	register(factor.Kernels(factor.Products{F32: f32, F64: f64, C64: inLoop(productC64), C128: inLoop(productC128), Batches: batches(),
		Vectors: lapack.Vectors{Rotate: lanes.Rotate, Triples: lanes.Triples, GivensRows: lanes.GivensRows,
			GivensColumns: lanes.GivensColumns, Poles: lanes.Poles,
			Symmetric32: lanes.Symmetric[float32], Symmetric64: lanes.Symmetric[float64],
			Peak32: lanes.Peak32, Peak64: lanes.Peak64,
			Eliminate32: lanes.Eliminate32, Eliminate64: lanes.Eliminate64, Transpose32: flip32, Transpose64: lanes.Transpose}}))
}

// flip32 transposes in tiles that stay in the nearest cache.
func flip32(m, n int, x []float32, ldx int, z []float32, ldz int) {
	for i := 0; i < m; i += transposeTile {
		rows := min(transposeTile, m-i)
		for j := 0; j < n; j += transposeTile {
			simd.TransposeBlockF32(z[j*ldz+i:], ldz, x[i*ldx+j:], ldx, rows, min(transposeTile, n-j))
		}
	}
}

// batches have one matrix in each lane of vectors, where the machine has vectors for it.
func batches() factor.Batches {
	return factor.Batches{
		F32: func() factor.Batch[float32] { return lanes.Get[float32]() },
		F64: func() factor.Batch[float64] { return lanes.Get[float64]() },
		Max: lanes.MaxSize,
	}
}

// inLoop gives a product its loop.
func inLoop[T lapack.Number](mul product[T]) func(factor.Loop) lapack.Product[T] {
	return func(loop factor.Loop) lapack.Product[T] {
		return func(m, n, k int, a []T, ars, acs int, b []T, brs, bcs int, c []T, crs int, add bool) {
			if m == 0 || n == 0 {
				return
			}
			if m*n*k < productWork {
				mul(m, n, k, a, ars, acs, b, brs, bcs, c, crs, add, nil)
				return
			}
			mul(m, n, k, a, ars, acs, b, brs, bcs, c, crs, add, gemm.Runner(loop))
		}
	}
}

// vectorBlock is the number of elements of a matrix that one block of its product with a vector reads.
const vectorBlock = 32 << 10

// withVectors adds products of a matrix and a vector, which reductions to tridiagonal, bidiagonal and Hessenberg form consist of for one
// half: rows are summed in lanes, and a matrix beyond a block is shared by several threads, which a product would not be.
func withVectors[T lapack.Number](mul func(factor.Loop) lapack.Product[T], dot func(x, y []T) T) func(factor.Loop) lapack.Product[T] {
	return func(loop factor.Loop) lapack.Product[T] {
		plain, alone := mul(loop), mul(nil)
		blocks := func(n, width int, f func(from, count int)) {
			if loop == nil || n <= width {
				f(0, n)
				return
			}
			loop((n+width-1)/width, func(i int) { f(i*width, min(width, n-i*width)) })
		}
		return func(m, n, k int, a []T, ars, acs int, b []T, brs, bcs int, c []T, crs int, add bool) {
			switch {
			case n == 1 && m > 1 && k >= vectorDepth && acs == 1 && brs == 1:
				blocks(m, max(vectorBlock/k, 16), func(from, count int) {
					for i := from; i < from+count; i++ {
						sum := dot(a[i*ars:][:k], b[:k])
						if add {
							sum += c[i*crs]
						}
						c[i*crs] = sum
					}
				})
			case m == 1 && n > 1 && bcs == 1 && k >= vectorDepth:
				blocks(n, max(vectorBlock/k, 64)&^15, func(from, count int) {
					alone(m, count, k, a, ars, acs, b[from:], brs, bcs, c[from:], crs, add)
				})
			default:
				plain(m, n, k, a, ars, acs, b, brs, bcs, c, crs, add)
			}
		}
	}
}
