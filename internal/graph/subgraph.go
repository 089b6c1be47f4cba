package graph

import "slices"

// Subgraph is a recorded computation that can be recorded again over other inputs. It holds no node, and so no value:
// Checkpoint rematerialises with it, and control flow owns one for every branch and body.
type Subgraph struct {
	In, Out []Spec
	steps   []subStep
	outs    []int
}

// subStep is one recorded op: enough to record it again over other inputs.
type subStep struct {
	op Recipe
	in []int // step numbers; inputs of the whole come first
}

// NewSubgraph records what is between args and outs. Nodes for which inside is false are captured: they become inputs too,
// behind the arguments, and are returned.
func NewSubgraph(outs, args []*Node, inside func(*Node) bool) (s *Subgraph, captured []*Node) {
	number := map[*Node]int{}
	for i, a := range args {
		number[a] = i
	}
	isArg := func(n *Node) bool { _, ok := number[n]; return ok }
	visit := func(n *Node) bool { return !isArg(n) && inside(n) }
	var idx Index
	idx.PostOrder(outs, visit)
	inputs := slices.Clone(args)
	for _, n := range idx.Nodes {
		if !isArg(n) && !inside(n) {
			number[n] = len(inputs)
			inputs = append(inputs, n)
			captured = append(captured, n)
		}
	}
	s = &Subgraph{In: specsOf(inputs), Out: specsOf(outs)}
	for _, n := range idx.Nodes {
		if isArg(n) {
			continue
		}
		st := subStep{op: RecipeOf(n)}
		for k := range n.NumIn() {
			st.in = append(st.in, number[n.In(k)])
		}
		number[n] = len(inputs) + len(s.steps)
		s.steps = append(s.steps, st)
	}
	for _, o := range outs {
		s.outs = append(s.outs, number[o])
	}
	return s, captured
}

func specsOf(nodes []*Node) []Spec {
	list := make([]Spec, len(nodes))
	for i, n := range nodes {
		list[i] = Spec{n.shape, n.dtype}
	}
	return list
}

// Over records the subgraph over other inputs of the same specs.
func (s *Subgraph) Over(in []*Node) []*Node {
	val := slices.Clone(in)
	for _, st := range s.steps {
		args := make([]*Node, len(st.in))
		for k, i := range st.in {
			args[k] = val[i]
		}
		val = append(val, st.op.Over(args))
	}
	outs := make([]*Node, len(s.outs))
	for i, o := range s.outs {
		outs[i] = val[o]
	}
	return outs
}

// Size is the number of recorded ops.
func (s *Subgraph) Size() int { return len(s.steps) }
