package nn

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/ops"
	F "github.com/lucid-go/lucid/nn/functional"
	nninit "github.com/lucid-go/lucid/nn/init"
)

// RNNCellOptions say how a cell is made; the zero value is PyTorch's default.
type RNNCellOptions struct {
	NoBias       bool         // no bias
	Nonlinearity string       // of RNNCell: "tanh" (default) or "relu"
	DType        lucid.DType  // of the parameters; zero: the default float
	Device       lucid.Device // of the parameters; zero: the default device
}

// gates is what the cells share: weights of input and state, of as many gates as the kind has.
type gates struct {
	WeightIh, WeightHh, BiasIh, BiasHh *lucid.Tensor
}

func (g *gates) init(o RNNCellOptions, n, in, hidden int) {
	w := lucid.With{DType: o.DType, Device: o.Device}
	g.WeightIh, g.WeightHh = parameter(w, n*hidden, in), parameter(w, n*hidden, hidden)
	if !o.NoBias {
		g.BiasIh, g.BiasHh = parameter(w, n*hidden), parameter(w, n*hidden)
	}
	b := 1 / math.Sqrt(float64(max(hidden, 1)))
	for _, t := range []*lucid.Tensor{g.WeightIh, g.WeightHh, g.BiasIh, g.BiasHh} {
		if t != nil {
			nninit.Uniform_(t, -b, b)
		}
	}
}

// state returns h, whose shape it checks, or zeros for x, which is (B, in) or (in).
func (g *gates) state(x, h *lucid.Tensor) *lucid.Tensor {
	s := x.Shape()
	if len(s) != 1 && len(s) != 2 || s[len(s)-1] != g.WeightIh.Size(1) {
		refuse(lucid.ErrShapeMismatch, "rnn_cell", "x has shape %v; want (B, %d) or (%d)", s, g.WeightIh.Size(1), g.WeightIh.Size(1))
	}
	s[len(s)-1] = g.WeightHh.Size(1)
	if h == nil {
		return x.Detach().NewZeros(s...)
	}
	if !slices.Equal(h.Shape(), s) {
		refuse(lucid.ErrShapeMismatch, "rnn_cell", "a state has shape %v; want %v", h.Shape(), s)
	}
	return h
}

// RNNCell is one step of an Elman network.
type RNNCell struct {
	Base
	gates
	nonlinearity string
}

// NewRNNCell returns it for sizes of input and state.
func NewRNNCell(in, hidden int, opts ...RNNCellOptions) *RNNCell {
	o := door.Option("rnn_cell", opts)
	checkNonlinearity("rnn_cell", o.Nonlinearity)
	m := &RNNCell{nonlinearity: o.Nonlinearity}
	m.init(o, 1, in, hidden)
	return m
}

func checkNonlinearity(op, name string) {
	if name != "" && name != "tanh" && name != "relu" {
		refuse(lucid.ErrValue, op, "Nonlinearity is %q; want tanh or relu", name)
	}
}

// input is what x gives to the gates.
func (g *gates) input(m Module, x *lucid.Tensor) *lucid.Tensor {
	return F.Linear(x, Use(m, g.WeightIh), F.LinearOptions{Bias: Use(m, g.BiasIh)})
}

// Forward returns the next state for x of (B, in) or (in); h may be nil for zeros.
func (m *RNNCell) Forward(x, h *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, m.state(x, h))
	return LeaveN(m, in, rnnStep(m.input(m, in[0]), in[1], Use(m, m.WeightHh), Use(m, m.BiasHh),
		ops.RNNCellOptions{Nonlinearity: m.nonlinearity}))[0]
}

// LSTMCell is one step of a long short-term memory.
type LSTMCell struct {
	Base
	gates
}

// NewLSTMCell returns it for sizes of input and state.
func NewLSTMCell(in, hidden int, opts ...RNNCellOptions) *LSTMCell {
	m := &LSTMCell{}
	m.init(door.Option("lstm_cell", opts), 4, in, hidden)
	return m
}

// Forward returns the next state and memory for x of (B, in) or (in); h and c may be nil for zeros.
func (m *LSTMCell) Forward(x, h, c *lucid.Tensor) (h2, c2 *lucid.Tensor) {
	in := EnterN(m, x, m.state(x, h), m.state(x, c))
	h2, c2 = lstmStep(m.input(m, in[0]), in[1], in[2], Use(m, m.WeightHh), Use(m, m.BiasHh))
	out := LeaveN(m, in, h2, c2)
	return out[0], out[1]
}

// GRUCell is one step of a gated recurrent unit.
type GRUCell struct {
	Base
	gates
}

// NewGRUCell returns it for sizes of input and state.
func NewGRUCell(in, hidden int, opts ...RNNCellOptions) *GRUCell {
	m := &GRUCell{}
	m.init(door.Option("gru_cell", opts), 3, in, hidden)
	return m
}

// Forward returns the next state for x of (B, in) or (in); h may be nil for zeros.
func (m *GRUCell) Forward(x, h *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, m.state(x, h))
	return LeaveN(m, in, gruStep(m.input(m, in[0]), in[1], Use(m, m.WeightHh), Use(m, m.BiasHh)))[0]
}
