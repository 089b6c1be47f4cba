package lanes

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/lapack"
)

func (b *Batch[T]) in(x lapack.Matrices[T], count, size int) []T {
	z := b.take(size)
	b.inTo(z, x, count, size)
	return z
}

func (b *Batch[T]) inTo(z []T, x lapack.Matrices[T], count, size int) {
	b.pack(z, x.Data, count, size, x.Stride)
	b.ahead(x.Data, count*x.Stride)
}

// ahead asks for the operand or result of the next group, n elements behind the one of this group, while this one computes.
func (b *Batch[T]) ahead(x []T, n int) {
	size := int(unsafe.Sizeof(b.row[0]))
	if next := x[min(n, len(x)):]; len(next) > 0 && n*size >= farGroup {
		b.call(b.k.fetch, args[T]{a: &next[0], n: (min(n, len(next))*size + 63) / 64})
	}
}

// farGroup is the number of bytes of a group from which it is asked for ahead: fewer are there by themselves.
const farGroup = 4 << 10

// index is element l of a cell of integers that a kernel wrote.
func index[T Float](cell []T, l int) int {
	p := unsafe.Pointer(&cell[l])
	if unsafe.Sizeof(cell[0]) == 4 {
		return int(*(*int32)(p))
	}
	return int(*(*int64)(p))
}

func setIndex[T Float](cell []T, l, v int) {
	p := unsafe.Pointer(&cell[l])
	if unsafe.Sizeof(cell[0]) == 4 {
		*(*int32)(p) = int32(v)
		return
	}
	*(*int64)(p) = int64(v)
}

// words are integers as elements of the same size, to be moved, if T has it.
func words[T Float](x []int32) ([]T, bool) {
	var z T
	if unsafe.Sizeof(z) != unsafe.Sizeof(x[0]) {
		return nil, false
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&x[0])), len(x)), true
}

// LU factors count matrices, m×n, with row exchanges to z; piv has the rows exchanged with, from 1 on. info is as lapack's.
func (b *Batch[T]) LU(m, n, count int, x lapack.Matrices[T], z []T, piv, info []int32) {
	b.reset()
	k := min(m, n)
	if m == 4 && n == 4 && count == b.lanes && x.Stride == 16 && b.k.lu4 != nil {
		b.luInRegisters(x.Data[:16*count], z[:16*count], piv[:4*count], info[:count])
		return
	}
	a, p, first := b.in(x, count, m*n), b.take(k), b.take(1)
	b.call(b.k.lu, args[T]{a: &a[0], b: &p[0], t: &first[0], n: n, m: m, k: k, rs: n * b.k.bytes})
	b.unpack(z, a, count, m*n)
	if w, ok := words[T](piv[:count*k]); ok {
		b.unpack(w, p, count, k)
		w, _ = words[T](info[:count])
		copy(w, first)
		return
	}
	for j := range k {
		cell := b.cell(p, j)
		for l := range count {
			piv[l*k+j] = int32(index(cell, l))
		}
	}
	for l := range count {
		info[l] = int32(index(first, l))
	}
}

// laneOf has the lane of each matrix of luInRegisters.
var laneOf = [16]int32{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}

// luInRegisters is LU for as many 4×4 matrices as there are lanes.
func (b *Batch[T]) luInRegisters(x, z []T, piv, info []int32) {
	p, _ := words[T](piv)
	first, _ := words[T](info)
	lane, _ := words[T](laneOf[:])
	b.call(b.k.lu4, args[T]{a: &x[0], b: &p[0], c: &z[0], t: &first[0], d: &lane[0]})
}

// Cholesky writes the lower triangles to z, with zeros above them.
func (b *Batch[T]) Cholesky(n, count int, x lapack.Matrices[T], z []T, info []int32) {
	b.reset()
	a := b.in(x, count, n*n)
	b.call(b.k.cholesky, args[T]{a: &a[0], n: n, rs: n * b.k.bytes})
	for i := range n {
		clear(a[(i*n+i+1)*b.lanes : (i+1)*n*b.lanes])
	}
	b.unpack(z, a, count, n*n)
	for l := range count {
		info[l] = 0
	}
	for j := n - 1; j >= 0; j-- {
		cell := b.cell(a, j*n+j)
		for l := range count {
			if !(cell[l] > 0 && cell[l] <= b.k.finite) {
				info[l] = int32(j + 1)
			}
		}
	}
}

// SolveLU writes the solutions of A·x = y, or of Aᴴ·x = y if adjoint, to z, n×cols, from factors and pivots as LU gives them.
func (b *Batch[T]) SolveLU(adjoint bool, n, cols, count int, lu lapack.Matrices[T], piv []int32, y lapack.Matrices[T], z []T) {
	b.reset()
	if n == 4 && cols == 1 && !adjoint && count == b.lanes && lu.Stride == 16 && y.Stride == 4 && b.k.solve4 != nil {
		p, _ := words[T](piv[:4*count])
		b.call(b.k.solve4, args[T]{a: &lu.Data[:16*count][0], b: &p[0], c: &y.Data[:4*count][0], t: &z[:4*count][0]})
		return
	}
	a := b.in(lu, count, n*n)
	all := b.take((n + 1) * cols) // row 0 is empty: exchanges count from 1
	x, p := all[cols*b.lanes:], b.take(n)
	b.inTo(x, y, count, n*cols)
	if w, ok := words[T](piv[:count*n]); ok {
		b.pack(p, w, count, n, n)
	} else {
		for j := range n {
			cell := b.cell(p, j)
			for l := range cell {
				setIndex(cell, l, int(piv[min(l, count-1)*n+j]))
			}
		}
	}
	exchange := func(from, to int) {
		b.call(b.k.exchange, args[T]{a: &all[0], b: &p[from*b.lanes], n: cols, m: n + 1, k: from + 1, rs: cols * b.k.bytes, bs: to + 1})
	}
	if adjoint {
		b.triangle(false, false, n, cols, a, 1, n, x)
		b.triangle(true, true, n, cols, a, 1, n, x)
		for j := n - 1; j >= 0; j-- {
			exchange(j, j+1)
		}
	} else {
		exchange(0, n)
		b.triangle(false, true, n, cols, a, n, 1, x)
		b.triangle(true, false, n, cols, a, n, 1, x)
	}
	b.unpack(z, x, count, n*cols)
}

// SolveTriangular writes the solutions with triangles of matrices to z.
func (b *Batch[T]) SolveTriangular(upper, unit bool, n, cols, count int, tri, y lapack.Matrices[T], z []T) {
	b.reset()
	a, x := b.in(tri, count, n*n), b.in(y, count, n*cols)
	b.triangle(upper, unit, n, cols, a, n, 1, x)
	b.unpack(z, x, count, n*cols)
}

// triangle solves in place with a triangle of a, whose strides are rs and cs cells. An upper triangle is a lower one from its end on.
func (b *Batch[T]) triangle(upper, unit bool, n, cols int, a []T, rs, cs int, x []T) {
	g := args[T]{a: &a[0], b: &x[0], n: n, m: cols, rs: rs * b.k.bytes, cs: cs * b.k.bytes, bs: cols * b.k.bytes}
	if unit {
		g.k = 1
	}
	if upper {
		g.a, g.b = &a[(n*n-1)*b.lanes], &x[(n-1)*cols*b.lanes]
		g.rs, g.cs, g.bs = -g.rs, -g.cs, -g.bs
	}
	b.call(b.k.solve, g)
}

// reflector makes the reflector of the n cells of a from cell at on, step apart, and puts tau in cell j of tau.
func (b *Batch[T]) reflector(n int, a []T, at, step int, tau []T, j int) {
	b.call(b.k.reflector, args[T]{a: &a[at*b.lanes], b: &tau[j*b.lanes], n: n, rs: step * b.k.bytes})
}

// reflect applies the reflector with vector v[at], v[at+step], … to the n×m cells of c that begin at cell to, with strides rs and cs.
func (b *Batch[T]) reflect(n, m int, v []T, at, step int, tau []T, j int, c []T, to, rs, cs int) {
	if m > 0 {
		b.call(b.k.reflect, args[T]{a: &v[at*b.lanes], b: &tau[j*b.lanes], c: &c[to*b.lanes], n: n, m: m, rs: step * b.k.bytes,
			bs: rs * b.k.bytes, cs: cs * b.k.bytes})
	}
}

// QR writes R, rows×n, to r, and the first cols columns of Q to q, if cols is not 0. Rows beyond min(m, n) of R are zero.
func (b *Batch[T]) QR(m, n, count int, x lapack.Matrices[T], q []T, cols int, r []T, rows int) {
	b.reset()
	k := min(m, n)
	a, tau := b.in(x, count, m*n), b.take(k)
	undo, bad, _ := b.normalize(m*n, a)
	for j := range k {
		b.reflector(m-j, a, j*n+j, n, tau, j)
		b.reflect(m-j, n-j-1, a, j*n+j, n, tau, j, a, j*n+j+1, n, 1)
	}
	up := b.take(rows * n)
	clear(up)
	for i := range k {
		copy(up[(i*n+i)*b.lanes:(i+1)*n*b.lanes], a[(i*n+i)*b.lanes:])
	}
	b.scaleCells(rows*n, up, undo)
	b.unpack(r, up, count, rows*n)
	if cols > 0 {
		z := b.take(m * cols)
		clear(z)
		for i := range min(m, cols) {
			d := b.cell(z, i*cols+i)
			for l := range d {
				d[l] = 1
			}
		}
		for j := k - 1; j >= 0; j-- {
			b.reflect(m-j, cols-j, a, j*n+j, n, tau, j, z, j*cols+j, cols, 1)
		}
		b.unpack(q, z, count, m*cols)
	}
	for l := range count {
		if bad>>l&1 != 0 {
			fillNaN(r[l*rows*n:][:rows*n])
			if cols > 0 {
				fillNaN(q[l*m*cols:][:m*cols])
			}
		}
	}
}

func fillNaN[T Float](x []T) {
	var zero T
	for i := range x {
		x[i] = zero / zero
	}
}
