package cusolver

import (
	"runtime"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/dl"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Call is a device, an element type, and where work memory comes from.
type Call struct {
	D     *driver.Device
	DType dtype.DType
	// Work gives memory of so many bytes until the call is done.
	Work func(bytes int) (uintptr, error)
}

func (h *Handle) run(c Call, routine string, args ...uintptr) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := c.D.With(func() uintptr { return dl.Call(*fn["stream"], h.handle, c.D.Stream) }); s != 0 {
		return failed(s, "setting the stream")
	}
	f := *fn[letters[c.DType]+routine]
	if s := c.D.With(func() uintptr { return dl.Call(f, append([]uintptr{h.handle}, args...)...) }); s != 0 {
		return failed(s, routine)
	}
	return nil
}

// space asks how many elements of work memory a routine needs, and takes them.
func (h *Handle) space(c Call, routine string, args ...uintptr) (work, n uintptr, err error) {
	count := new(int32)
	f := *fn[letters[c.DType]+routine+"_bufferSize"]
	list := append([]uintptr{h.handle}, args...)
	list = append(list, uintptr(unsafe.Pointer(count)))
	if routine == "gesvdj" {
		list = append(list, h.jacobi)
	}
	h.mu.Lock()
	s := c.D.With(func() uintptr { return dl.Call(f, list...) })
	h.mu.Unlock()
	runtime.KeepAlive(count)
	if s != 0 {
		return 0, 0, failed(s, "the work memory of "+routine)
	}
	work, err = c.Work(max(int(*count), 1) * c.DType.Size())
	return work, uintptr(*count), err
}

// As cuBLAS numbers them.
const (
	lower, upper          = 0, 1
	noTranspose, adjoint  = 0, 2
	leftSide, rightSide   = 0, 1
	valuesOnly, withBasis = 0, 1
)

// LU factors a, m×n, in place: getrf. pivots has min(m, n) elements counted from 1; 0: rows stay where they are.
func (h *Handle) LU(c Call, m, n int, a, pivots, info uintptr) error {
	work, _, err := h.space(c, "getrf", uintptr(m), uintptr(n), a, uintptr(m))
	if err != nil {
		return err
	}
	return h.run(c, "getrf", uintptr(m), uintptr(n), a, uintptr(m), work, pivots, info)
}

// Cholesky factors the lower triangle of a in place: potrf, which is faster there than at the upper one.
func (h *Handle) Cholesky(c Call, n int, a, info uintptr) error {
	work, count, err := h.space(c, "potrf", lower, uintptr(n), a, uintptr(n))
	if err != nil {
		return err
	}
	return h.run(c, "potrf", lower, uintptr(n), a, uintptr(n), work, count, info)
}

// QR factors a, m×n, in place: geqrf.
func (h *Handle) QR(c Call, m, n int, a, tau, info uintptr) error {
	work, count, err := h.space(c, "geqrf", uintptr(m), uintptr(n), a, uintptr(m))
	if err != nil {
		return err
	}
	return h.run(c, "geqrf", uintptr(m), uintptr(n), a, uintptr(m), tau, work, count, info)
}

// FormQ replaces the k reflectors in the first columns of a, m×n, by the first n columns of their product: orgqr.
func (h *Handle) FormQ(c Call, m, n, k int, a, tau, info uintptr) error {
	work, count, err := h.space(c, "orgqr", uintptr(m), uintptr(n), uintptr(k), a, uintptr(m), tau)
	if err != nil {
		return err
	}
	return h.run(c, "orgqr", uintptr(m), uintptr(n), uintptr(k), a, uintptr(m), tau, work, count, info)
}

// Eigh finds the eigenvalues w, ascending, of the Hermitian matrix in the lower triangle of a, and replaces a by its eigenvectors if
// wanted: syevd.
func (h *Handle) Eigh(c Call, vectors bool, n int, a, w, info uintptr) error {
	job := uintptr(valuesOnly)
	if vectors {
		job = withBasis
	}
	work, count, err := h.space(c, "syevd", job, lower, uintptr(n), a, uintptr(n), w)
	if err != nil {
		return err
	}
	return h.run(c, "syevd", job, lower, uintptr(n), a, uintptr(n), w, work, count, info)
}

// SVD finds the singular values s of a, m×n with m ≥ n, descending, and the columns of U, m×n or m×m, and V, n×n, unless u is 0:
// gesvdj. a is overwritten.
func (h *Handle) SVD(c Call, full bool, m, n int, a, s, u, v, info uintptr) error {
	job, economy := uintptr(valuesOnly), uintptr(1)
	if u != 0 {
		job = withBasis
	}
	if full {
		economy = 0
	}
	args := []uintptr{job, economy, uintptr(m), uintptr(n), a, uintptr(m), s, u, uintptr(m), v, uintptr(n)}
	work, count, err := h.space(c, "gesvdj", args...)
	if err != nil {
		return err
	}
	return h.run(c, "gesvdj", append(args, work, count, info, h.jacobi)...)
}

// SolveTriangular replaces b by the solution of A·x = b for row-major matrices, A being n×n and b n×cols: trsm. In column-major terms it
// solves xᵀ·Aᵀ = bᵀ.
func (h *Handle) SolveTriangular(c Call, up, unit bool, n, cols int, a, b uintptr) error {
	return h.trsm(c, rightSide, !up, unit, noTranspose, cols, n, a, b)
}

// Triangular replaces b, n×cols, by the solution with a triangle of a, n×n, or with its conjugate transpose: trsm.
func (h *Handle) Triangular(c Call, up, unit, conjugate bool, n, cols int, a, b uintptr) error {
	op := uintptr(noTranspose)
	if conjugate {
		op = adjoint
	}
	return h.trsm(c, leftSide, up, unit, op, n, cols, a, b)
}

// trsm solves for b of m×n with a square matrix on one of its sides.
func (h *Handle) trsm(c Call, side uintptr, up, unit bool, op uintptr, m, n int, a, b uintptr) error {
	triangle, diagonal, size := uintptr(lower), uintptr(0), m
	if up {
		triangle = upper
	}
	if unit {
		diagonal = 1
	}
	if side == rightSide {
		size = n
	}
	one := uintptr(unsafe.Pointer(&h.oneF))
	if c.DType == dtype.Float64 || c.DType == dtype.Complex128 {
		one = uintptr(unsafe.Pointer(&h.one))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := c.D.With(func() uintptr { return dl.Call(*fn["blasStream"], h.blas, c.D.Stream) }); s != 0 {
		return failed(s, "setting the stream")
	}
	f := *fn[letters[c.DType]+"trsm"]
	s := c.D.With(func() uintptr {
		return dl.Call(f, h.blas, side, triangle, op, diagonal, uintptr(m), uintptr(n), one, a, uintptr(size), b, uintptr(m))
	})
	runtime.KeepAlive(h)
	if s != 0 {
		return failed(s, "trsm")
	}
	return nil
}

// cudaTypes are the element types as CUDA numbers them.
var cudaTypes = map[dtype.DType]uintptr{dtype.Float32: 0, dtype.Float64: 1, dtype.Complex64: 4, dtype.Complex128: 5}

// CanEig reports whether the library has Eig, which came with CUDA 12.8.
func CanEig() bool { return fn["geev"] != nil && *fn["geev"] != 0 }

// Eig finds the complex eigenvalues w of a, n×n, which is overwritten, and the right eigenvectors v unless that is 0: geev. The vectors
// of a real matrix are real: a conjugate pair has its real and imaginary parts in two columns.
func (h *Handle) Eig(c Call, n int, a, w, v, info uintptr) error {
	job := uintptr(valuesOnly)
	if v != 0 {
		job = withBasis
	}
	t, values := cudaTypes[c.DType], cudaTypes[c.DType.Complex()]
	size := new([2]uint64)
	args := []uintptr{h.handle, h.params, valuesOnly, job, uintptr(n), t, a, uintptr(n), values, w, t, 0, uintptr(n), t, v, uintptr(n), t}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := c.D.With(func() uintptr { return dl.Call(*fn["stream"], h.handle, c.D.Stream) }); s != 0 {
		return failed(s, "setting the stream")
	}
	ask := append(args[:len(args):len(args)], uintptr(unsafe.Pointer(&size[0])), uintptr(unsafe.Pointer(&size[1])))
	if s := c.D.With(func() uintptr { return dl.Call(*fn["geev_bufferSize"], ask...) }); s != 0 {
		return failed(s, "the work memory of geev")
	}
	work, err := c.Work(max(int(size[0]), 1))
	if err != nil {
		return err
	}
	host := make([]uint64, size[1]/8+1)
	args = append(args, work, uintptr(size[0]), uintptr(unsafe.Pointer(&host[0])), uintptr(size[1]), info)
	if s := c.D.With(func() uintptr { return dl.Call(*fn["geev"], args...) }); s != 0 {
		return failed(s, "geev")
	}
	err = c.D.Sync() // it may still use the host's memory
	runtime.KeepAlive(host)
	runtime.KeepAlive(size)
	return err
}
