package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/fault"
)

// LSTMForwardOptions: BatchFirst takes and gives (B, T, …) instead of (T, B, …); Reverse runs from the end. BatchSizes
// is for packed sequences of different lengths, the longest first: how many of them have each step. Their input and output
// are then (sum of BatchSizes, …).
type LSTMForwardOptions struct {
	BatchFirst bool  // input and output are (B, T, …) instead of (T, B, …)
	Reverse    bool  // from the end
	BatchSizes []int // of packed sequences, the longest first: how many have each step; input and output are then (sum of BatchSizes, …)
}

// LstmForward takes x, (T, B, in), through one layer of a long short-term memory and returns the states of all steps,
// (T, B, H), and the last state and memory, (B, H). h0 and c0, of (B, H), may be nil for zeros; weightIH is (4H, in),
// weightHH (4H, H), biases (4H) or nil; the gates are in PyTorch's order: input, forget, cell, output. With weightHR, (P, H),
// states are projected to the size P, and weightHH is (4H, P).
//
//lucid:pkg nn/functional LSTMForward
//lucid:amp half
//lucid:optional h0 c0 biasIH biasHH weightHR
func LstmForward(x, weightIH, weightHH, h0, c0, biasIH, biasHH, weightHR *Node, o LSTMForwardOptions) (output, h, c *Node) {
	l := &layer{op: "lstm_forward", a: attr.Recurrent{Cell: attr.CellLSTM, Reverse: o.Reverse}, x: x, wi: weightIH, wh: weightHH, h0: h0,
		c0: c0, bi: biasIH, bh: biasHH, proj: weightHR}
	return l.forward(o.BatchFirst, o.BatchSizes)
}

// GRUForwardOptions are as those of LstmForward.
type GRUForwardOptions struct {
	BatchFirst bool  // input and output are (B, T, …) instead of (T, B, …)
	Reverse    bool  // from the end
	BatchSizes []int // of packed sequences, the longest first: how many have each step; input and output are then (sum of BatchSizes, …)
}

// GruForward takes x, (T, B, in), through one layer of gated recurrent units and returns the states of all steps, (T, B,
// H), and the last one, (B, H). h0 may be nil for zeros; weightIH is (3H, in), weightHH (3H, H), biases (3H) or nil; the
// gates are in PyTorch's order: reset, update, new.
//
//lucid:pkg nn/functional GRUForward
//lucid:amp half
//lucid:optional h0 biasIH biasHH
func GruForward(x, weightIH, weightHH, h0, biasIH, biasHH *Node, o GRUForwardOptions) (output, h *Node) {
	l := &layer{op: "gru_forward", a: attr.Recurrent{Cell: attr.CellGRU, Reverse: o.Reverse}, x: x, wi: weightIH, wh: weightHH, h0: h0,
		bi: biasIH, bh: biasHH}
	output, h, _ = l.forward(o.BatchFirst, o.BatchSizes)
	return output, h
}

// RNNForwardOptions are as those of LstmForward; Nonlinearity is "tanh", which is meant by "", or "relu".
type RNNForwardOptions struct {
	Nonlinearity string // "tanh" (also by "") or "relu"
	BatchFirst   bool   // input and output are (B, T, …) instead of (T, B, …)
	Reverse      bool   // from the end
	BatchSizes   []int  // of packed sequences, the longest first: how many have each step; input and output are then (sum of BatchSizes, …)
}

// RnnForward takes x, (T, B, in), through one layer of an Elman network and returns the states of all steps, (T, B, H), and
// the last one, (B, H). h0 may be nil for zeros; weightIH is (H, in), weightHH (H, H), biases (H) or nil.
//
//lucid:pkg nn/functional RNNForward
//lucid:amp half
//lucid:optional h0 biasIH biasHH
func RnnForward(x, weightIH, weightHH, h0, biasIH, biasHH *Node, o RNNForwardOptions) (output, h *Node) {
	l := &layer{op: "rnn_forward", a: attr.Recurrent{Cell: elman("rnn_forward", o.Nonlinearity), Reverse: o.Reverse}, x: x, wi: weightIH,
		wh: weightHH, h0: h0, bi: biasIH, bh: biasHH}
	output, h, _ = l.forward(o.BatchFirst, o.BatchSizes)
	return output, h
}

func elman(op, nonlinearity string) attr.Cell {
	switch nonlinearity {
	case "", "tanh":
		return attr.CellTanh
	case "relu":
		return attr.CellReLU
	}
	fault.Throw(fault.Value, op, "Nonlinearity is %q; want tanh or relu", nonlinearity)
	return 0
}

// layer is a recurrent layer as its doors are given it.
type layer struct {
	op                              string
	a                               attr.Recurrent
	x, wi, wh, h0, c0, bi, bh, proj *Node
}

func (l *layer) forward(batchFirst bool, sizes []int) (y, h, c *Node) {
	batch := l.check(batchFirst, sizes)
	l.promote()
	if sizes != nil {
		return l.packed(l.x, sizes, batch)
	}
	x := l.x
	if batchFirst {
		x = Transpose(x, 0, 1)
	}
	steps := tableSize(l.op, x.Dim(0))
	y, h, c = l.packed(Reshape(x, steps*batch, x.Dim(2)), slices.Repeat([]int{batch}, steps), batch)
	y = Reshape(y, steps, batch, y.Dim(1))
	if batchFirst {
		y = Transpose(y, 0, 1)
	}
	return y, h, c
}

// packed takes packed elements through the layer.
func (l *layer) packed(x *Node, sizes []int, batch int) (y, h, c *Node) {
	hidden, state := l.wh.Dim(0)/l.a.Cell.Gates(), l.wh.Dim(1)
	h, c = l.start("h0", l.h0, batch, state), nil
	if l.a.Cell == attr.CellLSTM {
		c = l.start("c0", l.c0, batch, hidden)
	}
	if len(sizes) == 0 {
		return BroadcastTo(constLike(x, 0), 0, state), h, c
	}
	l.a.Runs, l.a.Project = attr.MakeRuns(sizes), l.proj != nil
	bias := l.bi
	if l.a.Cell == attr.CellGRU {
		l.a.Biased = l.bh != nil
	} else if bias = l.bh; bias == nil {
		bias = l.bi
	} else if l.bi != nil {
		bias = Add(l.bi, l.bh)
	}
	l.a.Input = len(sizes) > 1 && l.nearInputs(batch)
	in := []*Node{x, l.wh, h}
	if !l.a.Input {
		in[0] = Linear(x, l.wi, bias)
	}
	if c != nil {
		in = append(in, c)
	}
	if l.a.Biased {
		in = append(in, l.bh)
	}
	if l.a.Project {
		in = append(in, l.proj)
	}
	if l.a.Input {
		if bias == nil {
			bias = BroadcastTo(constLike(x, 0), l.wi.Dim(0))
		}
		in = append(in, l.wi, bias)
	}
	var out []*Node
	if len(sizes) == 1 { // nothing to go through: a product and what follows it
		out = recurrentSteps(l.a, in)
	} else {
		out = recur(l.a, in)
	}
	switch {
	case c != nil && len(out) > 2: // with the memories of all steps
		c = ends(l.a, out[1])
	case c != nil:
		c = out[1]
	}
	return out[0], ends(l.a, out[0]), c
}

// nearInputs reports whether the product with the inputs is done step by step, with the product with the state: weights
// stay in the caches from step to step, and a step has rows enough. Half types have a faster product of their own. Results
// do not depend on it: sums have the same order.
func (l *layer) nearInputs(batch int) bool {
	const rows, elems = 16, 512 << 10
	return batch >= rows && l.wh.Shape().Numel()+l.wi.Shape().Numel() <= elems && !l.x.DType().IsHalf()
}

// check refuses operands that do not fit, and returns the number of sequences.
func (l *layer) check(batchFirst bool, sizes []int) (batch int) {
	g := l.a.Cell.Gates()
	rank := 3
	if sizes != nil {
		rank = 2
	}
	x, wi, wh := l.x, l.wi, l.wh
	if x.Rank() != rank || wi.Rank() != 2 || wh.Rank() != 2 {
		want := "(T, B, in)"
		if sizes != nil {
			want = "(sum of BatchSizes, in)"
		}
		fault.Throw(fault.Shape, l.op, "the tensor has shape %v, the weights %v and %v; want %s, (%d·H, in) and (%d·H, H)", x.Shape(),
			wi.Shape(), wh.Shape(), want, g, g)
	}
	state := wh.Dim(0) / g
	if l.proj != nil {
		if l.proj.Rank() != 2 || l.proj.Dim(1) != state {
			fault.Throw(fault.Shape, l.op, "the projection has shape %v; want (P, %d)", l.proj.Shape(), state)
		}
		state = l.proj.Dim(0)
	}
	if wh.Dim(0)%g != 0 || wi.Dim(0) != wh.Dim(0) || wh.Dim(1) != state || wi.Dim(1) != x.Dim(-1) {
		fault.Throw(fault.Shape, l.op,
			"weights %v and %v for inputs %v; want (%d·H, in) and (%d·H, H), or a projection's size in place of H", wi.Shape(), wh.Shape(),
			x.Shape(), g, g)
	}
	for _, b := range []*Node{l.bi, l.bh} {
		if b != nil && (b.Rank() != 1 || b.Dim(0) != wh.Dim(0)) {
			fault.Throw(fault.Shape, l.op, "a bias has shape %v; want [%d]", b.Shape(), wh.Dim(0))
		}
	}
	realFloat(l.op, x)
	switch {
	case sizes != nil:
		n := 0
		for i, k := range sizes {
			if k < 1 || i > 0 && k > sizes[i-1] {
				fault.Throw(fault.Value, l.op, "BatchSizes are %v; want numbers from 1 on that never rise", sizes)
			}
			n += k
		}
		if len(sizes) == 0 || n != x.Dim(0) || batchFirst {
			fault.Throw(fault.Value, l.op,
				"BatchSizes %v for %d packed elements, BatchFirst %v; want their sum, and packed elements have no batch first", sizes,
				x.Dim(0), batchFirst)
		}
		return sizes[0]
	case batchFirst:
		return x.Dim(0)
	}
	return x.Dim(1)
}

// promote brings all operands to one dtype.
func (l *layer) promote() {
	all := []**Node{&l.x, &l.wi, &l.wh, &l.h0, &l.c0, &l.bi, &l.bh, &l.proj}
	ampHalf(all...)
	var given []Operand
	for _, p := range all {
		if *p != nil {
			given = append(given, *p)
		}
	}
	d := resultType(l.op, given...)
	for _, p := range all {
		*p = castMaybe(*p, d)
	}
}

// start is a state at the start, or zeros.
func (l *layer) start(name string, s *Node, batch, size int) *Node {
	switch {
	case s == nil:
		return BroadcastTo(constLike(l.x, 0), batch, size)
	case s.Rank() != 2 || s.Dim(0) != batch || s.Dim(1) != size:
		fault.Throw(fault.Shape, l.op, "%s has shape %v; want [%d %d]", name, s.Shape(), batch, size)
	}
	return s
}

// LstmCell is a step of a long short-term memory: gates is what the input gives to the gates, (B, 4H), in PyTorch's
// order: input, forget, cell, output. It returns the next state and memory, (B, H).
//
//lucid:pkg nn lstmStep
//lucid:options -
//lucid:name lstm_step
//lucid:optional bias
func LstmCell(gates, h, c, weight, bias *Node) (hNext, cNext *Node) {
	if gates.Rank() == 0 || gates.Dim(-1)%4 != 0 || h.Rank() != gates.Rank() || c.Rank() != gates.Rank() || c.Dim(-1) != gates.Dim(-1)/4 {
		fault.Throw(fault.Shape, "lstm_step",
			"gates are %v, the state %v, the memory %v; want (B, 4H), (B, H) or what it is projected to, and (B, H)", gates.Shape(),
			h.Shape(), c.Shape())
	}
	s := lstmStep(Add(gates, Linear(h, weight, bias)), c)
	return s.h, s.c
}

// GruCell is a step of a gated recurrent unit: gates is what the input gives to the gates, (B, 3H), in PyTorch's order:
// reset, update, new. It returns the next state, (B, H).
//
//lucid:pkg nn gruStep
//lucid:options -
//lucid:name gru_step
//lucid:optional bias
func GruCell(gates, h, weight, bias *Node) *Node {
	if gates.Rank() == 0 || gates.Dim(-1)%3 != 0 || h.Rank() != gates.Rank() || h.Dim(-1) != gates.Dim(-1)/3 {
		fault.Throw(fault.Shape, "gru_step", "gates are %v, the state %v; want (B, 3H) and (B, H)", gates.Shape(), h.Shape())
	}
	return gruStep(gates, Linear(h, weight, bias), h).h
}

// RNNCellOptions: Nonlinearity is "tanh", which is meant by "", or "relu".
type RNNCellOptions struct {
	Nonlinearity string // "tanh" (also by "") or "relu"
}

// RnnCell is a step of an Elman network: gates is what the input gives, (B, H). It returns the next state, (B, H).
//
//lucid:pkg nn rnnStep
//lucid:options -
//lucid:name rnn_step
//lucid:optional bias
func RnnCell(gates, h, weight, bias *Node, o RNNCellOptions) *Node {
	if gates.Rank() == 0 || h.Rank() != gates.Rank() || h.Dim(-1) != gates.Dim(-1) {
		fault.Throw(fault.Shape, "rnn_step", "gates are %v, the state %v; want both (B, H)", gates.Shape(), h.Shape())
	}
	y := Add(gates, Linear(h, weight, bias))
	if elman("rnn_step", o.Nonlinearity) == attr.CellReLU {
		return Relu(y)
	}
	return Tanh(y)
}
