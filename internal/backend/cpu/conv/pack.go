package conv

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
)

// packKernels lays out the kernels' taps of this phase as rows. Kernels that already are so are used in place.
func (j *job[T]) packKernels(c *backend.Ctx) (free func(), err error) {
	taps := j.phase.taps()
	if j.kernelsInPlace() {
		j.panel, j.panelRow, j.panelCol, j.panelLen = j.w, j.kernelStep, j.evenStep(), j.kernels*j.kernelStep
		return nil, nil
	}
	k := j.channels * taps
	j.panel, free = bufpool.Borrow[T](j.groups * j.kernels * k)
	j.panelRow, j.panelCol, j.panelLen = k, 1, j.kernels*k
	if k == 0 {
		return free, nil
	}
	offs, even := j.tapOffsets()
	rows := j.groups * j.kernels
	each := max(1, blockElems/k)
	err = c.For((rows+each-1)/each, func(b int) {
		for r := b * each; r < min((b+1)*each, rows); r++ {
			for ch := range j.channels {
				to, from := j.panel[r*k+ch*taps:][:taps], r*j.kernelStep+ch*j.kernelInStep
				if even {
					copy(to, j.w[from+offs[0]:])
					continue
				}
				for i, o := range offs {
					to[i] = j.w[from+o]
				}
			}
		}
	})
	return free, err
}

// tapOffsets lists where the taps of this phase are in a kernel, and whether one after the other.
func (j *job[T]) tapOffsets() (offs []int, even bool) {
	p, even := &j.phase, true
	for u0 := range p[0].taps {
		for u1 := range p[1].taps {
			for u2 := range p[2].taps {
				o := 0
				for d, u := range [3]int{u0, u1, u2} {
					o += (p[d].tap + u*p[d].tapStep) * j.tapStep[d]
				}
				offs = append(offs, o)
				even = even && o == offs[0]+len(offs)-1
			}
		}
	}
	return offs, even
}

// kernelsInPlace reports whether every tap is used, in order, and the taps of all channels are evenly apart.
func (j *job[T]) kernelsInPlace() bool {
	n, step := 1, j.evenStep()
	for d := 2; d >= 0; d-- {
		if p := &j.phase[d]; p.taps != j.kernelSize[d] || p.taps > 1 && (p.tap != 0 || p.tapStep != 1) {
			return false
		}
		if j.kernelSize[d] > 1 && j.tapStep[d] != n*step {
			return false
		}
		n *= j.kernelSize[d]
	}
	return j.channels == 1 || j.kernelInStep == n*step
}

// evenStep is the distance of the innermost taps.
func (j *job[T]) evenStep() int {
	for d := 2; d >= 0; d-- {
		if j.kernelSize[d] > 1 {
			return j.tapStep[d]
		}
	}
	return j.kernelInStep
}
