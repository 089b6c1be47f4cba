package exec

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// lower turns the classified nodes into steps over numbered buffers.
func (p *planner) lower() {
	p.prog = &Program{}
	for i, n := range p.idx.Nodes {
		if p.info[i].class == given {
			p.info[i].at = p.input(n)
		}
	}
	p.prog.numIn = len(p.prog.bufs)
	p.chainMembers()
	for _, i := range p.order() {
		n, f := p.idx.Nodes[i], &p.info[i]
		switch f.class {
		case alias:
			p.lowerAlias(n, f)
		case fuse:
			p.lowerGroup(p.members(i))
		case kernel:
			p.lowerKernel(n, f)
		}
	}
	for i := range p.info {
		f := &p.info[i]
		if f.class == konst && f.store {
			p.operand(p.idx.Nodes[i])
		}
		if f.store && f.at.buf >= 0 {
			p.prog.bufs[f.at.buf].keep = true
		}
		if f.store {
			for _, b := range f.bundle {
				p.prog.bufs[b.buf].keep = true
			}
		}
	}
	p.findDonors()
}

// input numbers the buffer of a stored node or an argument.
func (p *planner) input(n *graph.Node) place {
	if n.IsBundle() {
		return p.inputBundle(n)
	}
	buf, lay := n.Buffer()
	b := bufInfo{dev: p.device(n), size: n.Bytes(), donor: -1, first: -1, last: -1}
	if buf != nil {
		b.size = buf.Size
	}
	p.prog.bufs = append(p.prog.bufs, b)
	return place{int32(len(p.prog.bufs) - 1), lay}
}

// inputBundle numbers the buffers of a stored bundle, whose items are still pending views of it.
func (p *planner) inputBundle(n *graph.Node) place {
	f := &p.info[p.idx.Get(n)]
	for _, b := range n.Bundle() {
		p.prog.bufs = append(p.prog.bufs, bufInfo{dev: p.device(n), size: b.Size, donor: -1, first: -1, last: -1})
		f.bundle = append(f.bundle, place{buf: int32(len(p.prog.bufs) - 1)})
	}
	return f.bundle[0]
}

// order lists what is to be lowered: by level, launches before the views of their results.
func (p *planner) order() []int {
	top := int32(0)
	for i := range p.info {
		top = max(top, p.info[i].late)
	}
	p.count = resize(p.count, int(2*(top+2)+1))
	count := p.count
	key := func(i int) int32 {
		f := &p.info[i]
		if f.class == alias {
			return 2*max(f.late, 0) + 1
		}
		return 2 * max(f.late, 0)
	}
	use := func(i int) bool {
		f := &p.info[i]
		return f.class == kernel || f.class == alias || f.class == fuse && f.group == int32(i)
	}
	total := 0
	for i := range p.info {
		if use(i) {
			count[key(i)+1]++
			total++
		}
	}
	for k := 1; k < len(count); k++ {
		count[k] += count[k-1]
	}
	p.sorted = resize(p.sorted, total)
	out := p.sorted
	for i := range p.info {
		if use(i) {
			out[count[key(i)]] = i
			count[key(i)]++
		}
	}
	return out
}

// chainMembers links each group's nodes in order: head[leader], then next.
func (p *planner) chainMembers() {
	p.next, p.head = resize(p.next, len(p.info)), resize(p.head, len(p.info))
	for i := range p.head {
		p.head[i] = -1
	}
	for i := len(p.info) - 1; i >= 0; i-- {
		if p.info[i].class == fuse {
			g := p.info[i].group
			p.next[i], p.head[g] = p.head[g], i
		}
	}
}

// members lists a group's nodes in order.
func (p *planner) members(leader int) []int {
	p.list = p.list[:0]
	for i := p.head[leader]; i >= 0; i = p.next[i] {
		p.list = append(p.list, i)
	}
	return p.list
}

// resize returns a zeroed slice of length n, in the space of s where that is enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	s = s[:n]
	clear(s)
	return s
}

func (p *planner) newBuf(d *backend.Device, size int) int32 {
	p.prog.bufs = append(p.prog.bufs, bufInfo{dev: d, size: size, donor: -1, first: int32(len(p.prog.steps)), last: -1})
	return int32(len(p.prog.bufs) - 1)
}

// constKey tells immediates apart by their bits: NaN must equal itself here, and -0 must not equal 0.
type constKey struct {
	d      dtype.DType
	i      int64
	re, im uint64
}

// constant numbers a buffer holding an immediate.
func (p *planner) constant(n *graph.Node) int32 {
	c := n.Attr().(attr.Const)
	key := constKey{c.DType, c.Value.I, math.Float64bits(c.Value.F), math.Float64bits(c.Value.G)}
	if b, ok := p.consts[key]; ok {
		return b
	}
	b := make([]uint64, 2)
	m := dtype.Bytes(b)
	c.DType.Put(m, 0, c.Value)
	buf := mem.FromGo(m[:c.DType.Size():c.DType.Size()])
	p.prog.bufs = append(p.prog.bufs, bufInfo{data: buf, size: buf.Size, donor: -1, first: -1, last: -1})
	if p.consts == nil {
		p.consts = map[constKey]int32{}
	}
	p.consts[key] = int32(len(p.prog.bufs) - 1)
	return p.consts[key]
}

// operand returns where n's value is.
func (p *planner) operand(n *graph.Node) operand {
	i := p.idx.Get(n)
	f := &p.info[i]
	if f.class == konst && f.at.buf < 0 {
		f.at = place{buf: p.constant(n)}
	}
	if f.at.buf < 0 {
		panic("lucid: internal: plan reads " + n.Op().Name + " before it is computed")
	}
	return operand{f.at.buf, n.DType(), n.Shape(), f.at.lay}
}

func (p *planner) lowerAlias(n *graph.Node, f *info) {
	if n.Op().Transparent {
		for k := n.NumIn() - n.NumOut(); k < n.NumIn(); k++ {
			o := p.operand(n.In(k))
			f.bundle = append(f.bundle, place{o.buf, o.lay})
		}
		return
	}
	m := n.In(0)
	g := &p.info[p.idx.Get(m)]
	if k, ok := n.IsItem(); ok {
		f.at = g.bundle[k]
		return
	}
	if g.class == konst && g.at.buf < 0 {
		g.at = place{buf: p.constant(m)}
	}
	lay := g.at.lay
	if lay == nil {
		lay = shape.Contiguous(m.Shape())
	}
	to := n.Op().Layout(n.Attr(), m.Shape(), lay, n.Shape())
	if to == nil {
		// The input's strides cannot show the result: bring the elements in order first.
		in := p.operand(m)
		d := p.device(n)
		b := p.newBuf(d, m.Bytes())
		p.addStep(step{op: "copy", kernel: p.kernelFor(d, "copy"), dev: d, in: []operand{in}, out: []operand{{b, m.DType(), m.Shape(), nil}}})
		f.at.buf = b
		to = n.Op().Layout(n.Attr(), m.Shape(), shape.Contiguous(m.Shape()), n.Shape())
	} else {
		f.at.buf = g.at.buf
	}
	f.at.lay = to
	if to.Offset == 0 && to.IsContiguous(n.Shape()) {
		f.at.lay = nil
	}
}

func (p *planner) kernelFor(d *backend.Device, op string) backend.Kernel {
	if k := d.Table[op]; k != nil {
		return k
	}
	if d.Host && Reference != nil {
		if k := Reference.Table[op]; k != nil {
			return k
		}
	}
	fault.Throw(fault.NotImplemented, op, "device %v has no kernel for it", d)
	return nil
}

// Reference is the oracle device; its kernels stand in on host devices that have none of their own.
var Reference *backend.Device

func (p *planner) lowerKernel(n *graph.Node, f *info) {
	d := p.device(n)
	s := step{op: n.Op().Name, attr: n.Attr(), dev: d}
	if s.op == "to_device" {
		s.kernel = p.transfer(p.device(n.In(0)), d)
	} else {
		s.kernel = p.kernelFor(d, s.op)
	}
	for k := range n.NumIn() {
		o := p.operand(n.In(k))
		if n.Op().Kind == graph.Elementwise && o.shape != n.Shape() && o.shape.Rank() == 0 {
			o.lay = &shape.Layout{Strides: make([]int, n.Rank())}
			o.shape = n.Shape()
		}
		s.in = append(s.in, o)
	}
	for k := range n.NumOut() {
		spec := n.Out(k)
		b := p.newBuf(d, spec.Shape.Numel()*spec.DType.Size())
		s.out = append(s.out, operand{b, spec.DType, spec.Shape, nil})
		if n.IsBundle() {
			f.bundle = append(f.bundle, place{buf: b})
		}
	}
	f.at = place{buf: s.out[0].buf}
	p.addStep(s)
}

func (p *planner) addStep(s step) {
	k := int32(len(p.prog.steps))
	for _, o := range s.in {
		p.prog.bufs[o.buf].last = k
	}
	for _, o := range s.out {
		p.prog.bufs[o.buf].last = max(p.prog.bufs[o.buf].last, k)
	}
	p.prog.operands += len(s.in) + len(s.out)
	p.prog.steps = append(p.prog.steps, s)
}

// lowerGroup makes one step of a group of elementwise nodes.
func (p *planner) lowerGroup(list []int) {
	lead := p.idx.Nodes[list[len(list)-1]]
	d := p.device(lead)
	prog := &backend.Fused{Shape: lead.Shape()}
	s := step{op: "fused", fused: prog, dev: d}
	// First the inputs, so that their registers come first; which one each read has is kept for the instructions.
	reads := p.reads[:0]
	for _, i := range list {
		n := p.idx.Nodes[i]
		for k := range n.NumIn() {
			j := p.idx.Get(n.In(k))
			if p.info[j].class == fuse && p.info[j].group == p.info[i].group {
				continue
			}
			reads = append(reads, int32(p.groupInput(&s, p.operand(n.In(k)))))
		}
	}
	p.reads = reads
	prog.In = len(s.in)
	for _, o := range s.in {
		prog.DTypes = append(prog.DTypes, o.dtype)
	}
	for _, i := range list {
		n := p.idx.Nodes[i]
		ins := backend.Instr{Op: n.Op().Name, Attr: n.Attr(), Dst: len(prog.DTypes), Src: [3]int{-1, -1, -1}}
		for k := range n.NumIn() {
			j := p.idx.Get(n.In(k))
			if p.info[j].class == fuse && p.info[j].group == p.info[i].group {
				ins.Src[k] = int(p.info[j].reg)
			} else {
				ins.Src[k], reads = int(reads[0]), reads[1:]
			}
		}
		p.info[i].reg = int32(ins.Dst)
		prog.DTypes = append(prog.DTypes, n.DType())
		prog.Instrs = append(prog.Instrs, ins)
		if p.info[i].mat {
			b := p.newBuf(d, n.Bytes())
			p.info[i].at = place{buf: b}
			prog.Out = append(prog.Out, ins.Dst)
			s.out = append(s.out, operand{b, n.DType(), n.Shape(), nil})
		}
	}
	d.Prepare(prog)
	p.addStep(s)
}

// groupInput returns the register of an input, the same for the same memory. Immediates are shown with the group's shape.
func (p *planner) groupInput(s *step, o operand) int {
	if o.shape != s.fused.Shape && o.shape.Rank() == 0 {
		o.lay = &shape.Layout{Strides: make([]int, s.fused.Shape.Rank())}
		o.shape = s.fused.Shape
	}
	for k := len(s.in) - 1; k >= max(0, len(s.in)-64); k-- {
		q := s.in[k]
		if q.buf == o.buf && q.dtype == o.dtype && sameLayout(q.lay, o.lay) {
			return k
		}
	}
	s.in = append(s.in, o)
	return len(s.in) - 1
}

func sameLayout(a, b *shape.Layout) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || a.Offset != b.Offset || len(a.Strides) != len(b.Strides) {
		return false
	}
	for i := range a.Strides {
		if a.Strides[i] != b.Strides[i] {
			return false
		}
	}
	return true
}

// findDonors pairs each new buffer with one it may be written over: read for the last time by the same step, of
// the same size, and walked in the same order.
func (p *planner) findDonors() {
	taken := make([]bool, len(p.prog.bufs))
	for k := range p.prog.steps {
		s := &p.prog.steps[k]
		inPlace := uint32(0)
		if s.fused == nil {
			op := graph.Lookup(s.op)
			if op == nil || op.InPlace == 0 {
				continue
			}
			inPlace = op.InPlace
		}
		for _, o := range s.out {
			for j, in := range s.in {
				b := &p.prog.bufs[in.buf]
				if s.fused == nil && inPlace>>j&1 == 0 {
					continue
				}
				if taken[in.buf] || b.keep || b.data != nil || b.last != int32(k) || b.size != p.prog.bufs[o.buf].size || b.dev != s.dev {
					continue
				}
				if !in.lay.IsContiguous(in.shape) || in.lay != nil && in.lay.Offset != 0 || !in.shape.Equal(o.shape) || in.dtype.Size() != o.dtype.Size() {
					continue
				}
				if p.readTwice(s, j) {
					continue
				}
				taken[in.buf] = true
				p.prog.bufs[o.buf].donor = in.buf
				break
			}
		}
	}
}

// readTwice reports whether the step reads the buffer of input j in another order too.
func (p *planner) readTwice(s *step, j int) bool {
	for k, in := range s.in {
		if k != j && in.buf == s.in[j].buf {
			return true
		}
	}
	return false
}
