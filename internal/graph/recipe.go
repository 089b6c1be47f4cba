package graph

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
)

// Recipe is what is needed to record a node's op again. It holds no node, and so no value.
type Recipe struct {
	op    *Op
	attr  attr.Attr
	dev   *backend.Device
	item  int // output of a tuple node that the node shows, -1: none
	tuple bool
	konst bool // a 0-d immediate
}

// RecipeOf returns the node's recipe.
func RecipeOf(n *Node) Recipe {
	r := Recipe{op: n.op, attr: n.attr, dev: n.dev.Load(), item: -1, tuple: n.IsTuple(), konst: n.IsConst()}
	if k, ok := n.IsTupleItem(); ok {
		r.item = k
	}
	return r
}

// Over records the op over other inputs of the same specs.
func (r *Recipe) Over(in []*Node) *Node {
	switch {
	case r.item >= 0:
		return TupleItem(in[0], r.item)
	case r.tuple:
		return NewTuple(r.op, r.attr, in...)
	}
	n := New(r.op, r.attr, in...)
	if r.konst {
		return n.MarkConst()
	}
	n.dev.Store(r.dev)
	return n
}

// Rerecord records n's op over other inputs of the same specs.
func Rerecord(n *Node, in []*Node) *Node {
	r := RecipeOf(n)
	return r.Over(in)
}
