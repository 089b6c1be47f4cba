package latency

import (
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// BenchmarkRecord is the cost to record one op over 16 elements.
func BenchmarkRecord(b *testing.B) {
	x, y := lucid.Ones(16).Eval(), lucid.Ones(16).Eval()
	b.ReportAllocs()
	for b.Loop() {
		x.Add(y)
	}
}

// BenchmarkEvalOne is record and evaluate, one op of 16 elements at a time.
func BenchmarkEvalOne(b *testing.B) {
	x, y := lucid.New(make([]float32, 16), 16), lucid.New(make([]float32, 16), 16)
	b.ReportAllocs()
	for b.Loop() {
		x.Add(y).Eval()
	}
}

// BenchmarkEvalChain is a ten-op chain, recorded and evaluated.
func BenchmarkEvalChain(b *testing.B) {
	x, y := lucid.New(make([]float32, 16), 16), lucid.New(make([]float32, 16), 16)
	b.ReportAllocs()
	for b.Loop() {
		z := x
		for range 10 {
			z = z.Add(y)
		}
		z.Eval()
	}
}

// BenchmarkCompiledCall is the overhead of calling a compiled ten-op function.
func BenchmarkCompiledCall(b *testing.B) {
	x, y := lucid.New(make([]float32, 16), 16), lucid.New(make([]float32, 16), 16)
	f := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
		for range 10 {
			x = x.Add(y)
		}
		return x
	})
	f(x, y)
	b.ReportAllocs()
	for b.Loop() {
		f(x, y)
	}
}

// BenchmarkTrace is trace and plan of a thousand ops, per op.
func BenchmarkTrace(b *testing.B) {
	x, y := lucid.New(make([]float32, 16), 16), lucid.New(make([]float32, 16), 16)
	for b.Loop() {
		f := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
			for range 500 {
				x = x.Add(y).Mul(y)
			}
			return x
		})
		f(x, y)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/op-traced")
}

// BenchmarkCompiledMLP is a call of a compiled MLP 64-64-64 with one row, its result freed.
func BenchmarkCompiledMLP(b *testing.B) {
	lucid.Seed(1)
	w, v := lucid.Randn(64, 64).Eval(), lucid.Randn(64, 64).Eval()
	p, q := lucid.Randn(64).Eval(), lucid.Randn(64).Eval()
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		return F.Linear(F.Linear(x, w, F.LinearOptions{Bias: p}).ReLU(), v, F.LinearOptions{Bias: q})
	})
	x := lucid.Randn(1, 64).Eval()
	f(x)
	b.ReportAllocs()
	for b.Loop() {
		f(x).Free()
	}
}

// BenchmarkEvalDot records a dot product of 1000 elements, whose result is a view of a product, and evaluates it.
func BenchmarkEvalDot(b *testing.B) {
	x, y := lucid.Arange(1000).To(lucid.Float32).Eval(), lucid.Arange(1000).To(lucid.Float32).Eval()
	for b.Loop() {
		lucid.Dot(x, y).Eval()
	}
}
