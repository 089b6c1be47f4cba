package conv

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/backend/cpu/layout"
)

// A convolution with one output position whose taps are positions of the whole input, as the gradient of a kernel of one tap is,
// multiplies the images, as rows of positions, by the kernels: one product for each channel, added up. Where rows are short or
// their positions are apart, the channels are first copied behind each other.

const productRow = 256 // positions of a row that is long enough to be read in place

// isProduct reports whether there is one output and no tap outside the input.
func (j *job[T]) isProduct() bool {
	if j.x == nil || j.z == nil && j.sums == nil || j.groups != 1 || j.channels == 0 || j.outPositions != 1 || j.phase.taps() < 2 {
		return false
	}
	for d, p := range j.phase {
		if p.outs != 1 || p.step < 1 || p.first < 0 || p.first+(p.taps-1)*p.step >= j.size[d] {
			return false
		}
	}
	return true
}

// positionRows is an operand: rows of positions, one for each image or kernel, by channels.
type positionRows struct {
	rows, rowStep, channelStep, first int
	size, step                        [3]int
}

// together reports whether the positions of a row follow each other, evenly apart.
func (r *positionRows) together() bool {
	n := r.step[2]
	for d := 2; d >= 0; d-- {
		if r.size[d] > 1 && r.step[d] != n {
			return false
		}
		n = r.size[d] * r.step[2]
		for e := d + 1; e < 3; e++ {
			n *= r.size[e]
		}
	}
	return r.step[2] == 1
}

// productRows are the operands of the product.
func (j *job[T]) productRows() (x, w positionRows) {
	x = positionRows{rows: j.images, rowStep: j.imageStep, channelStep: j.channelStep}
	w = positionRows{rows: j.kernels, rowStep: j.kernelStep, channelStep: j.kernelInStep}
	for d, p := range j.phase {
		x.size[d], w.size[d] = p.taps, p.taps
		x.step[d], w.step[d] = p.step*j.step[d], p.tapStep*j.tapStep[d]
		x.first += p.first * j.step[d]
		w.first += p.tap * j.tapStep[d]
	}
	return x, w
}

func (j *job[T]) byProduct(c *backend.Ctx) error {
	x, w := j.productRows()
	n := j.phase.taps()
	var failed error
	run := gemm.RunnerOf(c.For, &failed)
	if n >= productRow && x.together() && w.together() {
		for ch := range j.channels {
			j.float.mul(x.rows, w.rows, n, j.x[x.first+ch*x.channelStep:], x.rowStep, 1, j.w[w.first+ch*w.channelStep:], 1, w.rowStep, j.z,
				w.rows, ch > 0, run)
			if failed != nil {
				return failed
			}
		}
		return nil
	}
	k := n * j.channels
	xs, freeX := bufpool.Borrow[T](x.rows * k)
	defer freeX()
	ws, freeW := bufpool.Borrow[T](w.rows * k)
	defer freeW()
	if err := packRows(c, xs, j.x, &x, j.channels); err != nil {
		return err
	}
	if err := packRows(c, ws, j.w, &w, j.channels); err != nil {
		return err
	}
	j.float.mul(x.rows, w.rows, k, xs, k, 1, ws, 1, k, j.z, w.rows, false, run)
	return failed
}

// packRows lays the channels of each row behind each other.
func packRows[T number](c *backend.Ctx, to, from []T, r *positionRows, channels int) error {
	n := r.size[0] * r.size[1] * r.size[2]
	each := max(1, blockElems/(n*channels))
	return c.For(ceil(r.rows, each), func(b int) {
		for row := b * each; row < min((b+1)*each, r.rows); row++ {
			at := row * n * channels
			for ch := range channels {
				for i := range r.size[0] {
					layout.CopyRows(to[at:], r.size[2], from, r.first+row*r.rowStep+ch*r.channelStep+i*r.step[0], r.step[1], r.step[2],
						r.size[1], r.size[2])
					at += r.size[1] * r.size[2]
				}
			}
		}
	})
}
