package conv

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/shape"
)

// Which algorithm a convolution of real numbers is computed, all in this file; what each does is in the package comment, its
// conditions and measured thresholds at the top of its own file. The order matters: a way is asked only if none before it wants
// the work. It depends on sizes and layouts alone, so that bits do not depend on values or threads.

// runPhases computes the output. Ways that take all phases together come first; for the others, phases cover the output one by one.
func (j *job[T]) runPhases(c *backend.Ctx) error {
	switch {
	case j.isBF16: // bfloat16 in pairs was chosen before the job was made
	case j.isLanes(): // depthwise with strides, dilation or narrow planes: before the ways of one phase, which it replaces for all
		return j.byLanes(c)
	case j.isTransposedPatches(): // transposed patches: one product
		return j.byTransposedPatches(c)
	case j.isViaNHWC(): // few positions, many kernels: transposing both ends costs less than reading kernels by vectors of positions
		return j.viaNHWC(c)
	}
	return j.eachPhase(c)
}

// eachPhase computes phase by phase.
func (j *job[T]) eachPhase(c *backend.Ctx) error {
	for _, p0 := range j.phases[0] {
		for _, p1 := range j.phases[1] {
			for _, p2 := range j.phases[2] {
				j.phase = phases3{p0, p1, p2}
				if err := j.runPhase(c); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// way is how a phase is computed.
type algorithm uint8

const (
	algoIm2col algorithm = iota
	algoBF16
	algoDepthwise3x3
	algoDepthwise
	algoWinograd
	algoDepthwiseGrad3x3
	algoDepthwiseGradLanes
	algoDepthwiseGrad1D
	algoGEMM
	algoPatches
	algoFilterGrad
	algoNHWC
	algoPositions
	algoDirect
	algoFilterGradColumns
)

// algorithm is the way of this phase.
func (j *job[T]) algorithm() algorithm {
	switch {
	case j.isBF16:
		return algoBF16
	// One channel makes one: bound by loads, so routines that read a row once for all taps.
	case j.isDepthwise3x3():
		return algoDepthwise3x3
	case j.isDepthwise():
		return algoDepthwise
	// Only if the caller allowed it.
	case j.isWinograd():
		return algoWinograd
	// Gradients of single channels' taps: by rows if 3 by 3, else with a channel in each lane, or along a line.
	case j.isCorrelation():
		return algoDepthwiseGrad3x3
	case j.isLaneGrad():
		return algoDepthwiseGradLanes
	case j.isDots():
		return algoDepthwiseGrad1D
	// One product of matrices as stored, or as they are after one copy.
	case j.isProduct():
		return algoGEMM
	case j.isPatches():
		return algoPatches
	// Gradients of kernels: many taps, few outputs.
	case j.isFilterGrad():
		return algoFilterGrad
	// Output channels fill vectors: without copies if channels are in NHWC order, else by strips of the input.
	case j.isNHWC():
		return algoNHWC
	case j.isPositions():
		return algoPositions
	// They do not: lanes are positions, if rows are long enough for what is between them.
	case j.isDirect():
		return algoDirect
	}
	if ok, _ := j.isColumns(); ok {
		return algoFilterGradColumns
	}
	return algoIm2col
}

func (j *job[T]) runPhase(c *backend.Ctx) error {
	w := j.algorithm()
	switch w {
	case algoBF16:
		return j.byBF16(c)
	case algoDepthwise3x3:
		return j.depthwise3x3(c)
	case algoDepthwise:
		return j.byDepthwise(c)
	case algoWinograd:
		return j.byWinograd(c)
	case algoDepthwiseGrad3x3:
		return j.correlate(c)
	case algoDepthwiseGradLanes:
		return j.byLaneGrad(c)
	case algoDepthwiseGrad1D:
		return j.byDots(c)
	case algoGEMM:
		return j.byProduct(c)
	case algoPatches:
		return j.byPatches(c)
	case algoFilterGrad:
		return j.byFilterGrad(c)
	case algoNHWC:
		return j.byNHWC(c)
	case algoPositions:
		return j.byPositions(c)
	case algoFilterGradColumns:
		_, few := j.isColumns()
		if again, err := j.byColumns(c, few); err != nil || !again {
			return err
		} // a zero between rows met an infinity
	}
	free, err := j.packKernels(c)
	if err != nil {
		return err
	}
	if free != nil {
		defer free()
	}
	if w == algoDirect {
		return j.direct(c)
	}
	return j.im2col(c)
}

// im2col makes the second matrix block by block (im2col.go).
func (j *job[T]) im2col(c *backend.Ctx) error {
	j.tiles = j.plan(convCols, convDepth)
	n := j.tiles.count()
	if j.tiles.sums == 1 {
		if n == 1 {
			j.block(0)
			return nil
		}
		return c.For(n, j.block)
	}
	var done func()
	j.partial, done = bufpool.Borrow[T](n * j.tiles.sums * j.area())
	defer done()
	if err := c.For(n*j.tiles.sums, j.splitBlock); err != nil {
		return err
	}
	return c.For(n, j.joinBlock)
}

// IsNHWC reports whether a convolution of float32 with its output in NHWC is computed by the NHWC kernels.
func (d *Device) IsNHWC(a attr.Conv, out *shape.Shape, in []backend.View) bool {
	j := d.probe(a, out, in)
	j.last = true
	return !j.isPointwise() && j.writesNHWC() && j.algorithm() == algoNHWC
}

// IsViaNHWC reports whether a convolution of float32 is computed by conversion to NHWC and back.
func (d *Device) IsViaNHWC(a attr.Conv, out *shape.Shape, in []backend.View) bool {
	return d.probe(a, out, in).isViaNHWC()
}

// probe is a job that is asked for its algorithm only.
func (d *Device) probe(a attr.Conv, out *shape.Shape, in []backend.View) *job[float32] {
	j := newJob[float32](a, backend.View{Shape: out}, in, in[0].Strides(), in[1].Strides())
	j.x, j.z, j.float = []float32{0}, []float32{0}, d.routines32()
	return j
}
