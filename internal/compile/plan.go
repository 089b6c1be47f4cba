package compile

import (
	"slices"

	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/simplify"
)

// Every kind of arguments is traced, so that branches of the Go function on sizes stay right. A trace that has the structure of an
// earlier one is bound to its plan: nothing is fused, laid out or compiled again. See exec.SharedPlan.

// maxShared is how many plans of a function are looked at for a new trace.
const maxShared = 32

// plan makes a program of the finished trace; inputs are the placeholders of its arguments and of what it captured.
func (c *Function) plan(e *entry, call *call, t *graph.Trace, roots, inputs []*graph.Node) error {
	for _, n := range roots {
		if tr := n.Trace(); tr != nil && tr != t {
			fault.Throw(fault.Trace, t.Name, "a value of another trace came out")
		}
	}
	becomes := make([]int, len(roots))
	for i := range becomes {
		becomes[i] = -1
		if k := i - e.numOut; k >= 0 && k < len(e.written) {
			if w := e.written[k]; w.isArg {
				becomes[i] = w.arg
			} else if w.at >= 0 {
				becomes[i] = len(inputs) - len(e.captured) + w.at
			}
		}
	}
	e.donate = slices.Grow(e.donate, len(inputs))[:len(inputs)]
	first := len(inputs) - len(e.captured)
	for _, k := range becomes {
		if k >= 0 {
			e.donate[k] = true
		}
	}
	traced := &exec.Traced{Outs: roots, Args: inputs, Lays: e.strides(), Becomes: becomes, Recompute: c.o.Recompute}
	defer traced.Release()
	undo, err := c.bind(e, traced)
	if err != nil {
		return err
	}
	moved, err := e.ready(first, call)
	if err == nil && moved {
		if undo != nil {
			undo() // the plan is for strides that no tensor has any more
		}
		traced.Lays = e.strides()
		_, err = c.bind(e, traced)
	}
	if err != nil {
		return err
	}
	// An argument, and a tensor in one, may be another at the next call.
	e.prog.State, e.prog.Assigned = append(e.prog.State[:0], e.donate...), append(e.prog.Assigned[:0], e.donate...)
	for i := range e.donate {
		if i < first || e.captured[i-first].leaf > 0 {
			e.prog.State[i] = false
		} else {
			e.prog.Assigned[i] = false
		}
	}
	return nil
}

// bind binds a trace to a plan that was made for one of its structure, or plans it; undo, if not nil, forgets the
// plan that was made.
func (c *Function) bind(e *entry, t *exec.Traced) (undo func(), err error) {
	c.mu.Lock()
	plans, once := slices.Clone(c.plans), c.cache.unfound > c.cache.mostUnfound()
	c.mu.Unlock()
	why, most := "", -1
	for i, p := range slices.Backward(plans) {
		r, w, compared := p.Bind(t, once)
		if r != nil {
			e.prog = r
			c.usePlan(i, p)
			return nil, nil
		}
		if compared > most {
			why, most = w, compared
		}
	}
	// A kernel that writes straight into a concatenation spares a copy, in a plan for one size alone. From the second size on a plan
	// that is shared is worth more.
	nodes, args := t.Sizes()
	c.mu.Lock()
	before, ok := c.elided[nodes]
	c.mu.Unlock()
	t.NoElision = ok && before != args
	simple, rewritten, _ := simplify.Trace(t.Whole())
	r, p, unshared, err := exec.NewSharedPlan(t, simple, rewritten)
	if err != nil {
		return nil, err
	}
	e.prog = r
	if p == nil {
		why = "it is not shared: " + unshared
	}
	if unshared == exec.WhyElided {
		c.mu.Lock()
		if c.elided == nil {
			c.elided = map[int]string{}
		}
		c.elided[nodes] = args
		c.mu.Unlock()
	}
	return c.addPlan(p, why), nil
}

// usePlan makes a plan the first one that is looked at.
func (c *Function) usePlan(at int, p *exec.SharedPlan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if last := len(c.plans) - 1; at < last {
		if i := slices.Index(c.plans, p); i >= 0 {
			c.plans = append(slices.Delete(c.plans, i, i+1), p)
		}
	}
}

// addPlan counts a plan, and stores it if it can be shared; why says why an earlier one was not taken. undo takes that back.
func (c *Function) addPlan(p *exec.SharedPlan, why string) (undo func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.planned++
	noted := c.planned > 1 || why != ""
	if noted {
		if c.unshared = append(c.unshared, why); len(c.unshared) > maxReasons {
			c.unshared = c.unshared[1:]
		}
	}
	if p != nil {
		if c.plans = append(c.plans, p); len(c.plans) > maxShared {
			c.plans = slices.Delete(c.plans, 0, 1)
		}
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.planned--; noted && len(c.unshared) > 0 {
			c.unshared = c.unshared[:len(c.unshared)-1]
		}
		if i := slices.Index(c.plans, p); i >= 0 {
			c.plans = slices.Delete(c.plans, i, i+1)
		}
	}
}

func init() {
	exec.Simplify = func(roots []*graph.Node) ([]*graph.Node, exec.Rewritten) {
		simple, w, _ := simplify.Trace(roots)
		return simple, w
	}
	exec.Immediate = ops.Immediate
}
