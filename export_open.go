package lucid

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/export"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// OpenTensor is an example for Export in which some sizes are open; OpenDims makes it.
type OpenTensor struct {
	t    *Tensor
	dims []int
}

// OpenDims makes an example for Export whose sizes in some dimensions are open: the function in the file takes other sizes there. Open
// dimensions of the same size, in one example or in several, stay the same as each other. The function is traced at several sizes:
// numbers that depend on them (shapes, bounds, divisors) become formulas, which are proven at further sizes. A function that does
// something else for other sizes is refused, and so is a number that no formula gives; both are named. A size that is open may be 1 if
// the function does the same there.
func OpenDims(example *Tensor, dims ...int) OpenTensor {
	const op = "open_dims"
	if example == nil || len(dims) == 0 {
		fault.Throw(fault.Value, op, "wants a tensor and the dimensions that are open, not %v", dims)
	}
	o := OpenTensor{t: example}
	for _, d := range dims {
		d = shape.Axis(op, d, example.Dim())
		if slices.Contains(o.dims, d) {
			fault.Throw(fault.Value, op, "dimension %d is named twice", d)
		}
		o.dims = append(o.dims, d)
	}
	return o
}

// openSizes finds the open sizes among the examples, and gives the examples without the marks.
func openSizes(examples []any) (plain []any, sizes []export.OpenSize) {
	plain = slices.Clone(examples)
	var before []reflect.Value
	for i, e := range examples {
		if o, ok := e.(OpenTensor); ok {
			plain[i] = o.t
			at := len(flatten(before...))
			for _, d := range o.dims {
				n := o.t.Size(d)
				k := slices.IndexFunc(sizes, func(s export.OpenSize) bool { return s.Example == n })
				if k < 0 {
					k, sizes = len(sizes), append(sizes, export.OpenSize{Example: n})
				}
				sizes[k].At = append(sizes[k].At, [2]int{at, d})
			}
		}
		if v := reflect.ValueOf(plain[i]); v.IsValid() {
			before = append(before, v)
		}
	}
	// A size of 1 broadcasts: the graph in the file is for sizes that do not.
	for i := range sizes {
		for n := 3; sizes[i].Example < 2; n++ {
			if !slices.ContainsFunc(sizes, func(s export.OpenSize) bool { return s.Example == n }) {
				sizes[i].Example = n
			}
		}
	}
	return plain, sizes
}

// resized gives the inputs other sizes where they are open.
func resized(in []*Tensor, sizes []export.OpenSize, to []int) []*Tensor {
	other := slices.Clone(in)
	for i, z := range sizes {
		for _, p := range z.At {
			x := other[p[0]]
			dims := x.Shape()
			dims[p[1]] = to[i]
			other[p[0]] = With{DType: x.DType(), Device: x.Device()}.Zeros(dims...)
		}
	}
	return other
}

// Sizes at which a function is traced: so many one after the other behind the example's, which shows the remainders of divisions, then
// some that are far away, and small ones.
const (
	consecutive = 10
	leastSizes  = 3
	maxOpen     = 8
)

// open finds the formulas of a function whose graph at the sizes of the examples is g.
func (x *Exporter) open(g *export.Graph, in []*Tensor, sizes []export.OpenSize, trace func(in []*Tensor) (*export.Graph, error)) error {
	if len(sizes) > maxOpen {
		return fault.New(fault.Value, "export", "%d sizes are open; want at most %d", len(sizes), maxOpen)
	}
	at := func(pick func(i, example int) int) (s export.Sample, err error) {
		for i, z := range sizes {
			s.Sizes = append(s.Sizes, pick(i, z.Example))
		}
		if e := Try(func() { s.Graph, err = trace(resized(in, sizes, s.Sizes)) }); e != nil {
			err = e
		}
		if err != nil {
			err = fault.Wrap(fault.Value, "export", err, "the function cannot be traced at open sizes %v", s.Sizes)
		}
		return s, err
	}
	first := export.Sample{Graph: g}
	for _, z := range sizes {
		first.Sizes = append(first.Sizes, z.Example)
	}
	samples := []export.Sample{first}
	for j := 1; j <= consecutive; j++ {
		s, err := at(func(i, n int) int { return n + j*(i+1)%(consecutive+1) })
		if err != nil {
			return err
		}
		samples = append(samples, s)
	}
	o, err := export.FitOpen(samples)
	if err != nil {
		return err
	}
	g.Open, o.Sizes = o, sizes
	for i := range sizes {
		sizes[i].Least = 1
	}
	for _, pick := range []func(i, n int) int{func(i, n int) int { return 3*n + 17 + 4*i }, func(i, n int) int { return 2*n + 29 + 6*i }} {
		s, err := at(pick)
		if err == nil {
			err = proven(g, s)
		}
		if err != nil {
			return err
		}
	}
	return x.least(g, sizes, at)
}

// least finds the smallest sizes at which the formulas hold.
func (x *Exporter) least(g *export.Graph, sizes []export.OpenSize, at func(pick func(i, n int) int) (export.Sample, error)) error {
	for least := 1; least <= leastSizes; least++ {
		s, err := at(func(_, n int) int { return min(least, n) })
		if err != nil || proven(g, s) != nil {
			continue
		}
		for i := range sizes {
			sizes[i].Least = min(least, sizes[i].Example)
		}
		return nil
	}
	for i := range sizes {
		sizes[i].Least = sizes[i].Example
	}
	return nil
}

// proven compares a trace with what the formulas give at its sizes.
func proven(g *export.Graph, s export.Sample) error {
	h, err := g.At(s.Sizes)
	if err != nil {
		return err
	}
	want, err := export.Encode([]*export.Graph{s.Graph}, nil)
	if err != nil {
		return err
	}
	got, err := export.Encode([]*export.Graph{h}, nil)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fault.New(fault.NotImplemented, "export", "the formulas found at the sizes of the examples do not hold at %v: "+
			"the function does something else there; export it for fixed sizes", s.Sizes)
	}
	return nil
}

// known numbers a tensor of another trace of a function: it must be one that the first trace had. -2: it is not.
func (x *Exporter) known(n *graph.Node, h *graph.Array) int {
	if h != nil {
		return x.tensor(n, h)
	}
	h = door.Unscoped(n)
	defer h.Free()
	v, done := (*Tensor)(h).read("export")
	defer done()
	for i, s := range x.specs {
		if s.DType == v.DType && s.Shape.Equal(v.Shape) && bytes.Equal(x.tensors[i].Data, v.Bytes()) {
			return i
		}
	}
	return -2
}
