package cuda

import (
	"testing"

	"github.com/lucid-go/lucid"
)

// rounds counts to n and changes a vector in every round.
func rounds(x, n *lucid.Tensor) *lucid.Tensor {
	type state struct{ I, X *lucid.Tensor }
	return lucid.While(func(s state) *lucid.Tensor { return s.I.Lt(n) },
		func(s state) state { return state{s.I.Add(1), s.X.Mul(0.5).Add(1)} }, state{lucid.ZerosLike(n), x}).X
}

// BenchmarkWhile measures a round of a loop in a compiled function.
func BenchmarkWhile(b *testing.B) {
	dev := gpu(b)
	f := lucid.Compile(rounds)
	const count = 1000
	x, n := lucid.Randn(1024).To(dev).Eval(), lucid.Scalar(float32(count)).To(dev).Eval()
	for i := range 5 + b.N {
		if i == 5 {
			b.ResetTimer()
		}
		lucid.ToSlice[float32](f(x, n))
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(count*b.N), "µs/round")
	b.Log(lucid.Explain(f))
}
