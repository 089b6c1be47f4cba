package exec

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/backend"
)

// Horizontal fusion: independent launches of the same program over different operands become one launch on devices that can: an
// optimizer's update of all parameters, sums of many gradients; so do those of some kernels: keys and values written to caches. A group
// runs where its last member was, so a member may join only if no launch needs its results before that. Its operands stay live until then:
// the peak memory of the plan must not grow by more than horizontalSlack.

const horizontalSlack = 16 << 20

// horizontalKey is equal for steps that can be one launch.
type horizontalKey struct {
	dev  *backend.Device
	code string
}

// horizontalGroup is steps that become one.
type horizontalGroup struct {
	steps []int
	until int // the first step that reads a result of one of them
	held  int // bytes that would be free after their own steps
}

// fuseHorizontally makes one launch of those that can be one.
func (p *planner) fuseHorizontally() {
	steps := p.prog.steps
	found := 0
	for k := range steps {
		if canFuseHorizontally(&steps[k]) {
			found++
		}
	}
	if found < 2 {
		return
	}
	readers, live := p.firstReaders(), p.live()
	bound := horizontalSlack
	for _, n := range live {
		bound = max(bound, n+horizontalSlack)
	}
	open := map[horizontalKey]*horizontalGroup{}
	var done []*horizontalGroup
	for k := range steps {
		s := &steps[k]
		if !canFuseHorizontally(s) {
			continue
		}
		key := horizontalKey{s.dev, s.horizontalCode()}
		j := open[key]
		if j == nil || k >= j.until || !j.fitsMemory(live, k, bound) {
			j = &horizontalGroup{until: math.MaxInt}
			open[key] = j
			done = append(done, j)
		}
		j.add(p, k, readers, live)
	}
	if p.mergeHorizontally(done) {
		p.findDonors() // renumbering the launches forgot the pairs
	}
}

func canFuseHorizontally(s *step) bool {
	if s.dev.HorizontalFuser == nil || s.sets > 0 || s.again || s.rows != nil || s.group != nil || s.control != nil {
		return false
	}
	if s.fused != nil {
		return s.fused.HorizontalKey != ""
	}
	_, ok := s.dev.JoinsKernel(s.op, s.attr)
	return ok
}

// horizontalCode tells programs apart, and launches of kernels whose operands are not alike.
func (s *step) horizontalCode() string {
	if s.fused != nil {
		return s.fused.HorizontalKey
	}
	var b strings.Builder
	shared, _ := s.dev.JoinsKernel(s.op, s.attr)
	fmt.Fprint(&b, s.op, s.attr, s.in[shared].buf, s.in[shared].lay)
	for _, o := range slices.Concat(s.out, s.in) {
		fmt.Fprint(&b, " ", o.dtype, o.shape.Dims())
	}
	return b.String()
}

// fitsMemory reports whether the operands of the steps can stay live until step k too.
func (j *horizontalGroup) fitsMemory(live []int, k, bound int) bool {
	for t := j.steps[len(j.steps)-1] + 1; t <= k; t++ {
		if live[t]+j.held > bound {
			return false
		}
	}
	return true
}

// add makes step k a member, behind the others.
func (j *horizontalGroup) add(p *planner, k int, readers []int, live []int) {
	if len(j.steps) > 0 {
		for t := j.steps[len(j.steps)-1] + 1; t <= k; t++ {
			live[t] += j.held
		}
	}
	j.steps = append(j.steps, k)
	s := &p.prog.steps[k]
	for _, o := range s.out {
		j.until = min(j.until, readers[o.buf])
	}
	for i, o := range s.in {
		if b := &p.prog.bufs[o.buf]; p.temporary(o.buf) && b.last == int32(k) && !readBefore(s.in[:i], o.buf) {
			j.held += b.size
		}
	}
}

func readBefore(in []operand, buf int32) bool {
	for _, o := range in {
		if o.buf == buf {
			return true
		}
	}
	return false
}

// temporary reports whether a buffer's memory is the plan's own and of no use after it.
func (p *planner) temporary(buf int32) bool {
	b := &p.prog.bufs[buf]
	return int(buf) >= p.prog.numIn && b.data == nil && !b.keep
}

// firstReaders gives for every buffer the first step that reads it.
func (p *planner) firstReaders() []int {
	first := make([]int, len(p.prog.bufs))
	for i := range first {
		first[i] = math.MaxInt
	}
	for k := len(p.prog.steps) - 1; k >= 0; k-- {
		for _, o := range p.prog.steps[k].in {
			first[o.buf] = k
		}
	}
	return first
}

// live gives for every step the bytes of temporaries that have values while it runs.
func (p *planner) live() []int {
	live := make([]int, len(p.prog.steps)+1)
	for i := range p.prog.bufs {
		if b := &p.prog.bufs[i]; p.temporary(int32(i)) && b.first >= 0 {
			live[b.first] += b.size
			live[b.last+1] -= b.size
		}
	}
	for k := 1; k < len(live); k++ {
		live[k] += live[k-1]
	}
	return live
}

// mergeHorizontally replaces the last member of each group by one step for all, and numbers steps anew. It reports whether there were any.
func (p *planner) mergeHorizontally(sets []*horizontalGroup) bool {
	into := map[int]*horizontalGroup{}
	gone := make([]bool, len(p.prog.steps))
	for _, j := range sets {
		if len(j.steps) < 2 {
			continue
		}
		last := j.steps[len(j.steps)-1]
		into[last] = j
		for _, k := range j.steps {
			gone[k] = k != last
		}
	}
	if len(into) == 0 {
		return false
	}
	var steps []step
	for k, s := range p.prog.steps {
		if gone[k] {
			continue
		}
		if j := into[k]; j != nil {
			s.sets, s.in, s.out, s.from = len(j.steps), nil, nil, nil
			for _, m := range j.steps {
				s.from = append(s.from, p.prog.steps[m].from...)
				s.in, s.out = append(s.in, p.prog.steps[m].in...), append(s.out, p.prog.steps[m].out...)
			}
		}
		steps = append(steps, s)
	}
	p.renumber(steps)
	return true
}
