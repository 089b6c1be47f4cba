package cpu

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// TestMatmulVector: sums of products with a vector agree with the oracle, for any layout and any number of threads.
func TestMatmulVector(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Float16, dtype.Int16, dtype.Int32, dtype.Uint64,
		dtype.Complex64} {
		for _, s := range [][2]int{{1, 128}, {1, 2049}, {1, 9000}, {7, 300}, {3, 17000}, {200, 513}, {5, 5}} {
			m, k := s[0], s[1]
			checkKernel(t, "matmul", nil, []int{m, 1}, plainView(d, m, k), plainView(d, k, 1))
			checkKernel(t, "matmul", nil, []int{2, m, 1}, plainView(d, 2, m, k), plainView(d, 2, k, 1))
			checkKernel(t, "matmul", nil, []int{m, 1}, randomView(r, d, []int{m, k}), randomView(r, d, []int{k, 1}))
		}
	}
}

// TestMatmulInts: integers on the paths of package gemm and on the generic one.
func TestMatmulInts(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, d := range []dtype.DType{dtype.Int16, dtype.Uint16, dtype.Int32, dtype.Uint32, dtype.Int64, dtype.Uint64} {
		for _, s := range [][3]int{{3, 4, 5}, {13, 40, 17}, {60, 70, 80}} {
			checkKernel(t, "matmul", nil, []int{s[0], s[1]}, randomView(r, d, []int{s[0], s[2]}), randomView(r, d, []int{s[2], s[1]}))
		}
	}
}

// TestMatmulSmall: small factors of half types, products of few columns and of complex numbers, of any layout; many rows are cut into
// blocks.
func TestMatmulSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Float16, dtype.Complex64, dtype.Complex128} {
		for _, s := range [][3]int{{4, 4, 4}, {1, 3, 5}, {8, 8, 8}, {16, 16, 16}, {3, 2, 60}, {1000, 7, 20}, {5, 33, 40}, {30, 1, 9}} {
			m, n, k := s[0], s[1], s[2]
			checkKernel(t, "matmul", nil, []int{m, n}, plainView(d, m, k), plainView(d, k, n))
			checkKernel(t, "matmul", nil, []int{3, m, n}, plainView(d, 3, m, k), plainView(d, 3, k, n))
			for range 3 {
				checkKernel(t, "matmul", nil, []int{m, n}, randomView(r, d, []int{m, k}), randomView(r, d, []int{k, n}))
			}
		}
	}
}

// TestMatmulVectorRows: a row has the same bits whatever rows come with it.
func TestMatmulVectorRows(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Float16} {
		for _, k := range []int{127, 128, 3000, 20000} {
			const m = 9
			a, b := outputOf(d, []int{m, k}), outputOf(d, []int{k, 1})
			for _, v := range []backend.View{a, b} {
				for i := range v.Numel() {
					d.Put(v.Buf.Mem, i, dtype.Scalar{Kind: dtype.KindFloat, F: r.NormFloat64()})
				}
			}
			all := outputOf(d, []int{m, 1})
			if err := matmul(testCtx(), nil, []backend.View{all}, []backend.View{a, b}); err != nil {
				t.Fatal(err)
			}
			for i := range m {
				one := outputOf(d, []int{1, 1})
				row := a
				row.Shape, row.Lay = shape.Of("test", 1, k), &shape.Layout{Strides: []int{k, 1}, Offset: i * k}
				if err := matmul(testCtx(), nil, []backend.View{one}, []backend.View{row, b}); err != nil {
					t.Fatal(err)
				}
				if want := all.Bytes()[i*d.Size():][:d.Size()]; !bytes.Equal(one.Bytes(), want) {
					t.Errorf("%v, k %d, row %d: %x alone, %x among others", d, k, i, one.Bytes(), want)
				}
			}
		}
	}
}
