package cpu

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() { register(backend.Table{"matmul": matmul}) }

// product computes c = a·b, or c += a·b, for matrices with strides; run is nil or a parallel loop.
type product[T numbers] func(m, n, k int, a []T, ars, acs int, b []T, brs, bcs int, c []T, crs int, add bool, run gemm.Runner)

func product32(m, n, k int, a []float32, ars, acs int, b []float32, brs, bcs int, c []float32, crs int, add bool, run gemm.Runner) {
	gemm.Float32(m, n, k, a, ars, acs, b, brs, bcs, c, crs, modeOf(add), nil, run)
}

func product64(m, n, k int, a []float64, ars, acs int, b []float64, brs, bcs int, c []float64, crs int, add bool, run gemm.Runner) {
	gemm.Float64(m, n, k, a, ars, acs, b, brs, bcs, c, crs, modeOf(add), nil, run)
}

func modeOf(add bool) gemm.Mode {
	if add {
		return gemm.Accumulate
	}
	return gemm.Overwrite
}

// multiply-adds from which one product is cut into blocks, rather than several products making up a block.
const productWork = 2 << 20

// matmul multiplies stacks of matrices.
func matmul(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	switch in[0].DType {
	case dtype.Float32:
		return stacks(c, out[0], in, product32)
	case dtype.Float64:
		return stacks(c, out[0], in, product64)
	case dtype.BFloat16, dtype.Float16:
		return halfStacks(c, out[0], in)
	case dtype.Complex64:
		return stacks(c, out[0], in, productC64)
	case dtype.Complex128:
		return stacks(c, out[0], in, productC128)
	case dtype.Int8:
		return stacks(c, out[0], in, productOf[int8])
	case dtype.Int16:
		return stacks(c, out[0], in, productOf[int16])
	case dtype.Int32:
		return stacks(c, out[0], in, productOf[int32])
	case dtype.Int64:
		return stacks(c, out[0], in, productOf[int64])
	case dtype.Uint16:
		return stacks(c, out[0], in, productOf[uint16])
	case dtype.Uint32:
		return stacks(c, out[0], in, productOf[uint32])
	case dtype.Uint64:
		return stacks(c, out[0], in, productOf[uint64])
	}
	return stacks(c, out[0], in, productOf[uint8])
}

// plainWork is how many multiply-adds a product may have to be done by plain: no loop would be parallel.
const plainWork = 1 << 18

// plain does a small product of two matrices as they lie, without what stacks need. It reports whether it did.
func plain[T numbers](out backend.View, in []backend.View, mul product[T]) bool {
	if in[0].Shape.Rank() != 2 || in[1].Shape.Rank() != 2 {
		return false
	}
	m, k, n := in[0].Shape.Dim(0), in[0].Shape.Dim(1), in[1].Shape.Dim(1)
	if m*n*k == 0 || m*n*k > plainWork {
		return false
	}
	ars, acs, brs, bcs := k, 1, n, 1
	if l := in[0].Lay; l != nil {
		ars, acs = l.Strides[0], l.Strides[1]
	}
	if l := in[1].Lay; l != nil {
		brs, bcs = l.Strides[0], l.Strides[1]
	}
	if ars|acs|brs|bcs < 0 {
		return false
	}
	mul(m, n, k, backend.Whole[T](in[0]), ars, acs, backend.Whole[T](in[1]), brs, bcs, backend.Slice[T](out), n, false, nil)
	return true
}

func stacks[T numbers](c *backend.Ctx, out backend.View, in []backend.View, mul product[T]) error {
	if plain(out, in, mul) {
		return nil
	}
	a, err := stackOf[T](c, in[0])
	if err != nil {
		return err
	}
	defer a.done()
	b, err := stackOf[T](c, in[1])
	if err != nil {
		return err
	}
	defer b.done()
	return multiplyStacks(c, backend.Slice[T](out), &a, &b, mul)
}

// multiplyStacks multiplies matrix by matrix. Large products are parallel within, small ones among each other; either
// way an element is summed in an order that depends on k alone.
func multiplyStacks[T numbers](c *backend.Ctx, z []T, a, b *stack[T], mul product[T]) error {
	m, k, n := a.rows, a.cols, b.cols
	if len(z) == 0 {
		return nil
	}
	count := len(z) / (m * n)
	if count > 1 && b.repeated() && a.mergeRows() {
		m, count = a.rows, 1
	}
	if count == 1 || m*n*k >= productWork {
		var err error
		run := gemmRunner(c, &err)
		for i := range count {
			mul(m, n, k, a.at(i), a.rs, a.cs, b.at(i), b.rs, b.cs, z[i*m*n:], n, false, run)
			if err != nil {
				return err
			}
		}
		return nil
	}
	each := max(1, productWork/(m*n*max(k, 1)))
	return c.For((count+each-1)/each, func(block int) {
		for i := block * each; i < min((block+1)*each, count); i++ {
			mul(m, n, k, a.at(i), a.rs, a.cs, b.at(i), b.rs, b.cs, z[i*m*n:], n, false, nil)
		}
	})
}

// gemmRunner is the context's parallel loop as gemm wants it; an error stays in err.
func gemmRunner(c *backend.Ctx, err *error) gemm.Runner {
	return func(blocks int, f func(block int)) {
		if *err == nil {
			*err = c.For(blocks, f)
		}
	}
}
