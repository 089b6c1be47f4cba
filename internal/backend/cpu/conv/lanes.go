package conv

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/par"
)

// Depthwise convolutions, and the gradient of their taps, with a channel in each lane: planes of as many channels as a vector has
// lanes are transposed, so that their elements of one position follow each other, and the result is transposed back. Then taps of any
// number, distance and stride are a multiply-add each, those outside the input are left out, and no vector is cut at the
// edge of a narrow plane. Transposing costs about as much as nine taps, so 3 by 3 taps without a stride go by rows
// (depthwise3x3.go), and so do five and seven where a row is a vector long (depthwise.go). All others were measured to be
// faster so: a stride of two twice to eight times, on planes of 7 to 112, gradients of 5 by 5 taps seven to fourteen times.

const (
	lanePositions = 16384     // most positions of planes: what is transposed must stay in the second cache
	lanePace      = 256 << 10 // multiply-adds of vectors between two looks at the clock
)

// laneRun is some outputs along a dimension, or some cotangents, that have the same taps inside the input.
type laneRun struct{ at, n, lo, hi int }

// laneRuns lists them: position t and tap u read first + t·stride + u·step.
func laneRuns(first, count, stride, taps, step, size int) (runs []laneRun) {
	for t := range count {
		lo, hi := insideTaps(first+t*stride, step, taps, size)
		if k := len(runs) - 1; k >= 0 && runs[k].lo == lo && runs[k].hi == hi {
			runs[k].n++
			continue
		}
		runs = append(runs, laneRun{t, 1, lo, hi})
	}
	return runs
}

// insideTaps is which of the taps from first on, a step apart, are inside: from lo to before hi.
func insideTaps(first, step, taps, size int) (lo, hi int) {
	for lo < taps && uint(first+lo*step) >= uint(size) {
		lo++
	}
	for hi = lo; hi < taps && uint(first+hi*step) < uint(size); hi++ {
	}
	return lo, hi
}

// isOnLanes reports whether planes can be transposed: two dimensions, single channels, positions that follow each other.
func (j *job[T]) isOnLanes() bool {
	return j.isFloat32() && simd.LaneWidth() > 0 && j.kernels == 1 && 2*j.groups >= simd.LaneWidth() && j.size[0] == 1 &&
		j.kernelSize[0] == 1 &&
		j.step[2] == 1 && j.step[1] == j.size[2] && j.size[1]*j.size[2] <= lanePositions
}

// isLanes reports whether this is a depthwise convolution that is faster so.
func (j *job[T]) isLanes() bool {
	if j.channels != 1 || !j.isOnLanes() || j.outPositions > lanePositions || j.outSize[0] != 1 || j.channelStep < j.size[1]*j.size[2] {
		return false
	}
	if len(j.phases[1])*len(j.phases[2]) > 1 {
		return true
	}
	j.phase = phases3{j.phases[0][0], j.phases[1][0], j.phases[2][0]}
	return !j.isDepthwise3x3() && !j.isDepthwise()
}

// lanePart is the outputs with the same taps: rows and columns of a phase.
type lanePart struct {
	rows, cols laneRun
	p          [2]*phase
	taps       simd.LaneTaps
	pos        int // what output 0 of the phase reads first, if it has these taps
}

// reads reports whether there are taps inside the input.
func (q *lanePart) reads() bool { return q.rows.lo < q.rows.hi && q.cols.lo < q.cols.hi }

// laneParts lists the parts of all phases.
func (j *job[T]) laneParts(lanes int) (parts []*lanePart) {
	wide := j.size[2]
	for a := range j.phases[1] {
		for b := range j.phases[2] {
			p := [2]*phase{&j.phases[1][a], &j.phases[2][b]}
			for _, rows := range laneRuns(p[0].first, p[0].outs, p[0].stride, p[0].taps, p[0].step, j.size[1]) {
				for _, cols := range laneRuns(p[1].first, p[1].outs, p[1].stride, p[1].taps, p[1].step, wide) {
					q := &lanePart{rows: rows, cols: cols, p: p}
					// Distances are counted from the tap that reads first.
					low := (least(rows, p[0].step)*wide + least(cols, p[1].step))
					q.pos = p[0].first*wide + p[1].first + low
					for u := rows.lo; u < rows.hi; u++ {
						for v := cols.lo; v < cols.hi; v++ {
							q.taps.Add((u*p[0].step*wide+v*p[1].step-low)*lanes,
								((p[0].tap+u*p[0].tapStep)*j.kernelSize[2]+p[1].tap+v*p[1].tapStep)*lanes)
						}
					}
					parts = append(parts, q)
				}
			}
		}
	}
	return parts
}

// least is the smallest distance of a run's taps.
func least(r laneRun, step int) int { return min(r.lo*step, max(r.lo, r.hi-1)*step) }

// byLanes computes some channels of an image at a time.
func (j *job[T]) byLanes(c *backend.Ctx) error {
	lanes := simd.LaneWidth()
	parts := j.laneParts(lanes)
	positions, taps, wide := j.size[1]*j.size[2], j.kernelSize[1]*j.kernelSize[2], j.size[2]
	x, z, weights := any(j.x).([]float32), any(j.z).([]float32), any(j.w).([]float32)
	j.epilogueDone = j.then != nil
	each := max(1, blockElems/((positions+j.outPositions)*lanes))
	vectors := ceil(j.groups, lanes)
	return c.For(ceil(j.images*vectors, each), func(b int) {
		scratch, free := bufpool.Borrow[float32]((positions + j.outPositions + taps) * lanes)
		defer free()
		xs, zs, ws := scratch[:positions*lanes], scratch[positions*lanes:(positions+j.outPositions)*lanes],
			scratch[(positions+j.outPositions)*lanes:]
		pace, work, packed := par.NewPace(), 0, -1
		for i := b * each; i < min((b+1)*each, j.images*vectors); i++ {
			group, image := i/j.images*lanes, i%j.images
			m := min(lanes, j.groups-group)
			if group != packed {
				packed = group
				j.packLanes(ws, weights[group*j.kernelStep:], m, lanes)
			}
			simd.TransposeBlockF32(xs, lanes, x[image*j.imageStep+group*j.channelStep:], j.channelStep, m, positions)
			for _, q := range parts {
				high, across := q.p[0], q.p[1]
				for t := q.rows.at; t < q.rows.at+q.rows.n; t++ {
					to := (high.out+t*high.outStep)*j.outSize[2] + across.out + q.cols.at*across.outStep
					from := 0
					if q.reads() {
						from = q.pos + t*high.stride*wide + q.cols.at*across.stride
					}
					simd.LaneSums(zs[to*lanes:], xs[from*lanes:], ws, &q.taps, q.cols.n, across.outStep*lanes, across.stride*lanes)
				}
			}
			at := (image*j.groups + group) * j.outPositions
			simd.TransposeBlockF32(z[at:], j.outPositions, zs, lanes, j.outPositions, m)
			if j.then != nil {
				j.then(image*j.groups+group, 0, m, j.outPositions)
			}
			if work += j.outPositions * taps; work > lanePace/lanes {
				work = 0
				pace.Step()
			}
		}
	})
}

// packLanes transposes the kernels of m channels.
func (j *job[T]) packLanes(ws, w []float32, m, lanes int) {
	high, wide := j.kernelSize[1], j.kernelSize[2]
	if j.tapStep[2] == 1 && j.tapStep[1] == wide && j.kernelStep >= high*wide {
		simd.TransposeBlockF32(ws, lanes, w, j.kernelStep, m, high*wide)
		return
	}
	for t := range high * wide {
		for k := range m {
			ws[t*lanes+k] = w[k*j.kernelStep+t/wide*j.tapStep[1]+t%wide*j.tapStep[2]]
		}
	}
}

// isLaneGrad reports whether this is the gradient of a depthwise convolution's taps: one image, each output the sum of products of
// planes. The kernels are the cotangents, and what they are taps of are the positions of the input.
func (j *job[T]) isLaneGrad() bool {
	p := &j.phase
	if j.images != 1 || !p.one() || !j.isOnLanes() || p[2].outs > simd.LaneTapsMost || j.outPositions != p[1].outs*p[2].outs ||
		j.tapStep[2] != 1 || j.tapStep[1] != j.kernelSize[2] || j.kernelSize[1]*j.kernelSize[2] > lanePositions {
		return false
	}
	for d, q := range p[1:] {
		if q.stride < 1 || q.step < 1 || q.tap != 0 || q.tapStep != 1 || q.taps != j.kernelSize[1+d] {
			return false
		}
	}
	return j.kernelStep >= j.kernelSize[1]*j.kernelSize[2] && j.channels*j.channelStep >= j.size[1]*j.size[2]
}

// byLaneGrad sums an image of some channels at a time, and then the images in order.
func (j *job[T]) byLaneGrad(c *backend.Ctx) error {
	lanes := simd.LaneWidth()
	high, across := &j.phase[1], &j.phase[2]
	positions, cots, outs, wide := j.size[1]*j.size[2], j.kernelSize[1]*j.kernelSize[2], j.outPositions, j.size[2]
	x, z, g := any(j.x).([]float32), any(j.z).([]float32), any(j.w).([]float32)
	rows := laneRuns(high.first, high.taps, high.step, high.outs, high.stride, j.size[1])
	cols := laneRuns(across.first, across.taps, across.step, across.outs, across.stride, wide)
	vectors := ceil(j.groups, lanes)
	sums, freeSums := bufpool.Borrow[float32](vectors * j.channels * outs * lanes)
	defer freeSums()
	each := max(1, blockElems/((positions+cots)*lanes))
	err := c.For(ceil(vectors*j.channels, each), func(b int) {
		scratch, free := bufpool.Borrow[float32]((positions + cots) * lanes)
		defer free()
		xs, gs := scratch[:positions*lanes], scratch[positions*lanes:]
		pace, work := par.NewPace(), 0
		for i := b * each; i < min((b+1)*each, vectors*j.channels); i++ {
			group, image := i/j.channels*lanes, i%j.channels
			m := min(lanes, j.groups-group)
			simd.TransposeBlockF32(xs, lanes, x[(group*j.channels+image)*j.channelStep:], j.channels*j.channelStep, m, positions)
			simd.TransposeBlockF32(gs, lanes, g[group*j.kernelStep+image*j.kernelInStep:], j.kernelStep, m, cots)
			to := sums[i*outs*lanes:][:outs*lanes]
			clear(to)
			for _, r := range rows {
				for _, q := range cols {
					if r.lo >= r.hi || q.lo >= q.hi { // padding alone
						continue
					}
					d := simd.LaneGrad{Rows: r.hi - r.lo, Taps: q.hi - q.lo, N: q.n, GStep: lanes, XStep: across.step * lanes,
						TapStep: across.stride * lanes, RowStep: high.stride * wide * lanes, SumStep: across.outs * lanes}
					for u := r.at; u < r.at+r.n; u++ {
						from := (high.first+u*high.step+r.lo*high.stride)*wide + across.first + q.at*across.step + q.lo*across.stride
						simd.LaneGrads(to[(r.lo*across.outs+q.lo)*lanes:], gs[(u*j.kernelSize[2]+q.at)*lanes:], xs[from*lanes:], &d)
					}
				}
			}
			if work += cots * outs; work > lanePace/lanes {
				work = 0
				pace.Step()
			}
		}
	})
	if err != nil {
		return err
	}
	for group := range j.groups {
		for t := range outs {
			s := float32(0)
			for image := range j.channels {
				s += sums[((group/lanes*j.channels+image)*outs+t)*lanes+group%lanes]
			}
			z[group*outs+t] = s
		}
	}
	return nil
}
