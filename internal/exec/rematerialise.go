package exec

import (
	"cmp"
	"slices"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/graph"
)

// A training step holds values from the forward to the backward pass that could be recomputed in one pass over memory: the gelu of a
// value that is held anyway, normalised rows, permuted rows. Where the caller of Compile allows some extra work, such a value is dropped
// behind its last reader before the peak and computed again before the first reader behind it.

const (
	rematRounds    = 16 // looks at the peak
	maxRematInstrs = 8  // elementwise ops that are made again in one launch
	flopsPerByte   = 128
)

// remat is a value that can be computed a second time.
type remat struct {
	buf  int32
	s    step // the launch; the first output with this number is the value
	out  int
	at   int32 // the reader before which it comes
	cost int   // bytes it reads and writes
	span int   // launches for which it need not be held
}

// rematerialise lowers the peak by computing values again, within rematShare of the program's work.
func (p *planner) rematerialise() {
	if p.rematShare <= 0 || p.prog.peakBytes() < MinReorderBytes {
		return
	}
	work := 0
	for k := range p.prog.steps {
		work += p.prog.steps[k].work()
	}
	left := int(p.rematShare * float64(work))
	for range rematRounds {
		before := *p.prog
		before.bufs, before.steps = slices.Clone(p.prog.bufs), slices.Clone(p.prog.steps)
		peak, at := p.prog.peakStep()
		picked := p.pickRemats(at, min(left, peak/8), left)
		if len(picked) == 0 {
			return
		}
		cost := p.insertRemats(picked)
		if now := p.prog.peakBytes(); now > peak-peak/512 {
			*p.prog = before
			return
		}
		left -= cost
	}
}

// work is what a launch does, in bytes moved or what takes as long.
func (s *step) work() (bytes int) {
	for _, list := range [][]operand{s.out, s.in} {
		for _, o := range list {
			bytes += o.shape.Numel() * o.dtype.Size()
		}
	}
	op, in := s.op, s.in
	if s.fused != nil && s.fused.Producer != nil {
		op, in = s.fused.Producer.Op, s.in[s.fused.In:]
	}
	if o := graph.Lookup(op); o == nil || o.Kind != graph.Contract || len(in) == 0 || in[0].shape.Rank() == 0 {
		return bytes
	}
	sum := in[0].shape.Dim(in[0].shape.Rank() - 1)
	return max(bytes, 2*s.out[0].shape.Numel()*sum/flopsPerByte)
}

// peakStep is the launch at which most temporaries are alive, and their bytes.
func (p *Program) peakStep() (peak, at int) {
	live := 0
	for k, c := range p.changes() {
		if live += c; live > peak {
			peak, at = live, k
		}
	}
	return peak, at
}

// pickRemats chooses values held over launch `at` that can be made again: those that need not be held longest first, until they
// cost about as much as is wanted, and at most what is left.
func (p *planner) pickRemats(at, want, left int) (picked []remat) {
	var list []remat
	for i := p.prog.numIn; i < len(p.prog.bufs); i++ {
		b := &p.prog.bufs[i]
		if b.data != nil || b.keep || int(b.first) >= at || int(b.last) <= at || b.size < MinReorderBytes>>6 {
			continue
		}
		if a, ok := p.canRematerialise(int32(i), at); ok && a.cost <= left {
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b remat) int {
		x, y := a.cost*p.prog.bufs[b.buf].size, b.cost*p.prog.bufs[a.buf].size // bytes moved for each byte saved
		if 4*x < 3*y || 4*y < 3*x {
			return cmp.Compare(x, y)
		}
		return cmp.Compare(b.span, a.span)
	})
	gone := map[int32]bool{} // they are dropped early: no other value can be recomputed from them
	used := map[int32]bool{}
	cost := 0
	for _, a := range list {
		if cost >= want || cost+a.cost > left {
			break
		}
		ok := !used[a.buf]
		for _, o := range a.s.in {
			ok = ok && !gone[o.buf]
		}
		if !ok {
			continue
		}
		for _, o := range a.s.in {
			used[o.buf] = true
		}
		gone[a.buf] = true
		cost += a.cost
		picked = append(picked, a)
	}
	return picked
}

// canRematerialise says how a value is made again behind launch `at`.
func (p *planner) canRematerialise(b int32, at int) (a remat, ok bool) {
	prog := p.prog
	before, behind := prog.bufs[b].first, int32(-1)
	for k := int(prog.bufs[b].first); k < len(prog.steps); k++ {
		for _, o := range prog.steps[k].in {
			if o.buf != b {
				continue
			}
			if k == at {
				return a, false // it is read at the peak
			}
			if k < at {
				before = int32(k)
			} else if behind < 0 {
				behind = int32(k)
			}
		}
	}
	if behind < 0 {
		return a, false
	}
	s := &prog.steps[prog.bufs[b].first]
	a = remat{buf: b, at: behind, span: int(behind - before)}
	switch op := graph.Lookup(s.op); {
	case s.fused != nil:
		if !p.subprogram(s, b, behind, &a) {
			return a, false
		}
	case op != nil && op.Cheap:
		a.s = *s
		a.s.out, a.s.from, a.s.again = slices.Clone(s.out), nil, true
		a.out = slices.IndexFunc(s.out, func(o operand) bool { return o.buf == b })
	default:
		return a, false
	}
	held := 0 // bytes that would have to be held longer
	for _, o := range a.s.in {
		if int(o.buf) < prog.numIn && p.overwritten(o.buf, behind) {
			return a, false // state that has its next value by then
		}
		if c := &prog.bufs[o.buf]; int(o.buf) >= prog.numIn && c.data == nil && c.last < behind {
			held += c.size
		}
	}
	a.cost = a.s.work()
	return a, 8*held <= prog.bufs[b].size
}

// overwritten reports whether an input has another value at launch k.
func (p *planner) overwritten(in, k int32) bool {
	for i := p.prog.numIn; i < len(p.prog.bufs); i++ {
		if b := &p.prog.bufs[i]; b.donor == in && b.first <= k {
			return true
		}
	}
	return false
}

// subprogram makes a program of the instructions that give one output of a fused one, from what is at hand behind it.
func (p *planner) subprogram(s *step, b, behind int32, a *remat) bool {
	f := s.fused
	first := 0
	if f.Producer != nil {
		first = 1
	}
	k := slices.IndexFunc(s.out, func(o operand) bool { return o.buf == b }) - first
	if k < 0 || k >= len(f.Out) {
		return false
	}
	maker := map[int]int{} // by register: its instruction
	for i, ins := range f.Instrs {
		maker[ins.Dst] = i
	}
	stored := map[int]operand{} // by register: where it is
	for i, r := range f.Out {
		if o := s.out[first+i]; o.buf != b && p.prog.bufs[o.buf].last >= behind {
			stored[r] = o
		}
	}
	var need []int // instructions
	reg := map[int]int{}
	a.s = step{op: "fused", dev: s.dev, again: true, lead: s.lead}
	prog := &backend.Fused{Shape: f.Shape, Out: []int{0}}
	var visit func(r, deep int) bool
	visit = func(r, deep int) bool {
		if _, ok := reg[r]; ok {
			return true
		}
		if o, ok := stored[r]; ok {
			reg[r] = len(a.s.in)
			a.s.in = append(a.s.in, o)
			return true
		}
		i, made := maker[r]
		if deep > maxRematInstrs {
			return false
		}
		if !made {
			if f.Producer != nil && r == f.Producer.Dst {
				return false // a producer is not recomputed
			}
			reg[r] = len(a.s.in)
			a.s.in = append(a.s.in, s.in[r])
			return true
		}
		reg[r] = -1
		for _, x := range f.Instrs[i].Src {
			if x >= 0 && !visit(x, deep+1) {
				return false
			}
		}
		need = append(need, i)
		return len(need) <= maxRematInstrs
	}
	if !visit(f.Out[k], 0) || len(need) == 0 {
		return false
	}
	prog.In = len(a.s.in)
	for _, o := range a.s.in {
		prog.DTypes = append(prog.DTypes, o.dtype)
	}
	for _, i := range need {
		ins := f.Instrs[i]
		for j, x := range ins.Src {
			if x >= 0 {
				ins.Src[j] = reg[x]
			}
		}
		ins.Dst = len(prog.DTypes)
		reg[f.Instrs[i].Dst] = ins.Dst
		prog.DTypes = append(prog.DTypes, f.DTypes[f.Instrs[i].Dst])
		prog.Instrs = append(prog.Instrs, ins)
		if i < len(s.nodes) {
			a.s.nodes = append(a.s.nodes, s.nodes[i])
		}
	}
	prog.Out[0] = reg[f.Out[k]]
	a.s.fused, a.s.out, a.out = prog, []operand{s.out[first+k]}, 0
	return true
}

// insertRemats puts launches that make values again before their readers; it returns what they cost.
func (p *planner) insertRemats(list []remat) (cost int) {
	prog := p.prog
	slices.SortStableFunc(list, func(a, b remat) int { return cmp.Compare(a.at, b.at) })
	to := map[int32]int32{}
	begins := map[int32]int32{}
	var steps []step
	next := 0
	for k := range prog.steps {
		for ; next < len(list) && int(list[next].at) == k; next++ {
			a := &list[next]
			for i := range a.s.out {
				o := &a.s.out[i]
				prog.bufs = append(prog.bufs, bufInfo{dev: a.s.dev, size: prog.bufs[o.buf].size, donor: -1})
				if i == a.out {
					to[a.buf], begins[a.buf] = int32(len(prog.bufs)-1), a.at
				}
				o.buf = int32(len(prog.bufs) - 1)
			}
			if a.s.fused != nil {
				a.s.dev.Prepare(a.s.fused)
			}
			steps = append(steps, a.s)
			cost += a.cost
		}
		s := prog.steps[k]
		shared := true
		for i, o := range s.in {
			if n, ok := to[o.buf]; ok && begins[o.buf] <= int32(k) {
				if shared {
					s.in, shared = slices.Clone(s.in), false
				}
				s.in[i].buf = n
			}
		}
		steps = append(steps, s)
	}
	p.renumber(steps)
	p.findDonors()
	p.rematerialised = true
	return cost
}
