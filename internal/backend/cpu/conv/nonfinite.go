package conv

import (
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/backend"
)

// Padding takes no part in a convolution, but most ways multiply by it as by zeros, and a zero times a kernel that is not
// finite is no number. So such kernels are found, where padding is read, and left out; what they give is added behind.
// Whichever are fewer are looked at: the kernels before, or the results behind, which are no number then.

// run computes the output, and what follows it.
func (j *job[T]) run(c *backend.Ctx) error {
	outs := j.images * j.groups * j.kernels * j.outPositions
	if outs == 0 {
		return nil
	}
	then := j.then
	kernels := j.groups * j.kernels * j.channels * j.kernelSize[0] * j.kernelSize[1] * j.kernelSize[2]
	switch care := j.readsZeros(); {
	case care && j.z != nil && outs <= kernels:
		j.then = nil
		if err := j.runPhases(c); err != nil {
			return err
		}
		if anyNonFinite(c, j.z[:outs]) && anyNonFinite(c, j.w[:j.kernelEnd()]) {
			if err := j.withNonFiniteFilter(c); err != nil {
				return err
			}
		}
	case care && anyNonFinite(c, j.w[:j.kernelEnd()]):
		j.then = nil
		if err := j.withNonFiniteFilter(c); err != nil {
			return err
		}
	default:
		if err := j.runPhases(c); err != nil || j.epilogueDone {
			return err
		}
	}
	j.then = then
	return j.follow(c)
}

// follow does what follows the finished output.
func (j *job[T]) follow(c *backend.Ctx) error {
	if j.then == nil {
		return nil
	}
	return epilogueRows(c, j.then, j.images*j.groups*j.kernels, j.outPositions)
}

// epilogueRows fused what follows of a whole output of so many rows and columns.
func epilogueRows(c *backend.Ctx, then Epilogue, rows, cols int) error {
	each := max(1, blockElems/cols)
	return c.For(ceil(rows, each), func(b int) { then(b*each, 0, min(each, rows-b*each), cols) })
}

// readsZeros reports whether some tap of some output is outside the input, or between its elements.
func (j *job[T]) readsZeros() bool {
	for d := range 3 {
		for _, p := range j.phases[d] {
			if p.outStep > 1 {
				return true
			}
			first, last := p.first, p.first+(p.outs-1)*p.stride
			if p.outs > 0 && p.taps > 0 && (min(first, first+(p.taps-1)*p.step) < 0 || max(last, last+(p.taps-1)*p.step) >= j.size[d]) {
				return true
			}
		}
	}
	return false
}

// kernelEnd is where the kernels end in their slice.
func (j *job[T]) kernelEnd() int {
	end := (j.groups*j.kernels-1)*j.kernelStep + (j.channels-1)*j.kernelInStep + 1
	for d, n := range j.kernelSize {
		if n == 0 {
			return 0
		}
		end += (n - 1) * j.tapStep[d]
	}
	return max(0, end)
}

// anyNonFinite reports whether one of some elements is infinite or no number.
func anyNonFinite[T number](c *backend.Ctx, x []T) bool {
	if len(x) <= blockElems {
		return nonFinite(x)
	}
	var found atomic.Bool
	err := c.For(ceil(len(x), blockElems), func(b int) {
		if nonFinite(x[b*blockElems : min((b+1)*blockElems, len(x))]) {
			found.Store(true)
		}
	})
	return err == nil && found.Load() // one that stopped the loop stops what comes next too
}

// nonFinite is anyNonFinite of a block: an element less itself is zero, or no number.
func nonFinite[T number](x []T) bool {
	var s0, s1, s2, s3 T
	for ; len(x) >= 4; x = x[4:] {
		s0 += x[0] - x[0]
		s1 += x[1] - x[1]
		s2 += x[2] - x[2]
		s3 += x[3] - x[3]
	}
	for _, v := range x {
		s0 += v - v
	}
	return s0+s1+s2+s3 != 0
}

// nonFiniteTap is an element of a kernel that is not finite.
type nonFiniteTap[T number] struct {
	channel int
	tap     [3]int
	w       T
}

// withNonFiniteFilter computes with zeros instead of kernels that are not finite, and adds what these give.
func (j *job[T]) withNonFiniteFilter(c *backend.Ctx) error {
	w := j.w
	clean, free := bufpool.Borrow[T](j.kernelEnd())
	defer free()
	copy(clean, w)
	all := make([][]nonFiniteTap[T], j.groups*j.kernels)
	for o := range all {
		for ch := range j.channels {
			n := j.kernelSize
			for u := range n[0] * n[1] * n[2] {
				tap := [3]int{u / (n[1] * n[2]), u / n[2] % n[1], u % n[2]}
				at := o*j.kernelStep + ch*j.kernelInStep + tap[0]*j.tapStep[0] + tap[1]*j.tapStep[1] + tap[2]*j.tapStep[2]
				if v := w[at]; v-v != 0 {
					clean[at] = 0
					all[o] = append(all[o], nonFiniteTap[T]{ch, tap, v})
				}
			}
		}
	}
	j.w = clean
	err := j.runPhases(c)
	j.w = w
	if err != nil {
		return err
	}
	return c.For(j.images*len(all), func(b int) {
		if taps := all[b%len(all)]; len(taps) > 0 {
			j.addNonFinite(b/len(all), b%len(all), taps)
		}
	})
}

// addNonFinite adds what kernels that are not finite give to one output channel of one image. It is infinite or no number.
func (j *job[T]) addNonFinite(image, o int, taps []nonFiniteTap[T]) {
	sums, free := bufpool.Borrow[T](j.outPositions)
	defer free()
	clear(sums)
	// Outputs in which such a kernel is multiplied by an input that is not finite either: a zero instead of the kernel gave NaN there.
	var both []bool
	known := map[[3]int]bool{} // taps of which one is no number, whatever it is multiplied by
	for _, t := range taps {
		if known[t.tap] {
			continue
		}
		known[t.tap] = t.w != t.w
		j.products(image, o, t.channel, t.tap, func(out int, x T) {
			sums[out] += t.w * x
			if x-x != 0 {
				if both == nil {
					both = make([]bool, j.outPositions)
				}
				both[out] = true
			}
		})
	}
	if j.z == nil { // what is stored was rounded: sums are made anew of all that is not finite
		both = make([]bool, j.outPositions)
		for i, v := range sums {
			both[i] = v != 0
		}
	}
	if both != nil {
		j.addNonFiniteInputs(image, o, sums, both)
	}
	all := j.groups * j.kernels
	for i, s := range sums {
		at := (image*all+o)*j.outPositions + i
		if j.last {
			at = (image*j.outPositions+i)*all + o
		}
		switch {
		case s == 0:
		case j.z == nil:
			j.save(at, 1, []T{s})
		case both != nil && both[i]:
			j.z[at] = s
		default:
			j.z[at] += s
		}
	}
}

// addNonFiniteInputs adds the products of finite kernels and inputs that are not, for the outputs that are marked. What is finite makes
// no difference to them.
func (j *job[T]) addNonFiniteInputs(image, o int, sums []T, marked []bool) {
	n := j.kernelSize
	for ch := range j.channels {
		for u := range n[0] * n[1] * n[2] {
			tap := [3]int{u / (n[1] * n[2]), u / n[2] % n[1], u % n[2]}
			w := j.w[o*j.kernelStep+ch*j.kernelInStep+tap[0]*j.tapStep[0]+tap[1]*j.tapStep[1]+tap[2]*j.tapStep[2]]
			if w-w != 0 {
				continue
			}
			j.products(image, o, ch, tap, func(out int, x T) {
				if marked[out] && x-x != 0 {
					sums[out] += w * x
				}
			})
		}
	}
}

// products lists the outputs of one channel that see an element of the input by a tap of the kernel, and that element.
func (j *job[T]) products(image, o, channel int, tap [3]int, f func(out int, x T)) {
	at := image*j.imageStep + (o/j.kernels*j.channels+channel)*j.channelStep
	var x [1]T
	j.tapOutputs(0, tap[0], func(t0, i0 int) {
		j.tapOutputs(1, tap[1], func(t1, i1 int) {
			j.tapOutputs(2, tap[2], func(t2, i2 int) {
				j.read(x[:], at+i0*j.step[0]+i1*j.step[1]+i2*j.step[2], 1)
				f((t0*j.outSize[1]+t1)*j.outSize[2]+t2, x[0])
			})
		})
	})
}

// tapOutputs lists the outputs along a dimension that see an element of the input by a tap of the kernel, and which.
func (j *job[T]) tapOutputs(d, tap int, f func(out, in int)) {
	for _, p := range j.phases[d] {
		for u := range p.taps {
			if p.tap+u*p.tapStep != tap {
				continue
			}
			for t := range p.outs {
				if i := p.first + t*p.stride + u*p.step; i >= 0 && i < j.size[d] {
					f(p.out+t*p.outStep, i)
				}
			}
		}
	}
}
