package lucid

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// Op describes an op that can be called by name.
type Op struct {
	Name          string
	Version       int
	Doc           string
	Aliases       []string // other names it answers to in Call
	InPlace       bool     // with an underscore behind its names, Call rebinds the first tensor and returns it
	Door          string   // the Go function, "" if only a method
	Kind          string   // elementwise, view, reduce, …; composite: written with other ops
	AMP           string   // keep, half, float32
	Deterministic bool
	VJP           string // "yes", or "waived: why"
	JVP           string
	VMap          string
	Params        []Param
}

// Param describes a parameter: tensors come from the inputs in order, the others from the attributes.
type Param struct {
	Name     string
	Type     string
	Optional bool
}

type schemaParam struct {
	name, typ string
	optional  bool
}

type schema struct {
	name, door, doc string
	noGrad, noVMap  string // of a function written with other ops
	amp, random     string // likewise: the policy if not keep; why its bits differ from call to call
	inplace         bool
	aliases         []string
	params          []schemaParam
	call            func(*caller) []*graph.Node
}

var schemas = map[string]*schema{}

func addSchemas(list ...schema) {
	for i := range list {
		s := &list[i]
		for _, n := range append([]string{s.name}, s.aliases...) {
			if schemas[n] != nil {
				panic("lucid: internal: two ops are named " + n)
			}
			schemas[n] = s
		}
	}
}

// Ops lists every op that can be called by name, sorted.
func Ops() []Op {
	var all []Op
	for n, s := range schemas {
		if n == s.name {
			all = append(all, s.describe())
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}

func (s *schema) describe() Op {
	o := Op{Name: s.name, Aliases: slices.Clone(s.aliases), InPlace: s.inplace, Version: 1, Doc: s.doc, Door: s.door, Kind: graph.Composite.String(), AMP: "keep", Deterministic: s.random == "", VJP: "yes", JVP: "yes", VMap: "yes"}
	if s.amp != "" {
		o.AMP = s.amp
	}
	for _, p := range s.params {
		o.Params = append(o.Params, Param{p.name, p.typ, p.optional})
	}
	noGrad, noVMap := s.noGrad, s.noVMap
	if g := graph.Lookup(s.name); g != nil {
		o.Version, o.Kind, o.AMP, o.Deterministic = g.Version, g.Kind.String(), g.AMP.String(), g.Nondeterministic == ""
		noGrad, noVMap = g.NoGrad, g.NoVMap
	}
	if noGrad != "" {
		o.VJP, o.JVP = "waived: "+noGrad, "waived: "+noGrad
	}
	if noVMap != "" {
		o.VMap = "waived: " + noVMap
	}
	return o
}

// waiting are ops of the peers that wait for others, and what to do without them.
var waiting = map[string]string{
	"multivariate_normal": "waits for factorisations; with a factor L of the covariance, L·Lᵀ, compute mean + normal(…, n) @ Lᵀ",
}

// Call runs an op by name: tensors in order, everything else as attributes under PyTorch's keywords. It is strict: an
// unknown name or attribute, a wrong type or count is an error that says what was expected. The name of an op that has
// an in-place form, with an underscore behind it, is that form: it rebinds the first tensor, and returns it.
func Call(name string, inputs []*Tensor, attrs map[string]any) (out []*Tensor, err error) {
	s, inplace := schemas[name], false
	if base, ok := strings.CutSuffix(name, "_"); ok && s == nil && schemas[base] != nil && schemas[base].inplace {
		s, inplace = schemas[base], true
	}
	if s == nil {
		if why, ok := waiting[name]; ok {
			return nil, fault.New(fault.NotImplemented, name, "%s", why)
		}
		return nil, fault.New(fault.NotImplemented, "call", "there is no op %q%s", name, similar(name))
	}
	err = fault.Catch(func() {
		c := &caller{s: s, in: acquireOptional(inputs), attrs: attrs, used: map[string]bool{}}
		defer func() {
			for _, n := range c.in {
				release(n)
			}
		}()
		ns := present(s.call(c))
		c.finish()
		if inplace {
			if _, number := attrs[s.params[0].name]; number || inputs[0] == nil {
				c.bad(fault.Value, "%s rebinds its first operand, which must be a tensor", name)
			}
			out = []*Tensor{inputs[0].rebind(s.name, ns[0])}
			return
		}
		out = wrapAll(ns)
	})
	return out, within(s.name, err)
}

// present leaves out results that were not asked for.
func present(ns []*graph.Node) []*graph.Node {
	return slices.DeleteFunc(ns, func(n *graph.Node) bool { return n == nil })
}

func acquireOptional(ts []*Tensor) []*graph.Node {
	ns := make([]*graph.Node, len(ts))
	for i, t := range ts {
		ns[i] = acquireMaybe(t)
	}
	return ns
}

// similar suggests names that begin alike.
func similar(name string) string {
	var near []string
	for n := range schemas {
		if len(name) >= 3 && strings.HasPrefix(n, name[:3]) {
			near = append(near, n)
		}
	}
	if near == nil {
		return "; Ops lists them"
	}
	sort.Strings(near)
	return "; did you mean " + strings.Join(near, ", ") + "?"
}

// caller hands a call's inputs and attributes to the op.
type caller struct {
	s     *schema
	in    []*graph.Node
	next  int
	attrs map[string]any
	used  map[string]bool
}

func (c *caller) bad(k fault.Kind, format string, args ...any) {
	fault.Throw(k, c.s.name, "%s; it takes %s", fmt.Sprintf(format, args...), c.s.signature())
}

func (s *schema) signature() string {
	var ps []string
	for _, p := range s.params {
		q := p.name + " " + p.typ
		if p.optional {
			q = "[" + q + "]"
		}
		ps = append(ps, q)
	}
	return "(" + strings.Join(ps, ", ") + ")"
}

func (c *caller) tensor(name string) *graph.Node {
	if c.next >= len(c.in) {
		c.bad(fault.Value, "tensor %q is missing", name)
	}
	c.next++
	if c.in[c.next-1] == nil {
		c.bad(fault.Value, "tensor %q is nil", name)
	}
	return c.in[c.next-1]
}

// optionalTensor is the next tensor, nil if there is none or it was given as nil.
func (c *caller) optionalTensor() *graph.Node {
	if c.next >= len(c.in) {
		return nil
	}
	c.next++
	return c.in[c.next-1]
}

// operand is a tensor, or a number given as an attribute.
func (c *caller) operand(name string) any {
	if v, ok := c.attrs[name]; ok {
		c.used[name] = true
		if _, isNum := dtype.ScalarOf(v); !isNum {
			c.bad(fault.DType, "attribute %q is a %T, not a number", name, v)
		}
		return v
	}
	return c.tensor(name)
}

// optionalOperand is a number given as an attribute, else the next tensor, nil if there is none.
func (c *caller) optionalOperand(name string) any {
	if _, ok := c.attrs[name]; ok {
		return c.operand(name)
	}
	if n := c.optionalTensor(); n != nil {
		return n
	}
	return nil
}

func (c *caller) tensors() []*graph.Node {
	rest := c.in[c.next:]
	c.next = len(c.in)
	return rest
}

func (c *caller) option(name string, into any) {
	if v, ok := c.attrs[name]; ok {
		c.used[name] = true
		c.set(name, v, into)
	}
}

// optionNot is option for a flag whose attribute says the opposite.
func (c *caller) optionNot(name string, into *bool) {
	if v, ok := c.attrs[name]; ok {
		c.used[name] = true
		var b bool
		c.set(name, v, &b)
		*into = !b
	}
}

func (c *caller) required(name string, into any) {
	if _, ok := c.attrs[name]; !ok {
		c.bad(fault.Value, "attribute %q is missing", name)
	}
	c.option(name, into)
}

// finish refuses what was not asked for.
func (c *caller) finish() {
	if c.next < len(c.in) {
		c.bad(fault.Value, "got %d tensors, used %d", len(c.in), c.next)
	}
	for k := range c.attrs {
		if !c.used[k] {
			c.bad(fault.Value, "there is no attribute %q", k)
		}
	}
}
