package conv

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/layout"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// A convolution of each channel by itself with 3 by 3 taps is bound by loads, and its gradient to the kernels too:
// both have routines of their own that read each input row once for all taps (simd.Window3x3). Some other sizes slide a
// window (depthwise.go), strides, narrow planes and other gradients have a channel in each lane (lanes.go), the rest
// is a product with one row, the direct way.

// one reports whether the first dimension plays no role.
func (p *phases3) one() bool { return p[0].outs == 1 && p[0].taps == 1 && p[0].first == 0 }

// isDepthwise3x3 reports whether each output channel is made of one input channel by 3 by 3 taps that are contiguous.
func (j *job[T]) isDepthwise3x3() bool {
	if j.channels != 1 || !j.phase.one() || !j.isPlain() {
		return false
	}
	for _, p := range j.phase[1:] {
		if p.taps != 3 || p.stride != 1 || p.step*p.step != 1 || p.outStep != 1 {
			return false
		}
	}
	return true
}

// isPlain reports whether the routines can read and write rows in place.
func (j *job[T]) isPlain() bool {
	return j.isFloat32() && j.step[2] == 1 && simd.HasDepthwise()
}

// isFloat32 reports whether both operands and the result are float32 in memory.
func (j *job[T]) isFloat32() bool {
	_, single := any(j.x).([]float32)
	return single && j.x != nil && j.z != nil
}

// depthwise computes plane by plane.
func (j *job[T]) depthwise3x3(c *backend.Ctx) error {
	p := &j.phase
	w := simd.Window3x3{Rows: p[1].outs, Cols: p[2].outs, InRows: j.size[1], InCols: j.size[2], ZStride: j.outSize[2], XStride: j.step[1],
		Row: p[1].first + min(0, 2*p[1].step), Col: p[2].first + min(0, 2*p[2].step)}
	w.Prepare()
	x, z, weights := any(j.x).([]float32), any(j.z).([]float32), any(j.w).([]float32)
	channels, at := j.groups*j.kernels, j.tapOffsets3x3()
	each := max(1, blockElems/(p[1].outs*p[2].outs))
	fused := j.fusesEpilogue()
	return c.For(ceil(j.images*channels, each), func(b int) {
		for plane := b * each; plane < min((b+1)*each, j.images*channels); plane++ {
			image, kernel := plane/channels, plane%channels
			var taps [9]float32
			for i, pos := range at {
				taps[i] = weights[kernel*j.kernelStep+pos]
			}
			simd.Depthwise3x3F32(z[plane*j.outPositions+p[1].out*j.outSize[2]+p[2].out:],
				x[image*j.imageStep+kernel/j.kernels*j.channelStep:], &taps, &w)
			if fused {
				j.then(plane, 0, 1, j.outPositions)
			}
		}
	})
}

// tapOffsets3x3 says where in a kernel the 3 by 3 taps are, in the order of the input they see.
func (j *job[T]) tapOffsets3x3() (at [9]int) {
	p := &j.phase
	for u := range 3 {
		for v := range 3 {
			to := [2]int{u, v}
			for d := range to {
				if p[1+d].step < 0 {
					to[d] = 2 - to[d]
				}
			}
			at[to[0]*3+to[1]] = (p[1].tap+u*p[1].tapStep)*j.tapStep[1] + (p[2].tap+v*p[2].tapStep)*j.tapStep[2]
		}
	}
	return at
}

// isCorrelation reports whether this is the gradient of 3 by 3 taps of single channels: one image, outputs 3 by 3, each of
// which sums the product of two planes.
func (j *job[T]) isCorrelation() bool {
	if j.images != 1 || j.kernels > 2 || !j.phase.one() || !j.isPlain() || j.tapStep[2] != 1 {
		return false
	}
	for d, p := range j.phase[1:] {
		if p.outs != 3 || p.stride != 1 || p.step != 1 || p.taps < 3 || p.tap != 0 || p.tapStep != 1 || p.taps != j.kernelSize[1+d] {
			return false
		}
	}
	return true
}

// correlate computes the sums of one group and kernel at a time, over the channels in order.
func (j *job[T]) correlate(c *backend.Ctx) error {
	p := &j.phase
	w := simd.Window3x3{Rows: p[1].taps, Cols: p[2].taps, InRows: j.size[1], InCols: j.size[2], ZStride: j.tapStep[1], XStride: j.step[1],
		Row: p[1].first, Col: p[2].first}
	w.Prepare()
	x, z, weights := any(j.x).([]float32), any(j.z).([]float32), any(j.w).([]float32)
	return c.For(j.groups*j.kernels, func(b int) {
		var sums [9][16]float32
		for ch := range j.channels {
			simd.Correlate3x3F32(&sums, weights[b*j.kernelStep+ch*j.kernelInStep:], x[(b/j.kernels*j.channels+ch)*j.channelStep:], &w)
		}
		for u := range sums {
			z[b*9+u] = foldLanes(&sums[u])
		}
	})
}

// isDots reports whether this is the gradient of taps along a line, of single channels: each is a product of two rows.
func (j *job[T]) isDots() bool {
	p := &j.phase
	return j.images == 1 && j.kernels == 1 && j.isFloat32() && p.one() && p[1].outs == 1 && p[1].taps == 1 && p[1].first == 0 &&
		j.size[1] == 1 &&
		p[2].outs == j.outPositions && p[2].stride == 1 && p[2].step == 1 && p[2].tap == 0 && p[2].tapStep == 1 && p[2].taps >= p[2].outs &&
		j.step[2] == 1 && j.tapStep[2] == 1
}

// byDots computes the sums of one group at a time, over the channels in order.
func (j *job[T]) byDots(c *backend.Ctx) error {
	p, outs := &j.phase[2], j.phase[2].outs
	x, z, weights := any(j.x).([]float32), any(j.z).([]float32), any(j.w).([]float32)
	each := max(1, blockElems/(outs*p.taps*j.channels))
	return c.For(ceil(j.groups, each), func(b int) {
		for g := b * each; g < min((b+1)*each, j.groups); g++ {
			sums := z[g*outs:][:outs]
			clear(sums)
			for ch := range j.channels {
				row, w := x[(g*j.channels+ch)*j.channelStep:], weights[g*j.kernelStep+ch*j.kernelInStep+j.tapRow(0, 0):]
				for u := range sums {
					if lo, hi := layout.Inside(p.first+u, 1, p.taps, j.size[2]); lo < hi {
						sums[u] += simd.DotF32(w[lo:hi], row[p.first+u+lo:][:hi-lo])
					}
				}
			}
		}
	})
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
