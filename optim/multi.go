package optim

import (
	"errors"
	"fmt"

	"github.com/lucid-go/lucid"
)

// Multi is several optimizers as one, each for parameters of its own: Muon for matrices and AdamW for the rest, say.
type Multi struct{ list []Optimizer }

// NewMulti joins optimizers, no two of which may have a parameter in common.
func NewMulti(list ...Optimizer) *Multi {
	if len(list) == 0 {
		refuse(lucid.ErrValue, "multi", "there are no optimizers")
	}
	of := map[*lucid.Tensor]int{}
	for i, o := range list {
		for _, g := range o.ParamGroups() {
			for _, p := range g.Params {
				if k, ok := of[p]; ok {
					refuse(lucid.ErrValue, "multi", "optimizers %d and %d share a parameter of shape %v", k, i, p.Shape())
				}
				of[p] = i
			}
		}
	}
	return &Multi{list: append([]Optimizer(nil), list...)}
}

// Step steps all. It panics with *lucid.Error if an evaluation cannot start.
func (m *Multi) Step() { must(m.TryStep()) }

// TryStep is Step that returns the error.
func (m *Multi) TryStep() error {
	var errs []error
	for _, o := range m.list {
		errs = append(errs, o.TryStep())
	}
	return errors.Join(errs...)
}

// ZeroGrad clears the gradients of all parameters.
func (m *Multi) ZeroGrad() {
	for _, o := range m.list {
		o.ZeroGrad()
	}
}

// ParamGroups returns the groups of all, in order: a schedule moves them together.
func (m *Multi) ParamGroups() (groups []*Group) {
	for _, o := range m.list {
		groups = append(groups, o.ParamGroups()...)
	}
	return groups
}

// StateDict returns the states of all, under optimizers.<index>.
func (m *Multi) StateDict() *lucid.StateDict {
	d := lucid.NewStateDict()
	for i, o := range m.list {
		d.Merge(fmt.Sprintf("optimizers.%d.", i), o.StateDict())
	}
	return d
}

// LoadStateDict brings them back; an error says which state did not fit.
func (m *Multi) LoadStateDict(d *lucid.StateDict) error {
	n := 0
	for i := range m.list {
		n += d.Prefix(fmt.Sprintf("optimizers.%d.", i)).Len()
	}
	if n != d.Len() {
		return lucid.Errorf(lucid.ErrFormat, "load_state_dict", "multi: %d tensors of the state are of none of the %d optimizers",
			d.Len()-n, len(m.list))
	}
	for i, o := range m.list {
		if err := o.LoadStateDict(d.Prefix(fmt.Sprintf("optimizers.%d.", i))); err != nil {
			return fmt.Errorf("optimizer %d: %w", i, err)
		}
	}
	return nil
}

// Hooks are called around every Step of an optimizer; either may be nil. Inside a compiled function what they compute
// becomes part of it.
type Hooks struct {
	Before, After func()
}

// hooked is an optimizer with hooks.
type hooked struct {
	Optimizer
	h Hooks
}

// WithHooks returns an optimizer that calls hooks around opt's Step: to clip gradients before, or average weights
// after.
func WithHooks(opt Optimizer, h Hooks) Optimizer { return &hooked{opt, h} }

// Step calls the hooks around the optimizer's own.
func (o *hooked) Step() { must(o.TryStep()) }

// TryStep is Step that returns the error.
func (o *hooked) TryStep() error {
	if o.h.Before != nil {
		o.h.Before()
	}
	if err := o.Optimizer.TryStep(); err != nil {
		return err
	}
	if o.h.After != nil {
		o.h.After()
	}
	return nil
}
