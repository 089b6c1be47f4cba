package cuda

import (
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

func init() {
	register(map[string]kernel{"pinv": pseudoInverse, "lstsq": leastSquares,
		"matrix_sqrth": matrixRoot, "adjugate": adjugate, "matrix_exp": matrixExp})
}

// What factors_of computes.
const (
	forPseudoInverse = iota
	forRoot
	forAdjugate
)

// matrices takes count matrices of m×n.
func (x *factoring) matrices(m, n int) (backend.View, error) { return x.view(x.t, x.count, m, n) }

// flat shows v as count matrices.
func (x *factoring) flat(v backend.View, m, n int) backend.View {
	return backend.View{Buf: v.Buf, DType: v.DType, Shape: shape.Of(x.op, x.count, m, n), Lay: v.Lay}
}

// mul multiplies matrices of one batch.
func (x *factoring) mul(z, a, b backend.View) error {
	return matmul(x.call, nil, []backend.View{z}, []backend.View{a, b})
}

// adjointOf is the conjugate transpose of contiguous matrices, written to z.
func (x *factoring) adjointOf(z, v backend.View) error {
	if err := x.Device.move(z, swapped(v)); err != nil || !x.t.IsComplex() {
		return err
	}
	d := z.Shape.Dims()
	return x.pass("conjugate_all", z.Numel(), factorParams{m: d[len(d)-2], n: d[len(d)-1], z: address(z)})
}

// scaled is v, whose columns are multiplied by what factors_of makes of their values s.
func (x *factoring) scaled(v backend.View, rows, cols int, p factorParams) (backend.View, error) {
	f, err := x.get(x.count * cols * x.t.Size())
	if err != nil {
		return v, err
	}
	p.n, p.z = cols, f
	if err := x.pass("factors_of", x.count*cols, p); err != nil {
		return v, err
	}
	z, err := x.matrices(rows, cols)
	if err != nil {
		return v, err
	}
	return z, x.pass("scale_columns", z.Numel(), factorParams{m: rows, n: cols, a: address(v), b: f, z: address(z)})
}

// spectrum finds eigenvalues and vectors, or singular values and both factors, of contiguous matrices.
func (x *factoring) spectrum(v backend.View, hermitian bool, info uintptr) (u, s, vh backend.View, err error) {
	k := min(x.m, x.n)
	x.f.Vectors, x.f.Full = true, false
	if s, err = x.view(x.t.Real(), x.count, k); err != nil {
		return
	}
	if u, err = x.matrices(x.m, k); err != nil {
		return
	}
	if vh, err = x.matrices(k, x.n); err != nil {
		return
	}
	v = x.flat(v, x.m, x.n)
	if !hermitian {
		err = x.svd(v, u, s, vh, info)
		return
	}
	if err = x.eigh(v, s, u, info); err == nil {
		err = x.adjointOf(vh, u)
	}
	return
}

// pseudoInverse has the operands A and its two tolerances, one of each for each matrix.
func pseudoInverse(d *call, a attr.Attr, out, in []backend.View) error {
	x := d.factoring("pinv", a, in[0])
	defer x.free()
	return x.pseudoInverse(x.flat(out[0], x.n, x.m), in)
}

// leastSquares has a right side as its fourth operand, by which the pseudoinverse is multiplied.
func leastSquares(d *call, a attr.Attr, out, in []backend.View) error {
	x := d.factoring("lstsq", a, in[0])
	defer x.free()
	p, err := x.matrices(x.n, x.m)
	if err != nil {
		return err
	}
	if err := x.pseudoInverse(p, in); err != nil {
		return err
	}
	b, err := x.dense(in[3])
	if err != nil {
		return err
	}
	cols := in[3].Shape.Dim(-1)
	return x.mul(x.flat(out[0], x.n, cols), p, x.flat(b, x.m, cols))
}

// pseudoInverse writes (U·diag(1/s)·Vᴴ)ᴴ to out.
func (x *factoring) pseudoInverse(out backend.View, in []backend.View) error {
	info, err := x.words()
	if err != nil {
		return err
	}
	src, err := x.dense(in[0])
	if err != nil {
		return err
	}
	u, s, vh, err := x.spectrum(src, x.f.Hermitian, info)
	if err != nil {
		return err
	}
	p := factorParams{m: forPseudoInverse, s: address(s)}
	for i, to := range []*uintptr{&p.a, &p.b} {
		t, err := x.dense(in[1+i])
		if err != nil {
			return err
		}
		*to, p.flags = address(t), p.flags|number(t.DType == dtype.Float32)<<i
	}
	w, err := x.scaled(u, x.m, min(x.m, x.n), p)
	if err != nil {
		return err
	}
	z, err := x.matrices(x.m, x.n)
	if err != nil {
		return err
	}
	if err := x.mul(z, w, vh); err != nil {
		return err
	}
	if err := x.adjointOf(out, z); err != nil {
		return err
	}
	return x.checkInfo(info, backend.MatrixNotFinite)
}

// matrixRoot is V·diag(√w)·Vᴴ.
func matrixRoot(d *call, a attr.Attr, out, in []backend.View) error {
	x := d.factoring("matrix_sqrth", a, in[0])
	defer x.free()
	info, err := x.words()
	if err != nil {
		return err
	}
	src, err := x.dense(in[0])
	if err != nil {
		return err
	}
	v, s, vh, err := x.spectrum(src, true, info)
	if err != nil {
		return err
	}
	w, err := x.scaled(v, x.n, x.n, factorParams{m: forRoot, s: address(s), info: info})
	if err != nil {
		return err
	}
	if err := x.mul(x.flat(out[0], x.n, x.n), w, vh); err != nil {
		return err
	}
	return x.checkInfo(info, backend.MatrixNoRoot)
}

// adjugate is det(U)·det(Vᴴ)·V·diag(Π of the other values)·Uᴴ, which singular matrices have too.
func adjugate(d *call, a attr.Attr, out, in []backend.View) error {
	x := d.factoring("adjugate", a, in[0])
	defer x.free()
	info, err := x.words()
	if err != nil {
		return err
	}
	src, err := x.dense(in[0])
	if err != nil {
		return err
	}
	u, s, vh, err := x.spectrum(src, false, info)
	if err != nil {
		return err
	}
	p := factorParams{m: forAdjugate, s: address(s)}
	for i, to := range []*uintptr{&p.a, &p.b} {
		if *to, err = x.detOf([]backend.View{u, vh}[i]); err != nil {
			return err
		}
	}
	w, err := x.scaled(u, x.n, x.n, p)
	if err != nil {
		return err
	}
	z, err := x.matrices(x.n, x.n)
	if err != nil {
		return err
	}
	if err := x.mul(z, w, vh); err != nil {
		return err
	}
	return x.adjointOf(x.flat(out[0], x.n, x.n), z)
}

// detOf computes determinants by way of an LU factorisation.
func (x *factoring) detOf(v backend.View) (uintptr, error) {
	info, err := x.words()
	if err != nil {
		return 0, err
	}
	piv, err := x.get(4 * x.count * x.n)
	if err != nil {
		return 0, err
	}
	lu, err := x.matrices(x.n, x.n)
	if err != nil {
		return 0, err
	}
	if err := x.lu(v, lu, piv, info); err != nil {
		return 0, err
	}
	z, err := x.get(x.count * x.t.Size())
	if err != nil {
		return 0, err
	}
	return z, x.passBlocks("determinant", blocks(x.count, threads/32), 0, factorParams{n: x.n, a: address(lu), pivots: piv, z: z})
}

// matrixExp is the Padé approximant of degree 13 of a matrix scaled by a power of two, squared again as often.
func matrixExp(d *call, a attr.Attr, out, in []backend.View) error {
	x := d.factoring("matrix_exp", a, in[0])
	defer x.free()
	if x.mode == capturing {
		return refuseCapture(x.op, "the number of squarings depends on values, and matrix_exp")
	}
	src, err := x.dense(in[0])
	if err != nil {
		return err
	}
	times, err := x.words()
	if err != nil {
		return err
	}
	n := x.n
	v, err := x.matrices(n, n)
	if err != nil {
		return err
	}
	p := factorParams{n: n, a: address(src), z: address(v), info: times}
	if err := x.passBlocks("exp_scale", min(x.count, maxGroups), 0, p); err != nil {
		return err
	}
	z := x.flat(out[0], n, n)
	if err := x.pade(z, v); err != nil {
		return err
	}
	squarings, err := x.largestWord(times)
	if err != nil {
		return err
	}
	y, err := x.matrices(n, n)
	if err != nil {
		return err
	}
	for k := range squarings {
		if err := x.mul(y, z, z); err != nil {
			return err
		}
		if err := x.pass("take_squared", z.Numel(), factorParams{m: k, n: n, z: address(z), y: address(y), info: times}); err != nil {
			return err
		}
	}
	return x.pass("take_squared", z.Numel(), factorParams{m: -1, n: n, z: address(z), info: times})
}

// pade computes q(-v)⁻¹·q(v) for the polynomial q of the approximant.
func (x *factoring) pade(z, v backend.View) error {
	n, size := x.n, x.count*x.n*x.n*x.t.Size()
	const powers = 6
	all, err := x.view(x.t, powers*x.count, n, n)
	if err != nil {
		return err
	}
	power := func(k int) backend.View { // v to the 2k
		w := all
		w.Shape = v.Shape
		return part(w, v.Shape, v.Shape.Strides(), (k-1)*size/x.t.Size())
	}
	for _, p := range [][3]int{{1, 0, 0}, {2, 1, 1}, {3, 2, 1}, {4, 2, 2}, {5, 4, 1}, {6, 4, 2}} {
		l, r := v, v
		if p[1] > 0 {
			l, r = power(p[1]), power(p[2])
		}
		if err := x.mul(power(p[0]), l, r); err != nil {
			return err
		}
	}
	odd, err := x.matrices(n, n)
	if err != nil {
		return err
	}
	u, err := x.matrices(n, n)
	if err != nil {
		return err
	}
	top, err := x.matrices(n, n)
	if err != nil {
		return err
	}
	if err := x.pass("pade_sums", v.Numel(), factorParams{n: n, a: address(all), z: address(top), y: address(odd)}); err != nil {
		return err
	}
	if err := x.mul(u, v, odd); err != nil {
		return err
	}
	if err := x.pass("sum_and_difference", v.Numel(), factorParams{n: n, z: address(top), y: address(u)}); err != nil {
		return err
	}
	piv, err := x.view(dtype.Int32, x.count, n)
	if err != nil {
		return err
	}
	info, err := x.words()
	if err != nil {
		return err
	}
	lu, err := x.matrices(n, n)
	if err != nil {
		return err
	}
	if err := x.lu(u, lu, address(piv), info); err != nil {
		return err
	}
	return x.solve(lu, piv, top, z)
}

// largestWord reads the info words and returns the largest: the host waits.
func (x *factoring) largestWord(info uintptr) (int, error) {
	if x.mode == precompiling {
		return 1, nil
	}
	words, err := x.read(info, x.count)
	if err != nil {
		return 0, err
	}
	return int(max(0, slices.Max(words))), nil
}

// firstWord reads an info word: the host waits.
func (x *factoring) firstWord(info uintptr) (int32, error) {
	if x.mode == precompiling {
		return 0, nil
	}
	words, err := x.read(info, 1)
	if err != nil {
		return 0, err
	}
	return words[0], nil
}

func (x *factoring) read(info uintptr, n int) ([]int32, error) {
	work, err := x.Submitted(0)
	if err != nil {
		return nil, err
	}
	words := make([]int32, n)
	return words, x.Download(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 4*n), info, work)
}
