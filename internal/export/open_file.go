package export

import (
	"fmt"
	"strconv"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/codec/strictjson"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// append writes the open sizes of a function.
func (o *Open) append(b []byte) []byte {
	b = append(b, `,"open":{"sizes":[`...)
	for i, s := range o.Sizes {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"least":%d,`, s.Least)
		if s.Most > 0 {
			b = fmt.Appendf(b, `"most":%d,`, s.Most)
		}
		b = fmt.Appendf(b, `"example":%d,"at":[`, s.Example)
		for k, at := range s.At {
			if k > 0 {
				b = append(b, ',')
			}
			b = appendNumbers(b, at[:])
		}
		b = append(b, "]}"...)
	}
	if len(o.derived) > 0 {
		b = append(b, `],"derived":[`...)
	}
	for i := range o.derived {
		if i > 0 {
			b = append(b, ',')
		}
		b = o.derived[i].append(b)
	}
	b = append(b, `],"numbers":[`...)
	for i, n := range o.numbers {
		if i > 0 {
			b = append(b, ',')
		}
		b = n.append(b)
	}
	return append(b, "]}"...)
}

func (n *openNumber) append(b []byte) []byte {
	b = fmt.Appendf(b, "\n{\"node\":%d", n.node)
	if n.out >= 0 {
		b = fmt.Appendf(b, `,"out":%d`, n.out)
	} else {
		b = append(b, `,"field":`...)
		b = strictjson.AppendString(b, n.field)
	}
	b = fmt.Appendf(b, `,"index":%d,`, n.index)
	return append(n.formula.append(b), '}')
}

// append writes the fields of a formula.
func (f *formula) append(b []byte) []byte {
	if f.div > 0 {
		b = fmt.Appendf(b, `"div":%d,"terms":[`, f.div)
		for k, t := range f.terms {
			if k > 0 {
				b = append(b, ',')
			}
			b = appendNumbers(b, append([]int{t.c}, t.powers...))
		}
		return append(b, ']')
	}
	b = append(b, `"scale":`...)
	b = strconv.AppendFloat(b, f.scale, 'g', -1, 64)
	b = append(b, `,"up":`...)
	b = appendNumbers(b, f.up)
	b = append(b, `,"down":`...)
	b = appendNumbers(b, f.down)
	if f.round.IsFloat() {
		b = append(b, `,"round":`...)
		b = strictjson.AppendString(b, f.round.String())
	}
	return b
}

// parseOpen reads what append wrote.
func parseOpen(p *strictjson.Parser) (*Open, error) {
	o := &Open{}
	err := p.Object(func(key string) error {
		switch key {
		case "sizes":
			return p.Array(func(i int) error {
				if i >= maxOpenSizes {
					return p.Fail("more than %d open sizes", maxOpenSizes)
				}
				s, err := parseOpenSize(p)
				o.Sizes = append(o.Sizes, s)
				return err
			})
		case "derived":
			return p.Array(func(i int) error {
				if i >= maxDerived {
					return p.Fail("more than %d derived sizes", maxDerived)
				}
				d, err := parseDerived(p)
				o.derived = append(o.derived, d)
				return err
			})
		case "numbers":
			return p.Array(func(i int) error {
				if i >= maxOpenNumbers {
					return p.Fail("more than %d open numbers", maxOpenNumbers)
				}
				n, err := parseOpenNumber(p)
				o.numbers = append(o.numbers, n)
				return err
			})
		}
		return p.Fail("unknown key %.40q", key)
	})
	return o, err
}

func parseOpenSize(p *strictjson.Parser) (s OpenSize, err error) {
	err = p.Object(func(key string) (err error) {
		switch key {
		case "least":
			s.Least, err = p.Len()
		case "most":
			s.Most, err = p.Len()
		case "example":
			s.Example, err = p.Len()
		case "at":
			err = p.Array(func(i int) error {
				if i >= maxStepInputs {
					return p.Fail("more than %d dimensions", maxStepInputs)
				}
				v, err := parseInts(p, 2)
				if err == nil && len(v) != 2 {
					err = p.Fail("%d numbers where an input and a dimension are expected", len(v))
				}
				if err == nil {
					s.At = append(s.At, [2]int{v[0], v[1]})
				}
				return err
			})
		default:
			err = p.Fail("unknown key %.40q", key)
		}
		return err
	})
	return s, err
}

func parseOpenNumber(p *strictjson.Parser) (n openNumber, err error) {
	n.out = -1
	err = p.Object(func(key string) (err error) {
		switch key {
		case "node":
			n.node, err = p.Len()
		case "out":
			n.out, err = p.Len()
		case "field":
			n.field, err = p.String()
		case "index":
			n.index, err = p.Len()
		default:
			err = n.parse(p, key)
		}
		return err
	})
	return n, err
}

// parse reads a field of a formula.
func (f *formula) parse(p *strictjson.Parser, key string) (err error) {
	switch key {
	case "div":
		f.div, err = p.Len()
	case "terms":
		err = p.Array(func(i int) error {
			if i >= maxTerms {
				return p.Fail("more than %d terms", maxTerms)
			}
			v, err := parseInts(p, 1+maxOpenSizes+maxDerived)
			if err == nil && len(v) == 0 {
				err = p.Fail("a term without a coefficient")
			}
			if err == nil {
				f.terms = append(f.terms, term{v[0], v[1:]})
			}
			return err
		})
	case "scale":
		f.scale, err = parseFloat(p)
	case "up":
		f.up, err = parseInts(p, maxOpenSizes+maxDerived)
	case "down":
		f.down, err = parseInts(p, maxOpenSizes+maxDerived)
	case "round":
		f.round, err = parseDType(p)
	default:
		err = p.Fail("unknown key %.40q", key)
	}
	return err
}

// check refuses open sizes unless they belong to the graph: they are sizes of its inputs, every formula gives the graph's own number at
// the sizes of the examples, and the graph for the least sizes can be checked too.
func (o *Open) check(g *Graph, tensors []graph.Spec) error {
	refuse := func(format string, args ...any) error { return g.fault(len(g.steps), format, args...) }
	var example, least []int
	seen := map[[2]int]bool{}
	for k, s := range o.Sizes {
		if s.Least < 1 || s.Example < s.Least || s.Most > 0 && s.Most < s.Example || len(s.At) == 0 {
			return refuse("open size %d is %d, at least %d and at most %d, in %d dimensions", k, s.Example, s.Least, s.Most, len(s.At))
		}
		for _, at := range s.At {
			if at[0] < 0 || at[0] >= len(g.Inputs) || at[1] < 0 || at[1] >= g.Inputs[at[0]].Shape.Rank() || seen[at] {
				return refuse("open size %d is in dimension %d of input %d", k, at[1], at[0])
			}
			if seen[at] = true; g.Inputs[at[0]].Shape.Dim(at[1]) != s.Example {
				return refuse("open size %d is %d, and input %d has shape %v", k, s.Example, at[0], g.Inputs[at[0]].Shape)
			}
		}
		example, least = append(example, s.Example), append(least, s.Least)
	}
	if len(o.Sizes) == 0 {
		return refuse("no size is open")
	}
	if err := o.checkDerived(g); err != nil {
		return err
	}
	values, ok := o.values(example)
	if !ok {
		return refuse("a derived size that is out of range")
	}
	for _, n := range o.numbers {
		if err := n.check(g, values); err != nil {
			return err
		}
	}
	h, err := g.At(least)
	if err != nil {
		return fault.Wrap(fault.Format, importOp, err, "the least sizes of %q", g.Name)
	}
	return h.Check(tensors)
}

// check refuses a formula that does not belong to the graph.
func (n *openNumber) check(g *Graph, values []int) error {
	refuse := func(format string, args ...any) error { return g.fault(n.node, format, args...) }
	if n.node >= len(g.steps) || g.steps[n.node].op == nil {
		return g.fault(len(g.steps), "an open number of node %d", n.node)
	}
	whole, ok := n.fits(len(g.Open.Sizes), len(values))
	if !ok {
		return refuse("an open number whose formula is none")
	}
	v, ok := n.eval(values)
	if !ok {
		return refuse("an open number that is out of range")
	}
	s := &g.steps[n.node]
	if n.out >= 0 {
		if n.field != "" || !whole || n.out >= len(s.specs) || n.index >= s.specs[n.out].Shape.Rank() ||
			float64(s.specs[n.out].Shape.Dim(n.index)) != v {
			return refuse("an open size %d of output %d that is not the graph's", n.index, n.out)
		}
		return nil
	}
	if s.attr == nil {
		return refuse("an open number of a node without attributes")
	}
	to, err := withNumber(s.attr, n.field, n.index, v)
	if err != nil {
		return fault.Wrap(fault.Format, importOp, err, "node %d of %q", len(g.Inputs)+n.node, g.Name)
	}
	if !attr.Same(to, s.attr) {
		return refuse("an open number %s that is not the graph's", n.field)
	}
	return nil
}
