package export

import (
	"slices"

	"github.com/lucid-go/lucid/internal/codec/strictjson"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// control is the subgraphs of a step: functions without stored tensors, which come in as inputs.
type control struct {
	graphs []*Graph
	spec   ops.ControlSpec // its subgraphs are known after check
}

// recordControl writes down the subgraphs of a node.
func recordControl(spec ops.ControlSpec) (*control, error) {
	c := &control{spec: spec}
	for _, sub := range spec.Subs {
		t := graph.NewTrace(graph.TraceControl, "export", nil)
		args := make([]*graph.Node, len(sub.In))
		for i, s := range sub.In {
			args[i] = graph.NewPlaceholder(t, i, s, nil)
		}
		var stored error
		g, err := Record("", sub.Over(args), args, nil, nil, func(*graph.Node) int {
			stored = fault.New(fault.Internal, "export", "a subgraph holds a value of its own")
			return 0
		})
		t.Close()
		if err == nil {
			err = stored
		}
		if err != nil {
			return nil, err
		}
		c.graphs = append(c.graphs, g)
	}
	return c, nil
}

func (c *control) append(b []byte) (_ []byte, err error) {
	b = append(b, `,"control":{"numbers":`...)
	b = appendNumbers(b, c.spec.Numbers)
	if c.spec.Feeds != nil {
		b = append(b, `,"feeds":[`...)
		for i, f := range c.spec.Feeds {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendNumbers(b, f)
		}
		b = append(b, ']')
	}
	b = append(b, `,"graphs":[`...)
	for i, g := range c.graphs {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = g.append(b); err != nil {
			return nil, err
		}
	}
	return append(b, `]}`...), nil
}

// clone is a copy that can be checked while another one is.
func (c *control) clone() *control {
	if c == nil {
		return nil
	}
	d := &control{spec: c.spec}
	for _, g := range c.graphs {
		h := *g
		h.steps = slices.Clone(g.steps)
		for i := range h.steps {
			h.steps[i].control = h.steps[i].control.clone()
		}
		d.graphs = append(d.graphs, &h)
	}
	return d
}

// maxBranches bounds the subgraphs of a node.
const maxBranches = 1 << 10

func parseControl(p *strictjson.Parser, nesting int) (*control, error) {
	if nesting >= maxNesting {
		return nil, p.Fail("control flow is nested deeper than %d", maxNesting)
	}
	c := &control{}
	err := p.Object(func(key string) (err error) {
		switch key {
		case "numbers":
			c.spec.Numbers, err = parseInts(p, 8)
		case "feeds":
			err = p.Array(func(i int) error {
				if i >= maxBranches {
					return p.Fail("more than %d branches", maxBranches)
				}
				f, err := parseInts(p, maxStepInputs)
				c.spec.Feeds = append(c.spec.Feeds, f)
				return err
			})
		case "graphs":
			err = p.Array(func(i int) error {
				if i >= maxBranches {
					return p.Fail("more than %d subgraphs", maxBranches)
				}
				g, err := parseGraph(p, nesting+1, nil)
				c.graphs = append(c.graphs, g)
				return err
			})
		default:
			err = p.Fail("unknown key %.40q", key)
		}
		return err
	})
	return c, err
}

// check makes subgraphs of the functions; it panics if one is not to be trusted.
func (c *control) check(s graphStep) {
	if !ops.OwnsSubgraphs(s.op) || s.attr != nil {
		panic(fault.New(fault.Format, s.op.Name, "owns no subgraphs"))
	}
	c.spec.Subs = nil
	for _, g := range c.graphs {
		if err := g.Check(nil); err != nil {
			panic(err)
		}
		if len(g.Writes) > 0 {
			panic(fault.New(fault.Format, s.op.Name, "a subgraph writes tensors"))
		}
		t := graph.NewTrace(graph.TraceControl, importOp, nil)
		args := make([]*graph.Node, len(g.Inputs))
		for i, in := range g.Inputs {
			args[i] = graph.NewPlaceholder(t, i, in, nil)
		}
		outs, _, _ := g.Inline(args, nil)
		sub, _ := graph.NewSubgraph(outs, args, func(*graph.Node) bool { return true })
		t.Close()
		c.spec.Subs = append(c.spec.Subs, sub)
	}
}
