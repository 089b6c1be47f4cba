package ops

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// recurrentCase is a layer with all operands an LSTM may have.
type recurrentCase struct {
	in    []*lucid.Tensor // x, wi, wh, h0, c0, bi, bh, wr
	sizes []int
}

func newRecurrentCase(d lucid.DType, sizes []int, in, hidden, state int) *recurrentCase {
	n := 0
	for _, k := range sizes {
		n += k
	}
	w := lucid.With{DType: d}
	of := func(size ...int) *lucid.Tensor { return w.Uniform(-0.5, 0.5, size...).Eval() }
	return &recurrentCase{[]*lucid.Tensor{of(n, in), of(4*hidden, in), of(4*hidden, state), of(sizes[0], state), of(sizes[0], hidden),
		of(4 * hidden), of(4 * hidden), of(state, hidden)}, sizes}
}

func (c *recurrentCase) layer(reverse bool) func(in []*lucid.Tensor) []*lucid.Tensor {
	return func(in []*lucid.Tensor) []*lucid.Tensor {
		y, h, m := F.LSTMForward(in[0], in[1], in[2], F.LSTMForwardOptions{H0: in[3], C0: in[4], BiasIH: in[5], BiasHH: in[6],
			WeightHR: in[7], Reverse: reverse, BatchSizes: c.sizes})
		return []*lucid.Tensor{y, h, m}
	}
}

// steps is the same layer step by step, each sequence alone.
func (c *recurrentCase) steps(reverse bool) func(in []*lucid.Tensor) []*lucid.Tensor {
	return func(in []*lucid.Tensor) []*lucid.Tensor {
		starts := []int{0}
		for _, n := range c.sizes {
			starts = append(starts, starts[len(starts)-1]+n)
		}
		rows := make([]*lucid.Tensor, starts[len(starts)-1])
		var hs, cs []*lucid.Tensor
		for i := range c.sizes[0] {
			h, m := in[3].At(i), in[4].At(i)
			var order []int
			for t, n := range c.sizes {
				if i < n {
					order = append(order, t)
				}
			}
			if reverse {
				slices.Reverse(order)
			}
			for _, t := range order {
				gates := F.Linear(in[0].At(starts[t]+i), in[1], F.LinearOptions{Bias: in[5]})
				next := byName("lstm_step", nil, gates, h, m, in[2], in[6])
				h, m = F.Linear(next[0], in[7]), next[1]
				rows[starts[t]+i] = h
			}
			hs, cs = append(hs, h), append(cs, m)
		}
		return []*lucid.Tensor{lucid.Stack(rows, 0), lucid.Stack(hs, 0), lucid.Stack(cs, 0)}
	}
}

// TestRecurrentSteps: a layer over packed sequences is what its steps are, values and gradients of every operand, for
// sizes that take several blocks.
func TestRecurrentSteps(t *testing.T) {
	lucid.Seed(3)
	for _, reverse := range []bool{false, true} {
		for _, d := range []lucid.DType{lucid.Float32, lucid.Float64} {
			c := newRecurrentCase(d, []int{5, 5, 3, 1}, 7, 45, 34)
			cots := make([]*lucid.Tensor, 3)
			for i, y := range c.layer(reverse)(c.in) {
				cots[i] = lucid.With{DType: d}.Uniform(-1, 1, y.Shape()...).Eval()
			}
			got, gotGrads := lucid.VJPN(c.layer(reverse), c.in, cots)
			want, wantGrads := lucid.VJPN(c.steps(reverse), c.in, cots)
			rtol, atol := 1e-4, 1e-5
			if d == lucid.Float64 {
				rtol, atol = 1e-11, 1e-12
			}
			for i, y := range append(got, gotGrads...) {
				if !lucid.AllClose(y, append(want, wantGrads...)[i], lucid.CloseOptions{RTol: &rtol, ATol: &atol}) {
					t.Errorf("%v, reverse %v: value %d differs", d, reverse, i)
				}
			}
		}
	}
}

// TestRecurrentExport: a layer goes through a file, and its gradient is there behind it.
func TestRecurrentExport(t *testing.T) {
	lucid.Seed(4)
	c := newRecurrentCase(lucid.Float32, []int{3, 2, 2}, 4, 5, 3)
	path := filepath.Join(t.TempDir(), "layer.lucid")
	f := func(x *lucid.Tensor) *lucid.Tensor { return c.layer(false)(append([]*lucid.Tensor{x}, c.in[1:]...))[0] }
	grad := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return f(x).Square().Sum() })
	for name, h := range map[string]func(*lucid.Tensor) *lucid.Tensor{"layer": f,
		"gradient": func(x *lucid.Tensor) *lucid.Tensor { return grad(x) }} {
		if err := lucid.Export(path, h, c.in[0]); err != nil {
			t.Fatal(name, err)
		}
		g, err := lucid.Import(path)
		if err != nil {
			t.Fatal(name, err)
		}
		out, err := g.Call(c.in[0])
		if err != nil {
			t.Fatal(name, err)
		}
		tensortest.SameValue(t, name, out[0], h(c.in[0]))
		if name == "gradient" {
			continue
		}
		// The file has no gates: they are computed again.
		again := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor {
			out, err := g.Call(x)
			if err != nil {
				t.Fatal(err)
			}
			return out[0].Square().Sum()
		})
		if !lucid.AllClose(again(c.in[0]), grad(c.in[0])) {
			t.Error("the gradient through a file differs")
		}
	}
}

func TestRecurrentRefuses(t *testing.T) {
	c := newRecurrentCase(lucid.Float32, []int{3, 2}, 4, 5, 3)
	for name, f := range map[string]func(){
		"rising sizes": func() { (&recurrentCase{c.in, []int{2, 3}}).layer(false)(c.in) },
		"sum of sizes": func() { (&recurrentCase{c.in, []int{3, 1}}).layer(false)(c.in) },
		"no sizes":     func() { (&recurrentCase{c.in, []int{}}).layer(false)(c.in) },
		"state": func() {
			F.LSTMForward(lucid.Zeros(2, 3, 4), c.in[1], lucid.Zeros(20, 5), F.LSTMForwardOptions{H0: lucid.Zeros(2, 5)})
		},
		"bias": func() {
			F.LSTMForward(lucid.Zeros(2, 3, 4), c.in[1], lucid.Zeros(20, 5), F.LSTMForwardOptions{BiasIH: lucid.Zeros(5)})
		},
		"projection": func() {
			F.LSTMForward(lucid.Zeros(2, 3, 4), c.in[1], lucid.Zeros(20, 5), F.LSTMForwardOptions{WeightHR: lucid.Zeros(3, 4)})
		},
		"gates": func() { F.GRUForward(lucid.Zeros(2, 3, 4), lucid.Zeros(20, 4), lucid.Zeros(20, 5)) },
		"nonlinearity": func() {
			F.RNNForward(lucid.Zeros(2, 3, 4), lucid.Zeros(5, 4), lucid.Zeros(5, 5), F.RNNForwardOptions{Nonlinearity: "sin"})
		},
		"integers": func() {
			F.GRUForward(lucid.Zeros(2, 3, 4).To(lucid.Int64), lucid.Zeros(15, 4), lucid.Zeros(15, 5))
		},
		"packed, batch": func() {
			F.GRUForward(lucid.Zeros(5, 4), lucid.Zeros(15, 4), lucid.Zeros(15, 5),
				F.GRUForwardOptions{BatchFirst: true, BatchSizes: []int{3, 2}})
		},
	} {
		var e *lucid.Error
		if err := lucid.Try(f); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRecurrentInputs: whether the product with the inputs is part of the layer depends on the number of sequences, and no
// bit does.
func TestRecurrentInputs(t *testing.T) {
	if lucid.DefaultDevice() != lucid.CPU {
		t.Skip("compares bits, which only the CPU promises")
	}
	lucid.Seed(5)
	const steps, in, hidden = 3, 530, 40
	for _, d := range []lucid.DType{lucid.Float32, lucid.Float64} {
		of := func(size ...int) *lucid.Tensor { return lucid.With{DType: d}.Uniform(-0.3, 0.3, size...).Eval() }
		for gates, layer := range map[int]func(x, wi, wh, bi, bh *lucid.Tensor) *lucid.Tensor{
			1: func(x, wi, wh, bi, bh *lucid.Tensor) *lucid.Tensor {
				y, _ := F.RNNForward(x, wi, wh, F.RNNForwardOptions{BiasIH: bi, BiasHH: bh})
				return y
			},
			3: func(x, wi, wh, bi, bh *lucid.Tensor) *lucid.Tensor {
				y, _ := F.GRUForward(x, wi, wh, F.GRUForwardOptions{BiasIH: bi, BiasHH: bh})
				return y
			},
			4: func(x, wi, wh, bi, bh *lucid.Tensor) *lucid.Tensor {
				y, _, _ := F.LSTMForward(x, wi, wh, F.LSTMForwardOptions{BiasIH: bi, BiasHH: bh})
				return y
			},
		} {
			x, wi, wh, bi, bh := of(steps, 40, in), of(gates*hidden, in), of(gates*hidden, hidden), of(gates*hidden), of(gates*hidden)
			many, few := layer(x, wi, wh, bi, bh), layer(x.Narrow(1, 0, 2), wi, wh, bi, bh)
			if !lucid.Equal(many.Narrow(1, 0, 2), few) {
				t.Errorf("%v, %d gates: two sequences alone have other bits than among forty", d, gates)
			}
			without := layer(x, wi, wh, nil, nil)
			if !lucid.AllClose(without, layer(x, wi, wh, bi.Mul(0), bh.Mul(0))) {
				t.Errorf("%v, %d gates: no bias differs from one of zeros", d, gates)
			}
		}
	}
}
