package nn

import (
	"reflect"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/tree"
)

// ValueAndGrad computes f(m) and the gradients of the parameters of m that require one. The gradients are a module of the same type:
// the gradient of m.L1.Weight is grads.L1.Weight; frozen parameters and buffers are nil there. Parameters and their Grad stay as
// they are; buffers that f changes, such as running means, are changed in m.
func ValueAndGrad[M Module](m M, f func(m M) *lucid.Tensor) (value *lucid.Tensor, grads M) {
	params := trainable(m)
	if len(params) == 0 {
		refuse(lucid.ErrGradient, "value_and_grad", "%T has no parameter that requires a gradient; Unfreeze some", m)
	}
	var gs []*lucid.Tensor
	door.Untaped(func() {
		value, gs = lucid.ValueAndGradTree(func(ps []*lucid.Tensor) (y *lucid.Tensor) {
			door.Swap(handles(params), handles(ps), func() { y = f(m) })
			return y
		})(params)
	})
	return value, withTensors(m, params, gs)
}

func handles(ts []*lucid.Tensor) []*graph.Array {
	hs := make([]*graph.Array, len(ts))
	for i, t := range ts {
		hs[i] = (*graph.Array)(t)
	}
	return hs
}

// withTensors copies m with other tensors in the stead of some; all others are nil.
func withTensors[M Module](m M, of, to []*lucid.Tensor) M {
	at := map[*graph.Array]*graph.Array{}
	for i, t := range of {
		at[(*graph.Array)(t)] = (*graph.Array)(to[i])
	}
	v := reflect.ValueOf(&m).Elem()
	_, leaves := tree.Modules.Leaves(reflect.ValueOf(m))
	ts := make([]*graph.Array, len(leaves))
	for i, l := range leaves {
		ts[i] = at[l]
	}
	return tree.Walk{All: true}.UnflattenAll([]reflect.Value{v}, ts)[0].Interface().(M)
}

// TrainableParameters returns a module like m that holds the parameters that require a gradient, and nil elsewhere.
func TrainableParameters[M Module](m M) M {
	params := trainable(m)
	return withTensors(m, params, params)
}

// trainable lists the parameters that are not frozen. Inside a transform a value stands for the parameter: in control flow the handle
// still shows the parameter to the outside, and what VMap and others put there is frozen if the argument was.
func trainable(m Module) (list []*lucid.Tensor) {
	for _, p := range Parameters(m) {
		h := (*graph.Array)(p)
		n, out := h.Peek(), h.Raw()
		if p.RequiresGrad() || out != nil && out.Leaf() || n.OwnSlot() == nil && out.OwnSlot() == nil {
			list = append(list, p)
		}
	}
	return list
}

// Update makes the tensors of m show those of a module like it; where that has nil, m stays as it is.
func Update[M Module](m, from M) {
	to := map[string]*graph.Array{}
	names, ts := tree.Modules.Leaves(reflect.ValueOf(m))
	for i, n := range names {
		to[n] = ts[i]
	}
	names, ts = tree.Modules.Leaves(reflect.ValueOf(from))
	door.Untaped(func() {
		for i, n := range names {
			h := to[n]
			if h == nil {
				refuse(lucid.ErrValue, "update", "%T has no tensor %q", m, n)
			}
			if a, b := (*lucid.Tensor)(h), (*lucid.Tensor)(ts[i]); !slices.Equal(a.Shape(), b.Shape()) {
				refuse(lucid.ErrShapeMismatch, "update", "%s has shape %v; want %v", n, b.Shape(), a.Shape())
			} else if a != b {
				a.Assign(b)
			}
		}
	})
}

// FilterAndMap returns f of every parameter and buffer of m that keep takes, by name. A nil keep takes all, a nil f returns the tensor.
func FilterAndMap(m Module, keep func(name string, t *lucid.Tensor) bool, f func(t *lucid.Tensor) *lucid.Tensor) map[string]*lucid.Tensor {
	out := map[string]*lucid.Tensor{}
	names, ts := tree.Modules.Leaves(reflect.ValueOf(m))
	for i, n := range names {
		t := (*lucid.Tensor)(ts[i])
		if keep != nil && !keep(n, t) {
			continue
		}
		if f != nil {
			t = f(t)
		}
		out[n] = t
	}
	return out
}

// LeafModules returns the modules inside m that have no modules inside them, by name.
func LeafModules(m Module) map[string]Module {
	out := map[string]Module{}
	for name, c := range NamedModules(m) {
		if len(Children(c)) == 0 {
			out[name] = c
		}
	}
	return out
}

// ApplyToModules calls f with the name of every module inside m and the module, outer before inner; m's own name is empty.
func ApplyToModules(m Module, f func(name string, m Module)) {
	for name, c := range NamedModules(m) {
		f(name, c)
	}
}
