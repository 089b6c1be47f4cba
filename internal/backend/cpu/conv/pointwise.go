package conv

import "github.com/lucid-go/lucid/internal/backend"

// A convolution with one tap is a product of the kernels with the images in place.

const (
	pointCols  = 224      // fewest columns of a strip
	pointAlign = 32       // and what they are a multiple of: the width of tiles
	pointWork  = 12 << 20 // multiply-adds of a strip, at least: enough for its operands to be packed
	pointLeast = 8        // strips below which each product is cut by itself
)

// isPointwise reports whether the input itself is the second matrix: one tap, and positions evenly apart.
func (j *job[T]) isPointwise() bool {
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

// isEven reports whether the positions of the input are evenly apart.
func (j *job[T]) isEven() bool {
	return (j.size[1] == 1 || j.step[1] == j.size[2]*j.step[2]) && (j.size[0] == 1 || j.step[0] == j.size[1]*j.size[2]*j.step[2])
}

func (j *job[T]) pointwise(c *backend.Ctx) error {
	w, x := j.pointwiseFactors()
	return j.inStrips(c, w, x)
}

// pointwiseFactors are the kernels and the images.
func (j *job[T]) pointwiseFactors() (w, x *Batch[T]) {
	lead := []int{j.images, j.groups}
	w = &Batch[T]{X: j.w, Rows: j.kernels, Cols: j.channels, RS: j.kernelStep, CS: j.kernelInStep,
		Lead: lead, Step: []int{0, j.kernels * j.kernelStep}}
	x = &Batch[T]{X: j.x, Rows: j.channels, Cols: j.outPositions, RS: j.channelStep, CS: j.step[2],
		Lead: lead, Step: []int{j.imageStep, j.channels * j.channelStep}}
	return w, x
}

// inStrips multiplies strips of columns of all images side by side: a product that is cut by itself packs its second operand
// several times, and ends with all threads waiting for the last.
func (j *job[T]) inStrips(c *backend.Ctx, w, x *Batch[T]) error {
	return inStrips(c, j.images*j.groups, j.z, w, x, j.float.product, j.float.batched, j.then)
}

// inStrips is that of so many products into z.
func inStrips[T, Z number](c *backend.Ctx, products int, z []Z, w, x *Batch[T], mul Product[T, Z], batched Batched[T, Z],
	then Epilogue) error {
	m, k, n := w.Rows, w.Cols, x.Cols
	strips := max(1, min(m*n*k/pointWork, n/pointCols))
	cols := ceil(ceil(n, strips), pointAlign) * pointAlign
	strips = ceil(n, max(1, cols))
	count := products * strips
	if count < pointLeast || m*n*k < productWork {
		return batched(c, z, w, x, then)
	}
	return c.For(count, func(b int) {
		i, at := b/strips, b%strips*cols
		var ep func(c []Z, crs, row, col, rows, cols int)
		if then != nil {
			ep = func(_ []Z, _, row, col, rows, cols int) { then(i*m+row, at+col, rows, cols) }
		}
		mul(m, min(cols, n-at), k, w.at(i), w.RS, w.CS, x.at(i)[at*x.CS:], x.RS, x.CS, z[i*m*n+at:], n, ep, nil)
	})
}
