// Package tree works on trees of tensors: a *lucid.Tensor, or structs, pointers to structs (modules), slices and maps of trees.
// Parameters are data here: map them, stack them, bring them back. Unexported and other fields are carried along unchanged.
//
//	doubled := tree.Map(func(t *lucid.Tensor) *lucid.Tensor { return t.Mul(2) }, model)
package tree

import (
	"reflect"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/graph"
	walk "github.com/lucid-go/lucid/internal/tree"
)

// Leaf is a tensor of a tree and its path: names of fields in lower_snake, keys and indices, with dots between; in a module the
// names of its state dict.
type Leaf struct {
	Path   string
	Tensor *lucid.Tensor
}

var everything = walk.Walk{All: true}

func valueOf[T any](t *T) reflect.Value { return reflect.ValueOf(t).Elem() }

// Leaves lists the tensors of a tree with their paths: fields as declared, maps by sorted key. A tensor that is nil is none.
func Leaves[T any](tree T) []Leaf {
	var out []Leaf
	for _, l := range everything.Leaves(valueOf(&tree)) {
		out = append(out, Leaf{l.Path, (*lucid.Tensor)(l.Tensor)})
	}
	return out
}

// Flatten lists the tensors of a tree in the order of Leaves.
func Flatten[T any](tree T) []*lucid.Tensor {
	var out []*lucid.Tensor
	for _, h := range everything.FlattenAll([]reflect.Value{valueOf(&tree)}) {
		out = append(out, (*lucid.Tensor)(h))
	}
	return out
}

// Unflatten returns a copy of a tree with other tensors, in the order of Flatten. A nil tensor leaves its field nil.
func Unflatten[T any](like T, tensors []*lucid.Tensor) T {
	if n := len(Flatten(like)); n != len(tensors) {
		panic(lucid.Errorf(lucid.ErrValue, "unflatten", "got %d tensors for a tree of %d", len(tensors), n))
	}
	hs := make([]*graph.Array, len(tensors))
	for i, t := range tensors {
		hs[i] = (*graph.Array)(t)
	}
	return everything.UnflattenAll([]reflect.Value{valueOf(&like)}, hs)[0].Interface().(T)
}

// Map returns a copy of a tree with f of each tensor.
func Map[T any](f func(t *lucid.Tensor) *lucid.Tensor, tree T) T {
	return MapWithPath(func(_ string, t *lucid.Tensor) *lucid.Tensor { return f(t) }, tree)
}

// MapWithPath is Map for a function that is told where the tensor is.
func MapWithPath[T any](f func(path string, t *lucid.Tensor) *lucid.Tensor, tree T) T {
	var out []*lucid.Tensor
	for _, l := range Leaves(tree) {
		out = append(out, f(l.Path, l.Tensor))
	}
	return Unflatten(tree, out)
}

// Map2 returns a copy of a with f of the tensors of a and b at the same path. Where b has none, f gets nil.
func Map2[T any](f func(x, y *lucid.Tensor) *lucid.Tensor, a, b T) T {
	at := map[string]*lucid.Tensor{}
	for _, l := range Leaves(b) {
		at[l.Path] = l.Tensor
	}
	return MapWithPath(func(path string, t *lucid.Tensor) *lucid.Tensor { return f(t, at[path]) }, a)
}

// Reduce folds the tensors of a tree.
func Reduce[T, A any](f func(acc A, t *lucid.Tensor) A, init A, tree T) A {
	for _, t := range Flatten(tree) {
		init = f(init, t)
	}
	return init
}

// Merge returns a tree with the tensors of both, those of b where both have one. One of the two must have all paths of the other, as a
// model has those of its gradients.
func Merge[T any](a, b T) T {
	onlyA, onlyB := missing(a, b), missing(b, a)
	switch {
	case onlyB != "" && onlyA != "":
		panic(lucid.Errorf(lucid.ErrValue, "merge", "the first tree has no tensor %q, the second no %q; one of them must have all",
			onlyB, onlyA))
	case onlyB != "":
		return Map(func(t *lucid.Tensor) *lucid.Tensor { return t }, b)
	}
	return Map2(func(x, y *lucid.Tensor) *lucid.Tensor {
		if y != nil {
			return y
		}
		return x
	}, a, b)
}

// missing gives a path of a that b does not have.
func missing[T any](a, b T) string {
	known := map[string]bool{}
	for _, l := range Leaves(b) {
		known[l.Path] = true
	}
	for _, l := range Leaves(a) {
		if !known[l.Path] {
			return l.Path
		}
	}
	return ""
}

// Stack returns a tree whose tensors are those of the members, stacked along a new first dimension: VMap over it computes an ensemble.
// Parameters make parameters, frozen ones frozen ones, so that an optimizer trains the ensemble; no gradient goes back to the members.
func Stack[T any](members []T) T {
	if len(members) == 0 {
		panic(lucid.Errorf(lucid.ErrValue, "stack", "there are no trees to stack"))
	}
	lists := make([][]*lucid.Tensor, len(members))
	for i, m := range members {
		if lists[i] = Flatten(m); len(lists[i]) != len(lists[0]) {
			panic(lucid.Errorf(lucid.ErrValue, "stack", "tree %d has %d tensors, the first has %d", i, len(lists[i]), len(lists[0])))
		}
	}
	out := make([]*lucid.Tensor, len(lists[0]))
	for k := range out {
		column := make([]*lucid.Tensor, len(members))
		for i := range members {
			column[i] = lists[i][k].Detach()
		}
		out[k] = lucid.Stack(column, 0)
		if n := (*graph.Array)(lists[0][k]).Peek(); n.OwnSlot() != nil {
			out[k].RequiresGrad_(true).RequiresGrad_(n.Leaf())
		}
	}
	return Unflatten(members[0], out)
}

// Unstack is the opposite of Stack.
func Unstack[T any](tree T) []T {
	list := Flatten(tree)
	if len(list) == 0 {
		panic(lucid.Errorf(lucid.ErrValue, "unstack", "the tree has no tensors"))
	}
	out := make([]T, list[0].Size(0))
	for i := range out {
		out[i] = Map(func(t *lucid.Tensor) *lucid.Tensor { return t.Select(0, i) }, tree)
	}
	return out
}
