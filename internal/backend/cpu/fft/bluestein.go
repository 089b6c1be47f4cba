package fft

import "math/bits"

// bluestein is a transform of n elements as a convolution with a chirp: j·k = (j² + k² - (k-j)²)/2. The convolution is two
// transforms of a length that has only small factors.
type bluestein[T floats] struct {
	n      int
	inner  *plan[T]
	chirp  []T // exp(-πi·j²/n), pairs
	filter []T // transform of the conjugate chirp on both sides of 0, divided by the length of the convolution
}

// convLength is a length with small factors of at least n.
func convLength(n int) int {
	best := 1 << bits.Len(uint(n-1))
	for _, odd := range []int{3, 5, 9, 15} {
		m := odd
		for m < n {
			m *= 2
		}
		if m%8 == 0 && m < best {
			best = m
		}
	}
	return best
}

// chirpOf is exp(-πi·j²/n) for j < n; the square is reduced modulo 2n as an integer.
func chirpOf(n int) []float64 {
	c := make([]float64, 2*n)
	at := 0 // j² modulo 2n
	for j := range n {
		c[2*j], c[2*j+1] = root(at, 2*n)
		at = (at + 2*j + 1) % (2 * n)
	}
	return c
}

// filterOf is the conjugate chirp on both sides of 0, cyclic of m elements, divided by m.
func filterOf(chirp []float64, m int) []float64 {
	n := len(chirp) / 2
	f := make([]float64, 2*m)
	for j := range n {
		re, im := chirp[2*j]/float64(m), -chirp[2*j+1]/float64(m)
		f[2*j], f[2*j+1] = re, im
		if j > 0 {
			f[2*(m-j)], f[2*(m-j)+1] = re, im
		}
	}
	return f
}

func newBluestein[T floats](n int) *bluestein[T] {
	m := convLength(2*n - 1)
	b := &bluestein[T]{n: n, inner: planOf[T](m), chirp: make([]T, 2*n), filter: make([]T, 2*m)}
	chirp := chirpOf(n)
	for i, v := range chirp {
		b.chirp[i] = T(v)
	}
	// The filter is transformed in float64 in one lane.
	wide, l := planOf[float64](m), lanesOf[float64]()
	x, y := make([]float64, wide.scratch()), make([]float64, wide.scratch())
	f := filterOf(chirp, m)
	for j := range m {
		x[2*l*j], x[2*l*j+l] = f[2*j], f[2*j+1]
	}
	x = wide.run(x, y, nil)
	for j := range m {
		b.filter[2*j], b.filter[2*j+1] = T(x[2*l*j]), T(x[2*l*j+l])
	}
	return b
}

func (b *bluestein[T]) run(x, y []T, yield func()) []T {
	l := lanesOf[T]()
	m := b.inner.n
	scaleLanes(l, x, x, b.chirp, b.n)
	clear(x[2*l*b.n : 2*l*m])
	z := b.inner.run(x, y, yield)
	if &z[0] == &y[0] {
		x, y = y, x
	}
	// The inverse transform is that of swapped parts: the product is stored swapped.
	mulSwapped(l, x, x, b.filter, m)
	z = b.inner.run(x, y, yield)
	if &z[0] == &y[0] {
		x, y = y, x
	}
	unswapScaled(l, x, x, b.chirp, b.n)
	return x
}

// scaleLanes multiplies n elements of l lanes by the pairs w.
func scaleLanes[T floats](l int, y, x, w []T, n int) {
	if l > 1 && lanesFast(mulPlain, y, x, w, n) {
		return
	}
	for j := range n {
		c, s := w[2*j], w[2*j+1]
		in, out := x[2*l*j:][:2*l], y[2*l*j:][:2*l]
		for i := range l {
			a, b := in[i], in[l+i]
			out[i], out[l+i] = T(a*c)-T(b*s), T(a*s)+T(b*c)
		}
	}
}

// mulSwapped is scaleLanes with the parts of the result swapped.
func mulSwapped[T floats](l int, y, x, w []T, n int) {
	if l > 1 && lanesFast(mulSwapOut, y, x, w, n) {
		return
	}
	for j := range n {
		c, s := w[2*j], w[2*j+1]
		in, out := x[2*l*j:][:2*l], y[2*l*j:][:2*l]
		for i := range l {
			a, b := in[i], in[l+i]
			out[i], out[l+i] = T(a*s)+T(b*c), T(a*c)-T(b*s)
		}
	}
}

// unswapScaled is scaleLanes of swapped parts.
func unswapScaled[T floats](l int, y, x, w []T, n int) {
	if l > 1 && lanesFast(mulSwapIn, y, x, w, n) {
		return
	}
	for j := range n {
		c, s := w[2*j], w[2*j+1]
		in, out := x[2*l*j:][:2*l], y[2*l*j:][:2*l]
		for i := range l {
			b, a := in[i], in[l+i]
			out[i], out[l+i] = T(a*c)-T(b*s), T(a*s)+T(b*c)
		}
	}
}

// The forms of a product of lanes with pairs.
const (
	mulPlain = iota
	mulSwapOut
	mulSwapIn
)
