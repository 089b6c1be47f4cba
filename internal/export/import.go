package export

import (
	"errors"
	"fmt"

	"github.com/lucid-go/lucid/internal/codec/strictjson"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// Limits of a file; what a file may hold is bounded by its own size as well.
const (
	maxFunctions  = 1 << 12
	maxSteps      = 1 << 20
	maxStepInputs = 1 << 16
	maxDepth      = 64
	maxNesting    = 8 // of control flow
	maxValueBytes = 1 << 40
)

const importOp = "import"

// Parse reads what Encode wrote, by this library or an older one: the functions, and the names of stored tensors, whose specs are
// given. The graphs are not to be trusted before Check.
func Parse(text []byte, tensors []graph.Spec) (graphs []*Graph, names []string, err error) {
	p, err := strictjson.New(importOp, text, maxDepth, len(text))
	if err != nil {
		return nil, nil, err
	}
	names = make([]string, len(tensors))
	err = p.Object(func(key string) error {
		switch key {
		case "names":
			return parseNames(p, names)
		case "functions":
			return p.Array(func(i int) error {
				if i >= maxFunctions {
					return p.Fail("more than %d functions", maxFunctions)
				}
				g, err := parseGraph(p, 0, tensors)
				graphs = append(graphs, g)
				return err
			})
		}
		return p.Fail("unknown key %.40q", key)
	})
	if err == nil {
		err = p.End()
	}
	return graphs, names, err
}

// parseNames reads {"name":number,…}; keys are unique, and so have numbers to be.
func parseNames(p *strictjson.Parser, names []string) error {
	return p.Object(func(name string) error {
		i, err := p.Len()
		switch {
		case err != nil:
			return err
		case name == "":
			return p.Fail("an empty name")
		case i >= len(names):
			return p.Fail("a name of tensor %d of %d", i, len(names))
		case names[i] != "":
			return p.Fail("tensor %d has two names", i)
		}
		names[i] = name
		return nil
	})
}

// parseWrites reads [[tensor,value],…].
func parseWrites(p *strictjson.Parser) (list []Write, err error) {
	err = p.Array(func(i int) error {
		if i >= maxStepInputs {
			return p.Fail("more than %d tensors are written", maxStepInputs)
		}
		v, err := parseInts(p, 2)
		if err == nil && len(v) != 2 {
			err = p.Fail("%d numbers where a tensor and a value are expected", len(v))
		}
		if err == nil {
			list = append(list, Write{v[0], v[1]})
		}
		return err
	})
	return list, err
}

func parseGraph(p *strictjson.Parser, nesting int, tensors []graph.Spec) (*Graph, error) {
	g := &Graph{}
	err := p.Object(func(key string) (err error) {
		switch key {
		case "name":
			g.Name, err = p.String()
		case "inputs":
			g.Inputs, err = parseSpecs(p)
		case "nodes":
			err = p.Array(func(i int) error {
				if i >= maxSteps {
					return p.Fail("more than %d nodes", maxSteps)
				}
				s, err := parseStep(p, nesting)
				g.steps = append(g.steps, s)
				return err
			})
		case "outputs":
			g.outs, err = parseInts(p, maxStepInputs)
		case "writes":
			g.Writes, err = parseWrites(p)
		case "changes":
			if nesting > 0 {
				return p.Fail("a subgraph that changes its inputs")
			}
			g.Changes, err = parseWrites(p)
		case "open":
			if nesting > 0 {
				return p.Fail("a subgraph with open sizes")
			}
			g.Open, err = parseOpen(p)
		default:
			err = p.Fail("unknown key %.40q", key)
		}
		return err
	})
	if err == nil {
		err = g.upgrade(tensors)
	}
	return g, err
}

func parseStep(p *strictjson.Parser, nesting int) (graphStep, error) {
	s := graphStep{tensor: -1, item: -1}
	name, version, keys, attrText := "", 0, "", ""
	err := p.Object(func(key string) (err error) {
		switch key {
		case "tensor":
			s.tensor, err = p.Len()
			keys += "t"
		case "item":
			s.item, err = p.Len()
			keys += "i"
		case "op":
			name, err = p.String()
			keys += "o"
		case "version":
			version, err = p.Len()
		case "in":
			s.in, err = parseInts(p, maxStepInputs)
		case "attr":
			// What is written as today is read at once; the fields of another version may not exist any more.
			if op := graph.Lookup(name); op != nil && op.Version == version {
				s.attr, err = parseAttr(p)
			} else {
				attrText, err = p.Raw()
			}
		case "control":
			s.control, err = parseControl(p, nesting)
		case "bundle":
			var text string
			text, err = p.Raw()
			if s.tuple = text == "true"; err == nil && !s.tuple {
				err = p.Fail("%.40s is not true", text)
			}
		case "out":
			s.specs, err = parseSpecs(p)
		default:
			err = p.Fail("unknown key %.40q", key)
		}
		return err
	})
	if err != nil {
		return s, err
	}
	if len(keys) != 1 {
		return s, p.Fail("a node must be an op, an item or a tensor")
	}
	if keys != "o" {
		return s, nil
	}
	return s, s.resolve(name, version, attrText)
}

// resolve finds the op of a step; one of another version is left to be brought up.
func (s *graphStep) resolve(name string, version int, attrText string) error {
	n := &Node{Op: name, Version: version}
	if attrText != "" {
		if err := n.parseOld(attrText); err != nil {
			return err
		}
	}
	op := graph.Lookup(name)
	switch {
	case op == nil || op.Version != version:
		if rewrites.Step(name, version) == nil {
			return refuseVersion(name, version, op)
		}
		s.old = n
	case attrText != "": // its name came behind
		p, err := strictjson.New(importOp, []byte(attrText), maxDepth, len(attrText))
		if err != nil {
			return err
		}
		s.op = op
		s.attr, err = parseAttr(p)
		return err
	default:
		s.op = op
	}
	return nil
}

func parseSpecs(p *strictjson.Parser) (specs []graph.Spec, err error) {
	err = p.Array(func(i int) error {
		if i >= maxStepInputs {
			return p.Fail("more than %d values", maxStepInputs)
		}
		var s graph.Spec
		var dims []int
		err := p.Array(func(k int) (err error) {
			if k == 0 {
				s.DType, err = parseDType(p)
				return err
			}
			if k > shape.MaxRank {
				return p.Fail("a shape of more than %d dims", shape.MaxRank)
			}
			d, err := p.Len()
			dims = append(dims, d)
			return err
		})
		if err != nil {
			return err
		}
		size := float64(s.DType.Size())
		for _, d := range dims {
			size *= float64(max(d, 1))
		}
		if size == 0 || size > maxValueBytes {
			return p.Fail("a value of %v and sizes %v", s.DType, dims)
		}
		s.Shape = shape.Of(importOp, dims...)
		specs = append(specs, s)
		return nil
	})
	return specs, err
}

// safely runs f and makes an error of kind Format of every panic: attributes of a hostile file may break any rule.
func safely(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *fault.Error:
			e := *r
			if e.Kind != fault.NotImplemented {
				e.Kind = fault.Format
			}
			err = &e
		case error:
			err = fault.Wrap(fault.Format, importOp, errors.New(r.Error()), "nonsense")
		default:
			err = fault.New(fault.Format, importOp, "nonsense: %.200s", fmt.Sprint(r))
		}
	}()
	f()
	return nil
}
