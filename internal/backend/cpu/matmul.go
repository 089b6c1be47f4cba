package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() { register(backend.Table{"matmul": matmul}) }

// finished is called for every part of a product once it is stored, while it is in the cache: rows by cols elements
// from (row, col) on of the output seen as one matrix of n columns, the matrices of a stack below each other. So element
// (i, j) of the part is element (row+i)·n + col + j of the output. The parts cover the output, each element once; how it
// is cut may depend on the number of threads, and several may finish at the same time.
type finished func(row, col, rows, cols int)

// ending is the epilogue of a product: none, a function called for its parts, or one that alone gets to see them.
type ending struct {
	then finished
	// at gets the address of a part, and the pitch of its rows in elements: the product is stored nowhere else.
	at   func(part unsafe.Pointer, pitch, row, col, rows, cols int)
	size int // elements of the product, for at
}

// destinationOf returns the memory of a product: none if only at sees it.
func destinationOf[T numbers](e ending, out backend.View) []T {
	if e.at != nil {
		return nil
	}
	return backend.Slice[T](out)
}

// product computes c = a·b, or c += a·b, for matrices with strides; run is nil or a parallel loop.
type product[T numbers] func(m, n, k int, a []T, ars, acs int, b []T, brs, bcs int, c []T, crs int, add bool, run gemm.Runner)

func product32(m, n, k int, a []float32, ars, acs int, b []float32, brs, bcs int, c []float32, crs int, add bool, run gemm.Runner) {
	gemm.Float32(m, n, k, a, ars, acs, b, brs, bcs, c, crs, modeOf(add), nil, run)
}

func product64(m, n, k int, a []float64, ars, acs int, b []float64, brs, bcs int, c []float64, crs int, add bool, run gemm.Runner) {
	gemm.Float64(m, n, k, a, ars, acs, b, brs, bcs, c, crs, modeOf(add), nil, run)
}

// endedProduct is a product that tells of its parts; ep may be nil.
type endedProduct[T numbers] = productTo[T, T]

// productTo is one with a result of another type.
type productTo[T, Z numbers] func(m, n, k int, a []T, ars, acs int, b []T, brs, bcs int, c []Z, crs int,
	ep func(c []Z, crs, row, col, rows, cols int), run gemm.Runner)

func ended32(m, n, k int, a []float32, ars, acs int, b []float32, brs, bcs int, c []float32, crs int,
	ep func(c []float32, crs, row, col, rows, cols int), run gemm.Runner) {
	gemm.Float32(m, n, k, a, ars, acs, b, brs, bcs, c, crs, gemm.Overwrite, ep, run)
}

func ended64(m, n, k int, a []float64, ars, acs int, b []float64, brs, bcs int, c []float64, crs int,
	ep func(c []float64, crs, row, col, rows, cols int), run gemm.Runner) {
	gemm.Float64(m, n, k, a, ars, acs, b, brs, bcs, c, crs, gemm.Overwrite, ep, run)
}

// matmul32 and matmul64 are ended32 and ended64, or sums in lanes with a vector.
func matmul32(m, n, k int, a []float32, ars, acs int, b []float32, brs, bcs int, c []float32, crs int,
	ep func(c []float32, crs, row, col, rows, cols int), run gemm.Runner) {
	if byVector(m, n, k, acs, vectorDepth) {
		vector32.run(m, k, a, ars, acs, b, brs, c, crs, ep, run)
		return
	}
	ended32(m, n, k, a, ars, acs, b, brs, bcs, c, crs, ep, run)
}

func matmul64(m, n, k int, a []float64, ars, acs int, b []float64, brs, bcs int, c []float64, crs int,
	ep func(c []float64, crs, row, col, rows, cols int), run gemm.Runner) {
	if byVector(m, n, k, acs, longDepth) {
		vector64.run(m, k, a, ars, acs, b, brs, c, crs, ep, run)
		return
	}
	ended64(m, n, k, a, ars, acs, b, brs, bcs, c, crs, ep, run)
}

// ended makes one part of a whole product.
func ended[T numbers](mul product[T]) endedProduct[T] {
	return func(m, n, k int, a []T, ars, acs int, b []T, brs, bcs int, c []T, crs int, ep func(c []T, crs, row, col, rows, cols int),
		run gemm.Runner) {
		mul(m, n, k, a, ars, acs, b, brs, bcs, c, crs, false, run)
		if ep != nil {
			ep(c, crs, 0, 0, m, n)
		}
	}
}

func modeOf(add bool) gemm.Mode {
	if add {
		return gemm.Accumulate
	}
	return gemm.Overwrite
}

const (
	productWork = 2 << 20   // multiply-adds from which one product is cut into blocks, rather than several products making up a block
	stackWork   = 256 << 10 // of several products in one block
	moveWork    = 8         // multiply-adds for which reading or writing an element counts
)

// matmul multiplies stacks of matrices.
func matmul(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	return weightsOf(c).product(c, 0, out[0], in)
}

// matmulThen is matmul with something to be done to the output part by part, in place or elsewhere: an elementwise
// program that follows the product runs here without going through memory again.
func matmulThen(c *backend.Ctx, out backend.View, in []backend.View, then ending) error {
	switch in[0].DType {
	case dtype.Float32:
		return stacks(c, out, in, matmul32, then)
	case dtype.Float64:
		return stacks(c, out, in, matmul64, then)
	case dtype.BFloat16, dtype.Float16:
		if out.DType == dtype.Float32 { // something is added before the result is rounded
			return stacks(c, out, in, sumsOfHalf(in[0].DType), then)
		}
		return stacks(c, out, in, endedHalf(in[0].DType), then)
	case dtype.Complex64:
		return stacks(c, out, in, ended(productC64), then)
	case dtype.Complex128:
		return stacks(c, out, in, ended(productC128), then)
	}
	switch in[0].DType.Size() { // sums and products wrap: signed and unsigned integers of a size have the same bits
	case 8:
		return stacks(c, out, in, ended(productInt64), then)
	case 4:
		return stacks(c, out, in, ended(productInt32), then)
	case 2:
		return stacks(c, out, in, ended(product16), then)
	}
	return stacks(c, out, in, int8WithEpilogue(), then)
}

// plainWork is how many multiply-adds a product has up to which no loop is parallel.
const plainWork = 1 << 17

// plain does a product of two matrices in their own layout, without the bookkeeping of stacks. It reports whether it did.
func plain[T, Z numbers](c *backend.Ctx, out backend.View, in []backend.View, mul productTo[T, Z], then ending) (done bool, err error) {
	if in[0].Shape.Rank() != 2 || in[1].Shape.Rank() != 2 {
		return false, nil
	}
	m, k, n := in[0].Shape.Dim(0), in[0].Shape.Dim(1), in[1].Shape.Dim(1)
	if m*n*k == 0 {
		return false, nil
	}
	ars, acs, brs, bcs := k, 1, n, 1
	if l := in[0].Lay; l != nil {
		ars, acs = l.Strides[0], l.Strides[1]
	}
	if l := in[1].Lay; l != nil {
		brs, bcs = l.Strides[0], l.Strides[1]
	}
	if ars|acs|brs|bcs < 0 {
		return false, nil
	}
	if m*n*k > plainWork {
		run, failed := runnerOf(c)
		mul(m, n, k, backend.Whole[T](in[0]), ars, acs, backend.Whole[T](in[1]), brs, bcs, destinationOf[Z](then, out), n,
			epilogueOf[Z](then, 0), run)
		return true, *failed
	}
	mul(m, n, k, backend.Whole[T](in[0]), ars, acs, backend.Whole[T](in[1]), brs, bcs, destinationOf[Z](then, out), n,
		epilogueOf[Z](then, 0), nil)
	return true, nil
}

// epilogueOf is then for the matrix whose first row is row base of the output.
func epilogueOf[T numbers](e ending, base int) func(c []T, crs, row, col, rows, cols int) {
	switch {
	case e.at != nil:
		return func(c []T, crs, row, col, rows, cols int) {
			e.at(unsafe.Pointer(unsafe.SliceData(c)), crs, base+row, col, rows, cols)
		}
	case e.then != nil:
		then := e.then
		return func(_ []T, _, row, col, rows, cols int) { then(base+row, col, rows, cols) }
	}
	return nil
}

func stacks[T, Z numbers](c *backend.Ctx, out backend.View, in []backend.View, mul productTo[T, Z], then ending) error {
	if done, err := plain(c, out, in, mul, then); done {
		return err
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
	return multiplyEnded(c, destinationOf[Z](then, out), &a, &b, mul, then)
}

// multiplyEnded multiplies matrix by matrix. Large products are parallel within, small ones among each other; either
// way an element is summed in an order that depends on k alone.
func multiplyEnded[T, Z numbers](c *backend.Ctx, z []Z, a, b *stack[T], mul productTo[T, Z], then ending) error {
	m, k, n := a.rows, a.cols, b.cols
	size := len(z)
	if then.at != nil {
		size = then.size
	}
	if size == 0 {
		return nil
	}
	of := func(i int) []Z { // the i-th product
		if z == nil {
			return nil
		}
		return z[i*m*n:]
	}
	count := size / (m * n)
	if count > 1 && b.repeated() && a.mergeRows() {
		m, count = a.rows, 1
	}
	if count == 1 || m*n*k >= productWork {
		var err error
		run := gemmRunner(c, &err)
		for i := range count {
			mul(m, n, k, a.at(i), a.rs, a.cs, b.at(i), b.rs, b.cs, of(i), n, epilogueOf[Z](then, i*m), run)
			if err != nil {
				return err
			}
		}
		return nil
	}
	each := max(1, stackWork/max(m*n*k, moveWork*(m*k+k*n+m*n)))
	return c.For((count+each-1)/each, func(block int) {
		for i := block * each; i < min((block+1)*each, count); i++ {
			mul(m, n, k, a.at(i), a.rs, a.cs, b.at(i), b.rs, b.cs, of(i), n, epilogueOf[Z](then, i*m), nil)
		}
	})
}

// runnerOf is gemmRunner with an error of its own.
func runnerOf(c *backend.Ctx) (gemm.Runner, *error) {
	err := new(error)
	return gemmRunner(c, err), err
}

// gemmRunner is the context's parallel loop as gemm wants it; an error stays in err.
func gemmRunner(c *backend.Ctx, err *error) gemm.Runner { return gemm.RunnerOf(c.For, err) }
