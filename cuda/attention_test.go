package cuda

import (
	"fmt"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestAttention compares attention and its gradients with the CPU's in float32.
func TestAttention(t *testing.T) {
	dev := gpu(t)
	type form struct {
		n, heads, groups, length, keys, e, f int
	}
	for _, c := range []form{{2, 3, 3, 70, 70, 64, 64}, {1, 2, 2, 128, 128, 128, 128}, {2, 4, 2, 33, 130, 32, 32},
		{1, 4, 1, 200, 65, 128, 64}, {1, 1, 1, 1, 1, 8, 8}, {1, 2, 2, 300, 300, 80, 96}, {1, 2, 2, 17, 23, 12, 20},
		{2, 8, 2, 1, 700, 64, 64}, {1, 16, 2, 2, 130, 128, 256}, {1, 3, 3, 1, 128, 80, 40}} {
		for _, d := range []lucid.DType{lucid.Float32, lucid.BFloat16, lucid.Float16} {
			for _, way := range []string{"", "causal", "bool", "float"} {
				if way == "causal" && c.length == 1 {
					continue // one key is seen: the gradients are zeros and roundings
				}
				name := fmt.Sprint(c, d, way)
				lucid.Seed(7)
				q, k, v := lucid.Randn(c.n, c.heads, c.length, c.e), lucid.Randn(c.n, c.groups, c.keys, c.e),
					lucid.Randn(c.n, c.groups, c.keys, c.f)
				g := lucid.Randn(c.n, c.heads, c.length, c.f)
				var mask *lucid.Tensor
				switch way {
				case "bool":
					mask = lucid.Rand(c.n, 1, c.length, c.keys).Gt(0.3)
				case "float":
					mask = lucid.Randn(1, c.heads, 1, c.keys)
				}
				run := func(dev lucid.Device, dt lucid.DType) (out [][]float64) {
					in := []*lucid.Tensor{q.To(d).To(dt).To(dev), k.To(d).To(dt).To(dev), v.To(d).To(dt).To(dev)}
					var m *lucid.Tensor
					if mask != nil {
						m = mask.To(dev)
					}
					y, grads := lucid.VJPN(func(in []*lucid.Tensor) []*lucid.Tensor {
						return []*lucid.Tensor{F.ScaledDotProductAttention(in[0], in[1], in[2],
							F.ScaledDotProductAttentionOptions{AttnMask: m, IsCausal: way == "causal", EnableGQA: c.groups != c.heads})}
					}, in, []*lucid.Tensor{g.To(d).To(dt).To(dev)})
					for _, x := range append(y, grads...) {
						out = append(out, lucid.ToSlice[float64](x.To(lucid.CPU).To(lucid.Float64).Reshape(-1)))
					}
					return out
				}
				want, got := run(lucid.CPU, lucid.Float32), run(dev, d)
				tol := map[lucid.DType]float64{lucid.Float32: 2e-5, lucid.BFloat16: 2e-2, lucid.Float16: 3e-3}[d]
				for i, what := range []string{"result", "gradient of q", "gradient of k", "gradient of v"} {
					if e := distance(got[i], want[i]); !(e <= tol) && c.keys > 1 { // with a single key its weight is constant
						t.Errorf("%s: the %s is off by %.2g, more than %.2g", name, what, e, tol)
					}
				}
			}
		}
	}
	counts, _ := Fallbacks(0)
	if n := counts["attention"] + counts["attention_grad"]; n > 0 {
		t.Errorf("%d ran on the host", n)
	}
}

// TestAttentionTiles compares attention over several tiles with the CPU's in float32: tokens of a prompt over a cache, windows, rows that
// see nothing, examples with masks of their own.
func TestAttentionTiles(t *testing.T) {
	dev := gpu(t)
	type form struct {
		n, heads, groups, length, keys, e, f int
		way                                  string
	}
	for _, c := range []form{{1, 4, 2, 300, 1024, 128, 128, "cache"}, {1, 4, 2, 300, 1024, 64, 64, "cache"},
		{2, 2, 1, 130, 700, 128, 128, "rows"}, {1, 3, 1, 700, 700, 64, 64, "window"},
		{1, 2, 2, 500, 300, 96, 120, "blind"}, {1, 2, 2, 129, 257, 128, 64, "none"},
		{2, 2, 2, 515, 515, 128, 128, "causal"}, {1, 2, 1, 400, 1500, 80, 128, "causal"}} {
		rows, keys := lucid.Arange(c.length).Reshape(1, 1, -1, 1), lucid.Arange(c.keys).Reshape(1, 1, 1, -1)
		lucid.Seed(3)
		q, k := lucid.Randn(c.n, c.heads, c.length, c.e), lucid.Randn(c.n, c.groups, c.keys, c.e)
		v := lucid.Randn(c.n, c.groups, c.keys, c.f)
		var mask *lucid.Tensor
		switch c.way {
		case "cache": // behind 200 tokens
			mask = keys.Le(rows.Add(200))
		case "rows":
			mask = lucid.Rand(c.n, c.heads, c.length, c.keys).Gt(0.5)
		case "window":
			mask = keys.Le(rows).LogicalAnd(keys.Gt(rows.Sub(150)))
		case "blind":
			mask = keys.Lt(rows.Sub(100))
		}
		for _, d := range []lucid.DType{lucid.BFloat16, lucid.Float16} {
			run := func(dev lucid.Device, dt lucid.DType) []float64 {
				o := F.ScaledDotProductAttentionOptions{IsCausal: c.way == "causal", EnableGQA: true}
				if mask != nil {
					o.AttnMask = mask.To(dev)
				}
				as := func(x *lucid.Tensor) *lucid.Tensor { return x.To(d).To(dt).To(dev) }
				y := F.ScaledDotProductAttention(as(q), as(k), as(v), o)
				return lucid.ToSlice[float64](y.To(lucid.CPU).To(lucid.Float64).Reshape(-1))
			}
			tol := map[lucid.DType]float64{lucid.BFloat16: 6e-3, lucid.Float16: 1e-3}[d]
			if e := distance(run(dev, d), run(lucid.CPU, lucid.Float32)); !(e <= tol) {
				t.Errorf("%v of %v: the result is off by %.2g, more than %.2g", c, d, e, tol)
			}
		}
	}
}

// TestAttentionOfCaches compares a query of each head over a cache with the CPU's in float32: so many keys that blocks combine what they
// have in each of the ways, from few to more than neighbours take; windows; recorded, which is how kernels begin before others end.
func TestAttentionOfCaches(t *testing.T) {
	dev := gpu(t)
	const room = 2048
	for _, c := range []struct {
		heads, groups, size int
		d                   lucid.DType
	}{{32, 8, 128, lucid.Float32}, {32, 8, 128, lucid.BFloat16}, {32, 8, 64, lucid.BFloat16}, {6, 6, 64, lucid.Float32},
		{14, 2, 64, lucid.Float16}, {8, 1, 256, lucid.BFloat16}, {4, 4, 40, lucid.Float32}} {
		lucid.Seed(9)
		as := func(x *lucid.Tensor) *lucid.Tensor { return x.To(c.d).To(lucid.Float32) }
		keys := []int{1, c.groups, room, c.size}
		q, k, v := as(lucid.Randn(1, c.heads, 1, c.size)), as(lucid.Randn(keys...)), as(lucid.Randn(keys...))
		type attention func(q, k, v, first, end *lucid.Tensor) *lucid.Tensor
		attend := func(q, k, v, first, end *lucid.Tensor) *lucid.Tensor {
			at := lucid.With{Device: q.Device()}.Arange(room)
			mask := at.Ge(first).LogicalAnd(at.Lt(end)).Reshape(1, 1, 1, -1)
			q = q.Mul(2).Mul(0.5) // a kernel in front of it
			return F.ScaledDotProductAttention(q, k, v, F.ScaledDotProductAttentionOptions{AttnMask: mask, EnableGQA: true})
		}
		recorded := lucid.Compile(attend)
		tol := map[lucid.DType]float64{lucid.Float32: 2e-6, lucid.BFloat16: 6e-3, lucid.Float16: 1e-3}[c.d]
		on := []*lucid.Tensor{q.To(c.d).To(dev), k.To(c.d).To(dev), v.To(c.d).To(dev)}
		for _, end := range []int{1, 2, 15, 17, 32, 33, 64, 100, 128, 129, 255, 300, 511, 640, 1000, 1024, 1025, 1500, 2047, 2048} {
			for _, first := range []int{0, max(0, end-200)} {
				scalar := func(with lucid.With, i int) *lucid.Tensor { return with.New([]int64{int64(i)}, 1) }
				y := attend(q, k, v, scalar(lucid.With{}, first), scalar(lucid.With{}, end))
				want := lucid.ToSlice[float64](y.To(lucid.Float64).Reshape(-1))
				with := lucid.With{Device: dev}
				for name, f := range map[string]attention{"recorded": recorded, "launched": attend} {
					y := f(on[0], on[1], on[2], scalar(with, first), scalar(with, end))
					if e := distance(lucid.ToSlice[float64](y.To(lucid.CPU).To(lucid.Float64).Reshape(-1)), want); !(e <= tol) {
						t.Fatalf("%+v, %s, keys %d to %d: off by %.2g, more than %.2g", c, name, first, end, e, tol)
					}
				}
			}
		}
	}
}

// distance is ‖x - y‖ / ‖y‖.
func distance(x, y []float64) float64 {
	var d, n float64
	for i := range y {
		d += (x[i] - y[i]) * (x[i] - y[i])
		n += y[i] * y[i]
	}
	if n == 0 {
		return math.Sqrt(d)
	}
	return math.Sqrt(d / n)
}
