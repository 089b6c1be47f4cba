package exec

import (
	"slices"
	"sync"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// Bind makes the program for the sizes of another trace; nil if the plan does not fit it, with the reason and how much was compared
// before it was found: of several plans the one that fits best tells why there is another. With once, the program will run once: see
// Replay.Recycle.
func (s *SharedPlan) Bind(t *Traced, once bool) (r *Replay, why string, compared int) {
	b := binders.Get().(*binder)
	b.s, b.t = s, t
	defer b.release()
	if once && s.recyclable() {
		if b.to = s.spare.Swap(nil); b.to == nil {
			b.to = s.newSpare()
		}
	}
	if r = b.bind(); r == nil && b.to != nil {
		s.spare.Store(b.to)
	}
	return r, b.why, b.compared
}

// recyclable reports whether a program has ended when it returns: those of a device that computes while the host goes on have not.
func (s *SharedPlan) recyclable() bool {
	p := s.replay.prog
	return !p.checks && !p.control && s.replay.capture == nil &&
		!slices.ContainsFunc(p.steps, func(st step) bool { return !st.dev.Host })
}

// newSpare makes space for programs that run once.
func (s *SharedPlan) newSpare() *Replay {
	was := s.replay.prog
	return &Replay{spareOf: s, prog: &Program{runs: newRunSpace()}, operands: make([]operand, 0, was.operands),
		programs: make([]backend.Fused, 0, fusedBlock)}
}

// Once reports whether the program was made to run once.
func (r *Replay) Once() bool { return r.spareOf != nil }

// Recycle lets the next program that runs once have the space of this one, which ended and is not used any more. A function whose
// sizes never come again makes a program for each call: that was a fifth of its garbage.
func (r *Replay) Recycle() {
	clear(r.captured)
	clear(r.capturedBufs)
	r.captured = r.captured[:0]
	r.prog.runs.ran.Store(false)
	r.spareOf.spare.Store(r)
}

func (b *binder) bind() *Replay {
	if !b.match() || !b.matchNodes() {
		return nil
	}
	lowered := b.steps()
	if lowered == nil || !b.sameRowGroups(lowered) || !b.sameProducts(lowered) {
		return nil
	}
	prog := b.program(lowered)
	if prog == nil || !b.donorsHold(prog) {
		return nil
	}
	b.offsets(prog)
	return b.replay(prog)
}

// steps binds the launches as they were lowered.
func (b *binder) steps() []step {
	s := b.s
	b.lowered = resize(b.lowered, len(s.lowered))
	list := b.lowered
	if b.to != nil {
		b.operands, b.programs = b.to.operands[:0], b.to.programs[:0]
	}
	for k := range s.lowered {
		list[k] = s.lowered[k]
		if !b.step(&list[k]) {
			return nil
		}
	}
	return list
}

// step binds a launch.
func (b *binder) step(st *step) bool {
	st.out, st.in = b.bindOperands(st.out), b.bindOperands(st.in)
	switch {
	case st.fused != nil:
		st.fused = b.fused(st, st.fused, b.raw(st.lead).Shape())
		return st.fused != nil
	case st.control != nil:
		st.attr = b.attr(st.nodes[0])
		st.control = st.control.forSizes(st.attr.(*graph.Control))
		st.kernel = st.control.kernel()
	case len(st.nodes) > 0:
		st.attr = b.attr(st.nodes[0])
	}
	return true
}

// bindOperands gives operands the shapes and layouts of the new trace.
func (b *binder) bindOperands(from []operand) []operand {
	if b.unchanged(from) {
		return from
	}
	if cap(b.operands)-len(b.operands) < len(from) {
		b.operands = make([]operand, 0, max(operandBlock, len(from)))
	}
	at := len(b.operands)
	for _, o := range from {
		n := b.raw(o.node)
		switch o.shape = n.Shape(); o.how {
		case asStored:
			o.lay = b.lays[o.node]
		case asWritten:
			if n.IsTuple() {
				o.shape = n.Out(int(o.item)).Shape
			}
		}
		b.operands = append(b.operands, o)
	}
	return b.operands[at:len(b.operands):len(b.operands)]
}

// sameBuffers lets operands be in the buffers that others are in: where values are computed twice, later launches read the second one.
func sameBuffers(list, as []operand) []operand {
	for i := range list {
		if list[i].buf == as[i].buf {
			continue
		}
		list = slices.Clone(list)
		for k := range list {
			list[k].buf = as[k].buf
		}
		break
	}
	return list
}

// operandBlock is how many operands are allocated at once.
const operandBlock = 64

// unchanged reports whether operands are those of the plan: much of a training step does not depend on the sizes of its data.
func (b *binder) unchanged(list []operand) bool {
	for i := range list {
		o := &list[i]
		n := b.raw(o.node)
		switch {
		case n.IsTuple() && o.how == asWritten:
			if n.Out(int(o.item)).Shape != o.shape {
				return false
			}
		case n.Shape() != o.shape || o.how == asStored && !sameLayout(b.lays[o.node], o.lay):
			return false
		}
	}
	return true
}

// binders have space for what is not part of the program.
var binders = sync.Pool{New: func() any { return new(binder) }}

// release lets other traces have the space.
func (b *binder) release() {
	clear(b.lowered)
	clear(b.lays)
	*b = binder{lowered: b.lowered, lays: b.lays, ends: b.ends, change: b.change}
	binders.Put(b)
}

// fused binds a program to its shape. It is prepared again only if an attribute changed that is part of it.
func (b *binder) fused(st *step, f *backend.Fused, sh *shape.Shape) *backend.Fused {
	again := b.changed && b.otherAttrs(st, f)
	if f.Shape == sh && !again {
		return f
	}
	g := b.newFused()
	*g = *f
	g.Shape = sh
	if !again {
		if c, ok := st.dev.Fuser.(backend.ShapeChecker); ok && !c.PreparedFor(g) {
			b.fail("a product of shape %v is computed otherwise than in the plan", sh)
			return nil
		}
		return g
	}
	g.Instrs = slices.Clone(f.Instrs)
	for i := range g.Instrs {
		g.Instrs[i].Attr = b.attr(st.nodes[i])
	}
	if f.Producer != nil {
		p := *f.Producer
		p.Attr = b.attr(st.nodes[len(st.nodes)-1])
		p.Unwritten, p.NoOverwrite = false, false
		if g.Producer = &p; !st.dev.CanTakeEpilogue(p.Op, p.Attr, f.DTypes[p.Dst]) {
			b.fail("%s takes no epilogue at this size", p.Op)
			return nil
		}
	}
	g.Prep, g.HorizontalKey = nil, ""
	st.dev.Prepare(g)
	if f.Producer != nil && (g.Producer.Unwritten != f.Producer.Unwritten || g.Producer.NoOverwrite != f.Producer.NoOverwrite) ||
		(g.HorizontalKey == "") != (f.HorizontalKey == "") {
		b.fail("a product of shape %v is computed otherwise than in the plan", sh)
		return nil
	}
	return g
}

// newFused allocates a program, with room for the next ones.
func (b *binder) newFused() *backend.Fused {
	if len(b.programs) == cap(b.programs) {
		b.programs = make([]backend.Fused, 0, fusedBlock)
	}
	b.programs = b.programs[:len(b.programs)+1]
	return &b.programs[len(b.programs)-1]
}

const fusedBlock = 16 // programs that are allocated at once

// otherAttrs reports whether a program has attributes that are not the plan's.
func (b *binder) otherAttrs(st *step, f *backend.Fused) bool {
	for i := range f.Instrs {
		if !attr.Same(f.Instrs[i].Attr, b.attr(st.nodes[i])) {
			return true
		}
	}
	return f.Producer != nil && !attr.Same(f.Producer.Attr, b.attr(st.nodes[len(st.nodes)-1]))
}

// sameRowGroups reports whether the launches make the row-fusion groups of the plan.
func (b *binder) sameRowGroups(lowered []step) bool {
	if !b.s.mayFuse {
		return true
	}
	p := &planner{prog: &Program{steps: lowered}}
	owner := p.findRowGroups()
	var groups [][]int
	for k, g := range owner {
		if g != nil && g.last() == k {
			groups = append(groups, g.members)
		}
	}
	if !slices.EqualFunc(groups, b.s.rowGroups, slices.Equal[[]int]) {
		return b.fail("launches over rows are fused otherwise than in the plan")
	}
	return true
}

// program puts the launches together as the plan has them, and gives the buffers their sizes.
func (b *binder) program(lowered []step) *Program {
	s := b.s
	was := s.replay.prog
	var p *Program
	if b.to != nil {
		p = b.to.prog
	} else {
		p = &Program{bufs: make([]bufInfo, 0, len(was.bufs)), steps: make([]step, len(was.steps)), runs: newRunSpace()}
	}
	*p = Program{bufs: append(p.bufs[:0], was.bufs...), steps: resize(p.steps, len(was.steps)), arenas: p.arenas[:0], numIn: was.numIn,
		operands: was.operands, slices: was.slices, allocated: was.allocated, checks: was.checks, control: was.control, runs: p.runs}
	for k := range was.steps {
		old, to := &was.steps[k], &p.steps[k]
		switch {
		case old.again:
			if *to = *old; !b.step(to) {
				return nil
			}
		case old.rows != nil:
			*to = *old
			to.out, to.in = nil, nil
			b.rows(to, old, lowered)
		case old.group != nil:
			*to = mergeProducts(lowered, old.from)
			for i := range to.group.Members {
				to.group.Members[i].Inside = old.group.Members[i].Inside
			}
			to.stableInputs, to.fixedInputs = old.stableInputs, old.fixedInputs
		case old.sets > 0:
			*to = *old
			to.out, to.in = nil, nil
			for _, m := range old.from {
				to.out, to.in = append(to.out, lowered[m].out...), append(to.in, lowered[m].in...)
			}
			last := &lowered[old.from[len(old.from)-1]]
			to.fused, to.attr = last.fused, last.attr
		default:
			*to = lowered[old.from[0]]
			to.stableInputs, to.fixedInputs = old.stableInputs, old.fixedInputs
		}
		if s.again {
			to.out, to.in = sameBuffers(to.out, old.out), sameBuffers(to.in, old.in)
		}
		for i := range to.out {
			o, before := &to.out[i], &old.out[i]
			if was.bufs[o.buf].size == before.shape.Numel()*before.dtype.Size() {
				p.bufs[o.buf].size = o.shape.Numel() * o.dtype.Size()
			}
		}
	}
	for i := range s.nodes {
		if s.nodes[i].class == classInput {
			b.inputSize(p, int32(i))
		}
	}
	if !b.constants(p) {
		return nil
	}
	if temps := p.temporaries(); !s.reordered && temps >= MinReorderBytes && len(p.steps) >= 4 && p.peakBytes() >= MinReorderBytes {
		b.fail("temporaries of %d bytes want another order of the launches", temps)
		return nil
	}
	return p
}

// rows binds a row-fusion group.
func (b *binder) rows(to, old *step, lowered []step) {
	first := &lowered[old.from[0]]
	rows, long, ok := rowReduction(first)
	if !ok {
		rows, long, _ = alongRows(first)
	}
	r := &backend.RowFusion{Count: rows, Parts: slices.Clone(old.rows.Parts), Locals: slices.Clone(old.rows.Locals)}
	for i, m := range old.from {
		st, part := &lowered[m], &r.Parts[i]
		part.Len = long
		switch f := *part.Fused; {
		case st.fused != nil:
			part.Fused, part.Len = st.fused, st.fused.Shape.Numel()/rows
		default:
			if f.Shape = st.in[0].shape; f.Reduction == nil {
				f.Shape = st.out[0].shape
			}
			part.Fused = &f
		}
		for k, l := range part.Out {
			if l >= 0 {
				r.Locals[l] = long * st.out[k].dtype.Size()
			}
		}
		to.out, to.in = append(to.out, st.out...), append(to.in, st.in...)
	}
	to.rows = r
	d := old.dev
	to.kernel = func(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error { return d.RunRowFusion(c, r, out, in) }
}

// inputSize is the size of the buffer of an input.
func (b *binder) inputSize(p *Program, node int32) {
	f, n := &b.s.nodes[node], b.raw(node)
	if n.IsTuple() {
		for k, m := range n.TupleBuffers() {
			p.bufs[f.tuple[k].buf].size = m.Size
		}
		return
	}
	if p.bufs[f.buf].size = n.Bytes(); !n.IsPlaceholder() {
		m, _ := n.Buffer()
		p.bufs[f.buf].size = m.Size
	}
}

// constants gives immediates their values.
func (b *binder) constants(p *Program) bool {
	if !b.changed {
		return true
	}
	values := make(map[int32]constKey, len(b.s.consts))
	for _, u := range b.s.consts {
		c := b.constant(b.s.nodes[u.node].raw)
		key := constBits(c)
		if v, ok := values[u.buf]; ok && v != key {
			return b.fail("numbers that were equal are not any more")
		}
		values[u.buf] = key
		if was, _ := b.s.planned(b.s.nodes[u.node].raw); constBits(was) == key {
			continue
		}
		p.bufs[u.buf].data = constBuffer(c)
	}
	return true
}

// constBuffer is a buffer that holds a number.
func constBuffer(c attr.Const) *mem.Buffer {
	m := dtype.Bytes(make([]uint64, 2))
	c.DType.Put(m, 0, c.Value)
	return mem.FromGo(m[:c.DType.Size():c.DType.Size()])
}

// donorsHold reports whether outputs can be written over the inputs that the plan has for them.
func (b *binder) donorsHold(p *Program) bool {
	var plan planner
	for i := p.numIn; i < len(p.bufs); i++ {
		to := &p.bufs[i]
		if to.donor < 0 {
			continue
		}
		from := &p.bufs[to.donor]
		ok := from.size == to.size
		if st := &p.steps[to.first]; ok && from.last == to.first {
			ok = plan.overlaysAt(st, to.donor, int32(i))
		}
		if !ok {
			return b.fail("a result of %d bytes cannot be written over an operand of %d bytes as in the plan", to.size, from.size)
		}
	}
	return true
}

// overlaysAt reports whether a launch can write a buffer over one that it reads.
func (p *planner) overlaysAt(st *step, in, out int32) bool {
	if st.rows != nil {
		at := 0
		for i := range st.rows.Parts {
			for n := range st.rows.Parts[i].Out {
				if o := st.out[at+n]; o.buf == out {
					return p.overlaysInRowFusion(st, in, i, o)
				}
			}
			at += len(st.rows.Parts[i].Out)
		}
		return false
	}
	for j, x := range st.in {
		if x.buf != in {
			continue
		}
		for _, o := range st.out {
			if o.buf == out && !p.overlays(st, j, o) {
				return false
			}
		}
	}
	return true
}

// replay makes the replay of a bound program.
func (b *binder) replay(prog *Program) *Replay {
	was, r := b.s.replay, b.to
	if r == nil {
		r = &Replay{capturedBufs: make([]*mem.Buffer, prog.numIn)}
	}
	r.prog, r.lays, r.args, r.argOf, r.donated = prog, b.t.Lays, was.args, was.argOf, was.donated
	r.settings, r.checks = was.settings, was.checks
	r.capturedBufs, r.outs, r.capture = resize(r.capturedBufs, prog.numIn), r.outs[:0], newCapture(prog, b.t.Lays)
	if r.capture != nil {
		r.capture.recordings = b.s.recordings
	}
	for i := range b.s.nodes {
		f := &b.s.nodes[i]
		n := b.raw(int32(i))
		if f.class != classInput || n.IsPlaceholder() {
			continue
		}
		n.Ref() // a constant of the program
		r.captured = append(r.captured, n)
		if n.IsTuple() {
			for k, m := range n.TupleBuffers() {
				r.capturedBufs[f.tuple[k].buf] = m
			}
			continue
		}
		r.capturedBufs[f.buf], _ = n.Buffer()
	}
	for i, o := range b.s.outs {
		n := b.raw(o)
		to := was.outs[i]
		to.Spec, to.at.lay = graph.Spec{Shape: n.Shape(), DType: to.Spec.DType}, b.lays[o]
		r.outs = append(r.outs, to)
	}
	return r
}
