package cpu

import "github.com/lucid-go/lucid/internal/backend"

// A convolution with one tap is a product of the kernels with the images as they lie.

const (
	pointCols  = 224      // fewest columns of a strip
	pointAlign = 32       // and what they are a multiple of: the width of tiles
	pointWork  = 12 << 20 // multiply-adds of a strip, at least: enough for its operands to be packed
	pointLeast = 8        // strips below which each product is cut by itself
)

// isPointwise reports whether the input itself is the second matrix: one tap, and places evenly apart.
func (j *convJob[T]) isPointwise() bool {
	for d := range 3 {
		if j.kernelSize[d] != 1 || len(j.phases[d]) != 1 || j.outSize[d] != j.size[d] {
			return false
		}
		if p := j.phases[d][0]; p.first != 0 || p.stride != 1 || p.taps != 1 {
			return false
		}
	}
	return j.isEven()
}

// isEven reports whether the places of the input are evenly apart.
func (j *convJob[T]) isEven() bool {
	return (j.size[1] == 1 || j.step[1] == j.size[2]*j.step[2]) && (j.size[0] == 1 || j.step[0] == j.size[1]*j.size[2]*j.step[2])
}

func (j *convJob[T]) pointwise(c *backend.Ctx) error {
	lead := []int{j.images, j.groups}
	w := stack[T]{x: j.w, rows: j.kernels, cols: j.channels, rs: j.kernelStep, cs: j.kernelInStep,
		lead: lead, step: []int{0, j.kernels * j.kernelStep}}
	x := stack[T]{x: j.x, rows: j.channels, cols: j.outPositions, rs: j.channelStep, cs: j.step[2],
		lead: lead, step: []int{j.imageStep, j.channels * j.channelStep}}
	return j.inStrips(c, &w, &x)
}

// inStrips multiplies strips of columns of all images side by side: a product that is cut by itself packs its second operand
// several times, and ends with all threads waiting for the last.
func (j *convJob[T]) inStrips(c *backend.Ctx, w, x *stack[T]) error {
	m, k, n := w.rows, w.cols, x.cols
	mul := j.float.ended
	strips := max(1, min(m*n*k/pointWork, n/pointCols))
	cols := ceil(ceil(n, strips), pointAlign) * pointAlign
	strips = ceil(n, max(1, cols))
	count := j.images * j.groups * strips
	if count < pointLeast || m*n*k < productWork {
		return multiplyEnded(c, j.z, w, x, mul, ending{then: j.then})
	}
	return c.For(count, func(b int) {
		i, at := b/strips, b%strips*cols
		var ep func(c []T, crs, row, col, rows, cols int)
		if j.then != nil {
			ep = func(_ []T, _, row, col, rows, cols int) { j.then(i*m+row, at+col, rows, cols) }
		}
		mul(m, min(cols, n-at), k, w.at(i), w.rs, w.cs, x.at(i)[at*x.cs:], x.rs, x.cs, j.z[i*m*n+at:], n, ep, nil)
	})
}
