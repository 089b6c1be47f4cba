// Package schema is the table of ops that can be called by name: their parameters, and how a call reaches the function. Its
// rows are generated from the marks in package ops.
package schema

import (
	"iter"
	"maps"
	"sort"
	"strings"

	"github.com/lucid-go/lucid/internal/graph"
)

// Param is a parameter: tensors come from the inputs in order, the others from the attributes.
type Param struct {
	Name     string
	Type     string
	Optional bool
}

// Schema describes an op.
type Schema struct {
	Name, Door, Doc string
	NoGrad, NoVMap  string // of a function written with other ops
	AMP, Random     string // likewise: the policy if not keep; why its bits differ from call to call
	InPlace         bool
	View            bool // its results show elements of its operands, as PyTorch's do: in-place forms refuse them
	Aliases         []string
	Params          []Param
	call            func(*Caller) []*graph.Node
}

var (
	schemas = map[string]*Schema{}
	doors   = map[string]*Schema{}
)

func add(list ...Schema) {
	for i := range list {
		s := &list[i]
		for _, n := range append([]string{s.Name}, s.Aliases...) {
			if schemas[n] != nil {
				panic("lucid: internal: two ops are named " + n)
			}
			schemas[n] = s
		}
		if s.Door != "" {
			doors[s.Door] = s
			doors[s.Door[strings.LastIndexByte(s.Door, '.')+1:]] = s // the method of that name
		}
	}
}

// Lookup finds an op by its name or an alias; nil if there is none.
func Lookup(name string) *Schema { return schemas[name] }

// OfDoor finds the op of a Go function, such as Sum or linalg.Cross; nil if there is none.
func OfDoor(door string) *Schema { return doors[door] }

// All lists every name, aliases included, with its op, in no order.
func All() iter.Seq2[string, *Schema] { return maps.All(schemas) }

// Similar lists names that begin alike, sorted.
func Similar(name string) (near []string) {
	for n := range schemas {
		if len(name) >= 3 && strings.HasPrefix(n, name[:3]) {
			near = append(near, n)
		}
	}
	sort.Strings(near)
	return near
}

// NewCaller is one call of an op.
func NewCaller(s *Schema, in []*graph.Node, attrs map[string]any) *Caller {
	c := &Caller{s: s, in: in}
	for k, v := range attrs {
		c.attrs = append(c.attrs, Attr{Name: k, Value: v})
	}
	return c
}

// NewCallerList is NewCaller for a list of attributes, which it marks.
func NewCallerList(s *Schema, in []*graph.Node, attrs []Attr) *Caller {
	return &Caller{s: s, in: in, attrs: attrs}
}

// Call runs the op.
func (c *Caller) Call() []*graph.Node { return c.s.call(c) }
