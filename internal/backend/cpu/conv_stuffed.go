package cpu

import (
	"math"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// The gradients of a depthwise convolution with 3 by 3 taps and a stride of two: with zeros put between the elements of
// the cotangent they are those of a stride of one (conv_depthwise.go). That is four times the products, on a plane that
// stays in the cache, against outputs that lie apart. A zero times an infinity would not be nothing: where one could be,
// another way is taken.

// stuffed is a plane with zeros between elements and rows.
type stuffed struct {
	rows, cols, pitch int // of the elements; of the plane
	x                 []float32
}

// newStuffed borrows a plane for so many elements.
func newStuffed(rows, cols int) (*stuffed, func()) {
	s := &stuffed{rows: rows, cols: cols, pitch: pitchOf(2 * cols)}
	var free func()
	s.x, free = borrow[float32]((2*rows-1)*s.pitch + simd.StepSlack)
	clear(s.x)
	return s, free
}

// fill puts in the elements of a plane whose rows are xrs apart.
func (s *stuffed) fill(x []float32, xrs int) {
	for r := range s.rows {
		clear(s.x[2*r*s.pitch:][:s.pitch])
	}
	simd.SpreadStepF32(s.x, 2*s.pitch, x, xrs, s.rows, s.cols, 2)
}

// isStuffed reports whether this is the gradient to the input: taps 3 by 3 of single channels over an input with one zero
// between elements.
func (j *convJob[T]) isStuffed() bool {
	a := &j.attr
	if a.Stride.Len() != 2 || j.channels != 1 || j.kernelSize != [3]int{1, 3, 3} || !j.isPlain() {
		return false
	}
	for d := range 2 {
		if a.Stride.At(d) != 1 || a.KernelDilation.At(d) != 1 || a.InputDilation.At(d) != 2 {
			return false
		}
	}
	w := any(j.w).([]float32)
	for k := range j.groups * j.kernels {
		for i := range 9 {
			if v := w[k*j.kernelStep+i/3*j.tapStep[1]+i%3*j.tapStep[2]]; v-v != 0 {
				return false
			}
		}
	}
	return true
}

// stuffedDepthwise computes plane by plane.
func (j *convJob[T]) stuffedDepthwise(c *backend.Ctx) error {
	x, z, weights := any(j.x).([]float32), any(j.z).([]float32), any(j.w).([]float32)
	rows, cols, channels := j.size[1], j.size[2], j.groups*j.kernels
	w := simd.Window3x3{Rows: j.outSize[1], Cols: j.outSize[2], InRows: 2*rows - 1, InCols: 2*cols - 1, ZStride: j.outSize[2], XStride: pitchOf(2 * cols),
		Row: -j.attr.Low.At(0), Col: -j.attr.Low.At(1)}
	w.Prepare()
	each := max(1, blockElems/j.outPlaces)
	j.told = j.then != nil
	return c.For(ceil(j.images*channels, each), func(b int) {
		s, free := newStuffed(rows, cols)
		defer free()
		for plane := b * each; plane < min((b+1)*each, j.images*channels); plane++ {
			image, kernel := plane/channels, plane%channels
			var taps [9]float32
			for i := range taps {
				at := i
				if j.attr.Flip {
					at = 8 - i
				}
				taps[i] = weights[kernel*j.kernelStep+at/3*j.tapStep[1]+at%3*j.tapStep[2]]
			}
			s.fill(x[image*j.imageStep+kernel/j.kernels*j.channelStep:], j.step[1])
			simd.Depthwise3x3F32(z[plane*j.outPlaces:], s.x, &taps, &w)
			if j.then != nil {
				j.then(plane, 0, 1, j.outPlaces)
			}
		}
	})
}

// isStuffedCorrelation reports whether this is the gradient to the taps.
func (j *convJob[T]) isStuffedCorrelation() bool { return j.isCorrelationBy(2) }

// stuffedCorrelate computes the sums of one group and kernel at a time. It reports whether one is no number, which may be
// because a zero met an infinity.
func (j *convJob[T]) stuffedCorrelate(c *backend.Ctx) (spoiled bool, err error) {
	p := &j.phase
	w := simd.Window3x3{Rows: 2*p[1].taps - 1, Cols: 2*p[2].taps - 1, InRows: j.size[1], InCols: j.size[2], ZStride: pitchOf(2 * p[2].taps), XStride: j.step[1],
		Row: p[1].first, Col: p[2].first}
	w.Prepare()
	x, z, weights := any(j.x).([]float32), any(j.z).([]float32), any(j.w).([]float32)
	var nan atomic.Bool
	err = c.For(j.groups*j.kernels, func(b int) {
		s, free := newStuffed(p[1].taps, p[2].taps)
		defer free()
		var sums [9][16]float32
		for ch := range j.channels {
			s.fill(weights[b*j.kernelStep+ch*j.kernelInStep:], j.tapStep[1])
			simd.Correlate3x3F32(&sums, s.x, x[(b/j.kernels*j.channels+ch)*j.channelStep:], &w)
		}
		for u := range sums {
			z[b*9+u] = foldLanes(&sums[u])
			if math.IsNaN(float64(z[b*9+u])) {
				nan.Store(true)
			}
		}
	})
	return nan.Load(), err
}

// foldLanes adds sixteen sums in a fixed order.
func foldLanes(s *[16]float32) float32 {
	for n := 8; n > 0; n /= 2 {
		for l := range n {
			s[l] += s[l+n]
		}
	}
	return s[0]
}
