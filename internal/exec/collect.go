package exec

import (
	"slices"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// class is what the planner does with a node.
type class uint8

const (
	classInput          class = iota // stored, or an argument of a compiled function: an input of the plan
	classConst                       // an immediate
	classAlias                       // a view, or an output of a bundle: shows another node's buffer
	classElementwise                 // elementwise, part of a group
	classKernel                      // one launch
	classFusedReduction              // a reduction at the end of the group it reads
	classProducer                    // a product at the start of the group that reads it
	classProducerView                // an alias of such a product, through which the group reads it
	classFoldedCast                  // a cast that every kernel which reads it makes itself
	classOutputCast                  // a cast that the kernel before it makes
)

// launched says that the node's value has memory of its own in any plan.
func (c class) launched() bool {
	return c == classKernel || c == classFusedReduction || c == classProducer
}

// computed says that the node's value is more than another one's.
func (c class) computed() bool { return c == classElementwise || c.launched() }

// view says that the node shows another one's buffer.
func (c class) view() bool { return c == classAlias || c == classProducerView }

// follows says that the node is there as soon as its input is.
func (c class) follows() bool { return c == classAlias || c == classFoldedCast || c == classOutputCast }

// info is what the planner knows of one node.
type info struct {
	class        class
	root         bool
	materialised bool // has a buffer in this plan
	alive        bool // reachable after the plan
	store        bool // keeps its value after the plan
	state        bool // an argument that the plan makes the next value of
	level        int32
	latest       int32
	group        int32
	reduction    int32 // of a group's leader: the reduction at its end, +1; of such a one: the next; 0: none
	producer     int32 // of a group's leader: the product at its start, +1; 0: none
	reg          int32 // in its group's program
	users        int32 // consumers in the plan
	// through: bits of the inputs whose cast a kernel makes itself; skipped: kernels that do so with this cast; recast: the
	// cast behind a kernel that makes it, +1; 0: none.
	foldedInputs         uint32
	foldedBy, outputCast int32
	sources              [maxRecomputeBuffers]int32 // distinct nodes whose buffers its recomputation reads, +1; 0: none
	recomputeDepth       int8                       // recompute depth
	manySources          bool                       // more than fit srcs
	// newUser: a consumer in this plan was never evaluated before.
	newUser bool
	at      location
	tuple   []location
}

// planner holds the scratch of one plan.
type planner struct {
	idx   graph.Index
	info  []info
	roots []*graph.Node
	dev   *backend.Device   // for nodes that name none
	where []*backend.Device // for each node, if the default device's memory is its own
	prog  *Program
	// consts holds the buffers of immediates, one for each value.
	consts map[constKey]int32
	scratch
	// becomes pairs values with the inputs whose next value they are.
	becomes [][2]*graph.Node
	// replay: the plan is for a trace; nothing is stored but the roots, and all else dies.
	replay bool
	// share is the part of a trace's work that may be done again to hold less.
	rematShare float64
	// inside holds, by their numbers, the kernels whose results are written where and as others want them.
	elisions map[int]*elision
	// argLays are the strides of a trace's arguments that are not in row-major order.
	argLays map[*graph.Node]*shape.Layout
}

// scratch is space that plans use one after the other.
type scratch struct {
	count, sorted, groupNext, groupFirst, list []int
	reads                                      []int32 // registers of the inputs a group reads, in order
	temps                                      []temp
	dtypes                                     [3]dtype.DType
	inBufs                                     []*mem.Buffer
	inNodes                                    []*graph.Node
}

// reset makes the planner ready for another plan; the space of a huge one is given back.
func (p *planner) reset() {
	p.idx.Reset()
	info, s := p.info[:0], p.scratch
	if cap(info) > 1<<16 {
		info, s = nil, scratch{}
	}
	clear(info[:cap(info)])
	clear(s.inBufs)
	clear(s.inNodes)
	*p = planner{idx: p.idx, info: info, scratch: s}
}

// collect numbers the nodes behind the roots, inputs first, and classifies them.
func (p *planner) collect() {
	p.idx.PostOrder(p.roots, func(n *graph.Node) bool { return !n.Stored() && !n.IsPlaceholder() })
	p.info = resize(p.info, len(p.idx.Nodes))
	p.settleDevices()
	for i, n := range p.idx.Nodes {
		f := &p.info[i]
		f.at.buf = -1
		f.class = p.classify(n)
		if f.class == classInput || f.class == classConst {
			continue
		}
		for k := range n.NumIn() {
			g := &p.info[p.idx.Get(n.In(k))]
			g.users++
			g.newUser = g.newUser || !n.Unstored()
		}
	}
	for _, r := range p.roots {
		p.info[p.idx.Get(r)].root = true
	}
}

func (p *planner) classify(n *graph.Node) class {
	switch {
	case n.Stored():
		return classInput
	case n.IsPlaceholder():
		if !p.replay {
			n.MustLive()
			t := n.Trace()
			fault.Throw(fault.Trace, "eval", "a value inside %s has no numbers yet: it is being traced; return it and read it outside, or use lucid.Print", t.Name)
		}
		return classInput
	case n.IsConst():
		return classConst
	case n.Op().Kind == graph.View:
		return classAlias
	}
	if _, ok := n.IsTupleItem(); ok || n.Op().Transparent {
		return classAlias
	}
	if n.NumIn() == 0 && n.Op().Kind != graph.Source && n.Op().Kind != graph.Random {
		fault.Throw(fault.Freed, n.Op().Name, "a value of shape %v has neither its numbers nor its inputs: it was freed", n.Shape())
	}
	if n.Op().Kind == graph.Elementwise && p.canFuse(n) {
		return classElementwise
	}
	return classKernel
}

func (p *planner) device(n *graph.Node) *backend.Device {
	if d := n.Device(); d != nil {
		return d
	}
	if p.where != nil {
		if i := p.idx.Get(n); i >= 0 {
			return p.where[i]
		}
	}
	return p.dev
}

// settleDevices finds out where nodes that name no device are computed: where somebody reads them, else on the default
// device. It matters only if a device has memory the host cannot read.
func (p *planner) settleDevices() {
	if p.dev.Host && !slices.ContainsFunc(p.idx.Nodes, func(n *graph.Node) bool { return n.Device() != nil && !n.Device().Host }) {
		return
	}
	p.where = make([]*backend.Device, len(p.idx.Nodes))
	for i := len(p.idx.Nodes) - 1; i >= 0; i-- {
		n := p.idx.Nodes[i]
		d := n.Device()
		if d == nil {
			if d = p.where[i]; d == nil {
				d = p.dev
				p.where[i] = d
			}
		}
		if n.Stored() || n.Op().Role == graph.RoleTransfer {
			continue
		}
		for k := range n.NumIn() {
			if j := p.idx.Get(n.In(k)); j >= 0 && p.where[j] == nil {
				p.where[j] = d
			}
		}
	}
}

func (p *planner) canFuse(n *graph.Node) bool {
	d := p.device(n)
	if d.CanFuse == nil || n.NumIn() > 3 || n.NumIn() == 0 {
		return false
	}
	in := p.dtypes[:n.NumIn()]
	for k := range in {
		in[k] = n.In(k).DType()
	}
	return d.CanFuse(n.Op().Name, n.DType(), in)
}
