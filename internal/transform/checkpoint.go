package transform

import (
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/scope"
)

// Checkpoint shows the outputs of f under rules that compute f's inside again when a gradient asks for it, so that
// nothing in between is stored: inputs and outputs are stored when they are computed, other values only if they are read, whatever
// handles f leaves behind for the collector.
func Checkpoint(f func(in []*Node) []*Node, in []*Node) []*Node {
	epoch := graph.BeginEpoch()
	level := graph.NewLevel(nil)
	defer level.Close() // also when f panics
	args := make([]*Node, len(in))
	var outs, inputs []*Node
	var rec *graph.Subgraph
	scope.With(func(s *scope.State) { s.CheckpointLevel, s.NoGrad, s.Stop = level, true, false }, func() {
		for i, x := range in {
			args[i] = ops.StopGradient(x)
			args[i].SetLevel(level)
		}
		if outs = f(args); len(outs) > 0 {
			var captured []*Node
			rec, captured = graph.NewSubgraph(outs, args, func(n *Node) bool { return n.Since(epoch) && n.NumIn() > 0 })
			inputs = append(args, captured...)
		}
	})
	if len(outs) == 0 { // it failed, or gave no tensor
		return nil
	}
	copy(inputs, in)
	for _, edge := range [][]*Node{inputs, outs} {
		for _, n := range edge {
			n.MarkCheckpointBoundary()
		}
	}
	r := &ops.Rules{Name: "checkpoint", In: len(inputs), Same: true,
		VJP: func(in, _, cot []*Node, need []bool) []*Node { return pull(rec.Over, in, cot, need) },
		JVP: func(in, tan []*Node) []*Node { return push(rec.Over, in, tan) }}
	return ops.WithRules(r, inputs, outs)
}

func init() { ops.Pull, ops.Push = pull, push }

// pull records f over the inputs and carries cotangents through it.
func pull(f func([]*Node) []*Node, in, cot []*Node, need []bool) []*Node {
	level := graph.NewLevel(levelOf(in, cot))
	defer level.Close()
	fresh := barrier(in, need, level)
	outs := seen(f, fresh)
	var wanted []*Node
	for i, x := range fresh {
		if need[i] {
			wanted = append(wanted, x)
		}
	}
	p := Pullback{See: OnLevel}
	grads := p.Run(outs, cot, wanted)
	graph.Discard(outs, grads)
	res := make([]*Node, len(in))
	for i := range res {
		if need[i] {
			res[i], grads = grads[0], grads[1:]
		}
	}
	return res
}

// push records f over the inputs and carries tangents through it.
func push(f func([]*Node) []*Node, in, tan []*Node) []*Node {
	level := graph.NewLevel(levelOf(in, tan))
	level.Forward = true
	defer level.Close()
	fresh := barrier(in, nil, level)
	return Pushforward(seen(f, fresh), fresh, tan)
}

// seen runs f so that its inside is differentiated, also if the gradient is asked for inside NoGrad.
func seen(f func([]*Node) []*Node, in []*Node) (outs []*Node) {
	if !scope.Current().Stop {
		return f(in)
	}
	scope.With(func(s *scope.State) { s.Stop = false }, func() { outs = f(in) })
	return outs
}

// barrier shows the inputs through nodes of their own, which no simplification may merge with the first computation;
// those not needed, unless need is nil, do not vary on the level.
func barrier(in []*Node, need []bool, level *graph.Level) []*Node {
	fresh := make([]*Node, len(in))
	for i, x := range in {
		fresh[i] = x
		if x.DType().IsInexact() && !x.IsConst() {
			fresh[i] = ops.Barrier(x)
			if need == nil || need[i] {
				fresh[i].SetLevel(level)
			}
		}
	}
	return fresh
}

// levelOf returns the innermost open transform of any of the nodes.
func levelOf(lists ...[]*Node) *graph.Level {
	var l *graph.Level
	for _, ns := range lists {
		for _, n := range ns {
			if n != nil {
				l = graph.Deeper(l, n.Level())
			}
		}
	}
	return l
}
