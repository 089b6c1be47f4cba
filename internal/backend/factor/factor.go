// Package factor has the kernels of factorisations, for devices that compute on host memory. A device gives its matrix products;
// the algorithms are those of package lapack.
package factor

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/lapack"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// Loop runs blocks, some at the same time; nil is a plain loop.
type Loop func(blocks int, f func(block int))

// Products are a device's matrix products. Their bits do not depend on the loop.
type Products struct {
	F32  func(Loop) lapack.Product[float32]
	F64  func(Loop) lapack.Product[float64]
	C64  func(Loop) lapack.Product[complex64]
	C128 func(Loop) lapack.Product[complex128]

	Batches Batches
	Vectors lapack.Vectors
}

// job is a launch over matrices of T.
type job[T lapack.Number] struct {
	c   *backend.Ctx
	a   attr.Factor
	out []backend.View
	in  []backend.View
	mul func(Loop) lapack.Product[T]
	m64 func(Loop) lapack.Product[float64]
	mc  func(Loop) lapack.Product[complex128]
	vec lapack.Vectors

	batch func() Batch[T] // nil: there is none
	most  func() int      // the largest size it takes
}

// largeWork is the number of multiply-adds from which one matrix has all workers, rather than several matrices one each.
const largeWork = 4 << 20

// blockWork is what a block of small matrices has.
const blockWork = 128 << 10

// each runs f for every matrix of the batch; work is the multiply-adds of one.
func (j *job[T]) each(count, work int, f func(s *lapack.Solver[T], i int)) error {
	if count == 0 {
		return nil
	}
	if work >= largeWork {
		var failed error
		loop := func(blocks int, f func(int)) {
			if failed == nil {
				failed = j.c.For(blocks, f)
			}
		}
		s := &lapack.Solver[T]{Mul: j.mul(loop), Mul64: j.m64(loop), MulC: j.mc(loop), Loop: loop, Alone: j.mul(nil), Alone64: j.m64(nil),
			AloneC: j.mc(nil), Vectors: j.vec}
		s.Reuse()
		defer s.Release()
		for i := range count {
			if failed != nil {
				break
			}
			f(s, i)
		}
		return failed
	}
	per := max(1, blockWork/max(work, 1))
	return j.c.For((count+per-1)/per, func(b int) {
		s := &lapack.Solver[T]{Mul: j.mul(nil), Mul64: j.m64(nil), MulC: j.mc(nil), Vectors: j.vec}
		s.Reuse()
		defer s.Release()
		for i := b * per; i < min((b+1)*per, count); i++ {
			f(s, i)
		}
	})
}

// kernel is the kernel of one op for one element type.
type kernel[T lapack.Number] func(j *job[T]) error

// Kernels returns the kernels of a device with these products.
func Kernels(p Products) backend.Table {
	t := backend.Table{}
	add := func(name string, f32 kernel[float32], f64 kernel[float64], c64 kernel[complex64], c128 kernel[complex128]) {
		t[name] = func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
			f, _ := a.(attr.Factor)
			switch in[0].DType {
			case dtype.Float32:
				return f32(&job[float32]{c, f, out, in, p.F32, p.F64, p.C128, p.Vectors, p.Batches.F32, p.Batches.Max})
			case dtype.Float64:
				return f64(&job[float64]{c, f, out, in, p.F64, p.F64, p.C128, p.Vectors, p.Batches.F64, p.Batches.Max})
			case dtype.Complex64:
				return c64(&job[complex64]{c: c, a: f, out: out, in: in, mul: p.C64, m64: p.F64, mc: p.C128, vec: p.Vectors})
			case dtype.Complex128:
				return c128(&job[complex128]{c: c, a: f, out: out, in: in, mul: p.C128, m64: p.F64, mc: p.C128, vec: p.Vectors})
			}
			return fault.New(fault.DType, name, "%v is not a dtype of factorisations", in[0].DType)
		}
	}
	add("lu_factor", lu[float32], lu[float64], lu[complex64], lu[complex128])
	add("solve_factored", solveFactored[float32], solveFactored[float64], solveFactored[complex64], solveFactored[complex128])
	add("solve_triangular", triangular[float32], triangular[float64], triangular[complex64], triangular[complex128])
	add("cholesky", cholesky[float32], cholesky[float64], cholesky[complex64], cholesky[complex128])
	add("qr", qr[float32], qr[float64], qr[complex64], qr[complex128])
	add("geqrf", geqrf[float32], geqrf[float64], geqrf[complex64], geqrf[complex128])
	add("eigh", eigh[float32], eigh[float64], eigh[complex64], eigh[complex128])
	add("svd", svd[float32], svd[float64], svd[complex64], svd[complex128])
	add("det", det[float32], det[float64], det[complex64], det[complex128])
	add("slogdet", slogdet[float32], slogdet[float64], slogdet[complex64], slogdet[complex128])
	add("adjugate", adjugate[float32], adjugate[float64], adjugate[complex64], adjugate[complex128])
	add("eig", eig[float32], eig[float64], eig[complex64], eig[complex128])
	add("ldl_factor", ldl[float32], ldl[float64], ldl[complex64], ldl[complex128])
	add("ldl_solve", ldlSolve[float32], ldlSolve[float64], ldlSolve[complex64], ldlSolve[complex128])
	add("matrix_exp", exp[float32], exp[float64], exp[complex64], exp[complex128])
	add("matrix_sqrth", sqrth[float32], sqrth[float64], sqrth[complex64], sqrth[complex128])
	add("pinv", pinv[float32], pinv[float64], pinv[complex64], pinv[complex128])
	add("lstsq", lstsq[float32], lstsq[float64], lstsq[complex64], lstsq[complex128])
	t["pivots_to_permutation"] = permutation
	return t
}

// dense returns the elements of a view in row-major order: its memory, or a copy.
func dense[T any](v backend.View) []T {
	if v.Numel() == 0 {
		return nil
	}
	if v.Contiguous() {
		return backend.Slice[T](v)
	}
	z := make([]T, v.Numel())
	fill(z, v)
	return z
}

// fill copies a view to z in row-major order.
func fill[T any](z []T, v backend.View) {
	if v.Numel() == 0 {
		return
	}
	if v.Contiguous() {
		copy(z, backend.Slice[T](v))
		return
	}
	x := dtype.Slice[T](v.Buf.Mem)
	dims, strides := v.Shape.Dims(), v.Strides()
	last := len(dims) - 1
	if last < 0 {
		z[0] = x[v.Offset()]
		return
	}
	at, off, step := make([]int, len(dims)), v.Offset(), strides[last]
	for i := 0; i < len(z); i += dims[last] {
		row := z[i:][:dims[last]]
		for k := range row {
			row[k] = x[off+k*step]
		}
		for d := last - 1; d >= 0; d-- {
			at[d]++
			off += strides[d]
			if at[d] < dims[d] {
				break
			}
			off -= strides[d] * dims[d]
			at[d] = 0
		}
	}
}

// fill is fill by several goroutines, where there is much to copy.
func (j *job[T]) fill(z []T, v backend.View) error {
	const some = 32 << 10 // elements
	if !v.Contiguous() || len(z) < 2*some {
		fill(z, v)
		return nil
	}
	x := backend.Slice[T](v)
	return j.c.For((len(z)+some-1)/some, func(b int) { copy(z[b*some:min((b+1)*some, len(z))], x[b*some:]) })
}

// dims returns the number of matrices of a view and their size.
func dims(v backend.View) (count, m, n int) {
	d := v.Shape.Dims()
	count = 1
	for _, x := range d[:len(d)-2] {
		count *= x
	}
	return count, d[len(d)-2], d[len(d)-1]
}

// failed returns the error of the first matrix whose info is not 0, if a function asked for one.
func failed(check string, info []int32, why backend.MatrixFault) error {
	if check == "" {
		return nil
	}
	for i, x := range info {
		if x == 0 {
			continue
		}
		if len(info) == 1 {
			i = -1
		}
		return backend.BadMatrix(check, why, i, int(x))
	}
	return nil
}
