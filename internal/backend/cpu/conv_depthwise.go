package cpu

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// depthwiseKernels is the most output channels of one input channel for which rows are summed directly: a product with
// so few rows would not make up for filling its second matrix.
const depthwiseKernels = 4

func (j *convJob[T]) isDepthwise() bool {
	return j.channels == 1 && j.kernels <= depthwiseKernels && j.phase[2].outs >= j.phase[2].taps
}

// depthwise computes each output row as a sum of scaled input rows, tap by tap.
func (j *convJob[T]) depthwise(c *backend.Ctx) error {
	p := &j.phase
	rows := j.images * j.groups * j.kernels * p[0].outs * p[1].outs
	each := max(1, blockElems/(p[2].outs*max(1, p.taps())))
	taps := j.rowTaps()
	return c.For((rows+each-1)/each, func(b int) {
		if taps != nil {
			l := tapList{plane: -1}
			for r := b * each; r < min((b+1)*each, rows); r++ {
				j.tapsRow(r, taps, &l)
			}
			return
		}
		buf, free := borrow[T](p[2].outs + j.size[2])
		defer free()
		for r := b * each; r < min((b+1)*each, rows); r++ {
			j.depthwiseRow(r, buf[:p[2].outs], buf[p[2].outs:])
		}
	})
}

// rowTaps are the taps along a row where all taps of an output row can be summed at once, in registers; nil elsewhere.
func (j *convJob[T]) rowTaps() []simd.Tap {
	p := &j.phase[2]
	if _, ok := any(j.x).([]float32); !ok || j.x == nil || j.z == nil || p.outStep != 1 || p.stride != 1 || j.step[2] != 1 {
		return nil
	}
	taps := make([]simd.Tap, p.taps)
	for u := range taps {
		at := p.first + u*p.step
		taps[u].Offset = at
		taps[u].Limit(p.outs, min(max(0, -at), p.outs), max(0, min(p.outs, j.size[2]-at)))
	}
	return taps
}

// tapList holds the taps of an output row. Rows of one plane that read no padding have the same, further on in x.
type tapList struct {
	taps          []simd.Tap
	plane, t0, t1 int // the row it was made for; plane is -1 where it fits no other
}

// tapsRow computes one row as depthwiseRow does, with the same bits.
func (j *convJob[T]) tapsRow(r int, taps []simd.Tap, l *tapList) {
	p := &j.phase
	t1, t0, plane := r%p[1].outs, r/p[1].outs%p[0].outs, r/p[1].outs/p[0].outs
	place := plane*j.outPlaces + ((p[0].out+t0*p[0].outStep)*j.outSize[1]+p[1].out+t1*p[1].outStep)*j.outSize[2] + p[2].out
	whole := p[1].whole(t1, j.size[1])
	if !whole || l.plane != plane || l.t0 != t0 {
		j.listTaps(plane, t0, t1, taps, l)
		if !whole {
			l.plane = -1
		}
	}
	from := (t1 - l.t1) * p[1].stride * j.step[1]
	simd.SumTapsF32(any(j.z).([]float32)[place:][:p[2].outs], any(j.x).([]float32), from, l.taps)
}

// whole reports whether output t reads no padding.
func (p *convPhase) whole(t, size int) bool {
	at := p.first + t*p.stride
	end := at + (p.taps-1)*p.step
	return min(at, end) >= 0 && max(at, end) < size
}

// listTaps makes the list of one output row.
func (j *convJob[T]) listTaps(plane, t0, t1 int, taps []simd.Tap, l *tapList) {
	p := &j.phase
	l.taps, l.plane, l.t0, l.t1 = l.taps[:0], plane, t0, t1
	channels := j.groups * j.kernels
	image, kernel := plane/channels, plane%channels
	x := image*j.imageStep + kernel/j.kernels*j.channelStep
	weights := any(j.w).([]float32)
	for u0 := range p[0].taps {
		i0 := p[0].first + t0*p[0].stride + u0*p[0].step
		if uint(i0) >= uint(j.size[0]) {
			continue
		}
		for u1 := range p[1].taps {
			i1 := p[1].first + t1*p[1].stride + u1*p[1].step
			if uint(i1) >= uint(j.size[1]) {
				continue
			}
			w := kernel*j.kernelStep + (p[0].tap+u0*p[0].tapStep)*j.tapStep[0] + (p[1].tap+u1*p[1].tapStep)*j.tapStep[1] + p[2].tap*j.tapStep[2]
			for u2, t := range taps {
				t.Offset += x + i0*j.step[0] + i1*j.step[1]
				t.W = weights[w+u2*p[2].tapStep*j.tapStep[2]]
				l.taps = append(l.taps, t)
			}
		}
	}
}

// depthwiseRow computes one row into sum; tmp holds an input row that must be gathered.
func (j *convJob[T]) depthwiseRow(r int, sum, tmp []T) {
	p := &j.phase
	t1, t0, plane := r%p[1].outs, r/p[1].outs%p[0].outs, r/p[1].outs/p[0].outs
	channels := j.groups * j.kernels
	image, kernel := plane/channels, plane%channels
	place := plane*j.outPlaces + ((p[0].out+t0*p[0].outStep)*j.outSize[1]+p[1].out+t1*p[1].outStep)*j.outSize[2] + p[2].out
	if j.z != nil && p[2].outStep == 1 {
		sum = j.z[place:][:p[2].outs]
	}
	clear(sum)
	for u0 := range p[0].taps {
		i0 := p[0].first + t0*p[0].stride + u0*p[0].step
		if uint(i0) >= uint(j.size[0]) {
			continue
		}
		for u1 := range p[1].taps {
			i1 := p[1].first + t1*p[1].stride + u1*p[1].step
			if uint(i1) >= uint(j.size[1]) {
				continue
			}
			w := kernel*j.kernelStep + (p[0].tap+u0*p[0].tapStep)*j.tapStep[0] + (p[1].tap+u1*p[1].tapStep)*j.tapStep[1] + p[2].tap*j.tapStep[2]
			x, by := j.row(image*j.imageStep+kernel/j.kernels*j.channelStep+i0*j.step[0]+i1*j.step[1], tmp)
			for u2 := range p[2].taps {
				j.addTap(sum, x, by, p[2].first+u2*p[2].step, j.w[w+u2*p[2].tapStep*j.tapStep[2]])
			}
		}
	}
	if j.z == nil || p[2].outStep != 1 {
		j.write(place, p[2].outStep, sum)
	}
}

// row is an input row and the distance of its elements; a half type's is widened into tmp.
func (j *convJob[T]) row(at int, tmp []T) ([]T, int) {
	if j.x != nil {
		return j.x[at:], j.step[2]
	}
	j.load(tmp, at, j.step[2])
	return tmp, 1
}

// addTap adds w times the elements that one tap reads, from index first on.
func (j *convJob[T]) addTap(sum, x []T, by, first int, w T) {
	stride, in := j.phase[2].stride, j.size[2]
	if first < 0 {
		lo := min((-first+stride-1)/stride, len(sum))
		sum, first = sum[lo:], first+lo*stride
	}
	sum = sum[:max(0, min(len(sum), (in-first+stride-1)/stride))]
	if len(sum) == 0 {
		return
	}
	x, stride = x[first*by:], stride*by
	if stride == 1 {
		if z, ok := any(sum).([]float32); ok {
			simd.AxpyF32(z, any(x).([]float32)[:len(z)], any(w).(float32))
			return
		}
		addOne(sum, w, x)
		return
	}
	for i := range sum {
		sum[i] += w * x[i*stride]
	}
}
