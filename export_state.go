package lucid

import (
	"cmp"
	"maps"
	"slices"

	"github.com/lucid-go/lucid/internal/export"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// generatorName is what the key of the default generator is called in a file.
const generatorName = "generator"

// Name gives a tensor its name in the file, by which Function.State finds it; a gradient that a function leaves has the
// name of its tensor with ".grad" behind; optim.NameState names the state of an optimizer. Tensors without a name are called "tensor.0",
// "tensor.1" and so on, the key of the default random generator "generator". A name of a tensor that no function reads or writes is not
// written.
func (x *Exporter) Name(name string, t *Tensor) {
	if name == "" || t == nil {
		fault.Throw(fault.Value, "name", "a tensor and a name are wanted, not %q for %v", name, t)
	}
	x.named[t.array()] = name
}

// NameOf returns the name that a tensor was given by Name, "" if none.
func (x *Exporter) NameOf(t *Tensor) string { return x.named[t.array()] }

// names lists the names of the tensors, "" for those that have none.
func (x *Exporter) names() ([]string, error) {
	names := make([]string, len(x.tensors))
	of := map[*graph.Slot]string{}
	// Handles of one tensor may have several names: the last one by the alphabet is taken, the same each time.
	for _, h := range slices.SortedFunc(maps.Keys(x.named), func(a, b *graph.Array) int { return cmp.Compare(x.named[a], x.named[b]) }) {
		name := x.named[h]
		if n := h.Raw(); n != nil && n.Slot() != nil {
			of[n.Slot()] = name
		}
		if i, ok := x.state[h]; ok {
			names[i] = name
		}
		if i, ok := x.number[shown{h, h.Raw()}]; ok {
			names[i] = name
		}
	}
	for i, s := range x.slots {
		if names[i] == "" && of[s] != "" {
			names[i] = of[s] + ".grad"
		}
	}
	if i, ok := x.state[ops.Default.Handle()]; ok && names[i] == "" {
		names[i] = generatorName
	}
	if _, err := allNames(names); err != nil {
		return nil, fault.Wrap(fault.Value, "export", err, "names")
	}
	return names, nil
}

// allNames fills in the names that tensors have by default, and refuses two of one name.
func allNames(names []string) ([]string, error) {
	all, seen := slices.Clone(names), map[string]bool{}
	for i := range all {
		if all[i] == "" {
			all[i] = tensorSection(i)
		}
		if seen[all[i]] {
			return nil, fault.New(fault.Format, "import", "two tensors have the name %.80q", all[i])
		}
		seen[all[i]] = true
	}
	return all, nil
}

// stateOf finds what a traced function leaves in tensors from outside.
func (x *Exporter) stateOf(t *graph.Trace, r graph.Result) (state []export.State, err error) {
	for i, h := range r.Written {
		n := h.Raw()
		if n == nil {
			return nil, fault.New(fault.Freed, "export", "%s writes a tensor that was freed", t.Name)
		}
		if f := r.Finals[i]; f.DType() != n.DType() || !f.Shape().Equal(n.Shape()) {
			return nil, fault.New(fault.NotImplemented, "export",
				"%s makes a tensor of %v %v one of %v %v; in a file it has to stay as it is", t.Name, n.DType(),
				n.Shape(), f.DType(), f.Shape())
		}
		k := x.tensor(h)
		if old, ok := x.state[h]; ok && old != k {
			return nil, fault.New(fault.Value, "export",
				"a tensor of shape %v that %s writes was changed since another function with it was added; add both before", n.Shape(),
				t.Name)
		}
		x.state[h] = k
		state = append(state, export.State{Tensor: k, Value: r.Finals[i]})
	}
	for _, g := range r.Grads {
		if !g.Written && !(g.ReadFirst && !g.Present) {
			continue
		}
		switch left := g.Written && g.Final != nil; {
		case g.Local:
			if left && slices.ContainsFunc(r.Finals, func(n *graph.Node) bool { return n.Slot() == g.Slot }) {
				return nil, fault.New(fault.NotImplemented, "export",
					"%s leaves a gradient in a tensor that it made require one; do that outside", t.Name)
			}
		case g.Written && g.ReadFirst && g.Present != left:
			return nil, fault.New(fault.NotImplemented, "export",
				"a gradient of shape %v is there before %s and not after it, or the other way round, so a second call would be another "+
					"function; clear gradients inside", gradShape(g), t.Name)
		case left:
			k := x.gradient(g)
			state = append(state, export.State{Tensor: k, Value: g.Final})
		}
	}
	return state, nil
}

func gradShape(g graph.GradCell) any {
	if g.Final != nil {
		return g.Final.Shape()
	}
	return (*Tensor)(g.Slot.Grad()).Shape()
}

// gradient numbers the gradient of a slot: the one that is there, or zeros for one that is not yet.
func (x *Exporter) gradient(g graph.GradCell) (k int) {
	if h := g.Slot.Grad(); h != nil {
		k = x.tensor(h)
	} else if i, ok := x.number[g.Slot]; ok {
		k = i
	} else {
		s := graph.Spec{Shape: g.Final.Shape(), DType: g.Final.DType()}
		k = x.put(g.Slot, s, make([]byte, s.Shape.Numel()*s.DType.Size()))
	}
	x.slots[k] = g.Slot
	return k
}
