package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
)

// recurrent takes packed sequences, N elements in all, through one layer. Its inputs are what the layer's inputs give to the
// gates, biases and all, (N, gates·H); the weight of the state, (gates·H, P); the state at the start, (B, P); an LSTM's
// memory at the start, (B, H); a GRU's bias of the state, (gates·H), if it is Biased; an LSTM's projection, (P, H), if
// it has one; P is H if not. If Input says so, the first is the layer's inputs themselves, (N, in), and behind all others
// are their weight, (gates·H, in), and bias, (gates·H). Its results are the states, (N, P), and an LSTM's last memories, (B, H). If Keep
// says so there is instead what the gradient reads: an LSTM's memories of all steps, (N, H), or a GRU's part of the third gate that comes
// from the state; and the gates of both, (N, gates·H).
//
// recurrent_grad gives the cotangents of the gates, (N, gates·H), of the state at the start and of an LSTM's memory there;
// then of a GRU's retained part, (N, H), or of the states with all that reached them, (N, P), if there is a projection. Its
// inputs: see gradIn. Gradients of weights are products of these with states, outside.
//
// What they mean is written with other ops in recurrent_steps.go; derivatives beyond the first go through that.
var opRecurrent, opRecurrentGrad *graph.Op

func init() {
	opRecurrent = graph.Register(graph.Op{Name: "recurrent", Version: 1, Kind: graph.Contract,
		Inputs: graph.Between(3, 8), Validate: rule(validateRecurrent),
		AMP: graph.AMPHalf, SavesIn: 127, SavesOut: true, FLOPs: recurrentFLOPs,
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			r := readLayer(a, in)
			n, d := in[0].Dim(0), in[0].DType()
			of := func(cols int) graph.Spec {
				return graph.Spec{Shape: shape.Of("recurrent", n, cols), DType: d}
			}
			out := []graph.Spec{of(r.h0.Dim(1))}
			switch {
			case r.a.Keep && r.a.Cell.Gates() > 1:
				out = append(out, of(r.hidden()), of(r.w.Dim(0)))
			case r.c0 != nil:
				out = append(out, graph.Spec{Shape: r.c0.Shape(), DType: d})
			}
			return out
		},
		VJP: recurrentVJP,
		JVP: func(n *Node, tan []*Node) []*Node {
			return Push(func(in []*Node) []*Node { return recurrentSteps(n.Attr(), in) }, n.Ins(), tan)
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			a := n.Attr().(attr.Recurrent)
			weights := []int{1}
			for i := 3; i < len(in); i++ {
				if i > 3 || a.Cell != attr.CellLSTM {
					weights = append(weights, i)
				}
			}
			return vmapLayer(n, in, batched, size, weights, recurrentSteps)
		}})
	opRecurrentGrad = graph.Register(graph.Op{Name: "recurrent_grad", Version: 1, Kind: graph.Contract,
		Inputs: graph.Between(3, 7), Validate: rule(validateRecurrentGrad),
		SavesIn: 127, InPlace: 1,
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			r := readGrad(a, in)
			like := func(x *Node) graph.Spec { return graph.Spec{Shape: x.Shape(), DType: x.DType()} }
			b := 0
			if r.a.Runs.Len() > 0 {
				b = r.a.Runs.At(0)
			}
			start := graph.Spec{Shape: shape.Of("recurrent_grad", b, r.w.Dim(1)), DType: r.dy.DType()}
			out := []graph.Spec{like(in[0]), start}
			switch {
			case r.a.Cell == attr.CellGRU:
				out = append(out, like(r.c))
			case r.a.Cell == attr.CellLSTM:
				out = append(out, like(r.c0))
				if r.a.Project {
					out = append(out, like(r.dy))
				}
			}
			return out
		},
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			return Pull(func(in []*Node) []*Node { return recurrentGradSteps(n.Attr(), in) }, n.Ins(), cot, need)
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			return Push(func(in []*Node) []*Node { return recurrentGradSteps(n.Attr(), in) }, n.Ins(), tan)
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			weights := []int{1}
			if n.Attr().(attr.Recurrent).Project {
				weights = append(weights, 5)
			}
			return vmapLayer(n, in, batched, size, weights, recurrentGradSteps)
		}})
}

// vmapLayer makes the extra axis part of the sequences: each becomes several, one after the other. Where weights are mapped
// too it goes step by step.
func vmapLayer(n *Node, in []*Node, batched []bool, size int, weights []int, steps func(attr.Attr, []*Node) []*Node) []*Node {
	for _, i := range weights {
		if batched[i] {
			return Vectorise(func(in []*Node) []*Node { return steps(n.Attr(), in) }, in, batched, size)
		}
	}
	fixed := map[int]bool{}
	for _, i := range weights {
		fixed[i] = true
	}
	list := make([]*Node, len(in))
	for i, x := range in {
		if list[i] = x; fixed[i] {
			continue
		}
		if !batched[i] {
			x = broadcastTo(x, batchShape("recurrent", x.Shape(), size))
		}
		list[i] = Reshape(Transpose(x, 0, 1), x.Dim(1)*size, x.Dim(2))
	}
	a := n.Attr().(attr.Recurrent)
	a.Runs = a.Scaled(size)
	out := graph.TupleItems(graph.New(n.Op(), a, list...))
	for i, one := range graph.TupleItems(n) {
		out[i] = Transpose(Reshape(out[i], one.Dim(0), size, one.Dim(1)), 0, 1)
	}
	return out
}

// recur records the layer. What only a gradient reads is made where one may come.
func recur(a attr.Recurrent, in []*Node) []*Node {
	for _, x := range in {
		a.Keep = a.Keep || x.Level() != nil || x.Tape() && !scope.Current().NoGrad
	}
	return graph.TupleItems(apply(opRecurrent, a, in...))
}

func recurrentVJP(n *Node, cot []*Node, need []bool) []*Node {
	a := n.Attr().(attr.Recurrent)
	out := graph.TupleItems(n)
	first := 2 // what is stored for the gradient begins here
	if a.Cell == attr.CellGRU {
		first = 1
	}
	for i := first; i < len(cot) && a.Keep; i++ {
		if cot[i] != nil { // a derivative of the gradient comes back to what it read
			return Pull(func(in []*Node) []*Node { return recurrentSteps(a, in) }, n.Ins(), cot, need)
		}
	}
	if a.Cell.Gates() > 1 && !a.Keep { // recorded where no gradient was in sight
		a.Keep = true
		out = graph.TupleItems(graph.New(opRecurrent, a, n.Ins()...))
		if len(cot) > 1 && cot[1] != nil { // of the last memories
			last := func(in []*Node) []*Node { return []*Node{ends(a, in[0])} }
			cot = append(cot[:1:1], Pull(last, out[1:2], cot[1:], []bool{true})...)
		}
	}
	r := readLayer(a, n.Ins())
	dy := cot[0]
	if dy == nil {
		dy = zerosLike(out[0])
	}
	a.Biased, a.Input = false, false
	var in []*Node
	switch a.Cell {
	case attr.CellLSTM:
		in = []*Node{out[2], r.w, out[1], r.c0, dy}
		if a.Project {
			in = append(in, r.proj)
		}
		if a.Memory = cot[1] != nil; a.Memory {
			in = append(in, cot[1])
		}
	case attr.CellGRU:
		in = []*Node{out[2], r.w, out[1], r.h0, dy, out[0]}
	default:
		in = []*Node{out[0], r.w, dy}
	}
	a.Keep = false
	g := graph.TupleItems(graph.New(opRecurrentGrad, a, in...))
	res := []*Node{g[0], nil, g[1]}
	if a.Cell == attr.CellLSTM {
		res = append(res, g[2])
	}
	if need[1] {
		res[1] = stateWeight(a, g, r.h0, out[0])
	}
	if r.bias != nil {
		var db *Node
		if need[3] {
			db = concat([]*Node{sumKeep(SliceDim(g[0], 1, 0, 2*r.hidden(), 1), []int{0}, false), sumKeep(g[2], []int{0}, false)}, 0)
		}
		res = append(res, db)
	}
	if r.proj != nil {
		var dp *Node
		if need[4] {
			o := SliceDim(out[2], 1, 3*r.hidden(), r.hidden(), 1)
			dp = contract(swapLast(g[3]), Mul(o, Tanh(out[1])))
		}
		res = append(res, dp)
	}
	if r.x != nil {
		res = append(res, nil, nil)
		res = r.inputGrads(res, g[0], need)
	}
	return res
}

// inputGrads puts the cotangents of the layer's inputs, of their weight and of its bias where they belong; dgates are those of
// the gates.
func (r layerIn) inputGrads(res []*Node, dgates *Node, need []bool) []*Node {
	last := len(res) - 1
	if res[0] = nil; need[0] {
		res[0] = contract(dgates, r.wi)
	}
	if need[last-1] {
		res[last-1] = contract(swapLast(dgates), r.x)
	}
	if need[last] {
		res[last] = sumKeep(dgates, []int{0}, false)
	}
	return res
}

// stateWeight is the gradient of the state's weight: the gates' cotangents times the states before them, of all steps.
func stateWeight(a attr.Recurrent, g []*Node, h0, y *Node) *Node {
	var prior *Node // for the gates that have a weight of their own too
	if !a.Uniform() {
		prior = before(a, h0, y)
	}
	of := func(d *Node) *Node {
		if prior != nil {
			return contract(swapLast(d), prior)
		}
		b, n := h0.Dim(0), y.Dim(0)
		from, to, at := b, 0, 0 // where cotangents and states begin, and the cotangents next to h0
		if a.Reverse {
			from, to, at = 0, b, n-b
		}
		later := contract(swapLast(SliceDim(d, 0, from, n-b, 1)), SliceDim(y, 0, to, n-b, 1))
		if isZeros(h0) {
			return later
		}
		return Add(later, contract(swapLast(SliceDim(d, 0, at, b, 1)), h0))
	}
	if a.Cell != attr.CellGRU {
		return of(g[0])
	}
	return concat([]*Node{of(SliceDim(g[0], 1, 0, 2*h0.Dim(1), 1)), of(g[2])}, 0)
}
