package conv

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/backend/cpu/layout"
)

// Few positions with many kernels, as the last stages of a network have them, are computed with the NHWC
// (nhwc.go): the input is small next to the kernels, so it is transposed, and the result transposed back.

const (
	viaNHWCShare    = 4  // times as many kernels as elements of the input and the output, at least
	viaNHWCChannels = 64 // that are transposed together
)

// isViaNHWC reports whether that is so, and every phase can be computed so.
func (j *job[T]) isViaNHWC() bool {
	if j.last || j.groups != 1 || j.x == nil || j.z == nil || j.attr.Winograd || j.step[2] != 1 || !j.isEven() {
		return false
	}
	positions := j.size[0] * j.size[1] * j.size[2]
	taps := j.kernelSize[0] * j.kernelSize[1] * j.kernelSize[2]
	if j.kernels*j.channels*taps < viaNHWCShare*j.images*(positions*j.channels+j.outPositions*j.kernels) {
		return false
	}
	k := j.nhwcJob(j.x, j.z)
	for _, p0 := range k.phases[0] {
		for _, p1 := range k.phases[1] {
			for _, p2 := range k.phases[2] {
				if k.phase = (phases3{p0, p1, p2}); k.algorithm() != algoNHWC {
					return false
				}
			}
		}
	}
	return true
}

// nhwcJob is the same with channels last, of the input and the result.
func (j *job[T]) nhwcJob(x, z []T) *job[T] {
	k := *j
	k.x, k.z, k.last, k.then = x, z, true, nil
	k.imageStep, k.channelStep = j.size[0]*j.size[1]*j.size[2]*j.channels, 1
	k.step = [3]int{j.size[1] * j.size[2] * j.channels, j.size[2] * j.channels, j.channels}
	return &k
}

// transposed computes all phases.
func (j *job[T]) viaNHWC(c *backend.Ctx) error {
	positions := j.size[0] * j.size[1] * j.size[2]
	x, freeX := bufpool.Borrow[T](j.images * positions * j.channels)
	defer freeX()
	z, freeZ := bufpool.Borrow[T](j.images * j.outPositions * j.kernels)
	defer freeZ()
	parts := ceil(j.channels, viaNHWCChannels)
	if err := c.For(j.images*parts, func(b int) {
		image, ch := b/parts, b%parts*viaNHWCChannels
		layout.TransposeBlock(x[image*positions*j.channels+ch:], j.channels, j.x[image*j.imageStep+ch*j.channelStep:], j.channelStep,
			min(viaNHWCChannels, j.channels-ch), positions)
	}); err != nil {
		return err
	}
	k := j.nhwcJob(x, z)
	if err := k.eachPhase(c); err != nil {
		return err
	}
	parts = ceil(j.kernels, viaNHWCChannels)
	return c.For(j.images*parts, func(b int) {
		image, o := b/parts, b%parts*viaNHWCChannels
		layout.TransposeBlock(j.z[(image*j.kernels+o)*j.outPositions:], j.outPositions, z[image*j.outPositions*j.kernels+o:], j.kernels,
			j.outPositions, min(viaNHWCChannels, j.kernels-o))
	})
}
