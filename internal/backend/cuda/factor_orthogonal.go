package cuda

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/cusolver"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() {
	register(map[string]kernel{"qr": qrFactor, "geqrf": qrCompact, "eigh": eigenvalues, "svd": singularValues, "eig": complexEigenvalues})
}

// factorIndex is the element type of kernels that read indices alone.
const factorIndex = dtype.Float32

// qrFactor gives Q and R; Q is empty unless Vectors is set, and square if Full is.
func qrFactor(d *call, a attr.Attr, out, in []backend.View) error {
	x := d.factoring("qr", a, in[0])
	defer x.free()
	group, err := x.group()
	if err != nil {
		return err
	}
	k := min(x.m, x.n)
	cols := k
	if x.f.Full {
		cols = x.m
	}
	if group != 0 {
		src, err := x.dense(in[0])
		if err != nil {
			return err
		}
		p := factorParams{m: x.m, n: x.n, cols: cols, room: x.n*(x.m|1) + k, a: address(src), y: address(out[1])}
		if x.f.Vectors {
			p.flags, p.room, p.z = flagVectors, p.room+cols*(x.m|1), address(out[0])
		}
		return x.own(group, "factor_qr", "qr", p)
	}
	// The reflectors and, for a square factor, room for the columns behind them.
	wide := max(x.n, cols)
	w, err := x.view(x.t, x.count, wide, x.m)
	if err != nil {
		return err
	}
	here := backend.View{Buf: w.Buf, DType: x.t, Shape: swapped(in[0]).Shape, Lay: matrixLayout(swapped(in[0]).Shape, wide*x.m, x.m)}
	if err := x.Device.move(here, swapped(in[0])); err != nil {
		return err
	}
	tau, err := x.get(x.count * k * x.t.Size())
	if err != nil {
		return err
	}
	info, err := x.words()
	if err != nil {
		return err
	}
	if err := x.each(func(h *cusolver.Handle, c cusolver.Call, i uintptr) error {
		return h.QR(c, x.m, x.n, x.elements(address(w), i, wide*x.m), x.elements(tau, i, k), info+4*i)
	}); err != nil {
		return err
	}
	if err := x.upperOf(here, cols, out[1]); err != nil || !x.f.Vectors {
		return err
	}
	if err := x.each(func(h *cusolver.Handle, c cusolver.Call, i uintptr) error {
		return h.FormQ(c, x.m, cols, k, x.elements(address(w), i, wide*x.m), x.elements(tau, i, k), info+4*i)
	}); err != nil {
		return err
	}
	q := swapped(out[0])
	return x.Device.move(out[0], swapped(backend.View{Buf: w.Buf, DType: x.t, Shape: q.Shape, Lay: matrixLayout(q.Shape, wide*x.m, x.m)}))
}

// upperOf writes the upper triangle of matrices that are stored by columns.
func (x *factoring) upperOf(columns backend.View, rows int, to backend.View) error {
	dense, err := x.dense(columns)
	if err != nil {
		return err
	}
	return x.pass("upper_of_columns", to.Numel(), factorParams{m: x.m, n: x.n, cols: rows, a: address(dense), y: address(to)})
}

func qrCompact(d *call, a attr.Attr, out, in []backend.View) error {
	x := d.factoring("geqrf", a, in[0])
	defer x.free()
	group, err := x.group()
	if err != nil {
		return err
	}
	k := min(x.m, x.n)
	if group != 0 {
		src, err := x.dense(in[0])
		if err != nil {
			return err
		}
		return x.own(group, "factor_qr", "qr", factorParams{m: x.m, n: x.n, cols: k, flags: flagCompact, room: x.n*(x.m|1) + k,
			a: address(src), z: address(out[0]), y: address(out[1])})
	}
	w, err := x.copied(swapped(in[0]))
	if err != nil {
		return err
	}
	info, err := x.words()
	if err != nil {
		return err
	}
	if err := x.each(func(h *cusolver.Handle, c cusolver.Call, i uintptr) error {
		return h.QR(c, x.m, x.n, x.elements(address(w), i, x.m*x.n), x.elements(address(out[1]), i, k), info+4*i)
	}); err != nil {
		return err
	}
	return x.Device.move(out[0], swapped(w))
}

// eigenvalues gives those of Hermitian matrices, and the eigenvectors if wanted.
func eigenvalues(d *call, a attr.Attr, out, in []backend.View) error {
	x := d.factoring("eigh", a, in[0])
	defer x.free()
	info, err := x.words()
	if err != nil {
		return err
	}
	var v backend.View
	if x.f.Vectors {
		v = out[1]
	}
	if err := x.eigh(in[0], out[0], v, info); err != nil {
		return err
	}
	return x.checkInfo(info, backend.MatrixNotFinite)
}

// eigh writes eigenvalues, eigenvectors if x.f.Vectors, and info words.
func (x *factoring) eigh(src, s, v backend.View, info uintptr) error {
	reduce, clustered, err := x.clustered()
	group := 0
	if err == nil && !clustered {
		group, err = x.group()
	}
	if err != nil {
		return err
	}
	if src, err = x.dense(src); err != nil {
		return err
	}
	n := x.n
	if clustered {
		if err := x.symmetric(reduce, src, s, v, info); err != nil {
			return err
		}
		return x.pass("blank", x.count*n, factorParams{n: n, s: address(s), info: info, piv: info})
	}
	if group != 0 {
		p := factorParams{m: n, n: n, room: n*(n|1) + 3*((n+1)/2) + n, a: address(src), s: address(s), info: info}
		if x.f.Vectors {
			p.flags, p.room, p.z = flagVectors, p.room+n*(n|1), address(v)
		}
		return x.own(group, "factor_jacobi", "eigh", p)
	}
	w, err := x.view(x.t, x.count, n, n)
	if err != nil {
		return err
	}
	if err := x.pass("hermitian_columns", w.Numel(), factorParams{n: n, a: address(src), z: address(w), info: info}); err != nil {
		return err
	}
	said, err := x.words()
	if err != nil {
		return err
	}
	real := uintptr(n * x.t.Real().Size())
	if err := x.each(func(h *cusolver.Handle, c cusolver.Call, i uintptr) error {
		return h.Eigh(c, x.f.Vectors, n, x.elements(address(w), i, n*n), address(s)+i*real, said+4*i)
	}); err != nil {
		return err
	}
	if err := x.pass("blank", x.count*n, factorParams{n: n, s: address(s), info: info, piv: said}); err != nil || !x.f.Vectors {
		return err
	}
	w.Shape = v.Shape
	return x.Device.move(v, swapped(w))
}

// singularValues gives U, S and Vᴴ, or S alone.
func singularValues(d *call, a attr.Attr, out, in []backend.View) error {
	x := d.factoring("svd", a, in[0])
	defer x.free()
	info, err := x.words()
	if err != nil {
		return err
	}
	if x.f.Vectors {
		err = x.svd(in[0], out[0], out[1], out[2], info)
	} else {
		err = x.svd(in[0], backend.View{}, out[0], backend.View{}, info)
	}
	if err != nil {
		return err
	}
	return x.checkInfo(info, backend.MatrixNotFinite)
}

// svd writes singular values, vectors if x.f.Vectors, and info words.
func (x *factoring) svd(src, u, s, vh backend.View, info uintptr) error {
	group, err := x.group()
	if err != nil {
		return err
	}
	rows, k := max(x.m, x.n), min(x.m, x.n)
	cols := k
	if x.f.Full {
		cols = rows
	}
	if group != 0 {
		if src, err = x.dense(src); err != nil {
			return err
		}
		p := factorParams{m: x.m, n: x.n, cols: cols, room: (rows|1)*(cols+2*k) + 3*k, a: address(src), s: address(s), info: info}
		if x.f.Vectors {
			p.flags, p.z, p.y = flagVectors, address(u), address(vh)
		}
		return x.own(group, "factor_jacobi", "svd", p)
	}
	if !x.f.Full || rows == k {
		if done, err := x.polarSVD(src, u, s, vh, info); done || err != nil {
			return err
		}
	}
	// A row-major matrix read by columns is its transpose, which is what is decomposed of a wide one.
	wide := x.m < x.n
	if !wide {
		src = swapped(src)
	}
	w, err := x.copied(src)
	if err != nil {
		return err
	}
	if err := x.pass("only_finite", w.Numel(), factorParams{m: x.m, n: x.n, z: address(w), info: info}); err != nil {
		return err
	}
	said, err := x.words()
	if err != nil {
		return err
	}
	var left, right backend.View // by columns: rows×cols and k×k
	if x.f.Vectors {
		if left, err = x.view(x.t, x.count, cols, rows); err != nil {
			return err
		}
		if right, err = x.view(x.t, x.count, k, k); err != nil {
			return err
		}
	}
	real := uintptr(k * x.t.Real().Size())
	if err := x.each(func(h *cusolver.Handle, c cusolver.Call, i uintptr) error {
		var l, r uintptr
		if x.f.Vectors {
			l, r = x.elements(address(left), i, rows*cols), x.elements(address(right), i, k*k)
		}
		return h.SVD(c, x.f.Full, rows, k, x.elements(address(w), i, rows*k), address(s)+i*real, l, r, said+4*i)
	}); err != nil {
		return err
	}
	if err := x.pass("blank", x.count*k, factorParams{n: k, s: address(s), info: info, piv: said}); err != nil || !x.f.Vectors {
		return err
	}
	if x.t.IsComplex() {
		if err := x.pass("conjugate_all", right.Numel(), factorParams{m: k, n: k, z: address(right)}); err != nil {
			return err
		}
	}
	if wide { // Aᵀ = L·S·Rᴴ: U is the conjugate of R, Vᴴ the transpose of L
		right.Shape = u.Shape
		if err := x.Device.move(u, swapped(right)); err != nil {
			return err
		}
		left.Shape = vh.Shape
		return x.Device.move(vh, left)
	}
	left.Shape = swapped(u).Shape
	if err := x.Device.move(u, swapped(left)); err != nil {
		return err
	}
	right.Shape = vh.Shape
	return x.Device.move(vh, right)
}

// smallEig is the size up to which the host finds eigenvalues of general matrices faster.
const smallEig = 256

// complexEigenvalues gives those of general matrices, and the eigenvectors if wanted.
func complexEigenvalues(d *call, a attr.Attr, out, in []backend.View) error {
	x := d.factoring("eig", a, in[0])
	defer x.free()
	if x.n <= smallEig || x.mode != running || x.openSolver() == nil || !cusolver.CanEig() {
		return backend.ErrNoKernel
	}
	info, err := x.words()
	if err != nil {
		return err
	}
	said, err := x.words()
	if err != nil {
		return err
	}
	w, err := x.copied(swapped(in[0]))
	if err != nil {
		return err
	}
	n, size := x.n, x.n*x.n
	if err := x.pass("only_finite", w.Numel(), factorParams{m: n, n: n, z: address(w), info: info}); err != nil {
		return err
	}
	var v backend.View
	if x.f.Vectors {
		if v, err = x.matrices(n, n); err != nil {
			return err
		}
	}
	values := uintptr(n * x.t.Complex().Size())
	if err := x.each(func(h *cusolver.Handle, c cusolver.Call, i uintptr) error {
		var to uintptr
		if x.f.Vectors {
			to = x.elements(address(v), i, size)
		}
		return h.Eig(c, n, x.elements(address(w), i, size), address(out[0])+i*values, to, said+4*i)
	}); err != nil {
		return err
	}
	if x.f.Vectors && x.t.IsComplex() {
		err = x.Device.move(x.flat(out[1], n, n), swapped(v))
	} else if x.f.Vectors {
		err = x.pass("complex_vectors", v.Numel(), factorParams{n: n, a: address(v), b: address(out[0]), z: address(out[1])})
	}
	if err != nil {
		return err
	}
	// A complex value is two real ones.
	if err := x.pass("blank", x.count*2*n, factorParams{n: 2 * n, s: address(out[0]), info: info, piv: said}); err != nil {
		return err
	}
	return x.checkInfo(info, backend.MatrixNotFinite)
}
