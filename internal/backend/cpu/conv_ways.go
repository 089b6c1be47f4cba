package cpu

import "github.com/lucid-go/lucid/internal/backend"

// Which way a convolution of real numbers is computed, all in this file; what each way is stands in the package comment, its
// conditions and measured thresholds at the top of its own file. The order matters: a way is asked only if none before it wants
// the work. It depends on sizes and layouts alone, so that bits do not depend on values or threads.

// runPhases computes the output. Ways that take all phases together come first; for the others, phases cover the output one by one.
func (j *convJob[T]) runPhases(c *backend.Ctx) error {
	switch {
	case j.paired: // bfloat16 in pairs was chosen before the job was made
	case j.isLanes(): // depthwise with strides, dilation or narrow planes: before the ways of one phase, which it replaces for all
		return j.byLanes(c)
	case j.isSpread(): // transposed patches: one product
		return j.bySpread(c)
	case j.isTurned(): // few places, many kernels: turning both ends costs less than reading kernels by vectors of places
		return j.turned(c)
	}
	return j.eachPhase(c)
}

// eachPhase computes phase by phase.
func (j *convJob[T]) eachPhase(c *backend.Ctx) error {
	for _, p0 := range j.phases[0] {
		for _, p1 := range j.phases[1] {
			for _, p2 := range j.phases[2] {
				j.phase = phase3{p0, p1, p2}
				if err := j.runPhase(c); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// way is how a phase is computed.
type way uint8

const (
	wayFilled way = iota
	wayPaired
	wayDepthwise
	wayWindow
	wayWinograd
	wayCorrelation
	wayLaneGrad
	wayDots
	wayProduct
	wayPatches
	waySums
	wayAbreast
	wayPlaces
	wayDirect
	wayColumns
)

// wayOf is the way of this phase.
func (j *convJob[T]) wayOf() way {
	switch {
	case j.paired:
		return wayPaired
	// One channel makes one: bound by loads, so routines that read a row once for all taps.
	case j.isDepthwise():
		return wayDepthwise
	case j.isWindow():
		return wayWindow
	// Only if the caller allowed it.
	case j.isWinograd():
		return wayWinograd
	// Gradients of single channels' taps: by rows if 3 by 3, else with a channel in each lane, or along a line.
	case j.isCorrelation():
		return wayCorrelation
	case j.isLaneGrad():
		return wayLaneGrad
	case j.isDots():
		return wayDots
	// One product of matrices as they lie, or as they are after one copy.
	case j.isProduct():
		return wayProduct
	case j.isPatches():
		return wayPatches
	// Gradients of kernels: many taps, few outputs.
	case j.isSums():
		return waySums
	// Output channels fill vectors: without copies if channels lie abreast, else by strips of the input.
	case j.isAbreast():
		return wayAbreast
	case j.isPlaces():
		return wayPlaces
	// They do not: lanes are places, if rows are long enough for what lies between them.
	case j.isDirect():
		return wayDirect
	}
	if ok, _ := j.isColumns(); ok {
		return wayColumns
	}
	return wayFilled
}

func (j *convJob[T]) runPhase(c *backend.Ctx) error {
	w := j.wayOf()
	switch w {
	case wayPaired:
		return j.byPaired(c)
	case wayDepthwise:
		return j.depthwise(c)
	case wayWindow:
		return j.byWindow(c)
	case wayWinograd:
		return j.byWinograd(c)
	case wayCorrelation:
		return j.correlate(c)
	case wayLaneGrad:
		return j.byLaneGrad(c)
	case wayDots:
		return j.byDots(c)
	case wayProduct:
		return j.byProduct(c)
	case wayPatches:
		return j.byPatches(c)
	case waySums:
		return j.bySums(c)
	case wayAbreast:
		return j.byAbreast(c)
	case wayPlaces:
		return j.byPlaces(c)
	case wayColumns:
		_, few := j.isColumns()
		if spoiled, err := j.byColumns(c, few); err != nil || !spoiled {
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
	if w == wayDirect {
		return j.direct(c)
	}
	return j.filled(c)
}

// filled makes the second matrix block by block (conv_block.go).
func (j *convJob[T]) filled(c *backend.Ctx) error {
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
	j.partial, done = borrow[T](n * j.tiles.sums * j.area())
	defer done()
	if err := c.For(n*j.tiles.sums, j.splitBlock); err != nil {
		return err
	}
	return c.For(n, j.joinBlock)
}
