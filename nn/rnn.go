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
	NumLayers     int    // 0 means 1
	Nonlinearity  string // of RNN: "tanh" (default) or "relu"
	NoBias        bool
	BatchFirst    bool    // input and output are (B, T, ...) instead of (T, B, ...)
	Dropout       float64 // between layers, in training
	Bidirectional bool
	ProjSize      int // of LSTM: the state is brought to this size; 0: not
	DType         lucid.DType
	Device        lucid.Device
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
	if r.o.NumLayers < 0 || r.o.ProjSize < 0 || r.o.ProjSize >= hidden || r.o.ProjSize > 0 && name != "lstm" || !(r.o.Dropout >= 0 && r.o.Dropout <= 1) {
		refuse(lucid.ErrValue, name, "%d layers, ProjSize %d, dropout %v; only an LSTM has a projection, smaller than its state", r.o.NumLayers, r.o.ProjSize, r.o.Dropout)
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
		nninit.Uniform(t, -b, b)
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

// state returns the state at the start, or with place 1 the memory: s, whose shape it checks, or zeros like x.
func (r *recurrent) state(x, s *lucid.Tensor, place, batch int) *lucid.Tensor {
	size := r.out()
	if place == 1 {
		size = r.hid
	}
	want := []int{r.o.NumLayers * r.directions(), batch, size}
	if s == nil {
		return x.Detach().NewZeros(want...)
	}
	if !slices.Equal(s.Shape(), want) {
		refuse(lucid.ErrShapeMismatch, r.name, "a state has shape %v; want %v", s.Shape(), want)
	}
	return s
}

// run takes x of (T, B, in) through all layers. There is one state or, for an LSTM, state and memory, each
// (layers·directions, B, size). live, if given, is (T, B, 1) and says where a sequence is not yet at its end.
func (r *recurrent) run(m Module, x *lucid.Tensor, start []*lucid.Tensor, live *lucid.Tensor, training bool) (y *lucid.Tensor, end []*lucid.Tensor) {
	last := make([][]*lucid.Tensor, len(start))
	for l := range r.o.NumLayers {
		var outs []*lucid.Tensor
		for d := range r.directions() {
			st := make([]*lucid.Tensor, len(start))
			for i, s := range start {
				st[i] = s.At(l*r.directions() + d)
			}
			out, st := r.layer(m, x, st, live, suffix(l, d), d == 1)
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

// layer takes a sequence through one layer in one direction.
func (r *recurrent) layer(m Module, x *lucid.Tensor, st []*lucid.Tensor, live *lucid.Tensor, at string, back bool) (*lucid.Tensor, []*lucid.Tensor) {
	use := func(name string) *lucid.Tensor { return Use(m, r.params.m[name+at]) }
	gx := lucid.Linear(x, use("weight_ih"), use("bias_ih")) // of all steps at once
	w, b, proj := use("weight_hh"), use("bias_hh"), use("weight_hr")
	parts := lucid.Unbind(gx, 0) // whose gradients meet in one tensor
	steps := len(parts)
	outs := make([]*lucid.Tensor, steps)
	for i := range steps {
		t := i
		if back {
			t = steps - 1 - i
		}
		next := r.step(parts[t], st, w, b, proj)
		outs[t] = next[0]
		if live != nil {
			on := live.At(t)
			for k := range next {
				next[k] = lucid.Where(on, next[k], st[k])
			}
			outs[t] = lucid.Where(on, outs[t], 0)
		}
		st = next
	}
	return lucid.Stack(outs, 0), st
}

func (r *recurrent) step(gx *lucid.Tensor, st []*lucid.Tensor, w, b, proj *lucid.Tensor) []*lucid.Tensor {
	switch r.name {
	case "gru":
		return []*lucid.Tensor{stepGRU(gx, st[0], w, b)}
	case "lstm":
		h, c := stepLSTM(gx, st[0], st[1], w, b)
		if proj != nil {
			h = lucid.Linear(h, proj, nil)
		}
		return []*lucid.Tensor{h, c}
	}
	return []*lucid.Tensor{stepRNN(gx, st[0], w, b, r.o.Nonlinearity == "relu")}
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
		refuse(lucid.ErrShapeMismatch, r.name, "the sequence is empty")
	}
	st := make([]*lucid.Tensor, len(start))
	for i, s := range start {
		if s != nil && alone {
			s = s.Unsqueeze(1)
		}
		st[i] = r.state(x, s, i, x.Size(1))
	}
	y, end := r.run(m, x, st, nil, training)
	if alone {
		y = y.Reshape(y.Size(0), y.Size(2))
		for i, s := range end {
			end[i] = s.Reshape(s.Size(0), s.Size(2))
		}
	} else if r.o.BatchFirst {
		y = y.Permute(1, 0, 2)
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
	isRelu("rnn", m.o.Nonlinearity)
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
