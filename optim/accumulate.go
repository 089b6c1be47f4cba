package optim

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// Accumulate makes an optimizer step once for several batches, by the mean of their gradients: as if they were one
// batch. Its ZeroGrad clears nothing between them, so a loop needs no change. Compiled functions may hold what comes
// before Step, but not Step itself, which counts.
type Accumulate struct {
	Optimizer
	every, seen int
}

// NewAccumulate returns an optimizer that steps at every n-th Step.
func NewAccumulate(opt Optimizer, n int) *Accumulate {
	if n < 1 {
		refuse(lucid.ErrValue, "accumulate", "a step every %d batches; want a positive number", n)
	}
	return &Accumulate{Optimizer: opt, every: n}
}

// ZeroGrad clears the gradients if a step was just made.
func (a *Accumulate) ZeroGrad() {
	if a.seen == 0 {
		a.Optimizer.ZeroGrad()
	}
}

// Step counts a batch, and steps if it is the last. It panics with *lucid.Error if the evaluation cannot start.
func (a *Accumulate) Step() { must(a.TryStep()) }

// TryStep is Step that returns the error.
func (a *Accumulate) TryStep() error {
	if inTrace(a.ParamGroups()[0].Params[0]) {
		refuse(lucid.ErrNotImplemented, "accumulate",
			"Step counts batches in Go, which a compiled function would freeze; compile what comes before it")
	}
	if a.seen++; a.seen < a.every {
		return nil
	}
	a.seen = 0
	if a.every > 1 {
		door.Untaped(func() {
			for _, g := range a.ParamGroups() {
				for _, p := range g.Params {
					if grad := p.Grad(); grad != nil {
						p.SetGrad(grad.Div(float64(a.every)))
					}
				}
			}
		})
	}
	return a.Optimizer.TryStep()
}

// Pending returns how many batches were counted since the last step.
func (a *Accumulate) Pending() int { return a.seen }
