package export

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lucid-go/lucid/internal/codec/strictjson"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/migrate"
	"github.com/lucid-go/lucid/internal/shape"
)

// A file says of every op in which version it was written. An op of an older version is rewritten, step by step, before anything of
// the graph is checked: a step sees names and texts, so the op and the fields of its attribute need not exist any more.

// Value is the number of a value of a graph: of an input, of a step, or of a node that a rewrite added.
type Value int

// Spec is the dtype and shape of a value, and the formulas of sizes that are open.
type Spec struct {
	graph.Spec
	open map[int]formula // by dimension
}

// ScalarSpec is the spec of one number.
func ScalarSpec(d dtype.DType) Spec {
	return Spec{Spec: graph.Spec{DType: d, Shape: shape.Of(importOp)}}
}

// Node is an op as a file has it. A rewrite changes it in place.
type Node struct {
	Op      string
	Version int
	In      []Value
	Kind    string // of the attribute: Axis, Shape; "": there is none
	Out     []Spec
	fields  map[string]string // of the attribute, as JSON
	open    []openNumber      // of the attribute
	tuple   bool
	control *control
}

// Has reports whether the attribute has a field; one that is zero is not there.
func (n *Node) Has(field string) bool { return n.fields[field] != "" }

// Rename gives a field another name, with the formulas of its numbers.
func (n *Node) Rename(from, to string) {
	if v, ok := n.fields[from]; ok {
		delete(n.fields, from)
		n.fields[to] = v
	}
	for i := range n.open {
		if rest, ok := cutField(n.open[i].field, from); ok {
			n.open[i].field = to + rest
		}
	}
}

// Remove takes a field out and returns its JSON, "" if it was zero.
func (n *Node) Remove(field string) string {
	v := n.fields[field]
	delete(n.fields, field)
	n.open = slices.DeleteFunc(n.open, func(o openNumber) bool {
		_, ok := cutField(o.field, field)
		return ok
	})
	return v
}

// cutField takes a field off the front of a path.
func cutField(path, field string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, field)
	return rest, ok && (rest == "" || rest[0] == '.')
}

// Set gives a field a value: a bool, an int, a float64, a string that is JSON, or a Spec, whose sizes it becomes.
func (n *Node) Set(field string, v any) {
	n.Remove(field)
	if n.fields == nil {
		n.fields = map[string]string{}
	}
	switch v := v.(type) {
	case bool:
		n.fields[field] = strconv.FormatBool(v)
	case int:
		n.fields[field] = strconv.Itoa(v)
	case float64:
		n.fields[field] = string(appendFloat(nil, v))
	case string:
		n.fields[field] = v
	case Spec:
		n.fields[field] = string(appendNumbers(nil, v.Shape.Dims()))
		for _, d := range slices.Sorted(maps.Keys(v.open)) {
			n.open = append(n.open, openNumber{out: -1, field: field, index: d, formula: v.open[d]})
		}
	default:
		panic(fmt.Sprintf("lucid: internal: a field of type %T", v))
	}
}

// Rewrite is a node that is brought from its version to the next, or to other ops.
type Rewrite struct {
	*Node
	m *rewriter
}

// SpecOf returns what the file says of a value.
func (r *Rewrite) SpecOf(v Value) Spec {
	if v < 0 || int(v) >= len(r.m.specs) || len(r.m.specs[v]) != 1 {
		panic(fault.New(fault.Format, "", "reads value %d, before it is there", v))
	}
	return r.m.specs[v][0]
}

// Add puts another node before this one and returns its value. It is brought up like any other if its version is an older one.
func (r *Rewrite) Add(n Node) Value {
	v, err := r.m.add(&n)
	if err != nil {
		panic(err)
	}
	return v
}

// rewrites are the steps of ops.
var rewrites migrate.Steps[*Rewrite]

// RegisterRewrite gives the step that brings a node of an op from a version to the next. The step may also make it a node of other
// ops, and add nodes before it; it sets Op and Version then. Otherwise they are set for it.
func RegisterRewrite(op string, from int, step func(r *Rewrite)) {
	rewrites.Register(op, from, func(r *Rewrite) error {
		step(r)
		return nil
	})
}

// Rewritten lists the versions of an op that steps lead on from.
func Rewritten(op string) []int { return rewrites.From(op) }

// maxChain bounds the steps of one node: a chain that is longer is a circle.
const maxChain = 64

// rewriter makes the steps of a graph anew.
type rewriter struct {
	g      *Graph
	steps  []graphStep
	specs  [][]Spec // by new number; of a tuple several
	number []Value  // by old number
	open   []openNumber
}

// upgrade brings all nodes of older versions up. tensors are the specs of the stored tensors.
func (g *Graph) upgrade(tensors []graph.Spec) error {
	if !slices.ContainsFunc(g.steps, func(s graphStep) bool { return s.old != nil }) {
		return nil
	}
	m := &rewriter{g: g}
	for i, in := range g.Inputs {
		m.number = append(m.number, Value(i))
		m.specs = append(m.specs, []Spec{{Spec: in, open: g.openInput(i)}})
	}
	open := map[int][]openNumber{}
	if g.Open != nil {
		for _, n := range g.Open.numbers {
			open[n.node] = append(open[n.node], n)
		}
	}
	for i, s := range g.steps {
		if err := m.step(i, s, open[i], tensors); err != nil {
			return fault.Wrap(kindOf(err), importOp, err, "node %d of %q", len(g.Inputs)+i, g.Name)
		}
		if len(m.steps) > maxSteps {
			return fault.New(fault.Format, importOp, "more than %d nodes", maxSteps)
		}
	}
	g.steps = m.steps
	var err error
	for i, o := range g.outs {
		g.outs[i], err = m.renumber(o, err)
	}
	for i, w := range g.Writes {
		g.Writes[i].value, err = m.renumber(w.value, err)
	}
	for i, w := range g.Changes {
		g.Changes[i].value, err = m.renumber(w.value, err)
	}
	if g.Open != nil {
		g.Open.numbers = m.open
	}
	return err
}

// renumber gives the new number of a value.
func (m *rewriter) renumber(v int, err error) (int, error) {
	if err == nil && (v < 0 || v >= len(m.number)) {
		err = fault.New(fault.Format, importOp, "reads value %d, before it is there", v)
	}
	if err != nil {
		return 0, err
	}
	return int(m.number[v]), nil
}

// openInput gives the formulas of the sizes of an input.
func (g *Graph) openInput(input int) (list map[int]formula) {
	if g.Open == nil {
		return nil
	}
	for k, s := range g.Open.Sizes {
		for _, at := range s.At {
			if at[0] != input {
				continue
			}
			if list == nil {
				list = map[int]formula{}
			}
			powers := make([]int, len(g.Open.Sizes))
			powers[k] = 1
			list[at[1]] = formula{terms: []term{{1, powers}}, div: 1}
		}
	}
	return list
}

// step takes a step over, or brings it up.
func (m *rewriter) step(i int, s graphStep, open []openNumber, tensors []graph.Spec) (err error) {
	if s.old == nil {
		for k := range s.in {
			s.in[k], err = m.renumber(s.in[k], err)
		}
		if err != nil {
			return err
		}
		m.number = append(m.number, m.append(s, m.specsOf(s, open, tensors), attrNumbers(open)))
		return nil
	}
	n := s.old
	for _, v := range s.in {
		var k int
		k, err = m.renumber(v, err)
		n.In = append(n.In, Value(k))
	}
	if err != nil {
		return err
	}
	n.Out, n.open, n.tuple, n.control = m.specsOf(s, open, tensors), attrNumbers(open), s.tuple, s.control
	v, err := m.add(n)
	m.number = append(m.number, v)
	return err
}

// attrNumbers leaves out the formulas of sizes.
func attrNumbers(open []openNumber) []openNumber {
	return slices.DeleteFunc(slices.Clone(open), func(o openNumber) bool { return o.out >= 0 })
}

// specsOf says what a step gives.
func (m *rewriter) specsOf(s graphStep, open []openNumber, tensors []graph.Spec) (list []Spec) {
	switch {
	case s.tensor >= 0:
		if s.tensor < len(tensors) {
			return []Spec{{Spec: tensors[s.tensor]}}
		}
		return nil
	case s.item >= 0:
		if len(s.in) == 1 && s.item < len(m.specs[s.in[0]]) {
			return m.specs[s.in[0]][s.item : s.item+1]
		}
		return nil
	}
	for k, spec := range s.specs {
		sp := Spec{Spec: spec, open: map[int]formula{}}
		for _, o := range open {
			if o.out == k {
				sp.open[o.index] = o.formula
			}
		}
		list = append(list, sp)
	}
	return list
}

// append takes a step into the new graph, with the formulas of its numbers.
func (m *rewriter) append(s graphStep, specs []Spec, numbers []openNumber) Value {
	at := len(m.steps)
	m.steps, m.specs = append(m.steps, s), append(m.specs, specs)
	if s.op != nil {
		for _, o := range numbers {
			o.node = at
			m.open = append(m.open, o)
		}
		for k, sp := range specs {
			for _, d := range slices.Sorted(maps.Keys(sp.open)) {
				m.open = append(m.open, openNumber{node: at, out: k, index: d, formula: sp.open[d]})
			}
		}
	}
	return Value(len(m.g.Inputs) + at)
}

// add brings a node up to this library's version of its op and takes it into the new graph.
func (m *rewriter) add(n *Node) (Value, error) {
	for range maxChain {
		op := graph.Lookup(n.Op)
		if op != nil && op.Version == n.Version {
			return m.finish(n, op)
		}
		step := rewrites.Step(n.Op, n.Version)
		if step == nil {
			return 0, refuseVersion(n.Op, n.Version, op)
		}
		was, version := n.Op, n.Version
		var failed error
		if err := safely(func() { failed = step(&Rewrite{Node: n, m: m}) }); err != nil || failed != nil {
			if err == nil {
				err = failed
			}
			return 0, fault.Wrap(kindOf(err), importOp, err, "bringing op %q from version %d to %d", was, version, version+1)
		}
		if n.Op == was && n.Version == version {
			n.Version++
		}
	}
	return 0, fault.New(fault.Internal, importOp, "the rewrites of op %q never end", n.Op)
}

// finish makes a step of a node of today.
func (m *rewriter) finish(n *Node, op *graph.Op) (Value, error) {
	s := graphStep{op: op, tensor: -1, item: -1, tuple: n.tuple, control: n.control}
	for _, v := range n.In {
		s.in = append(s.in, int(v))
	}
	for _, sp := range n.Out {
		s.specs = append(s.specs, sp.Spec)
	}
	if n.Kind != "" {
		b := append([]byte(`{`), strictjson.AppendString(nil, n.Kind)...)
		b = append(b, `:{`...)
		for i, f := range slices.Sorted(maps.Keys(n.fields)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = strictjson.AppendString(b, f)
			b = append(b, ':')
			b = append(b, n.fields[f]...)
		}
		p, err := strictjson.New(importOp, append(b, `}}`...), maxDepth, len(b)+2)
		if err == nil {
			s.attr, err = parseAttr(p)
		}
		if err != nil {
			return 0, fault.Wrap(kindOf(err), importOp, err, "the attribute of op %q", n.Op)
		}
	}
	return m.append(s, n.Out, n.open), nil
}

// refuseVersion is the error of an op that this library does not know in that version; op is nil if it knows none.
func refuseVersion(name string, version int, op *graph.Op) error {
	from := rewrites.From(name)
	sub := migrate.Subject{Op: importOp, What: "op", Name: name, Version: version}
	switch {
	case op != nil:
		sub.Current = op.Version
	case len(from) > 0: // it is rewritten to others
		sub.Current = from[len(from)-1]
	default:
		return fault.New(fault.NotImplemented, importOp, "the file uses op %.80q, version %d, which this library does not have; update it",
			name, version)
	}
	first := sub.Current
	for slices.Contains(from, first-1) {
		first--
	}
	return sub.Refuse(first)
}

// parseOld reads the attribute of an op of an older version as texts.
func (n *Node) parseOld(text string) error {
	p, err := strictjson.New(importOp, []byte(text), maxDepth, len(text))
	if err != nil {
		return err
	}
	return p.Object(func(kind string) error {
		if n.Kind != "" {
			return p.Fail("a node with two attributes")
		}
		n.Kind, n.fields = kind, map[string]string{}
		return p.Object(func(field string) (err error) {
			n.fields[field], err = p.Raw()
			return err
		})
	})
}
