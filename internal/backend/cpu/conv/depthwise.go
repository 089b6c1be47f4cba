package conv

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/backend/cpu/conv/kernel"
	"github.com/lucid-go/lucid/internal/par"
)

// A convolution of each channel by itself with three, five or seven rows of taps, stride 1, copies a strip of a plane
// with its padding and slides the window over it (kernel.Depthwise).

const (
	depthwiseLeast = 12       // shortest rows: kernels compute whole vectors
	depthwiseMost  = 2        // most output channels of an input channel: more make a product of several rows
	depthwiseStrip = 8 << 10  // elements of a strip, about
	depthwisePace  = 64 << 10 // outputs between two looks at the clock
)

// isDepthwise reports whether each output channel is made of one input channel by neighbouring taps.
func (j *job[T]) isDepthwise() bool {
	p := &j.phase
	if j.channels != 1 || j.kernels > depthwiseMost || !p.one() || j.x == nil || j.z == nil || p[2].outs < depthwiseLeast ||
		!j.float.hasDepthwise(p[1].taps) {
		return false
	}
	for _, d := range p[1:] {
		if d.taps < 1 || d.stride != 1 || d.taps > 1 && d.step*d.step != 1 || d.outStep != 1 {
			return false
		}
	}
	return true
}

// byDepthwise computes plane by plane.
func (j *job[T]) byDepthwise(c *backend.Ctx) error {
	p := &j.phase
	channels, high, wide := j.groups*j.kernels, p[1].taps, p[2].taps
	win := inputWindow{high: p[1].first + min(0, (high-1)*p[1].step), highStep: 1, wide: p[2].first + min(0, (wide-1)*p[2].step),
		wideStep: 1, pitch: p[2].outs + wide - 1}
	strip := min(p[1].outs, max(4, depthwiseStrip/win.pitch/4*4))
	positions := j.filterOffsets()
	each := max(1, blockElems/(p[1].outs*p[2].outs))
	fused := j.fusesEpilogue()
	return c.For(ceil(j.images*channels, each), func(b int) {
		x, freeX := bufpool.Borrow[T]((strip+high-1)*win.pitch + kernel.DepthwiseSlack)
		defer freeX()
		w, freeW := bufpool.Borrow[T](len(positions))
		defer freeW()
		pace, work := par.NewPace(), 0
		for plane := b * each; plane < min((b+1)*each, j.images*channels); plane++ {
			image, kernel := plane/channels, plane%channels
			for i, pos := range positions {
				w[i] = j.w[kernel*j.kernelStep+pos]
			}
			for at := 0; at < p[1].outs; at += strip {
				rows, from := min(strip, p[1].outs-at), win
				from.high, from.rows = win.high+at, rows+high-1
				j.copyWindow(x, 0, image*j.imageStep+kernel/j.kernels*j.channelStep, 1, &from)
				j.float.depthwise(high, wide, rows, p[2].outs, x, win.pitch,
					w, j.z[plane*j.outPositions+(p[1].out+at)*j.outSize[2]+p[2].out:], j.outSize[2])
				if work += rows * p[2].outs; work > depthwisePace {
					work = 0
					pace.Step()
				}
			}
			if fused {
				j.then(plane, 0, 1, j.outPositions)
			}
		}
	})
}

// filterOffsets is where the taps are in a kernel, in the order a window is read: column by column, as the input is stored.
func (j *job[T]) filterOffsets() (positions []int) {
	p := &j.phase
	for u := range p[2].taps {
		for t := range p[1].taps {
			tap := [2]int{t, u}
			for e := range tap {
				if p[1+e].step < 0 {
					tap[e] = p[1+e].taps - 1 - tap[e]
				}
				tap[e] = p[1+e].tap + tap[e]*p[1+e].tapStep
			}
			positions = append(positions, p[0].tap*j.tapStep[0]+tap[0]*j.tapStep[1]+tap[1]*j.tapStep[2])
		}
	}
	return positions
}
