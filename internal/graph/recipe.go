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
	stop  bool // made inside NoGrad
	site  *Site
}

// RecipeOf returns the node's recipe.
func RecipeOf(n *Node) Recipe {
	r := Recipe{op: n.op, attr: n.attr, dev: n.dev.Load(), item: -1, tuple: n.IsTuple(), konst: n.IsConst(), site: n.Site(),
		stop: n.Stopped()}
	if k, ok := n.IsTupleItem(); ok {
		r.item = k
	}
	return r
}

// Over records the op over other inputs of the same specs.
func (r *Recipe) Over(in []*Node) *Node {
	n := r.over(in)
	if r.stop {
		n.stop()
		n.flags.And(^flagTape)
	}
	return n
}

func (r *Recipe) over(in []*Node) *Node {
	if r.item >= 0 {
		return TupleItem(in[0], r.item)
	}
	var n *Node
	if r.tuple {
		n = NewTuple(r.op, r.attr, in...)
	} else {
		n = New(r.op, r.attr, in...)
	}
	if r.site != nil {
		n.setSite(r.site)
	}
	if r.tuple {
		return n
	}
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
