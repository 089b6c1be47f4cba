package graph

import (
	"fmt"
	"sort"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// Kind says how an op touches its operands; passes ask the kind, never a list of names.
type Kind uint8

// The kinds.
const (
	Other       Kind = iota
	Elementwise      // out[i] depends on in[i] alone
	View             // shows its input's buffer with another layout
	Reduce           // folds dimensions away
	RowWise          // works along one dimension and keeps it
	Move             // copies elements to other places
	Contract         // sums products: matmul, convolution
	Random           // makes numbers from a key
	Source           // has no inputs
	Composite        // has no node of its own: written with other ops
)

var kindNames = [...]string{"other", "elementwise", "view", "reduce", "rowwise", "move", "contract", "random", "source", "composite"}

func (k Kind) String() string { return kindNames[k] }

// AMP is what automatic mixed precision does with an op's float inputs.
type AMP uint8

// The policies.
const (
	AMPKeep    AMP = iota // compute in the dtype given
	AMPHalf               // cast to the autocast dtype
	AMPFloat32            // cast halves up
	AMPPromote            // cast to the widest of the inputs
)

var ampNames = [...]string{"keep", "half", "float32", "promote"}

func (a AMP) String() string { return ampNames[a] }

// Spec is the shape and dtype of a value not yet made.
type Spec struct {
	Shape *shape.Shape
	DType dtype.DType
}

// Op declares a primitive once: its name, its meaning for shapes and its rules under every transform.
type Op struct {
	Name    string
	Version int
	Kind    Kind
	AMP     AMP
	// Nondeterministic is empty, or says why bits may vary between runs.
	Nondeterministic string

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
	// Transparent says that a bundle's outputs are its last inputs, shown as they are: nothing is computed.
	Transparent bool
	// Cheap says that a kernel takes no longer than reading and writing its operands once: it may be run again so that its
	// result need not be held. Elementwise ops are anyway.
	Cheap bool
	// InPlace is a bit set of inputs whose buffer the output may take over although the op is not elementwise.
	InPlace uint32

	ID int
}

var registry = map[string]*Op{}
var byID []*Op

// Register adds an op to the registry. A hole in the declaration is a panic at start-up, in the first test that runs.
func Register(op Op) *Op {
	must := func(ok bool, what string) {
		if !ok {
			panic(fmt.Sprintf("lucid: internal: op %q: %s", op.Name, what))
		}
	}
	must(op.Name != "", "has no name")
	must(registry[op.Name] == nil, "is declared twice")
	must(op.Version >= 1, "has no version")
	must(op.Infer != nil, "has no Infer")
	must((op.VJP != nil && op.JVP != nil) != (op.NoGrad != ""), "needs both VJP and JVP, or NoGrad with the reason")
	must((op.VMap != nil) != (op.NoVMap != ""), "needs VMap, or NoVMap with the reason")
	must(op.Kind != View || op.Layout != nil, "is a view without Layout")
	o := new(Op)
	*o = op
	o.ID = len(byID)
	byID = append(byID, o)
	registry[op.Name] = o
	return o
}

// Lookup finds an op by name, nil if there is none.
func Lookup(name string) *Op { return registry[name] }

// Ops lists every op, sorted by name.
func Ops() []*Op {
	all := append([]*Op(nil), byID...)
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}
