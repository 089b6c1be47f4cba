package nn

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
	nninit "github.com/lucid-go/lucid/nn/init"
)

// RNNOptions say how a recurrent network is made; the zero value is PyTorch's default.
type RNNOptions struct {
	NumLayers     int          // 0 means 1
	Nonlinearity  string       // of RNN: "tanh" (default) or "relu"
	NoBias        bool         // no bias
	BatchFirst    bool         // input and output are (B, T, ...) instead of (T, B, ...)
	Dropout       float64      // between layers, in training
	Bidirectional bool         // run a second network from the end
	ProjSize      int          // of LSTM: the state is brought to this size; 0: not
	DType         lucid.DType  // of the parameters; zero: the default float
	Device        lucid.Device // of the parameters; zero: the default device
}

// recurrent is what the recurrent networks share. Its parameters have PyTorch's names: weight_ih_l0, and so on.
type recurrent struct {
	o       RNNOptions
	name    string
	gates   int
	in, hid int
	params  ordered[*lucid.Tensor]
}

func (r *recurrent) held() iter.Seq2[string, any] { return anyOf(r.params.all()) }

func (r *recurrent) init(name string, gates, in, hidden int, opts []RNNOptions) {
	r.o, r.name, r.gates, r.in, r.hid = door.Option(name, opts), name, gates, in, hidden
	if r.o.NumLayers == 0 {
		r.o.NumLayers = 1
	}
	switch {
	case in < 0 || hidden <= 0 || r.o.NumLayers < 0:
		refuse(lucid.ErrValue, name,
			"inputs of size %d, states of size %d, %d layers; want states of size 1 or more, and no negative numbers",
			in, hidden, r.o.NumLayers)
	case r.o.ProjSize < 0 || r.o.ProjSize >= hidden || r.o.ProjSize > 0 && name != "lstm":
		refuse(lucid.ErrValue, name, "ProjSize is %d, the state's size %d; only an LSTM has a projection, to less than its state",
			r.o.ProjSize, hidden)
	case !(r.o.Dropout >= 0 && r.o.Dropout <= 1):
		refuse(lucid.ErrValue, name, "Dropout is %v; want a probability, 0 to 1", r.o.Dropout)
	case name != "rnn" && r.o.Nonlinearity != "":
		refuse(lucid.ErrValue, name, "Nonlinearity is %q; only an RNN has one", r.o.Nonlinearity)
	}
	w := lucid.With{DType: r.o.DType, Device: r.o.Device}
	for l := range r.o.NumLayers {
		size := in
		if l > 0 {
			size = r.out() * r.directions()
		}
		for d := range r.directions() {
			at := suffix(l, d)
			r.params.set("weight_ih"+at, parameter(w, gates*hidden, size))
			r.params.set("weight_hh"+at, parameter(w, gates*hidden, r.out()))
			if !r.o.NoBias {
				r.params.set("bias_ih"+at, parameter(w, gates*hidden))
				r.params.set("bias_hh"+at, parameter(w, gates*hidden))
			}
			if r.o.ProjSize > 0 {
				r.params.set("weight_hr"+at, parameter(w, r.o.ProjSize, hidden))
			}
		}
	}
	b := 1 / math.Sqrt(float64(max(hidden, 1)))
	for _, t := range r.params.all() {
		nninit.Uniform_(t, -b, b)
	}
}

func suffix(layer, direction int) string {
	if direction == 1 {
		return fmt.Sprintf("_l%d_reverse", layer)
	}
	return fmt.Sprintf("_l%d", layer)
}

// out is the size of the state that is shown.
func (r *recurrent) out() int {
	if r.o.ProjSize > 0 {
		return r.o.ProjSize
	}
	return r.hid
}

func (r *recurrent) directions() int {
	if r.o.Bidirectional {
		return 2
	}
	return 1
}

// Parameter returns a parameter by PyTorch's name, such as weight_ih_l0; nil if there is none.
func (r *recurrent) Parameter(name string) *lucid.Tensor { return r.params.m[name] }

// state checks an initial state, with index 1 the cell state of an LSTM; nil, which means zeros, stays nil.
func (r *recurrent) state(s *lucid.Tensor, index, batch int) {
	size := r.out()
	if index == 1 {
		size = r.hid
	}
	want := []int{r.o.NumLayers * r.directions(), batch, size}
	if s != nil && !slices.Equal(s.Shape(), want) {
		refuse(lucid.ErrShapeMismatch, r.name, "a state has shape %v; want %v", s.Shape(), want)
	}
}

// run takes x of (T, B, in), packed sequences of these sizes, or padded ones of these lengths, through all layers. There is one state or,
// for an LSTM, state and memory, each (layers·directions, B, size) or nil.
func (r *recurrent) run(m Module, x *lucid.Tensor, start []*lucid.Tensor, sizes []int, pad *padding,
	training bool) (y *lucid.Tensor, end []*lucid.Tensor) {
	last := make([][]*lucid.Tensor, len(start))
	for l := range r.o.NumLayers {
		var outs []*lucid.Tensor
		for d := range r.directions() {
			st := make([]*lucid.Tensor, len(start))
			for i, s := range start {
				if s != nil {
					st[i] = s.At(l*r.directions() + d)
				}
			}
			out, st := r.layer(m, x, st, sizes, pad, suffix(l, d), d == 1)
			outs = append(outs, out)
			for i := range st {
				last[i] = append(last[i], st[i])
			}
		}
		x = outs[0]
		if len(outs) == 2 {
			x = lucid.Cat(outs, -1)
		}
		if r.o.Dropout > 0 && l+1 < r.o.NumLayers {
			x = F.Dropout(x, F.DropoutOptions{P: &r.o.Dropout, Eval: !training})
		}
	}
	for _, s := range last {
		end = append(end, lucid.Stack(s, 0))
	}
	return x, end
}

// layer takes sequences through one layer in one direction.
func (r *recurrent) layer(m Module, x *lucid.Tensor, st []*lucid.Tensor, sizes []int, pad *padding, at string,
	back bool) (*lucid.Tensor, []*lucid.Tensor) {
	use := func(name string) *lucid.Tensor { return Use(m, r.params.m[name+at]) }
	wi, wh, bi, bh := use("weight_ih"), use("weight_hh"), use("bias_ih"), use("bias_hh")
	if pad != nil {
		return pad.layer(r, x, wi, back, func(x, wi *lucid.Tensor) (*lucid.Tensor, []*lucid.Tensor) {
			return r.steps(x, st, sizes, wi, wh, bi, bh, use("weight_hr"), false)
		})
	}
	return r.steps(x, st, sizes, wi, wh, bi, bh, use("weight_hr"), back)
}

// steps takes sequences through the steps of one layer with these parameters.
func (r *recurrent) steps(x *lucid.Tensor, st []*lucid.Tensor, sizes []int, wi, wh, bi, bh, wr *lucid.Tensor,
	back bool) (*lucid.Tensor, []*lucid.Tensor) {
	switch r.name {
	case "gru":
		y, h := F.GRUForward(x, wi, wh, F.GRUForwardOptions{H0: st[0], BiasIH: bi, BiasHH: bh, Reverse: back, BatchSizes: sizes})
		return y, []*lucid.Tensor{h}
	case "lstm":
		y, h, c := F.LSTMForward(x, wi, wh, F.LSTMForwardOptions{H0: st[0], C0: st[1], BiasIH: bi, BiasHH: bh, WeightHR: wr,
			Reverse: back, BatchSizes: sizes})
		return y, []*lucid.Tensor{h, c}
	}
	y, h := F.RNNForward(x, wi, wh, F.RNNForwardOptions{H0: st[0], BiasIH: bi, BiasHH: bh, Nonlinearity: r.o.Nonlinearity,
		Reverse: back, BatchSizes: sizes})
	return y, []*lucid.Tensor{h}
}

// forward arranges x and the states, which may be nil, as run wants them, and its results as x was.
func (r *recurrent) forward(m Module, x *lucid.Tensor, start []*lucid.Tensor, training bool) (*lucid.Tensor, []*lucid.Tensor) {
	alone := x.Dim() == 2
	if !alone && x.Dim() != 3 || x.Size(-1) != r.in {
		refuse(lucid.ErrShapeMismatch, r.name, "x has shape %v; want 2 or 3 dimensions, the last of size %d", x.Shape(), r.in)
	}
	if alone {
		x = x.Unsqueeze(1)
	} else if r.o.BatchFirst {
		x = x.Permute(1, 0, 2)
	}
	if x.Size(0) == 0 {
		refuse(lucid.ErrShapeMismatch, r.name, "x has shape %v: a sequence without steps; want one or more", x.Shape())
	}
	st := make([]*lucid.Tensor, len(start))
	for i, s := range start {
		if s != nil && alone {
			s = s.Unsqueeze(1)
		}
		r.state(s, i, x.Size(1))
		st[i] = s
	}
	y, end := r.run(m, x, st, nil, nil, training)
	if alone {
		y = owned(y.Reshape(y.Size(0), y.Size(2)))
		for i, s := range end {
			end[i] = owned(s.Reshape(s.Size(0), s.Size(2)))
		}
	} else if r.o.BatchFirst {
		y = owned(y.Permute(1, 0, 2))
	}
	return y, end
}

// RNN is an Elman network over sequences.
type RNN struct {
	Base
	recurrent
}

// NewRNN returns it for sizes of input and state.
func NewRNN(in, hidden int, opts ...RNNOptions) *RNN {
	m := &RNN{}
	m.init("rnn", 1, in, hidden, opts)
	checkNonlinearity("rnn", m.o.Nonlinearity)
	return m
}

// Forward takes x of (T, B, in), or (T, in), and the state at the start, nil for zeros, to the states of all steps and
// the last ones of all layers.
func (m *RNN) Forward(x, h *lucid.Tensor) (y, hn *lucid.Tensor) {
	in := EnterN(m, x, h)
	y, end := m.forward(m, in[0], in[1:], m.Training())
	out := LeaveN(m, in, y, end[0])
	return out[0], out[1]
}

// GRU is a gated recurrent network over sequences.
type GRU struct {
	Base
	recurrent
}

// NewGRU returns it for sizes of input and state.
func NewGRU(in, hidden int, opts ...RNNOptions) *GRU {
	m := &GRU{}
	m.init("gru", 3, in, hidden, opts)
	return m
}

// Forward takes x of (T, B, in), or (T, in), and the state at the start, nil for zeros, to the states of all steps and
// the last ones of all layers.
func (m *GRU) Forward(x, h *lucid.Tensor) (y, hn *lucid.Tensor) {
	in := EnterN(m, x, h)
	y, end := m.forward(m, in[0], in[1:], m.Training())
	out := LeaveN(m, in, y, end[0])
	return out[0], out[1]
}

// LSTM is a long short-term memory over sequences.
type LSTM struct {
	Base
	recurrent
}

// NewLSTM returns it for sizes of input and state.
func NewLSTM(in, hidden int, opts ...RNNOptions) *LSTM {
	m := &LSTM{}
	m.init("lstm", 4, in, hidden, opts)
	return m
}

// Forward takes x of (T, B, in), or (T, in), and state and memory at the start, nil for zeros, to the states of all
// steps and the last states and memories of all layers.
func (m *LSTM) Forward(x, h, c *lucid.Tensor) (y, hn, cn *lucid.Tensor) {
	in := EnterN(m, x, h, c)
	y, end := m.forward(m, in[0], in[1:], m.Training())
	out := LeaveN(m, in, y, end[0], end[1])
	return out[0], out[1], out[2]
}
