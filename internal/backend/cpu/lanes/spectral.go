package lanes

import (
	"math"

	"github.com/lucid-go/lucid/internal/backend/lapack"
)

// mostSteps bounds the steps for one eigenvalue, and mostSweeps those over all pairs of rows.
const (
	mostSteps  = 60
	mostSweeps = 40
)

// Eigh writes the eigenvalues of symmetric matrices, whose lower triangles are read, to w, ascending, and if v is not nil, the
// eigenvectors to its columns. info is 1 for a matrix that is not finite or does not converge.
func (b *Batch[T]) Eigh(n, count int, x lapack.Matrices[T], w, v []T, info []int32) {
	b.reset()
	a := b.in(x, count, n*n)
	for i := range n {
		for j := range i {
			b.copyCell(a, j*n+i, a, i*n+j)
		}
	}
	undo, bad, norm := b.normalize(n*n, a)
	d, e, tau := b.take(n), b.take(n), b.take(n)
	b.tridiagonalize(n, a, d, e, tau)
	var z []T
	if v != nil {
		z = b.take(n * n)
		b.identity(n, z)
		for j := n - 3; j >= 0; j-- {
			b.reflect(n-j-1, n-j-1, a, (j+1)*n+j, n, tau, j, z, (j+1)*n+j+1, n, 1)
		}
	}
	bad |= b.implicitQL(n, d, e, norm, z)
	b.scaleCells(n, d, undo)
	order, row := b.order[:n], b.row[:n]
	values := a[:n*b.lanes] // no longer needed
	b.unpack(values, d, b.lanes, n)
	if v != nil {
		b.unpack(v, z, count, n*n)
	}
	for l := range count {
		info[l] = int32(bad >> l & 1)
		sorted := ascending(values[l*n:][:n], order)
		for i, o := range order {
			w[l*n+i] = values[l*n+o]
		}
		if info[l] != 0 {
			fillNaN(w[l*n:][:n])
		}
		if v == nil || sorted {
			continue
		}
		for i := range n {
			to := v[(l*n+i)*n:][:n]
			copy(row, to)
			for k, o := range order {
				to[k] = row[o]
			}
		}
	}
}

// ascending sets order to that of the values, and reports whether they are in order already.
func ascending[T Float](x []T, order []int) bool {
	sorted := true
	for i, v := range x {
		k := i
		for ; k > 0 && v < x[order[k-1]]; k-- {
			order[k] = order[k-1]
			sorted = false
		}
		order[k] = i
	}
	return sorted
}

// tridiagonalize reduces a to diagonals d and subdiagonals e. The reflector of column j has its vector below a[j+1][j], and tau.
func (b *Batch[T]) tridiagonalize(n int, a, d, e, tau []T) {
	for j := range n - 2 {
		b.reflector(n-j-1, a, (j+1)*n+j, n, tau, j)
		b.reflect(n-j-1, n-j-1, a, (j+1)*n+j, n, tau, j, a, (j+1)*n+j+1, n, 1)
		b.reflect(n-j-1, n-j-1, a, (j+1)*n+j, n, tau, j, a, (j+1)*n+j+1, 1, n)
	}
	for j := range n {
		b.copyCell(d, j, a, j*n+j)
		if j+1 < n {
			b.copyCell(e, j, a, (j+1)*n+j)
		}
	}
}

// implicitQL finds the eigenvalues of tridiagonal matrices in place of d, and multiplies the rows of z, if not nil, by the rotations. It
// returns the lanes that did not converge.
func (b *Batch[T]) implicitQL(n int, d, e, norm, z []T) (bad uint) {
	if n < 2 {
		return 0
	}
	cos, sin, tiny := b.take(n), b.take(n), b.take(1)
	for l, m := range norm {
		f := m * b.k.eps * 0x1p-10
		tiny[l] = f * f
	}
	for l := range n - 1 {
		for step := 0; ; step++ {
			if step == mostSteps {
				bad |= b.giveUp(n, l, d, e, tiny)
			}
			if b.call(b.k.implicit, args[T]{a: &d[0], b: &e[0], c: &cos[0], d: &sin[0], t: &tiny[0], n: n, k: l}) == 0 {
				break
			}
			if z != nil {
				last := n - 2
				b.call(b.k.rotations, args[T]{a: &z[(n-1)*b.lanes], c: &cos[last*b.lanes], d: &sin[last*b.lanes], n: n, m: n - 1 - l,
					rs: n * b.k.bytes, cs: -b.k.bytes, bs: -b.k.bytes})
			}
		}
	}
	return bad
}

// giveUp returns the lanes whose element l of e is not negligible after all steps, and makes their e zero so that others go on.
func (b *Batch[T]) giveUp(n, l int, d, e, tiny []T) (bad uint) {
	for i := range b.lanes {
		x, y, z := e[l*b.lanes+i], d[l*b.lanes+i], d[(l+1)*b.lanes+i]
		if !(x*x <= b.k.eps*b.k.eps*T(math.Abs(float64(y)*float64(z)))+tiny[i]) {
			bad |= 1 << i
			for k := range n {
				e[k*b.lanes+i] = 0
			}
		}
	}
	return bad
}

// NeedsMore is the info of a matrix that SVD leaves to another algorithm: its rank is too far from full for rows that are orthogonalized.
const NeedsMore = -1

// SVD writes singular values to w, descending, and if u is not nil, u and vh of A = U·diag(w)·Vᴴ: matrices m×n with k = min(m, n)
// columns of u and rows of vh. Rows are made orthogonal by rotations, which is precise for small singular values as well. info is 1 for a
// matrix that is not finite or does not converge, or NeedsMore.
func (b *Batch[T]) SVD(m, n, count int, x lapack.Matrices[T], w, u, vh []T, info []int32) {
	b.reset()
	a := b.in(x, count, m*n)
	undo, bad, norm := b.normalize(m*n, a)
	flip := m > n
	if flip { // the rows of Aᵀ
		t := b.take(m * n)
		for i := range m {
			for j := range n {
				b.copyCell(t, j*m+i, a, i*n+j)
			}
		}
		a, m, n = t, n, m
		u, vh = vh, u
	}
	k := 0
	var acc []T
	if u != nil {
		k = m
		acc = b.take(m * m)
		b.identity(m, acc)
	}
	squares := b.take(m)
	bad |= b.orthogonalize(m, n, a, acc, k, norm, squares)
	b.finishSVD(m, n, count, a, acc, squares, undo, bad, flip, w, u, vh, info)
}

// orthogonalize does sweeps until all rows are orthogonal. It returns the lanes that did not converge: those whose result would depend on
// when others do are not among them, for a lane that is done changes no more.
func (b *Batch[T]) orthogonalize(m, n int, a, acc []T, k int, norm, squares []T) (bad uint) {
	tol := b.take(2)
	for l, x := range norm {
		tol[l] = b.k.eps * T(math.Sqrt(float64(n)))
		x *= b.k.eps * 0x1p-12
		tol[b.lanes+l] = x * x
	}
	g := args[T]{a: &a[0], b: &a[0], c: &squares[0], t: &tol[0], n: n, m: m, k: k, rs: n * b.k.bytes, bs: m * b.k.bytes}
	if k > 0 {
		g.b = &acc[0]
	}
	if m == 1 {
		g.cs = 1
		b.call(b.k.jacobi, g) // the norm alone
		return 0
	}
	for range mostSweeps - 1 {
		if b.sweep(m, g) == 0 {
			return 0
		}
	}
	before := b.take(m * n)
	copy(before, a[:m*n*b.lanes])
	if b.sweep(m, g) == 0 {
		return 0
	}
	for i := range m * n {
		x, y := b.cell(before, i), b.cell(a, i)
		for l := range x {
			if x[l] != y[l] {
				bad |= 1 << l
			}
		}
	}
	return bad
}

// nearRows is the size of a block of rows. All pairs of two blocks come one after the other, so that both stay in the nearest cache.
const nearRows = 16 << 10

// sweep makes all pairs of rows orthogonal, some rows after the other. It returns the number of rotations.
func (b *Batch[T]) sweep(m int, g args[T]) (count int) {
	some := max(1, nearRows/((g.n+g.k)*b.k.bytes))
	g.cs = 1
	for i := 0; i < m; i += some {
		for j := i; j < m; j += some {
			g.i0, g.i1, g.j0, g.j1 = i, min(i+some, m), j, min(j+some, m)
			count += b.call(b.k.jacobi, g)
			g.cs = 0
		}
	}
	return count
}

// finishSVD normalizes the rows, puts them in order and writes the results.
func (b *Batch[T]) finishSVD(m, n, count int, a, acc, squares, undo []T, bad uint, flip bool, w, u, vh []T, info []int32) {
	values, order := b.row[:m], b.order[:m]
	rows, products := b.take(m*n), b.take(m*m)
	if u != nil {
		b.unpack(rows, a, count, m*n)
		b.unpack(products, acc, count, m*m)
	}
	for l := range count {
		info[l] = int32(bad >> l & 1)
		for i := range values {
			values[i] = -T(math.Sqrt(float64(squares[i*b.lanes+l])))
		}
		ascending(values, order)
		f := T(1)
		if undo != nil {
			f = undo[l]
		}
		for i, o := range order {
			w[l*m+i] = -values[o] * f
		}
		if u == nil || info[l] != 0 {
			if info[l] != 0 {
				fillNaN(w[l*m:][:m])
			}
			continue
		}
		if !(-values[order[m-1]] > -values[order[0]]*b.k.eps*0x1p-10) {
			info[l] = NeedsMore
			continue
		}
		for i, o := range order {
			row, product := rows[(l*m+o)*n:][:n], products[(l*m+o)*m:][:m]
			inverse := -1 / values[o]
			if flip { // the rows are those of Uᵀ, the rotations those of Vᴴ
				for j, x := range row {
					vh[(l*n+j)*m+i] = x * inverse
				}
				copy(u[(l*m+i)*m:][:m], product)
				continue
			}
			to := vh[(l*m+i)*n:][:n]
			for j, x := range row {
				to[j] = x * inverse
			}
			for j, x := range product {
				u[(l*m+j)*m+i] = x
			}
		}
	}
}
