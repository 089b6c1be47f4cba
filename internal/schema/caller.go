package schema

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// Caller hands a call's inputs and attributes to the op.
type Caller struct {
	s     *Schema
	in    []*graph.Node
	next  int
	attrs []Attr
}

// Attr is an attribute of a call.
type Attr struct {
	Name  string
	Value any
	used  bool
}

// attr finds an attribute; nil if it was not given.
func (c *Caller) attr(name string) *Attr {
	for i := range c.attrs {
		if c.attrs[i].Name == name {
			return &c.attrs[i]
		}
	}
	return nil
}

// Bad refuses a call, and says what the op takes.
func (c *Caller) Bad(k fault.Kind, format string, args ...any) {
	fault.Throw(k, c.s.Name, "%s; it takes %s", fmt.Sprintf(format, args...), c.s.signature())
}

func (s *Schema) signature() string {
	var ps []string
	for _, p := range s.Params {
		q := p.Name + " " + p.Type
		if p.Optional {
			q = "[" + q + "]"
		}
		ps = append(ps, q)
	}
	return "(" + strings.Join(ps, ", ") + ")"
}

func (c *Caller) tensor(name string) *graph.Node {
	if c.next >= len(c.in) {
		c.Bad(fault.Value, "tensor %q is missing", name)
	}
	c.next++
	if c.in[c.next-1] == nil {
		c.Bad(fault.Value, "tensor %q is nil", name)
	}
	return c.in[c.next-1]
}

// optionalTensor is the next tensor, nil if there is none or it was given as nil.
func (c *Caller) optionalTensor() *graph.Node {
	if c.next >= len(c.in) {
		return nil
	}
	c.next++
	return c.in[c.next-1]
}

// operand is a tensor, or a number given as an attribute.
func (c *Caller) operand(name string) any {
	if a := c.attr(name); a != nil {
		a.used = true
		if _, isNum := dtype.ScalarOf(a.Value); !isNum {
			c.Bad(fault.DType, "attribute %q is a %T, not a number", name, a.Value)
		}
		return a.Value
	}
	return c.tensor(name)
}

// optionalOperand is a number given as an attribute, else the next tensor, nil if there is none.
func (c *Caller) optionalOperand(name string) any {
	if c.attr(name) != nil {
		return c.operand(name)
	}
	if n := c.optionalTensor(); n != nil {
		return n
	}
	return nil
}

func (c *Caller) tensors() []*graph.Node {
	rest := c.in[c.next:]
	c.next = len(c.in)
	return rest
}

func (c *Caller) option(name string, into any) {
	if a := c.attr(name); a != nil {
		a.used = true
		c.set(name, a.Value, into)
	}
}

// optionNot is option for a flag whose attribute says the opposite.
func (c *Caller) optionNot(name string, into *bool) {
	if a := c.attr(name); a != nil {
		a.used = true
		var b bool
		c.set(name, a.Value, &b)
		*into = !b
	}
}

func (c *Caller) required(name string, into any) {
	if c.attr(name) == nil {
		c.Bad(fault.Value, "attribute %q is missing", name)
	}
	c.option(name, into)
}

// Finish refuses what was not asked for.
func (c *Caller) Finish() {
	if c.next < len(c.in) {
		c.Bad(fault.Value, "got %d tensors, used %d", len(c.in), c.next)
	}
	for i := range c.attrs {
		if !c.attrs[i].used {
			c.Bad(fault.Value, "there is no attribute %q, or it was given twice", c.attrs[i].Name)
		}
	}
}
