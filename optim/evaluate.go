package optim

import (
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// gradOf returns the gradient of a parameter, nil if there is none. The slot keeps its reference, so that the engine may
// still drop the gradient when it is replaced.
func gradOf(p *lucid.Tensor) *lucid.Tensor {
	s := (*graph.Array)(p).Peek().Slot()
	if s == nil {
		return nil
	}
	n := s.Node()
	if n == nil {
		return nil
	}
	defer n.Unref()
	return (*lucid.Tensor)(door.Unscoped(n))
}

// batch is what one Step evaluates: losses and gradients, and the state and parameters that change by them.
type batch struct {
	losses, grads []*lucid.Tensor
	update        *door.Update
}

func (b *batch) add(q *param, grad *lucid.Tensor) {
	s := (*graph.Array)(q.p).Peek().Slot()
	if s != nil { // else the parameter shows a value from outside: see ApplyGradients
		if root := s.TakeRoot(); root != nil {
			b.losses = append(b.losses, (*lucid.Tensor)(door.Unscoped(root)))
			root.Unref()
		}
	}
	b.grads = append(b.grads, grad)
}

// start evaluates everything in one plan, without waiting.
func (b *batch) start(r *stepResult) error {
	if len(b.grads) == 0 {
		r.finish(nil)
		return nil
	}
	var others []*graph.Array
	for _, t := range append(b.losses, b.grads...) {
		others = append(others, (*graph.Array)(t))
	}
	err := b.update.Start(others, r.finish)
	for _, h := range others {
		h.Free()
	}
	return err
}

// stepResult says how a step that runs on its own ended.
type stepResult struct {
	number int64
	ended  sync.Once
	done   chan struct{}
	err    error // why the step changed nothing
}

func (r *stepResult) finish(err error) {
	r.ended.Do(func() {
		r.err = err
		close(r.done)
	})
}

// failure waits for the step and returns an error if it changed nothing.
func (r *stepResult) failure() error {
	if r == nil {
		return nil
	}
	<-r.done
	if r.err == nil {
		return nil
	}
	kind, _ := fault.KindOf(r.err)
	return fault.Wrap(kind, "step", r.err, "step %d changed nothing, parameters and state are those before it, and this step was not taken",
		r.number)
}

// beginUpdate notes what all state and parameters show, so that a step that fails changes none of them.
func (e *engine[H]) beginUpdate() (*door.Update, error) {
	var all []*graph.Array
	var pending []*lucid.Tensor
	add := func(t *lucid.Tensor) {
		all = append(all, (*graph.Array)(t))
		if !(*graph.Array)(t).Peek().Stored() {
			pending = append(pending, t)
		}
	}
	for _, g := range e.groups {
		add(g.clock)
		if g.schedule != nil {
			add(g.rate)
		}
		for i := range g.params {
			q := &g.params[i]
			add(q.p)
			add(q.missed)
			for _, s := range q.state {
				add(s.t)
			}
		}
	}
	if len(pending) > 0 { // state as it is at the start
		if err := lucid.Eval(pending...); err != nil {
			return nil, err
		}
	}
	return door.BeginUpdate(all), nil
}
