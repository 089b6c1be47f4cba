package optim

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/graph"
)

// gradOf returns the gradient of a parameter, nil if there is none. The slot keeps its claim, so that the engine may
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

// batch is what one Step evaluates.
type batch struct{ losses, grads, state, params []*lucid.Tensor }

func (b *batch) add(q *param, grad *lucid.Tensor) {
	s := (*graph.Array)(q.p).Peek().Slot()
	if s != nil { // else the parameter shows a value from outside: see ApplyGradients
		if root := s.TakeRoot(); root != nil {
			b.losses = append(b.losses, (*lucid.Tensor)(door.Unscoped(root)))
			root.Unref()
		}
	}
	b.grads = append(b.grads, grad)
	for _, x := range q.state {
		b.state = append(b.state, x.t)
	}
	b.params = append(b.params, q.p)
}

// start evaluates everything in one plan, without waiting.
func (b *batch) start() error {
	all := append(append(append(b.losses, b.grads...), b.state...), b.params...)
	if len(all) == 0 {
		return nil
	}
	err := lucid.EvalAsync(all...)
	for _, t := range b.losses {
		t.Free()
	}
	for _, t := range b.grads {
		t.Free()
	}
	return err
}
