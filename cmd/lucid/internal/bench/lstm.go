package bench

import (
	"math"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// lstm has one layer over a batch of sequences: its states, and they with the gradients of the parameters. Both are
// compiled.
func lstm() {
	const batch, length, in, hidden = 32, 64, 128, 256
	const flops = 2 * batch * length * 4 * hidden * (in + hidden)
	type model struct{ x, wx, wh, bx, bh *lucid.Tensor }
	data := func() model {
		s := float32(1 / math.Sqrt(hidden))
		return model{random(1, 1, length, batch, in), random(2, s, 4*hidden, in), random(3, s, 4*hidden, hidden), random(4, s, 4*hidden),
			random(5, s, 4*hidden)}
	}
	states := func(x, wx, wh, bx, bh *lucid.Tensor) *lucid.Tensor {
		y, _, _ := F.LSTMForward(x, wx, wh, F.LSTMForwardOptions{BiasIH: bx, BiasHH: bh})
		return y
	}
	add(Workload{Name: "lstm", About: "LSTM 128→256, batch 32, 64 steps", Flops: flops, Limit: "fma32", Goal: 1, make: func() job {
		m := data()
		f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return states(x, m.wx, m.wh, m.bx, m.bh) })
		return once(func() *lucid.Tensor { return f(m.x) })
	}})
	// No gradient of x: one product less.
	add(Workload{Name: "lstm_backward", About: "LSTM 128→256, batch 32, 64 steps, forward and backward",
		Flops: 3*flops - 2*batch*length*4*hidden*in, Limit: "fma32", Goal: 1, make: func() job {
			m := data()
			g := random(6, 1, length, batch, hidden)
			f := lucid.Compile(func(x, g *lucid.Tensor) []*lucid.Tensor {
				y, grads := lucid.VJPN(func(p []*lucid.Tensor) []*lucid.Tensor {
					return []*lucid.Tensor{states(x, p[0], p[1], p[2], p[3])}
				}, []*lucid.Tensor{m.wx, m.wh, m.bx, m.bh}, []*lucid.Tensor{g})
				return append(y, grads...)
			})
			var last []*lucid.Tensor
			run := func() {
				last = f(m.x, g)
				must(lucid.Eval(last...))
			}
			return job{run: run, result: func() []*lucid.Tensor { run(); return last }}
		}})
}
