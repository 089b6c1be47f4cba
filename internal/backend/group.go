package backend

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// ProductGroup is products of the same few rows x: queries, keys and values, or both matrices of a gated layer. A device may run them as
// one launch; one after the other they give the same. A norm that makes x may come first. A member may have an epilogue, which may read
// the results of members before it.
type ProductGroup struct {
	Members []GroupMember
}

// GroupMember is a launch of a group: a kernel, or a program that is the epilogue of a product. Its operands follow those of the members
// before it.
type GroupMember struct {
	Op    string
	Attr  attr.Attr
	Fused *Fused // nil: a kernel
	// Outs and Ins are how many operands it has.
	Outs, Ins int
	// Inside says by output whether only the group reads it: it need not be written.
	Inside []bool
}

// Operand is an operand of a launch that is planned.
type Operand struct {
	DType dtype.DType
	Shape *shape.Shape
	Lay   *shape.Layout
}

// ProductGrouper runs groups of products.
type ProductGrouper interface {
	// GroupsProduct reports whether a product x·w can be one of a group.
	GroupsProduct(op string, a attr.Attr, x, w Operand) bool
	// GroupsNorm reports whether a norm can make the rows of a group.
	GroupsNorm(op string, a attr.Attr, x Operand) bool
	// RunGroup runs a group: the operands of its members follow each other in out and in.
	RunGroup(c *Ctx, g *ProductGroup, out, in []View) error
}
