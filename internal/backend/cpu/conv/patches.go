package conv

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/backend/cpu/layout"
)

// Kernels that do not overlap, as of the patches of a vision transformer, see each element of the input at most once:
// the second matrix is the input in another order, and is made as a whole. The gradient to the input, and the transposed
// convolution that doubles an image, are the same from the other side: a product with a row for each channel and tap,
// which is then put in order. The orders are transposed rows: the taps along a row become rows of positions, or back.

// patchLeast is the fewest channels for which a product is worth the orders.
const patchLeast = 4

// isPatches reports whether every tap of a phase is inside the input, taps side by side, and none is read twice.
func (j *job[T]) isPatches() bool {
	if j.x == nil || j.z == nil || j.channels == 0 || j.kernels < patchLeast || j.phase.taps() < 2 || j.phase.outs() != j.outPositions {
		return false
	}
	for d, p := range j.phase {
		if p.step != 1 || p.taps > p.stride || p.first < 0 || p.first+(p.outs-1)*p.stride+p.taps > j.size[d] {
			return false
		}
	}
	return true
}

// byPatches computes such a phase.
func (j *job[T]) byPatches(c *backend.Ctx) error {
	free, err := j.packKernels(c)
	if err != nil {
		return err
	}
	if free != nil {
		defer free()
	}
	p, planes := &j.phase, j.images*j.groups*j.channels
	n, taps := p.outs(), p.taps()
	cols, freeCols := bufpool.Borrow[T](planes * taps * n)
	defer freeCols()
	rows := planes * p[0].taps * p[1].taps // rows of taps
	each := max(1, blockElems/(n*p[2].taps))
	if err := c.For(ceil(rows, each), func(b int) {
		for r := b * each; r < min((b+1)*each, rows); r++ {
			u1, u0, plane := r%p[1].taps, r/p[1].taps%p[0].taps, r/(p[1].taps*p[0].taps)
			image, channel := plane/(j.groups*j.channels), plane%(j.groups*j.channels)
			base := image*j.imageStep + channel*j.channelStep + p[2].first*j.step[2]
			for t0 := range p[0].outs {
				for t1 := range p[1].outs {
					at := base + (p[0].first+t0*p[0].stride+u0)*j.step[0] + (p[1].first+t1*p[1].stride+u1)*j.step[1]
					to := cols[r*p[2].taps*n+(t0*p[1].outs+t1)*p[2].outs:]
					layout.TransposeStrided(to, n, j.x[at:], p[2].stride*j.step[2], j.step[2], p[2].outs, p[2].taps)
				}
			}
		}
	}); err != nil {
		return err
	}
	j.epilogueDone = j.then != nil
	k := j.channels * taps
	lead := []int{j.images, j.groups}
	w := Batch[T]{X: j.panel, Rows: j.kernels, Cols: k, RS: j.panelRow, CS: j.panelCol, Lead: lead, Step: []int{0, j.panelLen}}
	x := Batch[T]{X: cols, Rows: k, Cols: n, RS: n, CS: 1, Lead: lead, Step: []int{j.groups * k * n, k * n}}
	return j.inStrips(c, &w, &x)
}

// isTransposedPatches reports whether every output is one tap of one position of the input, each position having as many as there are
// phases.
func (j *job[T]) isTransposedPatches() bool {
	if j.x == nil || j.z == nil || j.channels < patchLeast || len(j.phases[0])*len(j.phases[1])*len(j.phases[2]) < 2 || !j.isEven() {
		return false
	}
	for d, phases := range j.phases {
		if j.outSize[d] != j.size[d]*len(phases) {
			return false
		}
		for _, p := range phases {
			if p.taps != 1 || p.first != 0 || p.stride != 1 || p.outs != j.size[d] {
				return false
			}
		}
	}
	return true
}

// byTransposedPatches computes all phases.
func (j *job[T]) byTransposedPatches(c *backend.Ctx) error {
	count := [3]int{len(j.phases[0]), len(j.phases[1]), len(j.phases[2])}
	taps, k := count[0]*count[1]*count[2], j.channels
	m, n := j.kernels*taps, j.size[0]*j.size[1]*j.size[2]
	panel, freePanel := bufpool.Borrow[T](j.groups * m * k)
	defer freePanel()
	each := max(1, blockElems/(taps*k))
	if err := c.For(ceil(j.groups*j.kernels, each), func(b int) {
		for o := b * each; o < min((b+1)*each, j.groups*j.kernels); o++ {
			for t := range taps {
				at := [3]int{t / (count[2] * count[1]), t / count[2] % count[1], t % count[2]}
				from := o * j.kernelStep
				for d, r := range at {
					from += j.phases[d][r].tap * j.tapStep[d]
				}
				to := panel[(o*taps+t)*k:][:k]
				for ch := range to {
					to[ch] = j.w[from+ch*j.kernelInStep]
				}
			}
		}
	}); err != nil {
		return err
	}
	sums, free := bufpool.Borrow[T](j.images * j.groups * m * n)
	defer free()
	lead := []int{j.images, j.groups}
	w := Batch[T]{X: panel, Rows: m, Cols: k, RS: k, CS: 1, Lead: lead, Step: []int{0, m * k}}
	x := Batch[T]{X: j.x, Rows: k, Cols: n, RS: j.channelStep, CS: j.step[2], Lead: lead, Step: []int{j.imageStep, k * j.channelStep}}
	product := job[T]{float: j.float, images: j.images, groups: j.groups, channels: k, kernels: m, outPositions: n, z: sums}
	if err := product.inStrips(c, &w, &x); err != nil {
		return err
	}
	rows := j.images * j.groups * j.kernels * j.outSize[0] * j.outSize[1]
	each = max(1, blockElems/j.outSize[2])
	return c.For(ceil(rows, each), func(b int) {
		for r := b * each; r < min((b+1)*each, rows); r++ {
			i1, rest := r%j.outSize[1], r/j.outSize[1]
			i0, plane := rest%j.outSize[0], rest/j.outSize[0]
			t := (i0%count[0]*count[1] + i1%count[1]) * count[2]
			from := sums[(plane*taps+t)*n+(i0/count[0]*j.size[1]+i1/count[1])*j.size[2]:]
			to := j.z[r*j.outSize[2]:][:j.outSize[2]]
			if count[2] == 1 {
				copy(to, from)
				continue
			}
			layout.TransposeBlock(to, count[2], from, n, count[2], j.size[2])
		}
	})
}
