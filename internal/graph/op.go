package graph

import (
	"fmt"
	"sort"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// Kind says how an op reads its operands. Passes ask for the kind or for the Role, never for a name.
type Kind uint8

// The kinds.
const (
	Other       Kind = iota
	Elementwise      // out[i] depends on in[i] alone
	View             // shows its input's buffer with another layout
	Reduce           // reduces dimensions
	RowWise          // works along one dimension, which stays
	Move             // copies elements to other positions
	Contract         // sums products: matmul, convolution
	Random           // makes numbers from a key
	Factor           // factors matrices, or solves with them
	Source           // has no inputs
	Composite        // has no node of its own: written with other ops
)

var kindNames = [...]string{"other", "elementwise", "view", "reduce", "rowwise", "move", "contract", "random", "factor",
	"source", "composite"}

func (k Kind) String() string { return kindNames[k] }

// Role marks the few ops that a pass treats in a way of their own. Most ops have none.
type Role uint8

// The roles.
const (
	NoRole        Role = iota
	RoleCast           // converts to another dtype: attr.Cast
	RoleIdentity       // gives its input, unless it has an attribute
	RoleReshape        // attr.Shape
	RolePermute        // attr.Perm
	RoleBroadcast      // attr.Shape
	RoleConcat         // attr.Axis
	RoleTransfer       // copies to another device
	RolePrint          // shows a value to the user: prints stay in order, and always run on the host
)

// Neutral is the number e of a binary op for which x op e has the bits of x.
type Neutral struct {
	Value       float64
	Left, Right bool // whether e may be the left, the right operand
}

// AMP is what automatic mixed precision does with an op's float inputs, after the op has promoted them to one dtype.
type AMP uint8

// The policies.
const (
	AMPKeep    AMP = iota // compute in the dtype given
	AMPHalf               // cast to the autocast dtype
	AMPFloat32            // cast half types up
)

var ampNames = [...]string{"keep", "half", "float32"}

func (a AMP) String() string { return ampNames[a] }

// Spec is the shape and dtype of a value not yet made.
type Spec struct {
	Shape *shape.Shape
	DType dtype.DType
}

// Arity bounds the number of inputs of an op. The zero value means that it was not declared.
type Arity struct{ least, limit int } // from least up to, but not including, limit

// Exactly is the arity of an op with n inputs.
func Exactly(n int) Arity { return Arity{n, n + 1} }

// Between is the arity of an op with optional inputs.
func Between(least, most int) Arity { return Arity{least, most + 1} }

// AtLeast is the arity of an op over a list.
func AtLeast(n int) Arity { return Arity{n, 1 << 30} }

// Takes reports whether an op of this arity can have n inputs.
func (a Arity) Takes(n int) bool { return n >= a.least && n < a.limit }

// Least returns the smallest number of inputs.
func (a Arity) Least() int { return a.least }

func (a Arity) String() string {
	switch {
	case a.limit == a.least+1:
		return fmt.Sprint(a.least)
	case a.limit == 1<<30:
		return fmt.Sprintf("at least %d", a.least)
	}
	return fmt.Sprintf("%d to %d", a.least, a.limit-1)
}

// Op declares a primitive once: its name, its operands, its meaning for shapes and its rules under every transform.
// Export, Import, Compile, VMap, the devices and the schema read this declaration and no other list.
type Op struct {
	Name    string
	Version int
	Kind    Kind
	Role    Role
	Neutral Neutral
	AMP     AMP
	// Nondeterministic is empty, or says why bits may vary between runs.
	Nondeterministic string

	// Inputs is how many inputs the op has.
	Inputs Arity
	// DTypes are the dtypes that inputs may have. Elementwise ops must name them; for others, zero leaves it to Validate.
	DTypes dtype.Set
	// Validate panics with a typed error on attributes and operands that a caller could not have recorded through a function of
	// package ops. Kernels index memory by what attributes say, so a graph of a file is validated before it is recorded.
	Validate func(op *Op, a attr.Attr, in []*Node)
	// NotInFiles is empty, or says why a file cannot hold the op; such an op needs no Validate.
	NotInFiles string
	// NoKernel is empty, or says why the op needs no kernel although it is not a view.
	NoKernel string

	// Infer gives the outputs' specs; it panics with a typed error on operands that do not fit.
	Infer func(a attr.Attr, in []*Node) []Spec
	// VJP gives the cotangents of the inputs whose need is true (others may be nil; a nil result is zero).
	// n is the node, cot the cotangent of each output, nil where none arrived.
	VJP func(n *Node, cot []*Node, need []bool) []*Node
	// JVP gives the tangents of the outputs; tan holds nil for inputs that do not vary.
	JVP func(n *Node, tan []*Node) []*Node
	// VMap computes the op over an extra axis of the inputs: where batched, it is axis 0 of that input, and the
	// others have none. The outputs have it as axis 0.
	VMap func(n *Node, in []*Node, batched []bool, size int) []*Node
	// NoGrad and NoVMap waive a rule, saying why that is true.
	NoGrad, NoVMap string

	// SavesIn is a bit set of the inputs VJP reads; SavesOut says that it reads the output.
	SavesIn  uint32
	SavesOut bool

	// Layout shows a view's result in its input's buffer; nil result: it cannot, copy first.
	Layout func(a attr.Attr, from *shape.Shape, lay *shape.Layout, to *shape.Shape) *shape.Layout
	// Transparent says that a tuple node's outputs are its last inputs, shown as they are: nothing is computed.
	Transparent bool
	// Cheap says that a kernel takes no longer than reading and writing its operands once: it may be run again so that its
	// result need not be stored. Elementwise ops always are.
	Cheap bool
	// FLOPs counts the floating-point operations of a node of these shapes, a multiplication and an addition as two. nil: an elementwise op
	// and a reduction have one an element, others none.
	FLOPs func(in, out []*shape.Shape) int64
	// Checks says that computing the op fails on values that it refuses: its nodes know where they were recorded.
	Checks bool
	// InPlace is a bit set of inputs whose buffer the output may take over although the op is not elementwise.
	InPlace uint32

	ID int
}

var registry = map[string]*Op{}
var byID []*Op

// Register adds an op to the registry. An incomplete declaration is a panic at start-up, in the first test that runs.
func Register(op Op) *Op {
	if missing := op.missing(); missing != "" {
		panic(fmt.Sprintf("lucid: internal: op %q: %s", op.Name, missing))
	}
	o := new(Op)
	*o = op
	o.ID = len(byID)
	byID = append(byID, o)
	registry[op.Name] = o
	return o
}

// missing says what a declaration lacks, "" if it is complete.
func (op *Op) missing() string {
	switch {
	case op.Name == "":
		return "has no name"
	case registry[op.Name] != nil:
		return "is declared twice"
	case op.Version < 1:
		return "has no version"
	case op.Infer == nil:
		return "has no Infer"
	case (op.VJP != nil && op.JVP != nil) == (op.NoGrad != ""):
		return "needs both VJP and JVP, or NoGrad with the reason"
	case (op.VMap != nil) == (op.NoVMap != ""):
		return "needs VMap, or NoVMap with the reason"
	case op.Kind == View && op.Layout == nil:
		return "is a view without Layout"
	case op.Inputs == Arity{}:
		return "needs Inputs, the number of its inputs"
	case op.Kind == Elementwise && op.DTypes == 0:
		return "is elementwise and needs DTypes, the dtypes that it takes"
	case (op.Validate != nil) == (op.NotInFiles != ""):
		return "needs Validate, or NotInFiles with the reason"
	}
	return ""
}

// Lookup finds an op by name, nil if there is none.
func Lookup(name string) *Op { return registry[name] }

// Ops lists every op, sorted by name.
func Ops() []*Op {
	all := append([]*Op(nil), byID...)
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}
