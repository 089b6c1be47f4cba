package cpu

import (
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/backend/cpu/lanes"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/backend/factor"
	"github.com/lucid-go/lucid/internal/backend/lapack"
)

func init() {
	register(factor.Kernels(factor.Products{F32: inLoop(product32), F64: inLoop(product64), C64: inLoop(productC64),
		C128: inLoop(productC128), Batches: batches(),
		Vectors: lapack.Vectors{Rotate: lanes.Rotate, Triples: lanes.Triples, Poles: lanes.Poles,
			Symmetric32: lanes.Symmetric[float32], Symmetric64: lanes.Symmetric[float64],
			Peak32: lanes.Peak32, Peak64: lanes.Peak64, Transpose32: flip32, Transpose64: lanes.Transpose}}))
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
