package cuda

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/cusolver"
)

func init() {
	register(map[string]kernel{"lu_factor": luFactor, "cholesky": choleskyFactor, "solve_factored": solveFactored,
		"solve_triangular": solveTriangular, "det": determinant, "slogdet": determinant, "pivots_to_permutation": pivotsToPermutation})
}

func luFactor(d *call, a attr.Attr, out, in []backend.View) error {
	x := d.factoring("lu_factor", a, in[0])
	defer x.free()
	if err := x.lu(in[0], out[0], address(out[1]), address(out[2])); err != nil {
		return err
	}
	return x.checkInfo(address(out[2]), backend.MatrixSingular)
}

// lu factors matrices to z, with row exchanges and info words.
func (x *factoring) lu(v, z backend.View, piv, info uintptr) error {
	group, err := x.group()
	if err != nil {
		return err
	}
	if group != 0 {
		src, err := x.dense(v)
		if err != nil {
			return err
		}
		return x.own(group, "factor_solve", "factor_lu", factorParams{m: x.m, n: x.n, flags: flagInPlace * number(x.f.NoPivot),
			room: x.n * (x.m | 1), a: address(src), z: address(z), piv: piv, info: info})
	}
	w, err := x.copied(swapped(v)) // by columns
	if err != nil {
		return err
	}
	k := min(x.m, x.n)
	if err := x.each(func(h *cusolver.Handle, c cusolver.Call, i uintptr) error {
		at := piv + i*uintptr(4*k)
		if x.f.NoPivot {
			at = 0
		}
		return h.LU(c, x.m, x.n, x.elements(address(w), i, x.m*x.n), at, info+4*i)
	}); err != nil {
		return err
	}
	if x.f.NoPivot {
		if err := x.pass("count_up", x.count*k, factorParams{n: k, piv: piv}); err != nil {
			return err
		}
	}
	z.Shape = v.Shape
	return x.Device.move(z, swapped(w))
}

func choleskyFactor(d *call, a attr.Attr, out, in []backend.View) error {
	x := d.factoring("cholesky", a, in[0])
	defer x.free()
	group, err := x.group()
	if err != nil {
		return err
	}
	info := address(out[1])
	if group != 0 {
		src, err := x.dense(in[0])
		if err != nil {
			return err
		}
		err = x.own(group, "factor_solve", "factor_cholesky", factorParams{m: x.n, n: x.n, room: x.n * (x.n | 1),
			a: address(src), z: address(out[0]), info: info})
		if err != nil {
			return err
		}
		return x.checkInfo(info, backend.MatrixNotDefinite)
	}
	w, err := x.copied(swapped(in[0])) // by columns
	if err != nil {
		return err
	}
	if err := x.each(func(h *cusolver.Handle, c cusolver.Call, i uintptr) error {
		return h.Cholesky(c, x.n, x.elements(address(w), i, x.n*x.n), info+4*i)
	}); err != nil {
		return err
	}
	if err := x.Device.move(out[0], swapped(w)); err != nil {
		return err
	}
	if err := x.pass("clear_upper", out[0].Numel(), factorParams{n: x.n, z: address(out[0])}); err != nil {
		return err
	}
	return x.checkInfo(info, backend.MatrixNotDefinite)
}

// solveRoom is the memory of a solution: the matrix, and as many columns of the right side as are solved at a time.
func solveRoom(group, n, cols int) int {
	at := block / 32
	if group == warp {
		at = 1
		for at < 32 && at < cols {
			at *= 2
		}
	}
	return (n + at) * (n | 1)
}

// solveFactored has the operands A, which only a gradient reads, LU, pivots and B.
func solveFactored(d *call, a attr.Attr, out, in []backend.View) error {
	x := d.factoring("lu_solve", a, in[1])
	defer x.free()
	return x.solve(in[1], in[2], in[3], out[0])
}

// solve writes the solutions with factored matrices.
func (x *factoring) solve(lu, piv, b, z backend.View) error {
	group, err := x.group()
	if err != nil {
		return err
	}
	cols := b.Shape.Dim(-1)
	if piv, err = x.dense(piv); err != nil {
		return err
	}
	if group != 0 {
		if lu, err = x.dense(lu); err != nil {
			return err
		}
		if !x.f.Inverse {
			if b, err = x.dense(b); err != nil {
				return err
			}
		}
		return x.checked(x.ctx, x.op, func(record uintptr) error {
			return x.own(group, "factor_solve", "solve_factored", factorParams{m: x.n, n: x.n, cols: cols,
				flags: flagAdjoint*number(x.f.Adjoint) + flagInverse*number(x.f.Inverse), room: solveRoom(group, x.n, cols),
				a: address(lu), pivots: address(piv), b: address(b), z: address(z), fault: record})
		})
	}
	perm, err := x.get(8 * x.count * x.n)
	if err != nil {
		return err
	}
	if err := x.permutation(address(piv), perm, x.n, x.n); err != nil {
		return err
	}
	if lu, err = x.copied(swapped(lu)); err != nil {
		return err
	}
	if x.f.Inverse {
		if b, err = x.view(x.t, b.Shape.Dims()...); err != nil {
			return err
		}
		err = x.pass("identity", b.Numel(), factorParams{n: x.n, z: address(b)})
	} else {
		b, err = x.dense(b)
	}
	if err != nil {
		return err
	}
	rows, err := x.view(x.t, b.Shape.Dims()...)
	if err != nil {
		return err
	}
	p := factorParams{n: x.n, cols: cols, b: perm, a: address(b), z: address(rows)}
	if !x.f.Adjoint {
		if err := x.pass("permute_rows", b.Numel(), p); err != nil {
			return err
		}
		b = rows
	}
	w, err := x.copied(swapped(b))
	if err != nil {
		return err
	}
	if err := x.each(func(h *cusolver.Handle, c cusolver.Call, i uintptr) error {
		f, y := x.elements(address(lu), i, x.n*x.n), x.elements(address(w), i, x.n*cols)
		for _, up := range []bool{x.f.Adjoint, !x.f.Adjoint} { // L first, or Uᴴ
			if err := h.Triangular(c, up, !up, x.f.Adjoint, x.n, cols, f, y); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if !x.f.Adjoint {
		return x.Device.move(z, swapped(w))
	}
	if err := x.Device.move(rows, swapped(w)); err != nil {
		return err
	}
	p.a, p.z, p.flags = address(rows), address(z), flagAdjoint
	return x.pass("permute_rows", b.Numel(), p)
}

// permutation writes the order of m rows after k exchanges, as int64.
func (x *factoring) permutation(piv, to uintptr, m, k int) error {
	const most = 3072 // rows that are exchanged in shared memory
	p := factorParams{m: m, n: k, pivots: piv, z: to}
	if m <= most {
		p.room = m
	}
	return x.checked(x.ctx, x.op, func(record uintptr) error {
		p.fault = record
		return x.passBlocks("permutation", min(x.count, maxGroups), 12*p.room, p)
	})
}

func solveTriangular(d *call, a attr.Attr, out, in []backend.View) error {
	x := d.factoring("solve_triangular", a, in[0])
	defer x.free()
	group, err := x.group()
	if err != nil {
		return err
	}
	cols := in[1].Shape.Dim(-1)
	m, err := x.dense(in[0])
	if err != nil {
		return err
	}
	if group != 0 {
		b, err := x.dense(in[1])
		if err != nil {
			return err
		}
		return x.own(group, "factor_solve", "solve_triangular", factorParams{m: x.n, n: x.n, cols: cols,
			flags: flagUpper*number(x.f.Upper) + flagUnit*number(x.f.Unit), room: solveRoom(group, x.n, cols),
			a: address(m), b: address(b), z: address(out[0])})
	}
	if err := x.Device.move(out[0], in[1]); err != nil {
		return err
	}
	return x.each(func(h *cusolver.Handle, c cusolver.Call, i uintptr) error {
		b := x.elements(address(out[0]), i, x.n*cols)
		return h.SolveTriangular(c, x.f.Upper, x.f.Unit, x.n, cols, x.elements(address(m), i, x.n*x.n), b)
	})
}

// determinant has the operands A, which only a gradient reads, LU and pivots. With two outputs they are the sign and the logarithm.
func determinant(d *call, a attr.Attr, out, in []backend.View) error {
	x := d.factoring("det", a, in[1])
	defer x.free()
	lu, err := x.dense(in[1])
	if err != nil {
		return err
	}
	piv, err := x.dense(in[2])
	if err != nil {
		return err
	}
	p := factorParams{n: x.n, a: address(lu), pivots: address(piv), z: address(out[0])}
	if len(out) > 1 {
		x.op, p.flags, p.s = "slogdet", flagVectors, address(out[1])
	}
	return x.checked(x.ctx, x.op, func(record uintptr) error {
		p.fault = record
		return x.passBlocks("determinant", blocks(x.count, threads/32), 0, p)
	})
}

func pivotsToPermutation(d *call, _ attr.Attr, out, in []backend.View) error {
	dims := out[0].Shape.Dims()
	m, k := dims[len(dims)-1], in[0].Shape.Dim(-1)
	x := &factoring{call: d, temporaries: temporaries{d: d.Device, op: "lu_unpack"}, t: factorIndex, count: out[0].Numel() / m}
	defer x.free()
	piv, err := x.dense(in[0])
	if err != nil {
		return err
	}
	return x.permutation(address(piv), address(out[0]), m, k)
}
