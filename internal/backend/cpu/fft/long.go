package fft

import (
	"math/bits"
	"sync"
	"unsafe"
)

// Bounds of the forms. Which form a row has depends on its length alone, so that its bits do not depend on how many rows there are; what
// runs at the same time changes no bits.
const (
	longLength = 1 << 13 // longer rows are matrices
	wideLength = 1 << 15 // up to here, several rows run at the same time, else pieces of one
	mostWide   = 1 << 17 // up to here too, if each thread has some
	maxSide    = 1 << 16 // of the matrix of a long row
	maxTwist   = 1 << 25 // bytes of a table of roots
)

// isLong reports whether rows are transformed one by one.
func isLong(n int) bool {
	return n > longLength || n > longLength/2 && !smooth(n) // a convolution has twice the length
}

// long is a transform of a row of n = a·b elements, seen as a matrix of a rows: its columns are transformed, multiplied by
// roots of order n, and transformed along the rows. Without such a matrix, it is a convolution.
type long[T floats] struct {
	n, a, b int
	pa, pb  *plan[T]
	twist   []T       // exp(-2πi·j·k/n) by groups of columns j, by k, in lanes; nil: computed when needed
	coarse  []float64 // exp(-2πi·q·fine/n), then exp(-2πi·r/n): pairs whose products are all roots
	fine    int
	pitch   int          // numbers from a group of rows k to the next in the matrix between the steps
	conv    *longConv[T] // instead of a matrix
	once    sync.Once
	pairs   []T // see pairRoots
}

func (g *long[T]) bytes() int {
	var z T
	size := 2 * len(g.twist) // pairRoots may be as many
	if g.conv != nil {
		size += len(g.conv.chirp) + len(g.conv.filter) + len(g.conv.back)
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
	// Groups do not all begin in the same set of the cache.
	g.pitch = 2*l*wholeLanes(g.b, l) + 4*l
	if size := 2 * wholeLanes(g.b, l) * wholeLanes(g.a, l); size*int(unsafe.Sizeof(z)) <= maxTwist {
		g.twist = make([]T, size)
		for i := range blocksOf(g.b, l) {
			g.roots(g.twist[i*g.group():][:g.group()], i*l, g.a, g.b)
		}
	}
	return g
}

// wholeLanes is n or the next multiple of l.
func wholeLanes(n, l int) int { return blocksOf(n, l) * l }

// group is how many numbers a group of columns has.
func (g *long[T]) group() int { return 2 * lanesOf[T]() * wholeLanes(g.a, lanesOf[T]()) }

// root is exp(-2πi·at/n), at below n, as a product of two exact ones.
func (g *long[T]) root(at int) (re, im T) {
	low := g.coarse[2*(g.n/g.fine+1):]
	q, r := at/g.fine, at%g.fine
	a, b, c, d := g.coarse[2*q], g.coarse[2*q+1], low[2*r], low[2*r+1]
	return T(a*c - b*d), T(a*d + b*c)
}

// roots writes the roots for count elements of l lanes, which are columns from j on of so many.
func (g *long[T]) roots(to []T, j, count, columns int) {
	l := lanesOf[T]()
	for k := range count {
		for i := range l {
			to[2*l*k+i], to[2*l*k+l+i] = g.root((j + i) % columns * k)
		}
	}
}

// room is what the transform of one row needs: the matrix between the steps, and two buffers for groups. Without these, groups run at the
// same time and have their own.
type room[T floats] struct{ matrix, x, y []T }

// sizes are how many numbers the matrix and a buffer have.
func (g *long[T]) sizes() (matrix, buffer int) {
	if g.conv != nil {
		m, b := g.conv.inner.sizes()
		return 2*m + 2*g.conv.inner.n, b
	}
	l := lanesOf[T]()
	buffer = max(g.pa.scratch(l), g.pb.scratch(l), g.group())
	if g.twist == nil {
		buffer += g.group()
	}
	return blocksOf(g.a, l) * g.pitch, buffer
}

// withRoom calls f with what rows need: of rows that run one after the other, buffers too.
func (g *long[T]) withRoom(serial bool, f func(r room[T]) error) error {
	matrix, buffer := g.sizes()
	size, apart := matrix, 5*lanesOf[T]() // the buffers do not begin in the same set of the cache
	if serial {
		size += 2 * (buffer + apart)
	}
	buf, back := borrow[T](size)
	defer back()
	r := room[T]{matrix: buf[:matrix]}
	if serial {
		r.x, r.y = buf[matrix+apart:][:buffer], buf[matrix+2*apart+buffer:][:buffer]
	}
	return f(r)
}

// each runs f over groups of n elements.
func (r room[T]) each(run For, groups, n, buffer int, f func(i int, x, y []T, yield func())) error {
	if r.x == nil {
		return eachGroup(run, groups, n, buffer, f)
	}
	for i := range groups {
		f(i, r.x, r.y, nil)
	}
	return nil
}

// run transforms one row of in to one of out, times scale. Both may be the same memory.
func (g *long[T]) run(run For, rm room[T], out, in []T, to, from *lanes, sw swaps, scale T) error {
	if g.conv != nil {
		return g.conv.run(run, rm, out, in, to, from, sw, scale)
	}
	l := lanesOf[T]()
	_, buffer := g.sizes()
	err := rm.each(run, blocksOf(g.b, l), g.a, buffer, func(i int, x, y []T, yield func()) {
		w, source := across(from, i*l, g.b, l), end[T]{}
		if w.near {
			source = end[T]{at: in[2*w.off[0]:], step: w.stride, pairs: true}
		} else {
			load(x, in, &w, g.a)
		}
		g.columns(i, source, rm.matrix, x, y, sw.in, yield)
	})
	if err != nil {
		return err
	}
	return rm.each(run, blocksOf(g.a, l), g.b, buffer, func(i int, x, y []T, yield func()) {
		w, source := across(to, i*l, g.a, l), end[T]{at: rm.matrix[i*g.pitch:], step: 1}
		if w.near {
			there := end[T]{at: out[2*w.off[0]:], step: w.stride, pairs: true, stream: to.stream}
			g.pb.between(source, there, x, y, swaps{out: sw.out}, scale, yield)
			return
		}
		save(out, g.pb.between(source, end[T]{}, x, y, swaps{out: sw.out}, 1, yield), &w, g.b, scale)
	})
}

// columns transforms the i-th group of columns, and puts it into the matrix, transposed. Without a source, x has the elements.
func (g *long[T]) columns(i int, source end[T], matrix, x, y []T, swap bool, yield func()) {
	l := lanesOf[T]()
	z := g.pa.between(source, end[T]{}, x, y, swaps{in: swap}, 1, yield)
	roots := g.twist
	if roots == nil {
		roots = x[len(x)-g.group():]
		if &z[0] == &x[0] {
			roots = y[len(y)-g.group():]
		}
		g.roots(roots, i*l, g.a, g.b)
	} else {
		roots = roots[i*g.group():]
	}
	twistTranspose(matrix[2*l*l*i:], g.pitch, z, roots, blocksOf(g.a, l))
}

// twistTranspose multiplies blocks of l elements by roots, which differ from lane to lane, and transposes each: its lanes become
// elements of to. The results of blocks are pitch numbers apart. It may change x.
func twistTranspose[T floats](to []T, pitch int, x, roots []T, blocks int) {
	if twistTransposeFast(to, pitch, x, roots, blocks) {
		return
	}
	l := lanesOf[T]()
	twistLanes(x, roots, blocks*l, swaps{})
	for b := range blocks {
		for part := range 2 {
			transposeFast(to[b*pitch+part*l:], 2*l, x[2*l*l*b+part*l:], 2*l, l, l)
		}
	}
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
