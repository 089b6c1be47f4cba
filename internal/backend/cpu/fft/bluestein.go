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

// convLength is a length with small factors of at least n, a multiple of unit, which is a power of two.
func convLength(n, unit int) int {
	best := max(unit, 1<<bits.Len(uint(n-1)))
	for _, odd := range []int{3, 5, 9, 15} {
		m := odd
		for m < n {
			m *= 2
		}
		if m%unit == 0 && m < best {
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
	m := convLength(2*n-1, 8)
	b := &bluestein[T]{n: n, inner: planOf[T](m), chirp: make([]T, 2*n), filter: make([]T, 2*m)}
	chirp := chirpOf(n)
	for i, v := range chirp {
		b.chirp[i] = T(v)
	}
	// The filter is transformed in float64 in one lane.
	wide, l := planOf[float64](m), lanesOf[float64]()
	x, y := make([]float64, wide.scratch(l)), make([]float64, wide.scratch(l))
	f := filterOf(chirp, m)
	for j := range m {
		x[2*l*j], x[2*l*j+l] = f[2*j], f[2*j+1]
	}
	x = wide.run(l, x, y, swaps{}, nil)
	for j := range m {
		b.filter[2*j], b.filter[2*j+1] = T(x[2*l*j]), T(x[2*l*j+l])
	}
	return b
}

func (b *bluestein[T]) run(l int, x, y []T, sw swaps, yield func()) []T {
	m := b.inner.n
	mulLanes(l, x, x, b.chirp, b.n, swaps{in: sw.in})
	clear(x[2*l*b.n : 2*l*m])
	z := b.inner.run(l, x, y, swaps{}, yield)
	if &z[0] == &y[0] {
		x, y = y, x
	}
	mulLanes(l, x, x, b.filter, m, swaps{})
	z = b.inner.run(l, x, y, swaps{true, true}, yield)
	mulLanes(l, z, z, b.chirp, b.n, swaps{out: sw.out})
	return z
}

// mulLanes multiplies n elements of l lanes by the pairs w.
func mulLanes[T floats](l int, y, x, w []T, n int, sw swaps) {
	if l > 1 && mulFast(y, x, w, n, sw) {
		return
	}
	r0, i0 := parts(l, sw.in)
	r1, i1 := parts(l, sw.out)
	for j := range n {
		c, s := w[2*j], w[2*j+1]
		in, out := x[2*l*j:][:2*l], y[2*l*j:][:2*l]
		for i := range l {
			a, b := in[r0+i], in[i0+i]
			out[r1+i], out[i1+i] = T(a*c)-T(b*s), T(a*s)+T(b*c)
		}
	}
}
