package graph

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
)

// Dump writes the graph behind the roots as text, a line a node, inputs before consumers:
//
//	%2 = add(%0, %1) float32 [2 3]
//
// Stored nodes are where it begins. The last line names the roots.
func Dump(roots ...*Node) string {
	var idx Index
	idx.PostOrder(roots, func(n *Node) bool { return !n.Stored() })
	var b strings.Builder
	for i, n := range idx.Nodes {
		fmt.Fprintf(&b, "%%%d = ", i)
		switch k, item := n.IsTupleItem(); {
		case n.Stored():
			b.WriteString("stored")
		case item:
			fmt.Fprintf(&b, "%%%d.%d", idx.Get(n.In(0)), k)
		default:
			b.WriteString(n.op.Name)
			dumpInputs(&b, &idx, n)
		}
		for k := range n.NumOut() {
			fmt.Fprintf(&b, " %v %v", n.Out(k).DType, n.Out(k).Shape)
		}
		if n.Tape() {
			b.WriteString(" tape")
		}
		if d := n.Device(); d != nil && d.String() != "cpu" {
			fmt.Fprintf(&b, " on %v", d)
		}
		b.WriteByte('\n')
	}
	b.WriteString("return")
	for _, r := range roots {
		fmt.Fprintf(&b, " %%%d", idx.Get(r))
	}
	b.WriteByte('\n')
	return b.String()
}

func dumpInputs(b *strings.Builder, idx *Index, n *Node) {
	b.WriteByte('(')
	sep := ""
	for k := range n.NumIn() {
		fmt.Fprintf(b, "%s%%%d", sep, idx.Get(n.In(k)))
		sep = ", "
	}
	if n.attr != nil {
		b.WriteString(sep)
		b.WriteString(attrText(n.attr))
	}
	b.WriteByte(')')
}

// attrText prints attributes in short.
func attrText(a attr.Attr) string {
	switch a := a.(type) {
	case attr.Const:
		return fmt.Sprintf("%v %v", a.DType, a.Value)
	case attr.Table:
		return fmt.Sprintf("%d bytes", len(a.Data))
	}
	s := fmt.Sprintf("%+v", a)
	if strings.HasPrefix(s, "&") {
		return fmt.Sprintf("%T", a) // its numbers are addresses
	}
	return s
}
