package lucid

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"

	"github.com/lucid-go/lucid/internal/codec"
	checkpoint "github.com/lucid-go/lucid/internal/codec/lucid"
	"github.com/lucid-go/lucid/internal/compile"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/export"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/tree"
)

// Parts of a file with functions.
const (
	functionSchema  = "function"
	functionVersion = 4
	functionSection = "functions"
)

// Version 2 added names and writes, version 3 open sizes, version 4 sizes derived of them and arguments
// that are changed; each reads the one before as it is.
func init() {
	for v := 1; v < functionVersion; v++ {
		checkpoint.RegisterSchema(functionSchema, v, func(*checkpoint.Checkpoint) error { return nil })
	}
}

func tensorSection(i int) string { return fmt.Sprintf("tensor.%d", i) }

// Export writes a function over tensors, or trees of them, with the tensors it reads from outside, to a file that
// Import runs without the function's source. The function is traced with the examples: their shapes and dtypes become
// the signature, everything in them that is no tensor a constant.
//
// A function may change tensors from outside: parameters, the state of an optimizer, statistics, gradients that it leaves,
// the key of a random generator. The file holds them as they are now, and every Import has its own, which its calls change;
// see Exporter.Name and Function.State. Go values such as a learning rate stay as they were. A function may change its arguments, if they
// keep dtype and shape: a call changes them too. One that calls Go code while it runs (Print, CustomFunc) is refused. An example made by
// OpenDims leaves sizes open.
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
	graphs  []*export.Graph
	tensors []codec.Tensor
	specs   []graph.Spec
	number  map[any]int // of a handle with what it shows, of the content of one made inside, or of a slot whose gradient is not there yet
	state   map[*graph.Array]int
	named   map[*graph.Array]string
	slots   map[int]*graph.Slot // of gradients, by tensor
}

// NewExporter begins a file; nothing is written before Close.
func NewExporter(path string) *Exporter {
	return &Exporter{path: path, number: map[any]int{}, state: map[*graph.Array]int{}, named: map[*graph.Array]string{},
		slots: map[int]*graph.Slot{}}
}

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
	names, err := x.names()
	if err != nil {
		return c, err
	}
	text, err := export.Encode(x.graphs, names)
	if err != nil {
		return c, err
	}
	c = checkpoint.Checkpoint{Schema: map[string]int{functionSchema: x.version(names)}}
	c.Sections = append(c.Sections, checkpoint.Section{Name: functionSection, Kind: checkpoint.JSON, Data: text})
	for _, t := range x.tensors {
		c.Add(t)
	}
	return c, nil
}

// version is the first that has what the file needs, so that older programs read what they can run.
func (x *Exporter) version(names []string) int {
	version := 1
	if slices.ContainsFunc(names, func(s string) bool { return s != "" }) {
		version = 2
	}
	for _, g := range x.graphs {
		if g.Open != nil {
			version = max(version, g.Open.Version())
		}
		if len(g.Changes) > 0 {
			version = functionVersion
		}
		if len(g.Writes) > 0 {
			version = max(version, 2)
		}
	}
	return version
}

func (x *Exporter) add(name string, f any, examples []any) error {
	fn := tree.FunctionOf("export", f)
	examples, sizes := openSizes(examples)
	args, err := exampleArgs(fn, examples)
	if err != nil {
		return err
	}
	in := flatten(args...)
	if scope.Current().Trace != nil || compile.MustInline(arrays(in), false) {
		return fault.New(fault.Trace, "export", "called inside Compile, Grad or VMap; export the function outside")
	}
	if sizes != nil {
		var to []int
		for _, s := range sizes {
			to = append(to, s.Example)
		}
		in = resized(in, sizes, to)
	}
	for _, g := range x.graphs {
		if g.Name == name && sameInputs(g.Inputs, in) {
			return fault.New(fault.Value, "export", "two functions of the name %q have the same signature %v", name, specsOf(g.Inputs))
		}
	}
	g, err := x.trace(name, fn, args, in, sizes != nil, true)
	if err == nil && sizes != nil {
		err = x.open(g, in, sizes, func(in []*Tensor) (*export.Graph, error) { return x.trace(name, fn, args, in, true, false) })
	}
	if err == nil {
		err = g.Check(x.specs)
	}
	if err != nil {
		return err
	}
	x.graphs = append(x.graphs, g)
	return nil
}

// trace runs the function over placeholders like the inputs and writes down what it recorded. Tensors that it reads go to the file if
// put is set, else they must be there: see numbered.
func (x *Exporter) trace(name string, fn tree.Function, args []reflect.Value, in []*Tensor, open, put bool) (*export.Graph, error) {
	t := graph.NewTrace(graph.TraceCompile, fn.Name(), nil)
	t.Export, t.Open = true, open
	defer t.Close()
	standIns, outs, changes, err := traceFor(t, fn, args, in)
	if err != nil {
		return nil, err
	}
	r := t.Result()
	state, err := x.stateOf(t, r)
	if err != nil {
		return nil, err
	}
	captured := map[*graph.Node]*graph.Array{}
	for _, k := range r.Captured {
		captured[k.Placeholder] = k.Handle
	}
	return export.Record(name, outs, standIns, state, changes, func(n *graph.Node) int {
		h := captured[n]
		return x.numbered(n, h, h == nil || t.Made(h) && !slices.Contains(r.Written, h), put)
	})
}

// exampleArgs makes the arguments of a call out of the examples.
func exampleArgs(fn tree.Function, examples []any) ([]reflect.Value, error) {
	if len(examples) != fn.Type.NumIn() {
		return nil, fault.New(fault.Value, "export", "%d examples for a function of %d arguments", len(examples), fn.Type.NumIn())
	}
	args := make([]reflect.Value, len(examples))
	for i, e := range examples {
		want := fn.Type.In(i)
		if args[i] = reflect.ValueOf(e); !args[i].IsValid() {
			args[i] = reflect.Zero(want)
		}
		if !args[i].Type().AssignableTo(want) {
			return nil, fault.New(fault.Value, "export", "example %d is a %T; the function takes %v", i, e, want)
		}
	}
	return args, nil
}

// traceFor runs the function over placeholders.
func traceFor(t *graph.Trace, fn tree.Function, args []reflect.Value, in []*Tensor) (standIns, outs []*graph.Node,
	changes []export.State, err error) {
	inside := make([]*Tensor, len(in))
	for i, x := range in {
		n := x.array().Raw()
		s := graph.NewPlaceholder(t, i, graph.Spec{Shape: n.Shape(), DType: n.DType()}, n.Device())
		s.Ref()
		standIns = append(standIns, s)
		inside[i] = (*Tensor)(door.Unscoped(s))
	}
	scope.With(func(s *scope.State) { s.Trace, s.Arena, s.GuardCells = t, nil, compile.WatchCells() }, func() {
		defer func() {
			if r := recover(); r != nil {
				if r != any(graph.Inline) {
					panic(r)
				}
				err = fault.New(fault.Trace, "export", "%s reads a tensor that varies under a transform around it; export it outside",
					t.Name)
			}
		}()
		var res []reflect.Value
		if res, err = fn.Call(unflatten(args, inside)); err == nil {
			outs = peekAll(flatten(res...))
		}
	})
	for i, x := range inside {
		n, was := x.array().Raw(), standIns[i]
		switch {
		case err != nil || n == was:
		case n == nil || n.DType() != was.DType() || !n.Shape().Equal(was.Shape()):
			err = fault.New(fault.NotImplemented, "export", "%s makes its argument tensor %d, %v %v, another one or frees it; in a file "+
				"it has to keep dtype and shape: return the new value instead", t.Name, i, was.DType(), was.Shape())
		default:
			changes = append(changes, export.State{Tensor: i, Value: n})
		}
	}
	return standIns, outs, changes, err
}

// shown is a handle and the node it shows.
type shown struct {
	h *graph.Array
	n *graph.Node
}

// content is what a tensor holds that a function makes: every trace makes another one.
type content struct {
	dtype DType
	shape string
	sum   [sha256.Size]byte
}

// tensor numbers what a handle from outside shows.
func (x *Exporter) tensor(h *graph.Array) int { return x.numbered(nil, h, false, true) }

// numbered numbers a value from outside, which is that of a handle, or one made inside, which is a handle's or a stored node. One that the
// file does not have yet is put there, or is -2.
func (x *Exporter) numbered(n *graph.Node, h *graph.Array, made, put bool) int {
	if h == nil {
		h = door.Unscoped(n)
		defer h.Free()
	}
	var key any = shown{h, h.Raw()}
	if i, ok := x.number[key]; ok && !made {
		return i
	}
	v, done := (*Tensor)(h).read("export")
	defer done()
	if made {
		key = content{v.DType, fmt.Sprint(v.Shape), sha256.Sum256(v.Bytes())}
		if i, ok := x.number[key]; ok {
			return i
		}
	}
	if !put {
		return -2
	}
	return x.put(key, graph.Spec{Shape: v.Shape, DType: v.DType}, slices.Clone(v.Bytes()))
}

// put adds a tensor to the file.
func (x *Exporter) put(key any, s graph.Spec, data []byte) int {
	i := len(x.tensors)
	x.tensors = append(x.tensors, codec.Tensor{Name: tensorSection(i), DType: s.DType, Shape: s.Shape.Clone(), Data: data})
	x.specs = append(x.specs, s)
	x.number[key] = i
	return i
}
