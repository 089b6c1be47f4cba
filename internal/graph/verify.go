package graph

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/fault"
)

// Verify checks what must hold of every graph: a node has its value or its inputs, inputs come before consumers,
// references cover the edges, specs are those that Infer gives, items show outputs of tuples. check, if given, adds what
// the caller knows of ops. It is for tests: transforms and passes must leave graphs that pass.
func Verify(roots []*Node, check func(n *Node) error) error {
	var idx Index
	idx.PostOrder(roots, func(n *Node) bool { return !n.Stored() && !n.IsPlaceholder() })
	edges := make([]int, len(idx.Nodes))
	for i, n := range idx.Nodes {
		if err := n.verify(); err != nil {
			return fmt.Errorf("node %d, %s %v %v: %w\n%s", i, n.op.Name, n.dtype, n.shape, err, Dump(roots...))
		}
		if n.Stored() || n.IsPlaceholder() {
			continue
		}
		for k := range n.NumIn() {
			j := idx.Get(n.In(k))
			if j < 0 || j >= i {
				return fmt.Errorf("node %d, %s: input %d is number %d\n%s", i, n.op.Name, k, j, Dump(roots...))
			}
			edges[j]++
		}
		if check != nil {
			if err := check(n); err != nil {
				return fmt.Errorf("node %d: %w\n%s", i, err, Dump(roots...))
			}
		}
	}
	for i, n := range idx.Nodes {
		if n.Refs() < edges[i] {
			return fmt.Errorf("node %d, %s: %d references for %d edges", i, n.op.Name, n.Refs(), edges[i])
		}
	}
	return nil
}

func (n *Node) verify() error {
	switch {
	case n.Refs() < 0:
		return fmt.Errorf("%d references", n.Refs())
	case n.shape == nil || !n.dtype.Valid():
		return fmt.Errorf("no spec")
	case n.Stored() || n.IsPlaceholder():
		return nil
	case n.NumIn() == 0 && n.op.Kind != Source && n.op.Kind != Random:
		return fmt.Errorf("neither value nor inputs")
	}
	if k, ok := n.IsTupleItem(); ok {
		m := n.In(0)
		if !m.IsTuple() || k < 0 || k >= m.NumOut() || !m.Out(k).equal(Spec{n.shape, n.dtype}) {
			return fmt.Errorf("not output %d of %s", k, m.op.Name)
		}
		return nil
	}
	var specs []Spec
	if err := fault.Catch(func() { specs = n.op.Infer(n.attr, n.Ins()) }); err != nil {
		return err
	}
	if len(specs) != n.NumOut() {
		return fmt.Errorf("%d outputs, Infer says %d", n.NumOut(), len(specs))
	}
	for k, s := range specs {
		if !s.equal(n.Out(k)) {
			return fmt.Errorf("output %d is %v %v, Infer says %v %v", k, n.Out(k).DType, n.Out(k).Shape, s.DType, s.Shape)
		}
	}
	return nil
}

func (s Spec) equal(t Spec) bool { return s.DType == t.DType && s.Shape.Equal(t.Shape) }
