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
	c64, c128 := withComplexVectors(inLoop(productC64), simd.DotF32), withComplexVectors(inLoop(productC128), simd.DotF64)
	register(factor.Kernels(factor.Products{F32: f32, F64: f64, C64: c64, C128: c128, Batches: batches(),
		Vectors: lapack.Vectors{Rotate: lanes.Rotate, Triples: lanes.Triples, GivensRows: lanes.GivensRows,
			GivensColumns: lanes.GivensColumns, Poles: lanes.Poles,
			Symmetric32: lanes.Symmetric[float32], Symmetric64: lanes.Symmetric[float64],
			Peak32: lanes.Peak32, Peak64: lanes.Peak64,
			Eliminate32: lanes.Eliminate32, Eliminate64: lanes.Eliminate64, Negate32: simd.NegF32, Negate64: simd.NegF64,
			Transpose32: flip32, Transpose64: lanes.Transpose}}))
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
		blocks := func(n, width int, f func(from, count int)) { inBlocks(loop, n, width, f) }
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

// inBlocks calls f for the parts of n things, width at most each.
func inBlocks(loop factor.Loop, n, width int, f func(from, count int)) {
	if loop == nil || n <= width {
		f(0, n)
		return
	}
	loop((n+width-1)/width, func(i int) { f(i*width, min(width, n-i*width)) })
}

// withComplexVectors adds products of a complex matrix and a vector: the real part of an element is the sum of products of the pairs of a
// row and those of the conjugate vector, the imaginary part that of the pairs the other way round.
func withComplexVectors[C complex64 | complex128, F floats](mul func(factor.Loop) lapack.Product[C],
	dot func(x, y []F) F) func(factor.Loop) lapack.Product[C] {
	return func(loop factor.Loop) lapack.Product[C] {
		plain := mul(loop)
		return func(m, n, k int, a []C, ars, acs int, b []C, brs, bcs int, c []C, crs int, add bool) {
			if n != 1 || m == 1 || k < vectorDepth || acs != 1 {
				plain(m, n, k, a, ars, acs, b, brs, bcs, c, crs, add)
				return
			}
			buf, free := borrow[F](4 * k)
			defer free()
			re, im := buf[:2*k], buf[2*k:]
			x, y, z := parts[F](a), parts[F](b), parts[F](c)
			for p := range k {
				u, v := y[2*p*brs], y[2*p*brs+1]
				re[2*p], re[2*p+1], im[2*p], im[2*p+1] = u, -v, v, u
			}
			inBlocks(loop, m, max(vectorBlock/(2*k), 16), func(from, count int) {
				for i := from; i < from+count; i++ {
					row, to := x[2*i*ars:][:2*k], z[2*i*crs:][:2]
					r, j := dot(row, re), dot(row, im)
					if add {
						r, j = r+to[0], j+to[1]
					}
					to[0], to[1] = r, j
				}
			})
		}
	}
}
