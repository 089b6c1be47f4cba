package exec

import (
	"sync"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// Program is a plan: steps over numbered buffers. It names no nodes, so it can run again with other buffers.
type Program struct {
	bufs  []bufInfo
	steps []step
	numIn int // buffers 0 to numIn-1 are inputs
	// operands counts the views all steps need, so that a run allocates them at once.
	operands  int
	arenas    []arena
	slices    []int32 // buffers that are slices of them
	allocated []int32 // the others, in the order of the steps that write them
	// checks says that a step's device may leave checks for the end of a run: it computes on its own time.
	checks bool
	// control says that a step runs subgraphs, whose launches are not the program's own.
	control bool
	runs    *runSpace // space of runs, of a program that runs again; else nil
}

// runSpace is the space of a program's runs.
type runSpace struct {
	sync.Pool
	ran atomic.Bool // the program ran before; for most sizes of a shared plan it never will, and they use what others use
}

func newRunSpace() *runSpace { return &runSpace{Pool: sync.Pool{New: func() any { return new(run) }}} }

// bufInfo describes a buffer of a program.
type bufInfo struct {
	dev   *backend.Device
	size  int
	data  *mem.Buffer // a constant; else nil
	donor int32       // buffer it may be written over, -1: none
	first int32       // step that writes it; -1 for inputs and constants
	last  int32       // last step that reads it
	keep  bool        // outlives the run

	// Of buffers that are written over each other, root is the first; it knows of all:
	root   int32
	end    int32 // the last step that uses any
	offset int   // in its arena, in bytes
	arena  int8  // -1: none
	stays  bool  // one of them outlives the run
}

// operand is a value in a buffer. node and how say where its shape and layout come from, so that the plan can be bound to other sizes.
type operand struct {
	buf   int32
	node  int32 // of the planner
	dtype dtype.DType
	how   operandForm
	item  uint8 // of an output: which one of its node
	shape *shape.Shape
	lay   *shape.Layout
}

// operandForm is how an operand shows its node.
type operandForm uint8

const (
	asStored  operandForm = iota // where the node's value is
	asWritten                    // in row-major order
	asScalar                     // one number, with the shape of the node
)

// step is one launch.
type step struct {
	op           string
	role         graph.Role     // of a node with a kernel of its own
	kernel       backend.Kernel // nil for a fused group
	attr         attr.Attr
	fused        *backend.Fused
	rows         *backend.RowFusion    // of a row-fusion group; kernel runs it
	group        *backend.ProductGroup // of several products; kernel runs it
	control      *controlLaunch        // of a node that owns subgraphs; kernel runs it
	dev          *backend.Device
	out          []operand
	in           []operand
	stableInputs uint64 // by bits, of a replay: the inputs that are inputs of the program
	fixedInputs  uint64 // those of them that no result can take over
	// sets is how many times the program runs, over operands that follow each other in out and in; 0: once.
	sets int
	// from are the launches as they were lowered that this one stands for; nil: it was added later.
	from []int32
	// again: it computes values a second time that an earlier launch computed.
	again bool
	// nodes are those whose attributes it has: a kernel's own; or those of instructions, reductions and the producer, in this order.
	nodes []int32
	lead  int32 // of a fused program: the node whose shape it has
	// module says which modules recorded it, if nodes knew that when it was planned.
	module string
}

// parts is how many sets of operands the step has.
func (s *step) parts() int { return max(1, s.sets) }

// part cuts set k out of what the step has for all of them.
func part[T any](s *step, list []T, k int) []T {
	n := len(list) / s.parts()
	return list[k*n : (k+1)*n : (k+1)*n]
}

// location is where a node's value is stored in a program: a buffer and a layout. buf < 0: not stored.
type location struct {
	buf int32
	lay *shape.Layout
}

// Output is a value that outlives a run of a program.
type Output struct {
	Spec graph.Spec
	Dev  *backend.Device
	at   location
}
