package fft

import (
	"math/bits"
	"unsafe"
)

// Bounds of the forms. Which form a row has depends on its length alone, so that its bits do not depend on how many rows there are.
const (
	longLength = 1 << 13 // longer rows are matrices
	convLeast  = 1 << 9  // as are those of convolutions, from this length on
	wideLength = 1 << 15 // up to here, several rows run at the same time, else pieces of one
	maxSide    = 1 << 16 // of the matrix of a long row
	maxTwist   = 1 << 25 // bytes of a table of roots
)

// isLong reports whether rows are transformed one by one.
func isLong(n int) bool {
	if n > longLength || n < convLeast {
		return n > longLength
	}
	_, smooth := radices(n)
	return !smooth
}

// long is a transform of a row of n = a·b elements, seen as a matrix of a rows: its columns are transformed, multiplied by
// roots of order n, and transformed along the rows. Without such a matrix, it is a convolution.
type long[T floats] struct {
	n, a, b int
	pa, pb  *plan[T]
	twist   []T       // exp(-2πi·j·k/n) by groups of columns j, by k, in lanes; nil: computed when needed
	coarse  []float64 // exp(-2πi·q·fine/n), then exp(-2πi·r/n): pairs whose products are all roots
	fine    int
	conv    *longConv[T] // instead of a matrix
}

func (g *long[T]) bytes() int {
	var z T
	size := len(g.twist)
	if g.conv != nil {
		size += len(g.conv.chirp) + len(g.conv.filter)
	}
	return size*int(unsafe.Sizeof(z)) + 8*len(g.coarse) + 256
}

func longOf[T floats](n int) *long[T] {
	return cached[T](n*kinds+kindLong, func() *long[T] { return newLong[T](n) })
}

// sides are a·b = n, near to each other: multiples of the lanes if there are some, else as near as can be.
func sides(n int) (a, b int) {
	root := 1 << (bits.Len(uint(n)) / 2)
	for root*root > n {
		root /= 2
	}
	for (root+1)*(root+1) <= n {
		root++
	}
	for a = root / maxLanes * maxLanes; a > 0; a -= maxLanes {
		if n%a == 0 && n/a%maxLanes == 0 && n/a <= maxSide {
			return a, n / a
		}
	}
	for a = root; a > 1; a-- {
		if n%a == 0 {
			break
		}
	}
	return a, n / a
}

func newLong[T floats](n int) *long[T] {
	g := &long[T]{n: n}
	if g.a, g.b = sides(n); g.a < 8 || g.b > maxSide {
		g.conv = newLongConv[T](n)
		return g
	}
	g.pa, g.pb = planOf[T](g.a), planOf[T](g.b)
	for g.fine = 1; g.fine*g.fine < n; g.fine *= 2 {
	}
	g.coarse = make([]float64, 0, 2*(n/g.fine+1+g.fine))
	for q := range n/g.fine + 1 {
		re, im := root(q*g.fine, n)
		g.coarse = append(g.coarse, re, im)
	}
	for r := range g.fine {
		re, im := root(r, n)
		g.coarse = append(g.coarse, re, im)
	}
	var z T
	l := lanesOf[T]()
	groups := (g.b + l - 1) / l
	if size := 2 * l * groups * g.a; size*int(unsafe.Sizeof(z)) <= maxTwist {
		g.twist = make([]T, size)
		for i := range groups {
			g.roots(g.twist[2*l*g.a*i:][:2*l*g.a], i*l)
		}
	}
	return g
}

// root is exp(-2πi·at/n), at below n, as a product of two exact ones.
func (g *long[T]) root(at int) (re, im T) {
	low := g.coarse[2*(g.n/g.fine+1):]
	q, r := at/g.fine, at%g.fine
	a, b, c, d := g.coarse[2*q], g.coarse[2*q+1], low[2*r], low[2*r+1]
	return T(a*c - b*d), T(a*d + b*c)
}

// roots writes the roots for l columns from j on.
func (g *long[T]) roots(to []T, j int) {
	l := lanesOf[T]()
	for k := range g.a {
		for i := range l {
			to[2*l*k+i], to[2*l*k+l+i] = g.root((j + i) % g.b * k)
		}
	}
}

// run transforms one row of in to one of out, times scale. Both may be the same memory.
func (g *long[T]) run(run For, out, in []T, to, from *lanes, inverse bool, scale T) error {
	if g.conv != nil {
		return g.conv.run(run, out, in, to, from, inverse, scale)
	}
	l := lanesOf[T]()
	columns := g.b + l/2 // rows of tmp do not all begin in the same set of the cache
	tmp, back := borrow[T](2 * g.a * columns)
	defer back()
	pa, pb := g.pa, g.pb
	err := eachGroup(run, (g.b+l-1)/l, g.a, pa.scratch(l)+2*l*g.a, func(i int, x, y []T, yield func()) {
		var z []T
		if from.packed {
			z = pa.runFrom(in[2*l*i:], g.b/l, x, y, swaps{in: inverse}, yield)
		} else {
			w := across(from, i*l, g.b, l)
			load(x, in, &w, g.a)
			z = pa.run(l, x, y, swaps{in: inverse}, yield)
		}
		roots := g.twist
		if roots == nil {
			roots = x[pa.scratch(l):]
			g.roots(roots, i*l)
		} else {
			roots = roots[2*l*g.a*i:]
		}
		twistLanes(z, roots, g.a, swaps{})
		w := across(&row1, i*l, columns, l)
		w.count = min(l, g.b-i*l)
		w.near = w.count == l
		save(tmp, z, &w, g.a, 1)
	})
	if err != nil {
		return err
	}
	return eachGroup(run, (g.a+l-1)/l, g.b, pb.scratch(l), func(i int, x, y []T, yield func()) {
		w := tensor{g.a, 1}.group(i, l, columns)
		load(x, tmp, &w, g.b)
		if to.packed {
			pb.runTo(out[2*l*i:], g.a/l, x, y, swaps{out: inverse}, yield)
			return
		}
		z := pb.run(l, x, y, swaps{out: inverse}, yield)
		w = across(to, i*l, g.a, l)
		save(out, z, &w, g.b, scale)
	})
}

// across are l columns from the j-th on of a row that is seen as a matrix with the given number of columns.
func across(row *lanes, j, columns, l int) (w lanes) {
	w.count = min(l, columns-j)
	w.stride = row.stride * columns
	w.near = row.stride == 1 && w.count == l
	for i := range w.off[:l] {
		c := j
		if i < w.count {
			c += i
		}
		w.off[i] = row.off[0] + c*row.stride
	}
	return w
}

// twistLanes multiplies n elements by roots that differ from lane to lane.
func twistLanes[T floats](x, roots []T, n int, sw swaps) {
	if twistFast(x, roots, n, sw) {
		return
	}
	l := lanesOf[T]()
	r0, i0 := parts(l, sw.in)
	r1, i1 := parts(l, sw.out)
	for j := range n {
		p, w := x[2*l*j:][:2*l], roots[2*l*j:][:2*l]
		for i := range l {
			a, b, c, s := p[r0+i], p[i0+i], w[i], w[l+i]
			p[r1+i], p[i1+i] = T(a*c)-T(b*s), T(a*s)+T(b*c)
		}
	}
}
