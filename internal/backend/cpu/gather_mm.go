package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// gather_mm adds chosen products of matrices to chosen outputs. Small matrices are joined: products that share their
// right matrix and have outputs of their own become the rows of one product, and products of one output with a short
// inner size become one with a long one.

func init() { register(backend.Table{"gather_mm": gatherKernel}) }

func gatherKernel(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	switch in[0].DType {
	case dtype.Float32:
		return gatherStacks(c, out[0], in, product32)
	case dtype.Float64:
		return gatherStacks(c, out[0], in, product64)
	case dtype.BFloat16, dtype.Float16:
		return gatherHalf(c, out[0], in)
	case dtype.Complex64:
		return gatherStacks(c, out[0], in, productC64)
	case dtype.Complex128:
		return gatherStacks(c, out[0], in, productC128)
	}
	switch in[0].DType.Size() { // sums and products wrap: signed and unsigned integers of a size have the same bits
	case 8:
		return gatherStacks(c, out[0], in, productInt64)
	case 4:
		return gatherStacks(c, out[0], in, productInt32)
	case 2:
		return gatherStacks(c, out[0], in, product16)
	}
	return gatherStacks(c, out[0], in, productOf[uint8])
}

func gatherStacks[T numbers](c *backend.Ctx, out backend.View, in []backend.View, mul product[T]) error {
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
	g := gatherJob[T]{mul: mul, a: &a, b: &b, z: backend.Slice[T](out)}
	return g.run(c, out.Shape.Dim(0), in)
}

// gatherHalf multiplies half types as they are where no output is a sum of products, and else widens all of them, to round sums once.
func gatherHalf(c *backend.Ctx, out backend.View, in []backend.View) error {
	o, err := positions("gather_mm", in[4], out.Shape.Dim(0))
	if err != nil {
		return err
	}
	if order, starts := sortBy(o, out.Shape.Dim(0)); alone(order, starts) {
		return gatherStacks(c, out, in, halfProduct(out.DType))
	}
	a, err := widenedStack(c, in[0])
	if err != nil {
		return err
	}
	defer a.done()
	b, err := widenedStack(c, in[1])
	if err != nil {
		return err
	}
	defer b.done()
	z := backend.Slice[uint16](out)
	f, free := borrow[float32](len(z))
	defer free()
	g := gatherJob[float32]{mul: product32, a: &a, b: &b, z: f}
	if err := g.run(c, out.Shape.Dim(0), in); err != nil {
		return err
	}
	return forRuns(c, len(z), func(from, n int) { narrowHalf(out.DType, z[from:from+n], f[from:from+n]) })
}

// halfProduct is a product of half types that adds to nothing.
func halfProduct(d dtype.DType) product[uint16] {
	mul := endedHalf(d)
	return func(m, n, k int, a []uint16, ars, acs int, b []uint16, brs, bcs int, c []uint16, crs int, _ bool, run gemm.Runner) {
		if run == nil {
			run = oneThread
		}
		mul(m, n, k, a, ars, acs, b, brs, bcs, c, crs, nil, run)
	}
}

// positions reads a list of int64 and checks it.
func positions(op string, v backend.View, below int) ([]int64, error) {
	x := newScratch[int64](v.Numel())
	if len(x) == 0 {
		return x, nil
	}
	l := compactOf(v)
	tmp := make([]int64, l.count)
	gatherTile(unsafe.Pointer(&tmp[0]), &l.src, 0, l.count)
	for i := range x {
		x[i] = tmp[i*l.fresh[0]]
		if x[i] < 0 || x[i] >= int64(below) {
			return nil, fault.IndexError(op, int64(x[i]), int64(below))
		}
	}
	return x, nil
}

// alone reports whether every output has one product.
func alone(order, starts []int) bool {
	for i := range len(starts) - 1 {
		if starts[i+1]-starts[i] != 1 {
			return false
		}
	}
	return len(order) == len(starts)-1
}

// sortBy lists 0, 1, … so that those with equal keys follow each other, in order; starts has where each key begins.
func sortBy(keys []int64, below int) (order, starts []int) {
	starts = newScratch[int](below + 1)
	for _, k := range keys {
		starts[k+1]++
	}
	for i := range below {
		starts[i+1] += starts[i]
	}
	next, order := append([]int(nil), starts...), make([]int, len(keys))
	for i, k := range keys {
		order[next[k]] = i
		next[k]++
	}
	return order, starts
}
