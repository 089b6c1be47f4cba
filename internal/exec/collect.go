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
	classAlias                       // a view, or an output of a tuple: shows another node's buffer
	classElementwise                 // elementwise, part of a group
	classKernel                      // one launch
	classFusedReduction              // a reduction at the end of the group it reads
	classProducer                    // a matmul or convolution whose epilogue is the group that reads it
	classProducerView                // an alias of such a producer, through which the group reads it
	classFoldedCast                  // a cast that every kernel which reads it does itself
	classOutputCast                  // a cast that the kernel before it does as it stores
)

// launched says that the node's value has a buffer of its own in any plan.
func (c class) launched() bool {
	return c == classKernel || c == classFusedReduction || c == classProducer
}

// computed says that the node's value is computed, and no view of another one's.
func (c class) computed() bool { return c == classElementwise || c.launched() }

// view says that the node shows another one's buffer.
func (c class) view() bool { return c == classAlias || c == classProducerView }

// follows says that the node needs no launch behind that of its input.
func (c class) follows() bool { return c == classAlias || c == classFoldedCast || c == classOutputCast }

// info is what the planner knows of one node.
type info struct {
	class        class
	root         bool
	materialised bool // its value has a buffer in this plan
	alive        bool // reachable after the plan
	store        bool // its value outlives the plan
	state        bool // an argument whose next value the plan computes
	level        int32
	latest       int32
	group        int32
	reduction    int32 // of a group's leader: its first fused reduction, +1; of a fused reduction: the next; 0: none
	producer     int32 // of a group's leader: the producer whose epilogue it is, +1; 0: none
	reg          int32 // in its group's program
	users        int32 // consumers in the plan
	// foldedInputs: bits of the inputs whose cast a kernel does itself; foldedBy: how many kernels do so with this cast; outputCast: the
	// cast that a kernel does as it stores, +1; 0: none.
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
	// becomes pairs values with the state (an input) whose next value they are.
	becomes [][2]*graph.Node
	// replay: the plan is for a trace; no value but the roots outlives it.
	replay bool
	// rematShare is the share of a trace's work that may be done twice to hold less memory.
	rematShare float64
	// elisions holds, by node, the kernels that write their results in the layout their readers want.
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

// settleDevices finds out where nodes that name no device are computed: on the device of their reader, else on the default
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
		if n.Stored() || n.Op().Name == "to_device" {
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
	if d.Fuser == nil || n.NumIn() > 3 || n.NumIn() == 0 {
		return false
	}
	in := p.dtypes[:n.NumIn()]
	for k := range in {
		in[k] = n.In(k).DType()
	}
	return d.CanFuse(n.Op().Name, n.DType(), in)
}
