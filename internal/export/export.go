package export

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/codec/strictjson"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// Graph is a traced function as a file holds it. Values are numbered: the inputs first, then one of each step.
type Graph struct {
	Name    string
	Inputs  []graph.Spec
	steps   []graphStep
	Outputs []graph.Spec // known after Check
	outs    []int
	Writes  []Write
	Changes []Write // of inputs, by their number
	Open    *Open   // sizes that are open; nil: none
}

// Write is a stored tensor, or an input, that a call leaves with another value.
type Write struct {
	Tensor int
	value  int // number of the value
}

// State is a stored tensor, or an input, and the node that it shows after a call.
type State struct {
	Tensor int
	Value  *graph.Node
}

// graphStep makes one value: a stored tensor, an output of a tuple, or an op over earlier values.
type graphStep struct {
	op     *graph.Op // nil: tensor or item
	attr   attr.Attr
	in     []int
	tensor int // -1: none
	item   int // -1: none
	tuple  bool
	specs  []graph.Spec // of an op's outputs
	// control is set where the op owns subgraphs.
	control *control
	// old is an op of another version, as the file has it, until it is brought up; op is nil.
	old *Node
}

// Record writes down the nodes between args and outs, and what becomes of stored tensors and of inputs. tensor gives the number of a
// value that is not computed by the function: a captured one, or one that is stored.
func Record(name string, outs, args []*graph.Node, state, changes []State, tensor func(n *graph.Node) int) (*Graph, error) {
	r := recorder{g: &Graph{Name: name}, number: map[*graph.Node]int{}}
	for i, a := range args {
		r.g.Inputs = append(r.g.Inputs, graph.Spec{Shape: a.Shape(), DType: a.DType()})
		r.number[a] = i
	}
	given := func(n *graph.Node) bool {
		_, item := n.IsTupleItem()
		return n.Stored() || n.IsPlaceholder() || item && n.In(0).Stored()
	}
	var idx graph.Index
	roots := slices.Clone(outs)
	for _, s := range slices.Concat(state, changes) {
		roots = append(roots, s.Value)
	}
	idx.PostOrder(roots, func(n *graph.Node) bool { return !given(n) })
	for _, n := range idx.Nodes {
		if _, ok := r.number[n]; ok {
			continue
		}
		if given(n) {
			r.add(n, graphStep{tensor: tensor(n), item: -1})
			continue
		}
		if err := r.node(n); err != nil {
			return nil, err
		}
	}
	for _, o := range outs {
		r.g.outs = append(r.g.outs, r.number[o])
	}
	for _, s := range state {
		r.g.Writes = append(r.g.Writes, Write{s.Tensor, r.number[s.Value]})
	}
	for _, s := range changes {
		r.g.Changes = append(r.g.Changes, Write{s.Tensor, r.number[s.Value]})
	}
	r.g.prune()
	return r.g, nil
}

type recorder struct {
	g      *Graph
	number map[*graph.Node]int
}

func (r *recorder) add(n *graph.Node, s graphStep) {
	r.number[n] = len(r.g.Inputs) + len(r.g.steps)
	r.g.steps = append(r.g.steps, s)
}

func (r *recorder) node(n *graph.Node) error {
	if k, ok := n.IsTupleItem(); ok {
		r.add(n, graphStep{tensor: -1, item: k, in: []int{r.number[n.In(0)]}})
		return nil
	}
	if why := n.Op().NotInFiles; why != "" {
		name := n.Op().Name
		if rules, ok := n.Attr().(*ops.Rules); ok {
			name = rules.Name
		}
		return fault.New(fault.NotImplemented, "export", "the function uses %q, which a file cannot hold: %s", name, why)
	}
	s := graphStep{op: n.Op(), attr: n.Attr(), tensor: -1, item: -1, tuple: n.IsTuple()}
	if n.Op().Role == graph.RoleIdentity {
		s.attr = nil // a barrier guards memory, not values
	}
	if spec, ok := ops.ControlSpecOf(n); ok {
		s.attr = nil
		var err error
		if s.control, err = recordControl(spec); err != nil {
			return err
		}
	}
	if s.attr != nil {
		if _, err := appendAttr(nil, n.Op().Name, s.attr); err != nil {
			return err
		}
	}
	for k := range n.NumIn() {
		s.in = append(s.in, r.number[n.In(k)])
	}
	for k := range n.NumOut() {
		s.specs = append(s.specs, n.Out(k))
	}
	r.add(n, s)
	return nil
}

// prune leaves out steps that no output and no tensor needs.
func (g *Graph) prune() {
	first := len(g.Inputs)
	need := make([]bool, first+len(g.steps))
	for _, o := range g.outs {
		need[o] = true
	}
	for _, w := range slices.Concat(g.Writes, g.Changes) {
		need[w.value] = true
	}
	for i := len(g.steps) - 1; i >= 0; i-- {
		if need[first+i] {
			for _, k := range g.steps[i].in {
				need[k] = true
			}
		}
	}
	number := make([]int, len(need))
	used := g.steps[:0]
	for i := range number {
		number[i] = i
		if i < first || !need[i] {
			continue
		}
		s := g.steps[i-first]
		for k := range s.in {
			s.in[k] = number[s.in[k]]
		}
		number[i] = first + len(used)
		used = append(used, s)
	}
	g.steps = used
	for i, o := range g.outs {
		g.outs[i] = number[o]
	}
	for i, w := range g.Writes {
		g.Writes[i].value = number[w.value]
	}
	for i, w := range g.Changes {
		g.Changes[i].value = number[w.value]
	}
}

// Tensors lists the numbers of the stored tensors that the function reads.
func (g *Graph) Tensors() (list []int) {
	for _, s := range g.steps {
		if s.tensor >= 0 {
			list = append(list, s.tensor)
		}
	}
	return list
}

// Encode writes functions as JSON, with the names of stored tensors, "" for those that have none.
func Encode(graphs []*Graph, names []string) ([]byte, error) {
	b := []byte(`{`)
	if k := slices.IndexFunc(names, func(s string) bool { return s != "" }); k >= 0 {
		b = append(b, `"names":{`...)
		for i := k; i < len(names); i++ {
			if names[i] == "" {
				continue
			}
			if i > k {
				b = append(b, ',')
			}
			b = strictjson.AppendString(b, names[i])
			b = fmt.Appendf(b, ":%d", i)
		}
		b = append(b, "},\n"...)
	}
	b = append(b, `"functions":[`...)
	for i, g := range graphs {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = g.append(b); err != nil {
			return nil, err
		}
	}
	return append(b, "\n]}\n"...), nil
}

// append writes a function.
func (g *Graph) append(b []byte) (_ []byte, err error) {
	b = append(b, "\n{\"name\":"...)
	b = strictjson.AppendString(b, g.Name)
	b = append(b, `,"inputs":`...)
	b = appendSpecs(b, g.Inputs)
	b = append(b, `,"nodes":[`...)
	for k, s := range g.steps {
		if k > 0 {
			b = append(b, ',')
		}
		b = append(b, '\n')
		if b, err = s.append(b); err != nil {
			return nil, err
		}
	}
	b = append(b, `],"outputs":`...)
	b = appendNumbers(b, g.outs)
	b = appendWrites(b, "writes", g.Writes)
	b = appendWrites(b, "changes", g.Changes)
	if g.Open != nil {
		b = g.Open.append(b)
	}
	b = append(b, '}')
	return b, nil
}

func appendWrites(b []byte, key string, list []Write) []byte {
	if len(list) == 0 {
		return b
	}
	b = append(b, `,"`+key+`":[`...)
	for k, w := range list {
		if k > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, "[%d,%d]", w.Tensor, w.value)
	}
	return append(b, ']')
}

func (s graphStep) append(b []byte) (_ []byte, err error) {
	switch {
	case s.tensor >= 0:
		return fmt.Appendf(b, `{"tensor":%d}`, s.tensor), nil
	case s.item >= 0:
		return fmt.Appendf(b, `{"item":%d,"in":[%d]}`, s.item, s.in[0]), nil
	}
	b = append(b, `{"op":`...)
	b = strictjson.AppendString(b, s.op.Name)
	b = fmt.Appendf(b, `,"version":%d,"in":`, s.op.Version)
	b = appendNumbers(b, s.in)
	if s.attr != nil {
		b = append(b, `,"attr":`...)
		if b, err = appendAttr(b, s.op.Name, s.attr); err != nil {
			return nil, err
		}
	}
	if s.control != nil {
		if b, err = s.control.append(b); err != nil {
			return nil, err
		}
	}
	if s.tuple {
		b = append(b, `,"bundle":true`...)
	}
	b = append(b, `,"out":`...)
	b = appendSpecs(b, s.specs)
	return append(b, '}'), nil
}

// appendSpecs writes each spec as ["float32",2,3].
func appendSpecs(b []byte, specs []graph.Spec) []byte {
	b = append(b, '[')
	for i, s := range specs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		b = strictjson.AppendString(b, s.DType.String())
		for _, d := range s.Shape.Dims() {
			b = append(b, ',')
			b = strconv.AppendInt(b, int64(d), 10)
		}
		b = append(b, ']')
	}
	return append(b, ']')
}

func appendNumbers(b []byte, v []int) []byte {
	b = append(b, '[')
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(x), 10)
	}
	return append(b, ']')
}
