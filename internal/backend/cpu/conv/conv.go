package conv

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/backend/cpu/half"
	"github.com/lucid-go/lucid/internal/dtype"
)

// A convolution is a product: the kernels, a matrix with a row for each output channel, times a matrix with a column
// for each output position that holds the inputs it reads. The second matrix is never made as a whole; the package comment
// lists the ways around it.

// Run computes a convolution and calls then, which may be nil, for every finished part of the output.
func (d *Device) Run(c *backend.Ctx, a attr.Conv, out backend.View, in []backend.View, then Epilogue) error {
	if out.Numel() == 0 { // of any size along other dimensions
		return nil
	}
	a.Winograd = a.Winograd && (d.AnyWinograd || winogradPays(a, out.Shape.Dims(), in[1].Shape.Dims()))
	switch in[0].DType {
	case dtype.Float32:
		return convolve(d, c, a, out, in, then, d.routines32())
	case dtype.Float64:
		return convolve(d, c, a, out, in, then, d.routines64())
	case dtype.BFloat16, dtype.Float16:
		return halfConvolve(d, c, a, out, in, then)
	case dtype.Complex64:
		return complexConvolve(d, c, a, out, in, then, d.routines32())
	case dtype.Complex128:
		return complexConvolve(d, c, a, out, in, then, d.routines64())
	}
	switch in[0].DType.Size() {
	case 8:
		return intConvolve[uint64](d, c, a, out, in, then)
	case 4:
		return intConvolve[uint32](d, c, a, out, in, then)
	case 2:
		return intConvolve[uint16](d, c, a, out, in, then)
	}
	return intConvolve[uint8](d, c, a, out, in, then)
}

// job is a convolution of real numbers while it runs. Missing spatial dimensions have size 1.
type job[T number] struct {
	attr                         attr.Conv
	float                        *routines[T]
	images, groups               int
	channels, kernels            int // of a group
	size, outSize, kernelSize    [3]int
	x                            []T // the input, or nil if load reads it
	load                         func(z []T, at, step int)
	imageStep, channelStep       int // strides of the input
	step                         [3]int
	w                            []T // the kernels
	kernelStep, kernelInStep     int
	tapStep                      [3]int
	z                            []T // the output, or nil if save writes it
	save                         func(at, step int, x []T)
	outPositions                 int // of one channel
	phases                       [3][]phase
	phase                        phases3 // the one that runs
	panel                        []T     // its kernels, a row each
	panelRow, panelCol, panelLen int     // strides; rows of a group are panelLen apart
	tiles                        tiling
	partial                      []T // parts of sums, by block
	then                         Epilogue
	epilogueDone                 bool      // then was told of everything
	last                         bool      // the output has its channels last
	isBF16                       bool      // bfloat16 in the layout of VDPBF16PS
	sums                         []float32 // where that leaves its sums; nil: they are rounded to z
	sumsProduct                  Product[T, float32]
}

// unitPhase is the phase of a spatial dimension that is missing.
var unitPhase = []phase{{outs: 1, taps: 1, stride: 1, step: 1, outStep: 1, tapStep: 1}}

func newJob[T number](a attr.Conv, out backend.View, in []backend.View, xs, ws []int) *job[T] {
	xd, wd, od := in[0].Shape.Dims(), in[1].Shape.Dims(), out.Shape.Dims()
	j := &job[T]{attr: a, images: xd[0], groups: a.Groups, channels: wd[1], kernels: wd[0] / a.Groups, outPositions: 1,
		imageStep: xs[0], channelStep: xs[1], kernelStep: ws[0], kernelInStep: ws[1],
		size: [3]int{1, 1, 1}, outSize: [3]int{1, 1, 1}, kernelSize: [3]int{1, 1, 1}}
	skip := 3 - a.Stride.Len()
	for d := range skip {
		j.phases[d] = unitPhase
	}
	for d := range a.Stride.Len() {
		e := d + skip
		j.size[e], j.kernelSize[e], j.outSize[e] = xd[2+d], wd[2+d], od[2+d]
		j.step[e], j.tapStep[e] = xs[2+d], ws[2+d]
		j.outPositions *= od[2+d]
		j.phases[e] = newPhases(a, d, xd[2+d], wd[2+d], od[2+d])
	}
	return j
}

func convolve[T number](d *Device, c *backend.Ctx, a attr.Conv, out backend.View, in []backend.View, then Epilogue,
	float *routines[T]) error {
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
	j := newJob[T](a, out, in, x.strides, w.strides)
	j.float, j.x, j.w, j.z, j.then = float, x.x, w.x, backend.Slice[T](out), then
	if j.isPointwise() {
		return j.pointwise(c)
	}
	return j.run(c)
}

// halfConvolve computes in float32 and rounds once, or leaves the sums as they are.
func halfConvolve(d *Device, c *backend.Ctx, a attr.Conv, out backend.View, in []backend.View, then Epilogue) error {
	if in[0].DType == dtype.BFloat16 && gemm.HasBF16() {
		if done, err := bf16Convolve(d, c, a, out, in, then); done || err != nil {
			return err
		}
	}
	x, err := flatOf[uint16](d, c, in[0])
	if err != nil {
		return err
	}
	defer x.done()
	half16 := in[0].DType
	w, err := compactOf[float32](d.Widened(c, in[1]))
	if err != nil {
		return err
	}
	defer w.done()
	j := newJob[float32](a, out, in, x.strides, w.strides)
	j.float, j.w, j.then = d.routines32(), w.x, then
	j.load = func(to []float32, at, step int) { half.WidenStrided(half16, to, x.x[at:], step) }
	if a.Sums {
		j.z = backend.Slice[float32](out)
		return j.run(c)
	}
	z := backend.Slice[uint16](out)
	j.save = func(at, step int, from []float32) {
		if step == 1 {
			half.Narrow(half16, z[at:at+len(from)], from)
			return
		}
		for i := range from {
			half.Narrow(half16, z[at+i*step:][:1], from[i:i+1])
		}
	}
	return j.run(c)
}

// fusesEpilogue reports whether something follows, and the parts of this phase are final and where it expects them: it is then
// told of each part by who made it.
func (j *job[T]) fusesEpilogue() bool {
	if j.then == nil {
		return false
	}
	for d := range 3 {
		if j.phase[d].outs != j.outSize[d] {
			return false
		}
	}
	j.epilogueDone = true
	return true
}
