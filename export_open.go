package lucid

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/lucid-go/lucid/internal/export"
	"github.com/lucid-go/lucid/internal/fault"
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

// maxOpen bounds the sizes that are open.
const maxOpen = 8

// open finds the formulas of a function whose graph at the sizes of the examples is g.
func (x *Exporter) open(g *export.Graph, in []*Tensor, sizes []export.OpenSize, trace func(in []*Tensor) (*export.Graph, error)) error {
	if len(sizes) > maxOpen {
		return fault.New(fault.Value, "export", "%d sizes are open; want at most %d", len(sizes), maxOpen)
	}
	s := &openSearch{sizes: sizes, seen: map[string]probe{}}
	for _, z := range sizes {
		s.example = append(s.example, z.Example)
	}
	var at func(to []int) (export.Sample, error)
	at = func(to []int) (t export.Sample, err error) {
		t.Sizes = to
		if e := Try(func() { t.Graph, err = trace(resized(in, sizes, to)) }); e != nil {
			err = e
		}
		if err != nil {
			err = fault.Wrap(fault.Value, "export", err, "the function cannot be traced at open sizes %v", to)
		}
		return t, err
	}
	s.trace = at
	s.fitter, s.first = export.NewFitter(export.Sample{Sizes: s.example, Graph: g})
	o, err := s.fit()
	if err != nil {
		return err
	}
	g.Open = o
	for i := range sizes {
		sizes[i].Least = 1
	}
	if err := s.prove(g, at); err != nil {
		return err
	}
	s.least(g, at)
	return s.box(o)
}

// prove compares the formulas with traces at sizes that were not used to find them.
func (s *openSearch) prove(g *export.Graph, at func(to []int) (export.Sample, error)) error {
	s.most(g.Open)
	proofs := 0
	try := func(to []int) error {
		if !s.within(to) {
			return nil
		}
		t, err := at(to)
		if err == nil {
			err = proven(g, t)
		}
		proofs++
		return err
	}
	for _, pick := range farther {
		var to []int
		for i, n := range s.example {
			to = append(to, pick(i, n))
		}
		if s.at(to).other {
			return notHolding(to)
		}
		if err := try(to); err != nil {
			return err
		}
	}
	for _, j := range heldBack {
		for i, n := range s.example {
			if to, ok := s.along(i, n+j); ok && s.at(to).err == nil {
				if err := try(to); err != nil {
					return err
				}
			}
		}
	}
	if proofs == 0 {
		return s.at(s.beyond()).err
	}
	return nil
}

// within reports whether no size is beyond the largest one.
func (s *openSearch) within(to []int) bool {
	for i, n := range to {
		if s.sizes[i].Most > 0 && n > s.sizes[i].Most {
			return false
		}
	}
	return true
}

// beyond are sizes of which one is just beyond the largest one.
func (s *openSearch) beyond() []int {
	to := slices.Clone(s.example)
	for i, z := range s.sizes {
		if z.Most > 0 {
			to[i] = z.Most + 1
			break
		}
	}
	return to
}

// least finds the smallest sizes at which the formulas hold.
func (s *openSearch) least(g *export.Graph, at func(to []int) (export.Sample, error)) {
	for least := 1; least <= max(leastSizes, min(smallSizes, slices.Max(s.example)-1)); least++ {
		var to []int
		for _, n := range s.example {
			to = append(to, min(least, n))
		}
		t, err := at(to)
		if err != nil || proven(g, t) != nil {
			continue
		}
		for i := range s.sizes {
			s.sizes[i].Least = to[i]
		}
		if s.box(g.Open) == nil {
			return
		}
	}
	for i := range s.sizes {
		s.sizes[i].Least = s.sizes[i].Example
	}
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
		return notHolding(s.Sizes)
	}
	return nil
}
