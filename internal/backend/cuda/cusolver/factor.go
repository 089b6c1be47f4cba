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
	rightSide             = 1
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

// SolveLU replaces b, n×cols, by the solution with factors of n×n, or with their conjugate transpose: getrs.
func (h *Handle) SolveLU(c Call, conjugate bool, n, cols int, lu, pivots, b, info uintptr) error {
	op := uintptr(noTranspose)
	if conjugate {
		op = adjoint
	}
	return h.run(c, "getrs", op, uintptr(n), uintptr(cols), lu, uintptr(n), pivots, b, uintptr(n), info)
}

// Cholesky factors a row-major matrix whose lower triangle is given, in place: potrf of the upper triangle of its transpose.
func (h *Handle) Cholesky(c Call, n int, a, info uintptr) error {
	work, count, err := h.space(c, "potrf", upper, uintptr(n), a, uintptr(n))
	if err != nil {
		return err
	}
	return h.run(c, "potrf", upper, uintptr(n), a, uintptr(n), work, count, info)
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
	side, diagonal := uintptr(upper), uintptr(0)
	if up {
		side = lower
	}
	if unit {
		diagonal = 1
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
		return dl.Call(f, h.blas, rightSide, side, noTranspose, diagonal, uintptr(cols), uintptr(n), one, a, uintptr(n), b, uintptr(cols))
	})
	runtime.KeepAlive(h)
	if s != 0 {
		return failed(s, "trsm")
	}
	return nil
}
