package conv

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
)

// Convolutions of integers are computed from their definition, four channels at a time. Sums and products wrap, so
// signed and unsigned types of one size have the same bits and share the code.

const intWork = 1 << 16 // multiply-adds of a block

type words interface {
	uint8 | uint16 | uint32 | uint64
}

// intConv is such a convolution while it runs. Missing spatial dimensions have size 1.
type intConv[T words] struct {
	x, w, z           []T
	xs, ws            []int // strides: image and channel, or kernel and channel
	step, tapStep     [3]int
	size, outSize     [3]int
	channels, kernels int // of a group; all kernels
	perGroup          int // kernels of a group
	phase             phases3
}

func intConvolve[T words](d *Device, c *backend.Ctx, a attr.Conv, out backend.View, in []backend.View, then Epilogue) error {
	x, err := flatOf[T](d, c, in[0])
	if err != nil {
		return err
	}
	defer x.done()
	w, err := flatOf[T](d, c, in[1])
	if err != nil {
		return err
	}
	defer w.done()
	xd, wd, od := in[0].Shape.Dims(), in[1].Shape.Dims(), out.Shape.Dims()
	j := &intConv[T]{x: x.x, w: w.x, z: backend.Slice[T](out), xs: x.strides, ws: w.strides, channels: wd[1], kernels: wd[0],
		perGroup: wd[0] / a.Groups,
		size:     [3]int{1, 1, 1}, outSize: [3]int{1, 1, 1}}
	phases := [3][]phase{unitPhase, unitPhase, unitPhase}
	positions, skip := 1, 3-a.Stride.Len()
	for e := range a.Stride.Len() {
		j.size[e+skip], j.outSize[e+skip], j.step[e+skip], j.tapStep[e+skip] = xd[2+e], od[2+e], x.strides[2+e], w.strides[2+e]
		phases[e+skip] = newPhases(a, e, xd[2+e], wd[2+e], od[2+e])
		positions *= od[2+e]
	}
	for _, p0 := range phases[0] {
		for _, p1 := range phases[1] {
			for _, p2 := range phases[2] {
				j.phase = phases3{p0, p1, p2}
				rows := od[0] * od[1] * p0.outs * p1.outs
				each := max(1, intWork/max(1, p2.outs*max(1, j.channels*j.phase.taps())))
				if err := c.For(ceil(rows, each), func(b int) { j.rows(b*each, min((b+1)*each, rows)) }); err != nil {
					return err
				}
			}
		}
	}
	if then == nil {
		return nil
	}
	return epilogueRows(c, then, od[0]*od[1], positions)
}

// rows computes rows of outputs, counted over images, kernels and the positions of the phase.
func (j *intConv[T]) rows(from, to int) {
	p := &j.phase
	n := p[2].outs
	buf, free := bufpool.Borrow[T](5 * n)
	defer free()
	sums, parts := buf[:n], buf[n:]
	for r := from; r < to; r++ {
		t1, rest := r%p[1].outs, r/p[1].outs
		t0, rest := rest%p[0].outs, rest/p[0].outs
		o, image := rest%j.kernels, rest/j.kernels
		clear(sums)
		for u0 := range p[0].taps {
			for u1 := range p[1].taps {
				i0, i1 := p[0].first+t0*p[0].stride+u0*p[0].step, p[1].first+t1*p[1].stride+u1*p[1].step
				if uint(i0) >= uint(j.size[0]) || uint(i1) >= uint(j.size[1]) {
					continue
				}
				x := image*j.xs[0] + o/j.perGroup*j.channels*j.xs[1] + i0*j.step[0] + i1*j.step[1]
				w := o*j.ws[0] + (p[0].tap+u0*p[0].tapStep)*j.tapStep[0] + (p[1].tap+u1*p[1].tapStep)*j.tapStep[1]
				for u2 := range p[2].taps {
					j.tap(sums, parts, x, w+(p[2].tap+u2*p[2].tapStep)*j.tapStep[2], p[2].first+u2*p[2].step)
				}
			}
		}
		at := ((image*j.kernels+o)*j.outSize[0] + p[0].out + t0*p[0].outStep) * j.outSize[1]
		at = (at+p[1].out+t1*p[1].outStep)*j.outSize[2] + p[2].out
		for i, v := range sums {
			j.z[at+i*p[2].outStep] = v
		}
	}
}

// tap adds what one tap gives to a row: element first + t·stride of every channel's row at x, times its kernel at w.
func (j *intConv[T]) tap(sums, parts []T, x, w, first int) {
	stride, last := j.phase[2].stride, j.size[2]
	lo := max(0, ceil(-first, stride))
	hi := min(len(sums), ceil(last-first, stride))
	if lo >= hi {
		return
	}
	x += (first + lo*stride) * j.step[2]
	z, by, n := sums[lo:hi], stride*j.step[2], hi-lo
	var rows [4][]T
	for ch := 0; ch < j.channels; ch += 4 {
		count := min(4, j.channels-ch)
		for q := range count {
			from := x + (ch+q)*j.xs[1]
			if by == 1 {
				rows[q] = j.x[from:][:n]
				continue
			}
			rows[q] = parts[q*len(sums):][:n]
			for i := range rows[q] {
				rows[q][i] = j.x[from+i*by]
			}
		}
		v, s := j.w[w+ch*j.ws[1]:], j.ws[1]
		if count == 4 {
			gemm.Axpy4(z, v[0], v[s], v[2*s], v[3*s], rows[0], rows[1], rows[2], rows[3])
			continue
		}
		for q := range count {
			gemm.Axpy(z, v[q*s], rows[q])
		}
	}
}
