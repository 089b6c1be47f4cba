package exec

import (
	"strings"

	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// Traced is a finished trace that is to be planned, or bound to the plan of another one.
type Traced struct {
	Outs, Args []*graph.Node
	Lays       []*shape.Layout // strides of the arguments, nil for row-major order; nil if all are
	Becomes    []int           // by output: the argument whose next value it is, -1: none
	Recompute  float64         // share of the work that may be done twice to hold less memory
	NoElision  bool            // leave concatenations as they are, so that other sizes can share the plan
	idx        *graph.Index
	whole      *whole
}

// whole is a trace with its parts replaced by what they stand for.
type whole struct {
	outs   []*graph.Node
	became []*graph.Node // by node of the trace: what it became, nil for parts and what shows them
	idx    graph.Index
}

// Release lets other traces have the space in which the nodes were numbered.
func (t *Traced) Release() {
	if t.idx != nil {
		t.idx.Release()
		t.idx = nil
	}
}

// Whole returns the outputs with no parts behind them: what is to be planned.
func (t *Traced) Whole() []*graph.Node {
	t.number()
	if t.whole == nil {
		t.whole = new(whole)
		if t.whole.outs, t.whole.became = graph.WithoutParts(t.Outs, t.idx); t.whole.became != nil {
			numberNodes(&t.whole.idx, t.whole.outs)
		}
	}
	if t.whole.became == nil {
		return t.Outs
	}
	return t.whole.outs
}

// Sizes returns how many nodes the trace has, and the shapes of its arguments.
func (t *Traced) Sizes() (nodes int, args string) {
	t.number()
	var b strings.Builder
	for _, a := range t.Args {
		b.WriteString(a.Shape().String())
	}
	return len(t.idx.Nodes), b.String()
}

// number numbers the nodes behind the outputs, inputs first.
func (t *Traced) number() {
	if t.idx == nil {
		t.idx = graph.NewIndex()
		numberNodes(t.idx, t.Outs)
	}
}

func numberNodes(x *graph.Index, outs []*graph.Node) {
	x.PostOrder(outs, func(n *graph.Node) bool { return !n.Stored() && !n.IsPlaceholder() })
}

// planned numbers the nodes with no parts among them.
func (t *Traced) planned() *graph.Index {
	if t.Whole(); t.whole.became == nil {
		return t.idx
	}
	return &t.whole.idx
}

// layout is the strides of an argument, nil for row-major order, from the first element it reaches.
func (t *Traced) layout(arg int) *shape.Layout {
	if t.Lays == nil || t.Lays[arg] == nil {
		return nil
	}
	back, _ := t.Lays[arg].Extent(t.Args[arg].Shape())
	return &shape.Layout{Strides: t.Lays[arg].Strides, Offset: back}
}

// Rewrite is what became of a node when its trace was simplified.
type Rewrite uint8

// What may become of a node.
const (
	Recorded  Rewrite = iota // it is part of the result, if anything reads it
	Merged                   // an equal one stands for it
	Folded                   // it is an immediate
	Cancelled                // a view, a cast or an identity that did nothing, or several in one
	Neutral                  // an operand stands for it: the other one is a neutral number
)

// Rewritten tells what became of the nodes of a trace, in the order in which they are numbered.
type Rewritten struct {
	Values []*graph.Node               // what stands for each
	How    []Rewrite                   // and why
	Copies map[*graph.Node]*graph.Node // nodes that were recorded once more: what they are copies of
}
