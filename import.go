package lucid

import (
	"fmt"
	"strings"
	"sync"

	"github.com/lucid-go/lucid/internal/codec"
	checkpoint "github.com/lucid-go/lucid/internal/codec/lucid"
	"github.com/lucid-go/lucid/internal/compile"
	"github.com/lucid-go/lucid/internal/export"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
	"github.com/lucid-go/lucid/internal/tree"
)

// TensorSpec is the dtype and shape of a tensor.
type TensorSpec struct {
	DType DType
	Shape []int
}

// String prints as "float32[2 3]".
func (s TensorSpec) String() string { return fmt.Sprintf("%v%v", s.DType, s.Shape) }

// Signature is what a function of a file takes and gives.
type Signature struct {
	Name            string
	Inputs, Outputs []TensorSpec // a size of -1 is open
	Least           int          // the smallest size that is taken where it is open; 0: none is
	Most            int          // the largest size that is taken wherever it is open; 0: there is none
	Writes          []string     // names of the tensors that a call changes
	Changes         []int        // inputs that a call changes
	// Bytes is the size of all values of one call together, with the sizes of the examples where some are open: more than it
	// needs, and a hint before a file that is not trusted is run. It is math.MaxInt if it is more than that.
	Bytes int
}

// String prints as "name(float32[2 3]) → (float32[2])".
func (s Signature) String() string {
	join := func(list []TensorSpec) string {
		text := make([]string, len(list))
		for i, t := range list {
			text[i] = t.String()
		}
		return strings.Join(text, ", ")
	}
	return fmt.Sprintf("%s(%s) → (%s)", s.Name, join(s.Inputs), join(s.Outputs))
}

// Function is what Import read: one function or several, each for inputs of given shapes and dtypes. It is safe for
// concurrent use; calls that change tensors of the file run one after the other, and no other call at the same time.
type Function struct {
	graphs []*imported
	*contents
}

// contents are the tensors of a file, which its functions share.
type contents struct {
	weights []*Tensor
	names   []string
	specs   []graph.Spec // of the weights, which the graphs were checked with
	mu      sync.RWMutex
}

// imported is one function with the plan of its plain calls.
type imported struct {
	g     *export.Graph
	run   *compile.Function
	mu    sync.Mutex
	sizes map[string]*export.Graph // of a function with open sizes
}

// Import reads a file that Export wrote, by this program or another. The file need not be trusted: every byte has a
// checksum, and every op is checked against its operands before anything of it can run. A file that is damaged, of a
// newer format, or uses an op this library does not have is an error. Its weights are stored on the default device
// (SetDefaultDevice, WithDevice), where the inputs of calls have to be too.
func Import(path string) (*Function, error) {
	c, err := checkpoint.Read(path, codec.Limits{})
	if err != nil {
		return nil, err
	}
	f, err := newFunction(c)
	return f, codec.InFile(err, path)
}

// UnmarshalBinary is Import for the content of a file, which is copied: f becomes what it holds.
func (f *Function) UnmarshalBinary(content []byte) error {
	c, err := checkpoint.Parse(content, codec.Limits{})
	if err != nil {
		return err
	}
	g, err := newFunction(c)
	if err == nil {
		*f = *g
	}
	return err
}

// newFunction checks the content of a file.
func newFunction(c checkpoint.Checkpoint) (*Function, error) {
	if _, ok := c.Schema[functionSchema]; !ok {
		return nil, fault.New(fault.Format, "import", "the file holds no functions; tensors alone are read with Load")
	}
	if err := c.Upgrade(map[string]int{functionSchema: functionVersion}); err != nil {
		return nil, err
	}
	text, ok := c.Find(functionSection)
	if !ok || text.Kind != checkpoint.JSON {
		return nil, fault.New(fault.Format, "import", "the file has no section %q", functionSection)
	}
	f := &Function{contents: &contents{}}
	for _, s := range c.Sections {
		t, ok := s.Tensor()
		if !ok {
			continue
		}
		if s.Name != tensorSection(len(f.specs)) {
			return nil, fault.New(fault.Format, "import", "section %q where %q was expected", s.Name, tensorSection(len(f.specs)))
		}
		if err := Try(func() { f.weights = append(f.weights, fromFile(t).To(DefaultDevice())) }); err != nil {
			return nil, err
		}
		f.specs = append(f.specs, graph.Spec{Shape: shape.Of("import", t.Shape...), DType: t.DType})
	}
	graphs, names, err := export.Parse(text.Data, f.specs)
	if err == nil {
		f.names, err = allNames(names)
	}
	if err != nil {
		return nil, err
	}
	for _, g := range graphs {
		if err := g.Check(f.specs); err != nil {
			return nil, err
		}
		f.graphs = append(f.graphs, f.imported(g))
	}
	return f, nil
}

func (f *Function) imported(g *export.Graph) *imported {
	m := &imported{g: g}
	m.run = compile.New(compile.Options{Name: "imported function " + g.Name}, func(in []*graph.Array) []*graph.Array {
		g, err := m.graphFor(f.specs, tensors(in))
		if err != nil {
			fault.Rethrow("call", err)
		}
		return arrays(f.inline(g, tensors(in)))
	}, tree.Function{})
	return m
}

// maxSizes is how many graphs of a function with open sizes are remembered.
const maxSizes = 256

// graphFor is the graph for inputs: where sizes are open, made for theirs and checked like one that a file holds.
func (m *imported) graphFor(specs []graph.Spec, in []*Tensor) (*export.Graph, error) {
	if m.g.Open == nil {
		return m.g, nil
	}
	sizes, ok := m.g.SizesOf(inputSpecs(in))
	if !ok {
		return nil, fault.New(fault.Shape, "call", "the inputs do not fit %v", specsOf(m.g.Inputs))
	}
	key := fmt.Sprint(sizes)
	m.mu.Lock()
	defer m.mu.Unlock()
	if g := m.sizes[key]; g != nil {
		return g, nil
	}
	g, err := m.g.At(sizes)
	if err == nil {
		err = g.Check(specs)
	}
	if err != nil {
		return nil, err
	}
	if m.sizes == nil || len(m.sizes) >= maxSizes {
		m.sizes = map[string]*export.Graph{}
	}
	m.sizes[key] = g
	return g, nil
}

// inline records the graph over the inputs, so that transforms see its inside.
func (f *Function) inline(g *export.Graph, in []*Tensor) []*Tensor {
	ns := acquireAll(in)
	defer func() { releaseAll(ns) }()
	weights := map[int]*graph.Node{}
	for _, i := range g.Tensors() {
		if weights[i] == nil {
			n := acquire(f.weights[i])
			weights[i], ns = n, append(ns, n)
			if s := f.specs[i]; n.DType() != s.DType || !n.Shape().Equal(s.Shape) {
				fault.Throw(fault.Shape, "call", "weight %d was assigned %v %v; the function needs %v %v", i, n.DType(),
					n.Shape(), s.DType, s.Shape)
			}
		}
	}
	var outs []*Tensor
	var state, changes []export.State
	scope.With(func(s *scope.State) {
		s.Autocast = 0 // the casts are in the graph
		for _, n := range ns {
			if n.Device() != nil {
				s.Device = n.Device()
				break
			}
		}
	}, func() {
		var nodes []*graph.Node
		nodes, state, changes = g.Inline(ns[:len(in):len(in)], func(i int) *graph.Node { return weights[i] })
		outs = wrapAll(nodes)
	})
	for _, c := range changes {
		in[c.Tensor].array().MustAccept(c.Value)
	}
	f.write(state)
	for _, c := range changes {
		assign("call", in[c.Tensor].array(), c.Value)
	}
	return outs
}

// write leaves new values in tensors of the file, all of them or none. No gradient passes from call to call.
func (f *Function) write(state []export.State) {
	for i, s := range state {
		if s.Value.Tape() || s.Value.Level() != nil {
			state[i].Value = ops.StopGradient(s.Value)
		}
	}
	for _, s := range state {
		f.weights[s.Tensor].array().MustAccept(s.Value)
	}
	NoGrad(func() {
		for _, s := range state {
			assign("call", f.weights[s.Tensor].array(), s.Value)
		}
	})
}

// Call runs the function whose signature fits the inputs. Inside Grad, VJP, VMap and Compile, and for inputs that
// require a gradient, it is differentiated, batched or compiled as if it had been written out.
func (f *Function) Call(inputs ...*Tensor) (outs []*Tensor, err error) {
	for i, t := range inputs {
		if t == nil {
			return nil, fault.New(fault.Value, "call", "input %d is nil", i)
		}
	}
	e := Try(func() {
		for _, m := range f.graphs {
			if _, ok := m.g.SizesOf(inputSpecs(inputs)); ok {
				outs, err = f.call(m, inputs)
				return
			}
		}
		var got, have []string
		for _, t := range inputs {
			got = append(got, TensorSpec{t.DType(), t.Shape()}.String())
		}
		for _, s := range f.Signatures() {
			have = append(have, s.String())
		}
		err = fault.New(fault.Value, "call", "no signature takes (%s); there are: %s; export with OpenDims what is to take other sizes",
			strings.Join(got, ", "), strings.Join(have, "; "))
	})
	if e != nil {
		return nil, e
	}
	return outs, err
}

func (f *Function) call(m *imported, inputs []*Tensor) (outs []*Tensor, err error) {
	for _, c := range m.g.Changes {
		for i, x := range inputs {
			if i != c.Tensor && x == inputs[c.Tensor] {
				return nil, fault.New(fault.Value, "call", "inputs %d and %d are one tensor, and the function changes it; pass a copy",
					c.Tensor, i)
			}
		}
	}
	if len(m.g.Writes) > 0 {
		f.mu.Lock()
		defer f.mu.Unlock()
	} else {
		f.mu.RLock()
		defer f.mu.RUnlock()
	}
	hs, err := m.run.All(arrays(inputs)...)
	return tensors(hs), err
}

// Signatures lists what the file holds.
func (f *Function) Signatures() []Signature {
	list := make([]Signature, len(f.graphs))
	for i, m := range f.graphs {
		list[i] = Signature{Name: m.g.Name, Inputs: specsOf(m.g.Inputs), Outputs: specsOf(m.g.Outputs), Bytes: m.g.Bytes()}
		m.g.MarkOpen(func(in, d, least, most int) {
			list[i].Inputs[in].Shape[d] = -1
			list[i].Least = max(list[i].Least, least)
			if most > 0 && (list[i].Most == 0 || most < list[i].Most) {
				list[i].Most = most
			}
		}, func(out, d int) { list[i].Outputs[out].Shape[d] = -1 })
		for _, w := range m.g.Writes {
			list[i].Writes = append(list[i].Writes, f.names[w.Tensor])
		}
		for _, w := range m.g.Changes {
			list[i].Changes = append(list[i].Changes, w.Tensor)
		}
	}
	return list
}

// Named returns the functions of one name as a Function of their own, which shares the weights.
func (f *Function) Named(name string) (*Function, error) {
	part := &Function{contents: f.contents}
	for _, m := range f.graphs {
		if m.g.Name == name {
			part.graphs = append(part.graphs, m)
		}
	}
	if len(part.graphs) == 0 {
		return nil, fault.New(fault.Value, "named", "no function of the file has the name %q", name)
	}
	return part, nil
}

// State returns the tensors of the file by name, in the order of the file: what calls change, and weights. They are the
// ones that calls use, so Assign changes what the next call reads; Save writes them down.
func (f *Function) State() *StateDict {
	d := NewStateDict()
	for i, t := range f.weights {
		d.Set(f.names[i], t)
	}
	return d
}

// Weights returns the tensors stored in the file. To train them, make them require gradients; Assign changes what the
// next call reads.
func (f *Function) Weights() []*Tensor { return append([]*Tensor(nil), f.weights...) }

func sameInputs(specs []graph.Spec, in []*Tensor) bool {
	if len(specs) != len(in) {
		return false
	}
	for i, s := range specs {
		n := in[i].array().Peek()
		if n.DType() != s.DType || !n.Shape().Equal(s.Shape) {
			return false
		}
	}
	return true
}

func inputSpecs(in []*Tensor) []graph.Spec {
	list := make([]graph.Spec, len(in))
	for i, t := range in {
		n := t.array().Peek()
		list[i] = graph.Spec{Shape: n.Shape(), DType: n.DType()}
	}
	return list
}

func specsOf(specs []graph.Spec) []TensorSpec {
	list := make([]TensorSpec, len(specs))
	for i, s := range specs {
		list[i] = TensorSpec{s.DType, s.Shape.Clone()}
	}
	return list
}
