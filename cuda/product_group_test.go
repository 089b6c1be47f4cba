package cuda

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	F "github.com/lucid-go/lucid/nn/functional"
)

// grouped is products that a device may group: a norm and three products, one with a bias; a norm and a gated pair.
type grouped struct {
	scale, bias, q, k, v, gate, up *lucid.Tensor
	product                        func(x, w *lucid.Tensor) *lucid.Tensor
}

func (g grouped) forward(x *lucid.Tensor) []*lucid.Tensor {
	eps, n := 1e-5, x.Size(-1)
	h := F.RMSNorm(x, []int{n}, F.RMSNormOptions{Weight: g.scale, Eps: &eps})
	a, b, c := g.product(h, g.q), g.product(h, g.k), g.product(h, g.v)
	if g.bias != nil {
		b = b.Add(g.bias)
	}
	x = x.Mul(0.5)
	h = F.RMSNorm(x, []int{n}, F.RMSNormOptions{Eps: &eps})
	return []*lucid.Tensor{a, b, c, F.SiLU(g.product(h, g.gate)).Mul(g.product(h, g.up))}
}

// TestProductGroups: groups give what the CPU gives, eagerly and captured, and a row of many what it gives alone.
func TestProductGroups(t *testing.T) {
	dev := gpu(t)
	lucid.Seed(3)
	for _, dt := range []lucid.DType{lucid.BFloat16, lucid.Float16} {
		const n = 2048
		w := func(rows int) *lucid.Tensor { return lucid.Randn(rows, n).Mul(0.02).To(dt).Eval() }
		linear := func(x, w *lucid.Tensor) *lucid.Tensor { return F.Linear(x, w) }
		host := grouped{lucid.Randn(n).Eval(), lucid.Randn(72).To(dt).Eval(), w(520), w(72), w(64), w(1032), w(1032), linear}
		there := grouped{host.scale.To(dev), host.bias.To(dev), host.q.To(dev), host.k.To(dev), host.v.To(dev), host.gate.To(dev),
			host.up.To(dev), linear}
		checkGroups(t, dev, host, there, n, 0.02, dt)
	}
}

// TestBlockGroups is TestProductGroups for matrices of blocks.
func TestBlockGroups(t *testing.T) {
	dev := gpu(t)
	lucid.Seed(4)
	for _, format := range []ggml.Type{ggml.Q4_K, ggml.Q6_K, ggml.Q5_0} {
		const n = 1024
		w := func(rows int) *lucid.Tensor {
			bytes, _ := format.RowBytes(n)
			data := make([]byte, rows*bytes)
			ggml.Quantize(format, data, lucid.ToSlice[float32](lucid.Randn(rows, n).Mul(0.02)))
			return lucid.New(data, rows, bytes).Eval()
		}
		product := func(fast bool) func(x, w *lucid.Tensor) *lucid.Tensor {
			return func(x, w *lucid.Tensor) *lucid.Tensor {
				a, b := (*graph.Array)(x).Acquire(), (*graph.Array)(w).Acquire()
				defer a.Unref()
				defer b.Unref()
				return (*lucid.Tensor)(door.Wrap(ops.BlockMatmul(a, b, format, fast)))
			}
		}
		host := grouped{lucid.Randn(n).Eval(), nil, w(520), w(72), w(64), w(1032), w(1032), product(false)}
		there := grouped{host.scale.To(dev), nil, host.q.To(dev), host.k.To(dev), host.v.To(dev), host.gate.To(dev), host.up.To(dev),
			product(true)}
		checkGroups(t, dev, host, there, n, 0.02, lucid.Float32)
	}
}

func checkGroups(t *testing.T, dev lucid.Device, host, there grouped, n int, tolerance float64, dt lucid.DType) {
	compiled := lucid.Compile(there.forward)
	all := lucid.Randn(17, n).To(dt).Eval()
	alone := there.forward(all.Narrow(0, 0, 1).To(dev))
	for _, rows := range []int{1, 2, 3, 7, 8, 9, 16, 17} {
		x := all.Narrow(0, 0, rows).Contiguous().Eval()
		want := host.forward(x)
		for i, got := range there.forward(x.To(dev)) {
			if e := off(got, want[i]); !(e < tolerance) {
				t.Errorf("%v, %d rows, result %d: off by %.2g", dt, rows, i, e)
			}
			if rows <= 8 && !lucid.Equal(got.Narrow(0, 0, 1), alone[i]) {
				t.Errorf("%v, %d rows, result %d: the first row is not what it is alone", dt, rows, i)
			}
		}
		for range 3 {
			for i, got := range compiled(x.To(dev)) {
				if e := off(got, want[i]); !(e < tolerance) {
					t.Errorf("%v, %d rows, result %d, compiled: off by %.2g", dt, rows, i, e)
				}
			}
		}
	}
}

// off is the norm of the difference of two values, relative to that of the second.
func off(got, want *lucid.Tensor) float64 {
	x, y := lucid.ToSlice[float32](got.To(lucid.Float32)), lucid.ToSlice[float32](want.To(lucid.Float32))
	var d, s float64
	for i := range y {
		d += float64(x[i]-y[i]) * float64(x[i]-y[i])
		s += float64(y[i]) * float64(y[i])
	}
	return math.Sqrt(d / s)
}
