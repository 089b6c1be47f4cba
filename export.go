package lucid

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/lucid-go/lucid/internal/codec"
	checkpoint "github.com/lucid-go/lucid/internal/codec/lucid"
	"github.com/lucid-go/lucid/internal/compile"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/scope"
)

// Parts of a file with functions.
const (
	functionSchema  = "function"
	functionVersion = 1
	functionSection = "functions"
)

func tensorSection(i int) string { return fmt.Sprintf("tensor.%d", i) }

// Export writes a function over tensors, or trees of them, with the tensors it reads from outside, to a file that
// Import runs without the function's source. The function is traced with the examples: their shapes and dtypes become
// the signature, everything in them that is no tensor a constant. A function that changes tensors from outside, leaves
// gradients or draws random numbers from a generator is refused, and so is one that calls Go code while it runs (Print,
// CustomFunc).
func Export(path string, f any, examples ...any) error {
	x := NewExporter(path)
	if err := x.Add(f, examples...); err != nil {
		return err
	}
	return x.Close()
}

// Exporter writes several functions, or one with several signatures, to one file. Tensors that they share are
// written once.
type Exporter struct {
	path    string
	graphs  []*compile.Graph
	tensors []codec.Tensor
	specs   []graph.Spec
	number  map[any]int // of a handle with what it shows, or of a node
}

// NewExporter begins a file; nothing is written before Close.
func NewExporter(path string) *Exporter { return &Exporter{path: path, number: map[any]int{}} }

// Add traces a function as Export does; its name is empty.
func (x *Exporter) Add(f any, examples ...any) error { return x.AddNamed("", f, examples...) }

// AddNamed is Add with a name, by which Function.Named finds it. One name may have several signatures.
func (x *Exporter) AddNamed(name string, f any, examples ...any) (err error) {
	if e := Try(func() { err = x.add(name, f, examples) }); e != nil {
		return e
	}
	return err
}

// Close writes the file; it appears whole or not at all.
func (x *Exporter) Close() error {
	c, err := x.checkpoint()
	if err != nil {
		return err
	}
	return checkpoint.Write(x.path, c)
}

func (x *Exporter) checkpoint() (c checkpoint.Checkpoint, err error) {
	text, err := compile.Encode(x.graphs)
	if err != nil {
		return c, err
	}
	c = checkpoint.Checkpoint{Schema: map[string]int{functionSchema: functionVersion}}
	c.Sections = append(c.Sections, checkpoint.Section{Name: functionSection, Kind: checkpoint.JSON, Data: text})
	for _, t := range x.tensors {
		c.Add(t)
	}
	return c, nil
}

func (x *Exporter) add(name string, f any, examples []any) error {
	fn := functionOf("export", f)
	args, err := exampleArgs(fn, examples)
	if err != nil {
		return err
	}
	for _, g := range x.graphs {
		if g.Name == name && sameInputs(g.Inputs, flattenAll(args)) {
			return fault.New(fault.Value, "export", "two functions of the name %q have the same signature %v", name, specsOf(g.Inputs))
		}
	}
	in := flattenAll(args)
	if scope.Current().Trace != nil || mustInline(in, false) {
		return fault.New(fault.Trace, "export", "called inside Compile, Grad or VMap; export the function outside")
	}
	t := graph.NewTrace(graph.TraceCompile, functionName(fn.v), nil)
	t.Export = true
	defer t.Close()
	standIns, outs, err := traceFor(t, fn, args, in)
	if err != nil {
		return err
	}
	r := t.Result()
	if why := changesState(r); why != "" {
		return fault.New(fault.NotImplemented, "export", "%s %s; a file holds functions that only compute", t.Name, why)
	}
	captured := map[*graph.Node]*graph.Array{}
	for _, k := range r.Captured {
		captured[k.StandIn] = k.Handle
	}
	g, err := compile.Record(name, outs, standIns, func(n *graph.Node) int { return x.tensor(n, captured[n]) })
	if err != nil {
		return err
	}
	if err := g.Check(x.specs); err != nil {
		return err
	}
	x.graphs = append(x.graphs, g)
	return nil
}

// exampleArgs makes the arguments of a call out of the examples.
func exampleArgs(fn function, examples []any) ([]reflect.Value, error) {
	if len(examples) != fn.t.NumIn() {
		return nil, fault.New(fault.Value, "export", "%d examples for a function of %d arguments", len(examples), fn.t.NumIn())
	}
	args := make([]reflect.Value, len(examples))
	for i, e := range examples {
		want := fn.t.In(i)
		if args[i] = reflect.ValueOf(e); !args[i].IsValid() {
			args[i] = reflect.Zero(want)
		}
		if !args[i].Type().AssignableTo(want) {
			return nil, fault.New(fault.Value, "export", "example %d is a %T; the function takes %v", i, e, want)
		}
	}
	return args, nil
}

// traceFor runs the function over stand-ins.
func traceFor(t *graph.Trace, fn function, args []reflect.Value, in []*Tensor) (standIns, outs []*graph.Node, err error) {
	inside := make([]*Tensor, len(in))
	for i, x := range in {
		n := x.array().Raw()
		s := graph.NewStandIn(t, i, graph.Spec{Shape: n.Shape(), DType: n.DType()}, n.Device())
		s.Ref()
		standIns = append(standIns, s)
		inside[i] = (*Tensor)(graph.Wrap(s))
	}
	scope.With(func(s *scope.State) { s.Trace, s.Arena, s.Cells = t, nil, watchCells() }, func() {
		defer func() {
			if r := recover(); r != nil {
				if r != any(graph.Inline) {
					panic(r)
				}
				err = fault.New(fault.Trace, "export", "%s reads a tensor that varies under a transform around it; export it outside", t.Name)
			}
		}()
		var res []reflect.Value
		if res, err = fn.call(unflattenAll(args, inside)); err == nil {
			outs = peekAll(flattenAll(res))
		}
	})
	return standIns, outs, err
}

// changesState says what a traced function does beside computing, "" if nothing.
func changesState(r graph.Result) string {
	if slices.Contains(r.Written, ops.Default.Handle()) {
		return "draws random numbers from the default generator; give it a key as an argument"
	}
	if len(r.Written) > 0 {
		return fmt.Sprintf("changes a tensor of shape %v from outside (Assign, SetAt, a form that ends in _, a generator, statistics of training); return the new value instead, or put the module in evaluation mode", r.Written[0].Raw().Shape())
	}
	for _, g := range r.Grads {
		if g.Written {
			return "leaves gradients (Backward); use Grad, which returns them"
		}
	}
	return ""
}

// shown is a handle and the node it shows.
type shown struct {
	h *graph.Array
	n *graph.Node
}

// tensor numbers a value from outside: a captured handle's, or a stored node.
func (x *Exporter) tensor(n *graph.Node, h *graph.Array) int {
	var key any = n
	if h != nil {
		key = shown{h, h.Raw()}
	} else {
		h = graph.Wrap(n)
	}
	if i, ok := x.number[key]; ok {
		return i
	}
	t := (*Tensor)(h)
	v, done := t.read("export")
	defer done()
	i := len(x.tensors)
	x.tensors = append(x.tensors, codec.Tensor{Name: tensorSection(i), DType: v.DType, Shape: v.Shape.Clone(), Data: slices.Clone(v.Bytes())})
	x.specs = append(x.specs, graph.Spec{Shape: v.Shape, DType: v.DType})
	x.number[key] = i
	return i
}
