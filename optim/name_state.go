package optim

import (
	"fmt"

	"github.com/lucid-go/lucid"
)

// NameState names an optimizer's state in a file of functions. What is stored for a parameter has the parameter's name and, behind
// it, PyTorch's for the state: body.0.weight.exp_avg. What a group shares is param_groups.0.step, .lr and .momentum; a parameter that had
// no gradient in some steps is younger by body.0.weight.missed. Name the parameters first; the state of one without a name is called as in
// StateDict, state.3.exp_avg. An optimizer that cannot run inside a compiled function is refused.
func NameState(x *lucid.Exporter, opt Optimizer) { nameState(x, opt, "") }

// stateNamer is an optimizer whose state are tensors that stay the same.
type stateNamer interface {
	nameState(x *lucid.Exporter, prefix string)
}

// nameState names the state of an optimizer, of those it joins, or of the one it wraps.
func nameState(x *lucid.Exporter, opt Optimizer, prefix string) {
	switch o := opt.(type) {
	case stateNamer:
		o.nameState(x, prefix)
	case *Multi:
		for i, of := range o.list {
			nameState(x, of, fmt.Sprintf("%soptimizers.%d.", prefix, i))
		}
	case *hooked:
		nameState(x, o.Optimizer, prefix)
	default:
		refuse(lucid.ErrNotImplemented, "name_state", "a %T steps by Go code, which a file does not hold", opt)
	}
}

func (e *engine[H]) nameState(x *lucid.Exporter, prefix string) {
	index := 0
	for i, g := range e.groups {
		group := fmt.Sprintf("%sparam_groups.%d.", prefix, i)
		x.Name(group+"lr", g.rate)
		x.Name(group+"step", g.clock)
		if g.momentumTensor != nil {
			x.Name(group+"momentum", g.momentumTensor)
		}
		for _, q := range g.params {
			of := x.NameOf(q.p)
			if of == "" {
				of = fmt.Sprintf("%sstate.%d", prefix, index)
			}
			x.Name(of+".missed", q.missed)
			for _, s := range q.state {
				x.Name(of+"."+s.name, s.t)
			}
			index++
		}
	}
}
