package ops

import "github.com/lucid-go/lucid/internal/fault"

// LstmForwardOptions: BatchFirst takes and gives (B, T, …) instead of (T, B, …); Reverse runs from the end.
type LstmForwardOptions struct{ BatchFirst, Reverse bool }

// LstmForward takes x, (T, B, in), through one layer of a long short-term memory and returns the states of all steps,
// (T, B, H), and the last state and memory, (B, H). h0 and c0, of (B, H), may be nil for zeros; weightIH is (4H, in),
// weightHH (4H, H), biases (4H) or nil; the gates are in PyTorch's order: input, forget, cell, output.
//
//lucid:func LSTMForward
//lucid:optional h0 c0 biasIH biasHH
func LstmForward(x, weightIH, weightHH, h0, c0, biasIH, biasHH *Node, o LstmForwardOptions) (output, h, c *Node) {
	const op = "lstm_forward"
	if x.Rank() != 3 || weightIH.Rank() != 2 || weightHH.Rank() != 2 {
		fault.Throw(fault.Shape, op, "the tensor has shape %v, the weights %v and %v; want (T, B, in), (4H, in) and (4H, H)", x.Shape(), weightIH.Shape(), weightHH.Shape())
	}
	hidden := weightHH.Dim(-1)
	if weightIH.Dim(0) != 4*hidden || weightHH.Dim(0) != 4*hidden || weightIH.Dim(1) != x.Dim(2) {
		fault.Throw(fault.Shape, op, "weights %v and %v for inputs %v; want (4H, in) and (4H, H)", weightIH.Shape(), weightHH.Shape(), x.Shape())
	}
	realFloat(op, x)
	if o.BatchFirst {
		x = Transpose(x, 0, 1)
	}
	start := func(name string, s *Node) *Node {
		switch {
		case s == nil:
			return BroadcastTo(constLike(x, 0), x.Dim(1), hidden)
		case s.Rank() != 2 || s.Dim(0) != x.Dim(1) || s.Dim(1) != hidden:
			fault.Throw(fault.Shape, op, "%s has shape %v; want [%d %d]", name, s.Shape(), x.Dim(1), hidden)
		}
		return s
	}
	h, c = start("h0", h0), start("c0", c0)
	bias := biasIH
	switch {
	case bias == nil:
		bias = biasHH
	case biasHH != nil:
		bias = Add(biasIH, biasHH)
	}
	outs := make([]*Node, x.Dim(0))
	var gates []*Node // what the inputs give, of all steps at once
	if len(outs) > 0 {
		gates = Unbind(Linear(x, weightIH, bias), 0)
	}
	for i := range outs {
		t := i
		if o.Reverse {
			t = len(outs) - 1 - i
		}
		h, c = LstmCell(gates[t], h, c, weightHH, nil)
		outs[t] = h
	}
	if len(outs) == 0 {
		output = BroadcastTo(constLike(x, 0), 0, x.Dim(1), hidden)
	} else {
		output = Stack(outs, 0)
	}
	if o.BatchFirst {
		output = Transpose(output, 0, 1)
	}
	return output, h, c
}

// LstmCell is a step of a long short-term memory: gates is what the input gives to the gates, (B, 4H), in PyTorch's
// order: input, forget, cell, output. It returns the next state and memory, (B, H).
//
//lucid:func LSTMStep
//lucid:name lstm_step
//lucid:optional bias
func LstmCell(gates, h, c, weight, bias *Node) (hNext, cNext *Node) {
	if gates.Rank() == 0 || gates.Dim(-1)%4 != 0 || h.Rank() != gates.Rank() || c.Rank() != gates.Rank() || c.Dim(-1) != gates.Dim(-1)/4 {
		fault.Throw(fault.Shape, "lstm_step", "gates are %v, the state %v, the memory %v; want (B, 4H), (B, H) or what it is projected to, and (B, H)", gates.Shape(), h.Shape(), c.Shape())
	}
	p := Chunk(Add(gates, Linear(h, weight, bias)), 4, -1)
	cNext = Add(Mul(Sigmoid(p[1]), c), Mul(Sigmoid(p[0]), Tanh(p[2])))
	return Mul(Sigmoid(p[3]), Tanh(cNext)), cNext
}
