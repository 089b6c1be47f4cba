package cpu

import "github.com/lucid-go/lucid/internal/backend"

// packKernels lays out the kernels' taps of this phase as rows. Kernels that already lie so are used in place.
func (j *convJob[T]) packKernels(c *backend.Ctx) (free func(), err error) {
	p, taps := &j.phase, j.phase.taps()
	if j.kernelsInPlace() {
		j.panel, j.panelRow, j.panelCol, j.panelLen = j.w, j.kernelStep, j.evenStep(), j.kernels*j.kernelStep
		return nil, nil
	}
	k := j.channels * taps
	j.panel, free = borrow[T](j.groups * j.kernels * k)
	j.panelRow, j.panelCol, j.panelLen = k, 1, j.kernels*k
	if k == 0 {
		return free, nil
	}
	rows := j.groups * j.kernels
	each := max(1, blockElems/k)
	err = c.For((rows+each-1)/each, func(b int) {
		for r := b * each; r < min((b+1)*each, rows); r++ {
			to := j.panel[r*k:][:k]
			for ch := range j.channels {
				from := r*j.kernelStep + ch*j.kernelInStep
				for u0 := range p[0].taps {
					for u1 := range p[1].taps {
						at := from + (p[0].tap+u0*p[0].tapStep)*j.tapStep[0] + (p[1].tap+u1*p[1].tapStep)*j.tapStep[1] + p[2].tap*j.tapStep[2]
						for u2 := range p[2].taps {
							to[u2] = j.w[at+u2*p[2].tapStep*j.tapStep[2]]
						}
						to = to[p[2].taps:]
					}
				}
			}
		}
	})
	return free, err
}

// kernelsInPlace reports whether every tap is used, in order, and the taps of all channels are evenly apart.
func (j *convJob[T]) kernelsInPlace() bool {
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
func (j *convJob[T]) evenStep() int {
	for d := 2; d >= 0; d-- {
		if j.kernelSize[d] > 1 {
			return j.tapStep[d]
		}
	}
	return j.kernelInStep
}
