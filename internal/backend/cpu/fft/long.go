package fft

import (
	"math/bits"
	"unsafe"
)

// Bounds of the forms.
const (
	longLength = 1 << 13 // longer rows are long ones
	fewLength  = 1 << 8  // as are rows from this length on, if they would leave half of the lanes empty
	maxSide    = 1 << 16 // of the matrix of a long row
	maxTwist   = 1 << 25 // bytes of a table of roots
)

// isLong reports whether rows are transformed one by one.
func isLong[T floats](n, rows int) bool {
	return n > longLength || n >= fewLength && rows < lanesOf[T]()/2
}

// long is a transform of one row of n = a·b elements, seen as a matrix of a rows: its columns are transformed, multiplied by
// roots of order n, and transformed along the rows. Without such a matrix, it is a convolution.
type long[T floats] struct {
	n, a, b int
	twist   []T       // exp(-2πi·j·k/n) by groups of columns j, by k, in lanes; nil: computed when needed
	coarse  []float64 // exp(-2πi·q·fine/n), then exp(-2πi·r/n): pairs whose products are all roots
	fine    int
	chirp   []T // of a convolution
	filter  []T
	inner   *long[T]
}

func (g *long[T]) bytes() int {
	var z T
	return (len(g.twist)+len(g.chirp)+len(g.filter))*int(unsafe.Sizeof(z)) + 8*len(g.coarse) + 256
}

func longOf[T floats](n int) *long[T] {
	return cached[T](n*kinds+kindLong, func() *long[T] { return newLong[T](n) })
}

// sides are a·b = n, as near to each other as can be; the transform of neither side is a convolution unless it must be.
func sides(n int) (a, b int) {
	for a = 1 << (bits.Len(uint(n)) / 2); a*a > n; a /= 2 {
	}
	root := a
	for (root+1)*(root+1) <= n {
		root++
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
		return newLongConv[T](n)
	}
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

// roots writes the roots for l columns from j on.
func (g *long[T]) roots(to []T, j int) {
	l := lanesOf[T]()
	low := g.coarse[2*(g.n/g.fine+1):]
	for k := range g.a {
		for i := range l {
			at := (j + i) % g.b * k // below n
			q, r := at/g.fine, at%g.fine
			a, b, c, d := g.coarse[2*q], g.coarse[2*q+1], low[2*r], low[2*r+1]
			to[2*l*k+i], to[2*l*k+l+i] = T(a*c-b*d), T(a*d+b*c)
		}
	}
}

// run transforms one row of in to one of out, times scale. Both may be the same memory.
func (g *long[T]) run(run For, out, in []T, to, from *lanes, inverse bool, scale T) error {
	if g.inner != nil {
		return g.convolve(run, out, in, to, from, inverse, scale)
	}
	l := lanesOf[T]()
	tmp, back := borrow[T](2 * g.n)
	defer back()
	pa, pb := planOf[T](g.a), planOf[T](g.b)
	err := eachGroup(run, (g.b+l-1)/l, g.a, pa.scratch()+2*l*g.a, func(i int, x, y []T, yield func()) {
		w := across(from, i*l, g.b, l)
		load(x, in, &w, g.a, inverse)
		z := pa.run(x, y, yield)
		roots := g.twist
		if roots == nil {
			roots = x[pa.scratch():]
			g.roots(roots, i*l)
		} else {
			roots = roots[2*l*g.a*i:]
		}
		twistLanes(z, roots, g.a)
		w = across(&lanes{stride: 1}, i*l, g.b, l)
		save(tmp, z, &w, g.a, false, 1)
	})
	if err != nil {
		return err
	}
	return eachGroup(run, (g.a+l-1)/l, g.b, pb.scratch(), func(i int, x, y []T, yield func()) {
		w := tensor{g.a, 1}.group(i, l, g.b)
		load(x, tmp, &w, g.b, false)
		z := pb.run(x, y, yield)
		w = across(to, i*l, g.a, l)
		save(out, z, &w, g.b, inverse, scale)
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
func twistLanes[T floats](x, roots []T, n int) {
	if twistFast(x, roots, n) {
		return
	}
	l := lanesOf[T]()
	for j := range n {
		p, w := x[2*l*j:][:2*l], roots[2*l*j:][:2*l]
		for i := range l {
			a, b, c, s := p[i], p[l+i], w[i], w[l+i]
			p[i], p[l+i] = T(a*c)-T(b*s), T(a*s)+T(b*c)
		}
	}
}
