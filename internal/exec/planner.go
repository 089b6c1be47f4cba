package exec

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
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
	depth        int32 // elementwise ops in a row up to this one, within its level
	cut          bool  // its group begins with it: the chain before was long enough
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
	// noElision: concatenations are left as they are.
	noElision bool
	// rematShare is the share of a trace's work that may be done twice to hold less memory.
	rematShare float64
	// elisions holds, by node, the kernels that write their results in the layout their readers want.
	elisions map[int]*elision
	// argLays are the strides of a trace's arguments that are not in row-major order.
	argLays map[*graph.Node]*shape.Layout
	decisions
}

// decisions are what passes decided by sizes in the plan of a trace: another trace is bound to the plan only if they would be the same.
type decisions struct {
	reductions []fusableReduction // in the order in which devices were asked
	sameInputs [][2]int32         // nodes that a fused program reads as one input, since they show the same elements
	lowered    []step             // the launches before the passes that join and move them
	rowGroups  [][]int            // members of the row-fusion groups
	products   []bool             // by lowered launch: it can be one of a group of products; nil: none can
	reordered  bool               // another order of the launches was looked for
	// rematerialised: values are computed twice.
	rematerialised bool
}

// fusableReduction is whether a device takes a reduction, by its node, into the program that computes its input.
type fusableReduction struct {
	node  int32
	fuses bool
	dev   *backend.Device
}

// scratch is space that plans use one after the other.
type scratch struct {
	count, sorted, groupNext, groupFirst, list []int
	reads                                      []int32 // registers of the inputs a group reads, in order
	temps                                      []temp
	dtypes                                     [3]dtype.DType
	inBufs                                     []*mem.Buffer
	inNodes                                    []*graph.Node
	bufs                                       []bufInfo // of programs that run once
	steps                                      []step
}

// reset makes the planner ready for another plan; the space of a huge one is given back.
func (p *planner) reset() {
	p.idx.Reset()
	info, s := p.info[:0], p.scratch
	if p.prog != nil && !p.replay {
		clear(p.prog.bufs)
		clear(p.prog.steps)
		s.bufs, s.steps = p.prog.bufs[:0], p.prog.steps[:0]
	}
	if cap(info) > 1<<16 {
		info, s = nil, scratch{}
	}
	clear(info[:cap(info)])
	clear(s.inBufs)
	clear(s.inNodes)
	*p = planner{idx: p.idx, info: info, scratch: s}
}
