package nn_test

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// TestPaddedEqualsPacked: padded sequences with lengths as data give what packed ones give, and so do their gradients.
func TestPaddedEqualsPacked(t *testing.T) {
	lucid.Seed(7)
	lengths := []int{2, 5, 3, 1}
	x := lucid.Randn(6, 4, 3)
	n := lucid.New([]int64{2, 5, 3, 1}, 4)
	cut := nn.PackPaddedSequenceOptions{NotSorted: true}
	for _, o := range []nn.RNNOptions{{}, {NumLayers: 2, Bidirectional: true}, {Bidirectional: true, NoBias: true},
		{ProjSize: 2, Bidirectional: true}} {
		states := 1
		if o.NumLayers > 1 {
			states = 2
		}
		if o.Bidirectional {
			states *= 2
		}
		type run func(x *lucid.Tensor) []*lucid.Tensor
		var m nn.Module
		check := func(name string, packed, padded run) {
			forward := func(f run) func(x *lucid.Tensor) *lucid.Tensor {
				return func(x *lucid.Tensor) *lucid.Tensor {
					var s *lucid.Tensor
					for i, v := range f(x) {
						if v = v.Mul(float64(i + 1)).Tanh().Sum(); s == nil {
							s = v
						} else {
							s = s.Add(v)
						}
					}
					return s
				}
			}
			want, got := packed(x), padded(x)
			for i := range want {
				if !lucid.AllClose(want[i].Detach(), got[i].Detach()) {
					t.Errorf("%s %+v: result %d differs:\n%v\n%v", name, o, i, want[i], got[i])
				}
			}
			grads := func(f run) (list []*lucid.Tensor) {
				for _, p := range nn.Parameters(m) {
					p.ZeroGrad()
				}
				forward(f)(x).Backward()
				for _, p := range nn.Parameters(m) {
					list = append(list, p.Grad().Clone())
				}
				return append(list, lucid.Grad(forward(f))(x))
			}
			a, b := grads(packed), grads(padded)
			for i := range a {
				if !lucid.AllClose(a[i], b[i], lucid.CloseOptions{ATol: new(1e-5)}) {
					t.Errorf("%s %+v: gradient %d differs", name, o, i)
				}
			}
		}
		back := func(p nn.PackedSequence) *lucid.Tensor {
			y, _ := nn.PadPackedSequence(p, nn.PadPackedSequenceOptions{TotalLength: 6})
			return y
		}
		h, c := lucid.Randn(states, 4, 4), lucid.Randn(states, 4, 4)
		if o.ProjSize > 0 {
			h = lucid.Randn(states, 4, o.ProjSize)
		}
		lstm := nn.NewLSTM(3, 4, o)
		m = lstm
		check("lstm", func(x *lucid.Tensor) []*lucid.Tensor {
			y, h, c := lstm.ForwardPacked(nn.PackPaddedSequence(x, lengths, cut), h, c)
			return []*lucid.Tensor{back(y), h, c}
		}, func(x *lucid.Tensor) []*lucid.Tensor {
			y, h, c := lstm.ForwardPadded(x, n, h, c)
			return []*lucid.Tensor{y, h, c}
		})
		if o.ProjSize > 0 {
			continue
		}
		gru, rnn := nn.NewGRU(3, 4, o), nn.NewRNN(3, 4, o)
		m = gru
		check("gru", func(x *lucid.Tensor) []*lucid.Tensor {
			y, h := gru.ForwardPacked(nn.PackPaddedSequence(x, lengths, cut), h)
			return []*lucid.Tensor{back(y), h}
		}, func(x *lucid.Tensor) []*lucid.Tensor {
			y, h := gru.ForwardPadded(x, n, h)
			return []*lucid.Tensor{y, h}
		})
		m = rnn
		check("rnn", func(x *lucid.Tensor) []*lucid.Tensor {
			y, h := rnn.ForwardPacked(nn.PackPaddedSequence(x, lengths, cut), nil)
			return []*lucid.Tensor{back(y), h}
		}, func(x *lucid.Tensor) []*lucid.Tensor {
			y, h := rnn.ForwardPadded(x, n, nil)
			return []*lucid.Tensor{y, h}
		})
	}
}

// TestPaddedLengthsAreData: a compiled function is traced once, whatever the lengths are.
func TestPaddedLengthsAreData(t *testing.T) {
	m := nn.NewGRU(3, 4, nn.RNNOptions{BatchFirst: true})
	f := lucid.Compile(func(x, n *lucid.Tensor) *lucid.Tensor {
		var h *lucid.Tensor
		lucid.NoGrad(func() { _, h = m.ForwardPadded(x, n, nil) })
		return h
	})
	x := lucid.Randn(2, 5, 3)
	for k := int64(1); k <= 5; k++ {
		_, want := m.Forward(x.At(lucid.Colon, lucid.Range{Stop: int(k)}), nil)
		if got := f(x, lucid.New([]int64{k, k}, 2)); !lucid.AllClose(got, want.Detach()) {
			t.Errorf("length %d: %v, want %v", k, got, want)
		}
	}
	if n := lucid.Explain(f).Traces; n != 1 {
		t.Errorf("%d traces", n)
	}
	for what, call := range map[string]func(){
		"count": func() { m.ForwardPadded(x, lucid.New([]int64{1}, 1), nil) },
		"dtype": func() { m.ForwardPadded(x, lucid.Ones(2), nil) },
		"rank":  func() { m.ForwardPadded(lucid.Zeros(5, 3), lucid.New([]int64{1, 1}, 2), nil) },
		"empty": func() { m.ForwardPadded(lucid.Zeros(2, 0, 3), lucid.New([]int64{1, 1}, 2), nil) },
	} {
		var e *lucid.Error
		if err := lucid.Try(call); !errors.As(err, &e) || e.Op != "gru" {
			t.Errorf("%s: %v", what, err)
		}
	}
}
