package graph

import (
	"fmt"
	"strconv"
	"strings"
)

// Dot writes the graph behind the roots in the DOT language: a box a node, with op, attributes, dtype and shape, and arrows from inputs
// to consumers. Stored nodes are where it begins; roots have a double border.
func Dot(roots ...*Node) string {
	var idx Index
	idx.PostOrder(roots, func(n *Node) bool { return !n.Stored() })
	root := map[*Node]bool{}
	for _, r := range roots {
		root[r] = true
	}
	var b strings.Builder
	b.WriteString("digraph {\n\tnode [shape=box]\n")
	for i, n := range idx.Nodes {
		lines, more := dotText(n), ""
		for k := range n.NumOut() {
			lines = append(lines, fmt.Sprintf("%v %v", n.Out(k).DType, n.Out(k).Shape))
		}
		if n.Stored() {
			more += " style=rounded"
		}
		if root[n] {
			more += " peripheries=2"
		}
		fmt.Fprintf(&b, "\tn%d [label=%s%s]\n", i, strconv.Quote(strings.Join(lines, "\n")), more)
		if n.Stored() {
			continue
		}
		for k := range n.NumIn() {
			fmt.Fprintf(&b, "\tn%d -> n%d\n", idx.Get(n.In(k)), i)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// dotText is the first lines of a box.
func dotText(n *Node) []string {
	if n.Stored() {
		return []string{"stored"}
	}
	if k, item := n.IsTupleItem(); item {
		return []string{fmt.Sprintf("result %d", k)}
	}
	lines := []string{n.op.Name}
	if n.attr != nil {
		text := attrText(n.attr)
		const most = 60
		if r := []rune(text); len(r) > most {
			text = string(r[:most]) + "…"
		}
		lines = append(lines, text)
	}
	return lines
}
