package cuda

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// Spec is the shape and the dtype of a tensor.
type Spec struct {
	Shape []int
	DType lucid.DType
}

// Numel is the number of elements.
func (s Spec) Numel() int {
	n := 1
	for _, d := range s.Shape {
		n *= d
	}
	return n
}

// Launch is a launch configuration: blocks and threads (zeros count as 1), bytes of dynamic shared memory, and the scalars
// that follow the pointers among the kernel's parameters: int (a long long), int32, int64, uint32, uint64, float32 or
// float64.
type Launch struct {
	Blocks, Threads [3]int
	Shared          int
	Args            []any
}

// Kernel is a CUDA kernel to be used as an op. Its parameters are pointers to the inputs, pointers to the outputs, and the
// scalars of Launch. Inputs are contiguous.
type Kernel struct {
	Name    string   // of the function, declared extern "C" __global__
	Source  string   // CUDA C++, without includes
	Binary  []byte   // a cubin, fatbin or PTX of another compiler, instead of Source
	Options []string // of the compiler, such as "--use_fast_math"
	// Nondeterministic says why bits vary from run to run, such as "it adds floats by atomics"; empty: they do not. Such a kernel refuses
	// to run where deterministic algorithms are asked for.
	Nondeterministic string
	// Outputs gives the results' specs for the inputs; an error refuses them.
	Outputs func(in []Spec) ([]Spec, error)
	// Launch gives the launch configuration for inputs and outputs.
	Launch func(in, out []Spec) Launch
	// VJP and JVP are the rules of lucid.CustomFunc; without them the results are constants to a transform.
	VJP func(in, out, cot []*lucid.Tensor) []*lucid.Tensor
	JVP func(in, tan []*lucid.Tensor) []*lucid.Tensor
}

var opKernel = graph.Register(graph.Op{Name: cuda.CustomOp, Version: 1, Kind: graph.Other,
	Inputs: graph.AtLeast(0), NotInFiles: "its source and launch are Go values",
	NoGrad: "a kernel's rules stand on the function around it", NoVMap: "a kernel is written for the sizes it names",
	Infer: func(a attr.Attr, in []*graph.Node) []graph.Spec { return a.(*custom).infer(in) }})

// custom is the attribute of a node: the device's kernel, and shape inference.
type custom struct {
	cuda.Custom
	outputs func(in []Spec) ([]Spec, error)
}

// Op returns the function that runs the kernel. It is compiled when first run, works inside lucid.Compile, and its
// inputs must be on a GPU.
func (k Kernel) Op() func(in ...*lucid.Tensor) []*lucid.Tensor {
	switch {
	case k.Name == "" || (k.Source == "") == (len(k.Binary) == 0):
		fault.Throw(fault.Value, "cuda.Kernel", "needs Name, and Source or Binary")
	case len(k.Binary) > 0 && len(k.Options) > 0:
		fault.Throw(fault.Value, k.Name, "Options are of the compiler, and Binary is compiled; want one of them")
	case k.Outputs == nil || k.Launch == nil:
		fault.Throw(fault.Value, k.Name, "needs Outputs and Launch")
	}
	c := &custom{outputs: k.Outputs}
	c.Custom = cuda.Custom{Name: k.Name, Source: k.Source, Binary: k.Binary, Options: k.Options,
		Launch: func(in, out []backend.View) (cuda.Launch, error) {
			l := k.Launch(specs(in), specs(out))
			for i := range 3 {
				l.Blocks[i], l.Threads[i] = max(1, l.Blocks[i]), max(1, l.Threads[i])
			}
			return cuda.Launch(l), nil
		}}
	forward := func(in []*lucid.Tensor) []*lucid.Tensor {
		if len(in) == 0 {
			fault.Throw(fault.Value, k.Name, "a kernel needs an input, which says where it runs")
		}
		if k.Nondeterministic != "" && lucid.AreDeterministicAlgorithmsEnabled() {
			fault.Throw(fault.NotImplemented, k.Name,
				"has no deterministic form: %s; want it outside Deterministic and SetDeterministic(true)", k.Nondeterministic)
		}
		nodes := make([]*graph.Node, len(in))
		for i, t := range in {
			nodes[i] = (*graph.Array)(t).Peek()
		}
		var out []*lucid.Tensor
		for _, n := range graph.TupleItems(graph.NewTuple(opKernel, c, nodes...)) {
			out = append(out, (*lucid.Tensor)(door.Wrap(n)))
		}
		return out
	}
	return lucid.Custom(lucid.CustomFunc{Name: k.Name, Forward: forward, VJP: k.VJP, JVP: k.JVP})
}

// RunKernel runs a kernel once: the function called name of CUDA C++ source, over inputs on a GPU, with results of given specs. It is
// compiled the first time, and found by its source later. A Kernel has more: rules of differentiation, sizes that depend on the inputs.
func RunKernel(name, source string, in []*lucid.Tensor, out []Spec, l Launch) []*lucid.Tensor {
	return Kernel{Name: name, Source: source, Outputs: func([]Spec) ([]Spec, error) { return out, nil },
		Launch: func(_, _ []Spec) Launch { return l }}.Op()(in...)
}

// infer asks the user for the outputs.
func (c *custom) infer(in []*graph.Node) (out []graph.Spec) {
	var list []Spec
	for _, n := range in {
		list = append(list, Spec{n.Shape().Clone(), n.DType()})
	}
	specs, err := c.outputs(list)
	if err != nil {
		panic(fault.Wrap(fault.Shape, c.Name, err, "the kernel refuses its inputs"))
	}
	if len(specs) == 0 {
		fault.Throw(fault.Value, c.Name, "Outputs names no output")
	}
	for _, s := range specs {
		if s.DType == 0 {
			fault.Throw(fault.DType, c.Name, "Outputs names no dtype for a result of shape %v", s.Shape)
		}
		out = append(out, graph.Spec{Shape: shape.Of(c.Name, s.Shape...), DType: s.DType})
	}
	return out
}

func specs(views []backend.View) (list []Spec) {
	for _, v := range views {
		list = append(list, Spec{v.Shape.Clone(), v.DType})
	}
	return list
}
