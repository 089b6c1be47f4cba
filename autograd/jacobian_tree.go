package autograd

import (
	"reflect"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/tree"
)

// JacobianTree is lucid.Jacobian for a function of a tree of tensors: a struct, a map, a slice or a module. Its derivative is a tree of
// the same type, in which each tensor has the shape of the output, then that of the input. Several arguments are fields of a struct. What
// has no derivative, such as integers, is nil.
func JacobianTree[P any](f func(p P) *lucid.Tensor, opts ...JacobianOptions) func(p P) P {
	all := JacobianTrees(func(p P) *lucid.Tensor { return f(p) }, opts...)
	return func(p P) P { return all(p)[""] }
}

// JacobianTrees is JacobianTree for a function that returns a tree. The derivatives are in a map by the path of the output, as
// tree.Leaves names it: the name of a field in lower_snake, a key or an index, with dots between.
func JacobianTrees[P, Y any](f func(p P) Y, opts ...JacobianOptions) func(p P) map[string]P {
	return func(p P) map[string]P {
		in := variablesOf("jacobian", p)
		var paths []string
		j := JacobianN(func(xs []*lucid.Tensor) []*lucid.Tensor {
			y := f(in.with(xs).(P))
			var ys []*lucid.Tensor
			paths = nil
			for _, l := range everything.Leaves(reflect.ValueOf(&y).Elem()) {
				paths, ys = append(paths, l.Path), append(ys, (*lucid.Tensor)(l.Tensor))
			}
			return ys
		}, opts...)(in.xs...)
		out := map[string]P{}
		for i, row := range j {
			out[paths[i]] = in.only(row).(P)
		}
		return out
	}
}

// HessianTree is lucid.Hessian for a function of a tree. Entry a of the result is the derivative by the tensor whose path is a, and then
// by every tensor: a tree, in which each has the shape of that tensor, then its own.
func HessianTree[P any](f func(p P) *lucid.Tensor, opts ...JacobianOptions) func(p P) map[string]P {
	return func(p P) map[string]P {
		in := variablesOf("hessian", p)
		h := HessianN(func(xs []*lucid.Tensor) *lucid.Tensor { return f(in.with(xs).(P)) }, opts...)(in.xs...)
		out := map[string]P{}
		for i, row := range h {
			out[in.paths[i]] = in.only(row).(P)
		}
		return out
	}
}

var everything = tree.Walk{All: true}

// variables are the tensors of a tree that a function can be differentiated by.
type variables struct {
	of    reflect.Value // the tree
	all   []*graph.Array
	at    []int // which of all they are
	xs    []*lucid.Tensor
	paths []string
}

func variablesOf[P any](op string, p P) *variables {
	v := &variables{of: reflect.ValueOf(&p).Elem()}
	for i, l := range everything.Leaves(v.of) {
		v.all = append(v.all, l.Tensor)
		if t := (*lucid.Tensor)(l.Tensor); t.DType().IsFloat() || t.DType().IsComplex() {
			v.at, v.xs, v.paths = append(v.at, i), append(v.xs, t.Detach()), append(v.paths, l.Path)
		}
	}
	if len(v.xs) == 0 {
		fault.Throw(fault.Gradient, op, "%T has no floating tensor; want a tensor, or a struct, map or slice of tensors", p)
	}
	return v
}

// with is the tree with other variables.
func (v *variables) with(xs []*lucid.Tensor) any {
	all := append([]*graph.Array(nil), v.all...)
	for k, i := range v.at {
		all[i] = (*graph.Array)(xs[k])
	}
	return everything.UnflattenAll([]reflect.Value{v.of}, all)[0].Interface()
}

// only is the tree with other variables and nothing else.
func (v *variables) only(xs []*lucid.Tensor) any {
	all := make([]*graph.Array, len(v.all))
	for k, i := range v.at {
		all[i] = (*graph.Array)(xs[k])
	}
	return everything.UnflattenAll([]reflect.Value{v.of}, all)[0].Interface()
}
