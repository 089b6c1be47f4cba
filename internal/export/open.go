package export

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// A function with open sizes is a graph for the sizes of its examples, and the numbers in it that depend on them as formulas. It is
// traced at several sizes: what is the same in all traces is a constant, what is not must be given by one formula in all of them. The
// graph for other sizes is made of the first one and checked like a graph of a file.

// Open is what of a graph depends on sizes that are open.
type Open struct {
	Sizes   []OpenSize
	derived []derived
	numbers []openNumber
}

// OpenSize is a size that is the same in some dimensions of the inputs.
type OpenSize struct {
	Least   int      // it must not be smaller
	Most    int      // it must not be larger; 0: any
	Example int      // that of the graph as it is written
	At      [][2]int // input and dimension
}

// openNumber is a number of a node that depends on open sizes.
type openNumber struct {
	node  int    // a step
	out   int    // of a size of an output: which one, else -1
	field string // of a number in the attribute: its name, fields of fields behind a dot
	index int    // in a list; the dimension of an output
	formula
}

// maxOpenSizes bounds the open sizes of a function, maxOpenNumbers the numbers that depend on them.
const (
	maxOpenSizes   = 8
	maxOpenNumbers = 1 << 20
)

// Sample is a trace of a function with open sizes.
type Sample struct {
	Sizes []int
	Graph *Graph
}

// differ is the error of a structure that changes with a size.
func differ(a, b Sample, format string, args ...any) error {
	return fault.New(fault.NotImplemented, "export", "at sizes %v and %v %s: the function depends on its open sizes in another way than "+
		"by numbers; export it for fixed sizes, or without the branch", a.Sizes, b.Sizes, fmt.Sprintf(format, args...))
}

// sameStructure compares two traces but for the numbers in them.
func sameStructure(a, b Sample) error {
	g, h := a.Graph, b.Graph
	if len(g.steps) != len(h.steps) {
		return differ(a, b, "there are %d and %d nodes", len(g.steps), len(h.steps))
	}
	for i := range g.steps {
		s, t := &g.steps[i], &h.steps[i]
		if s.op != t.op || s.item != t.item || s.tuple != t.tuple || len(s.specs) != len(t.specs) || !slices.Equal(s.in, t.in) {
			return differ(a, b, "node %d is %s and %s", len(g.Inputs)+i, s.name(), t.name())
		}
		if s.tensor != t.tensor {
			return differ(a, b, "a tensor that the function makes has other values or another shape")
		}
		for k := range s.specs {
			if x, y := s.specs[k], t.specs[k]; x.DType != y.DType || x.Shape.Rank() != y.Shape.Rank() {
				return differ(a, b, "%s gives %v%v and %v%v", s.op.Name, x.DType, x.Shape, y.DType, y.Shape)
			}
		}
		if (s.control == nil) != (t.control == nil) {
			return differ(a, b, "node %d has subgraphs only once", len(g.Inputs)+i)
		}
		if s.control != nil {
			x, err := s.control.append(nil)
			y, err2 := t.control.append(nil)
			if err != nil || err2 != nil || !bytes.Equal(x, y) {
				return differ(a, b, "a subgraph of %s differs: control flow with open sizes inside is not supported", s.op.Name)
			}
		}
	}
	if !slices.Equal(g.outs, h.outs) || !slices.Equal(g.Writes, h.Writes) || !slices.Equal(g.Changes, h.Changes) {
		return differ(a, b, "other values are returned or written")
	}
	return nil
}

// name says what a step is.
func (s *graphStep) name() string {
	switch {
	case s.op != nil:
		return s.op.Name
	case s.item >= 0:
		return "a result of another node"
	}
	return "a tensor"
}

// At makes the graph for other sizes; it is not to be trusted before Check.
func (g *Graph) At(sizes []int) (*Graph, error) {
	o := g.Open
	h := &Graph{Name: g.Name, Inputs: slices.Clone(g.Inputs), steps: slices.Clone(g.steps), outs: g.outs,
		Writes: g.Writes, Changes: g.Changes}
	for k, s := range o.Sizes {
		if sizes[k] < s.Least {
			return nil, fault.New(fault.Value, "call", "an open size is %d; the function takes at least %d", sizes[k], s.Least)
		}
		if s.Most > 0 && sizes[k] > s.Most {
			return nil, fault.New(fault.Value, "call", "an open size is %d; the function takes at most %d", sizes[k], s.Most)
		}
		for _, at := range s.At {
			dims := h.Inputs[at[0]].Shape.Clone()
			dims[at[1]] = sizes[k]
			if err := bounded(h.Inputs[at[0]].DType, dims); err != nil {
				return nil, err
			}
			h.Inputs[at[0]].Shape = shape.Of("call", dims...)
		}
	}
	for i := range h.steps {
		h.steps[i].control = h.steps[i].control.clone()
	}
	values, ok := o.values(sizes)
	if !ok {
		return nil, fault.New(fault.Value, "call", "a size that depends on the sizes %v is out of range", sizes)
	}
	for _, n := range o.numbers {
		s := &h.steps[n.node]
		v, ok := n.eval(values)
		if !ok {
			return nil, fault.New(fault.Value, "call", "a number of %s is out of range at sizes %v", s.op.Name, sizes)
		}
		if n.out < 0 {
			var err error
			if s.attr, err = withNumber(s.attr, n.field, n.index, v); err != nil {
				return nil, err
			}
			continue
		}
		s.specs = slices.Clone(s.specs)
		dims := s.specs[n.out].Shape.Clone()
		if v < 0 || v > maxValueBytes {
			return nil, fault.New(fault.Value, "call", "a size of %s is %v at sizes %v", s.op.Name, v, sizes)
		}
		dims[n.index] = int(v)
		if err := bounded(s.specs[n.out].DType, dims); err != nil {
			return nil, err
		}
		s.specs[n.out].Shape = shape.Of("call", dims...)
	}
	return h, nil
}

// bounded refuses a value that is too large.
func bounded(d dtype.DType, dims []int) error {
	size := float64(d.Size())
	for _, n := range dims {
		size *= float64(max(n, 1))
	}
	if size > maxValueBytes {
		return fault.New(fault.Value, "call", "a value of %v and sizes %v", d, dims)
	}
	return nil
}

// number is a number in an attribute.
type number struct {
	field string
	index int
	value float64
	whole bool
}

// numbersOf lists the numbers in an attribute, and returns it with zeros in their stead; lists keep their length.
func numbersOf(a attr.Attr) (rest attr.Attr, list []number) {
	v := reflect.New(reflect.TypeOf(a)).Elem()
	v.Set(reflect.ValueOf(a))
	eachNumber(v, "", func(n number, set func(float64)) {
		list = append(list, n)
		set(0)
	})
	return v.Interface(), list
}

// exact is the largest whole number up to which a float64 has all of them.
const exact = 1 << 53

// eachNumber visits the numbers in a struct.
func eachNumber(v reflect.Value, prefix string, visit func(n number, set func(float64))) {
	for i := range v.NumField() {
		f, name := v.Field(i), prefix+v.Type().Field(i).Name
		switch {
		case f.Type() == intsType:
			list := f.Interface().(attr.Ints).Slice()
			for k, x := range list {
				visit(number{name, k, float64(x), true}, func(y float64) { list[k] = int(y) })
			}
			f.SetString(string(attr.MakeInts(list...)))
		case f.Kind() == reflect.Struct:
			eachNumber(f, name+".", visit)
		case f.Kind() == reflect.Int || f.Kind() == reflect.Int64:
			visit(number{name, 0, float64(f.Int()), true}, func(y float64) { f.SetInt(int64(y)) })
		case f.Kind() == reflect.Float64:
			visit(number{name, 0, f.Float(), false}, f.SetFloat)
		}
	}
}

// withNumber returns the attribute with another number.
func withNumber(a attr.Attr, field string, index int, value float64) (attr.Attr, error) {
	if a == nil {
		return nil, fault.New(fault.Format, importOp, "an open number %q of a node without attributes", field)
	}
	v := reflect.New(reflect.TypeOf(a)).Elem()
	v.Set(reflect.ValueOf(a))
	found := false
	eachNumber(v, "", func(n number, set func(float64)) {
		if n.field == field && n.index == index {
			found = true
			set(value)
		}
	})
	if !found {
		return nil, fault.New(fault.Format, importOp, "%v has no number %.40q[%d]", v.Type(), field, index)
	}
	return v.Interface(), nil
}

// MarkOpen visits the dimensions of inputs and outputs whose sizes are open.
func (g *Graph) MarkOpen(input func(i, dim, least, most int), output func(i, dim int)) {
	if g.Open == nil {
		return
	}
	for _, s := range g.Open.Sizes {
		for _, at := range s.At {
			input(at[0], at[1], s.Least, s.Most)
		}
	}
	for k, v := range g.outs {
		if v < len(g.Inputs) {
			for _, s := range g.Open.Sizes {
				for _, at := range s.At {
					if at[0] == v {
						output(k, at[1])
					}
				}
			}
			continue
		}
		item, s := 0, v-len(g.Inputs)
		if g.steps[s].item >= 0 {
			item, s = g.steps[s].item, g.steps[s].in[0]-len(g.Inputs)
		}
		for _, n := range g.Open.numbers {
			if n.node == s && n.out == item {
				output(k, n.index)
			}
		}
	}
}

// SizesOf finds the open sizes of inputs; ok is false if they do not fit the graph.
func (g *Graph) SizesOf(in []graph.Spec) (sizes []int, ok bool) {
	if len(in) != len(g.Inputs) {
		return nil, false
	}
	if g.Open == nil {
		return nil, slices.EqualFunc(in, g.Inputs, func(a, b graph.Spec) bool { return a.DType == b.DType && a.Shape.Equal(b.Shape) })
	}
	open := map[[2]int]int{}
	for k, s := range g.Open.Sizes {
		sizes = append(sizes, -1)
		for _, at := range s.At {
			open[at] = k + 1
		}
	}
	for i, a := range in {
		b := g.Inputs[i]
		if a.DType != b.DType || a.Shape.Rank() != b.Shape.Rank() {
			return nil, false
		}
		for d := range a.Shape.Rank() {
			n := a.Shape.Dim(d)
			k := open[[2]int{i, d}] - 1
			switch {
			case k < 0 && n != b.Shape.Dim(d), k >= 0 && sizes[k] >= 0 && sizes[k] != n, k >= 0 && n < g.Open.Sizes[k].Least,
				k >= 0 && g.Open.Sizes[k].Most > 0 && n > g.Open.Sizes[k].Most:
				return nil, false
			case k >= 0:
				sizes[k] = n
			}
		}
	}
	return sizes, true
}
