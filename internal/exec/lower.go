package exec

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// lower makes steps over numbered buffers from the classified nodes.
func (p *planner) lower() {
	p.prog = &Program{}
	if !p.replay { // it ends with its one run
		p.prog.bufs, p.prog.steps = p.bufs[:0], p.steps[:0]
	}
	for i, n := range p.idx.Nodes {
		if p.info[i].class == classInput {
			p.info[i].at = p.input(n)
		}
	}
	p.prog.numIn = len(p.prog.bufs)
	p.chainMembers()
	for _, i := range p.lowerOrder() {
		n, f := p.idx.Nodes[i], &p.info[i]
		switch f.class {
		case classAlias:
			p.lowerAlias(n, f)
		case classElementwise:
			p.lowerGroup(p.members(i))
		case classOutputCast:
			f.at = p.info[p.idx.Get(n.In(0))].at
		case classKernel:
			p.lowerKernel(n, f)
		}
	}
	for i := range p.info {
		f := &p.info[i]
		if f.class == classConst && f.store {
			p.operand(p.idx.Nodes[i])
		}
		if (f.store || f.root) && f.at.buf >= 0 { // a root may be an argument as it is
			p.prog.bufs[f.at.buf].keep = true
		}
		if f.store {
			for _, b := range f.tuple {
				p.prog.bufs[b.buf].keep = true
			}
		}
	}
	if p.replay {
		p.lowered = p.prog.steps
		for k := range p.lowered {
			p.lowered[k].from = []int32{int32(k)}
		}
	}
}

// input numbers the buffer of a stored node or an argument.
func (p *planner) input(n *graph.Node) location {
	if n.IsTuple() {
		return p.inputTuple(n)
	}
	buf, lay := n.Buffer()
	b := bufInfo{dev: p.device(n), size: n.Bytes(), donor: -1, first: -1, last: -1}
	if buf != nil {
		b.size = buf.Size
	} else {
		lay = p.argLays[n]
	}
	p.prog.bufs = append(p.prog.bufs, b)
	return location{int32(len(p.prog.bufs) - 1), lay}
}

// inputTuple numbers the buffers of a stored tuple, whose items are still pending views of it.
func (p *planner) inputTuple(n *graph.Node) location {
	f := &p.info[p.idx.Get(n)]
	for _, b := range n.TupleBuffers() {
		p.prog.bufs = append(p.prog.bufs, bufInfo{dev: p.device(n), size: b.Size, donor: -1, first: -1, last: -1})
		f.tuple = append(f.tuple, location{buf: int32(len(p.prog.bufs) - 1)})
	}
	return f.tuple[0]
}

// lowerOrder lists what is to be lowered: by level, launches before the views of their results.
func (p *planner) lowerOrder() []int {
	top := int32(0)
	for i := range p.info {
		top = max(top, p.info[i].latest)
	}
	p.count = resize(p.count, int(2*(top+2)+1))
	count := p.count
	key := func(i int) int32 {
		f := &p.info[i]
		if f.class.follows() {
			return 2*max(f.latest, 0) + 1
		}
		return 2 * max(f.latest, 0)
	}
	use := func(i int) bool {
		f := &p.info[i]
		return f.class == classKernel || f.class == classAlias || f.class == classOutputCast || f.class == classElementwise &&
			f.group == int32(i)
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
	key := constBits(c)
	if b, ok := p.consts[key]; ok {
		return b
	}
	buf := constBuffer(c)
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
	if f.class == classConst && f.at.buf < 0 {
		f.at = location{buf: p.constant(n)}
	}
	if f.at.buf < 0 {
		panic("lucid: internal: plan reads " + n.Op().Name + " before it is computed")
	}
	return operand{buf: f.at.buf, node: int32(i), dtype: n.DType(), shape: n.Shape(), lay: f.at.lay}
}

func (p *planner) lowerAlias(n *graph.Node, f *info) {
	if f.at.buf >= 0 {
		return // concat elision: its parts are written there
	}
	if n.Op().Transparent {
		for k := n.NumIn() - n.NumOut(); k < n.NumIn(); k++ {
			o := p.operand(n.In(k))
			f.tuple = append(f.tuple, location{o.buf, o.lay})
		}
		return
	}
	m := n.In(0)
	g := &p.info[p.idx.Get(m)]
	if k, ok := n.IsTupleItem(); ok {
		f.at = g.tuple[k]
		return
	}
	if g.class == classConst && g.at.buf < 0 {
		g.at = location{buf: p.constant(m)}
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
		out := operand{buf: b, node: in.node, dtype: m.DType(), how: asWritten, shape: m.Shape()}
		p.addStep(step{op: "copy", kernel: p.kernelFor(d, "copy"), dev: d, in: []operand{in}, out: []operand{out}})
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
		if d.HostFallback != nil {
			return orOnHost(d, op, k)
		}
		return k
	}
	if d.Host && Reference != nil {
		if k := Reference.Table[op]; k != nil {
			return k
		}
	}
	if k := hostKernel(op); k != nil && d.HostFallback != nil {
		return onHost(d, op, k)
	}
	fault.Throw(fault.NotImplemented, op, "device %v has no kernel for it", d)
	return nil
}

// Reference is the oracle device; its kernels stand in on host devices that have none of their own. Host is the device
// whose kernels are asked first when an op of another device falls back to host memory.
var Reference, Host *backend.Device

func (p *planner) lowerKernel(n *graph.Node, f *info) {
	d := p.device(n)
	at := int32(p.idx.Get(n))
	s := step{op: n.Op().Name, role: n.Op().Role, attr: n.Attr(), dev: d}
	if p.replay {
		s.nodes = []int32{at}
	}
	if s.role == graph.RoleTransfer {
		s.kernel = p.transfer(p.device(n.In(0)), d)
	} else if c, ok := n.Attr().(*graph.Control); ok {
		s.control = p.newControlLaunch(c, d)
		s.kernel, p.prog.control = s.control.kernel(), true
	} else {
		s.kernel = p.kernelFor(d, s.op)
	}
	for k := range n.NumIn() {
		o := p.operand(p.source(n, f, k))
		if n.Op().Kind == graph.Elementwise && o.shape != n.Shape() && o.shape.Rank() == 0 {
			o.lay = &shape.Layout{Strides: make([]int, n.Rank())}
			o.shape, o.node, o.how = n.Shape(), at, asScalar
		}
		s.in = append(s.in, o)
	}
	in := p.elisions[int(at)]
	whole := int32(-1)
	if in != nil && in.cat >= 0 {
		cat := p.idx.Nodes[in.cat]
		whole = p.newBuf(d, cat.Bytes())
		p.info[in.cat].at = location{buf: whole}
	}
	for k := range n.NumOut() {
		spec := n.Out(k)
		if f.outputCast > 0 {
			spec.DType = p.idx.Nodes[f.outputCast-1].DType()
		}
		o := operand{node: at, item: uint8(min(k, 255)), dtype: spec.DType, how: asWritten, shape: spec.Shape}
		bytes := spec.Shape.Numel() * spec.DType.Size()
		if lay, long := p.pitchedLayout(d, n, f, &o); lay != nil {
			o.lay, bytes = lay, long
		}
		if in != nil {
			o.lay = in.lays[k]
		}
		if o.buf = whole; whole < 0 {
			o.buf = p.newBuf(d, bytes)
		}
		s.out = append(s.out, o)
		if n.IsTuple() {
			f.tuple = append(f.tuple, location{o.buf, o.lay})
		}
	}
	f.at = location{s.out[0].buf, s.out[0].lay}
	p.addStep(s)
}

// renumber makes these the program's launches, in this order; no buffer is paired any more with one it is written over.
func (p *planner) renumber(steps []step) {
	p.prog.steps = make([]step, 0, len(steps))
	p.prog.operands = 0
	for i := range p.prog.bufs {
		b := &p.prog.bufs[i]
		b.donor, b.first, b.last = -1, -1, -1
	}
	for _, s := range steps {
		for _, o := range s.out {
			p.prog.bufs[o.buf].first = int32(len(p.prog.steps))
		}
		p.addStep(s)
	}
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
	p.prog.checks = p.prog.checks || !s.dev.Host
	p.prog.steps = append(p.prog.steps, s)
}
