package compile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// bigStep is a training step of some layers whose weights are a megabyte each, written with plain updates.
func bigStep(layers int, check bool) (step func(x *lucid.Tensor) *lucid.Tensor, weights []*lucid.Tensor) {
	const width = 512
	for i := range layers {
		w := lucid.Arange(width*width).Mul(0.37).Add(i).Sin().Mul(0.05).Reshape(width, width).Eval()
		weights = append(weights, w.RequiresGrad_(true))
	}
	return lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		h := x
		for _, w := range weights {
			h = h.MatMul(w).Tanh()
		}
		loss := h.Square().Sum()
		loss.Backward()
		lucid.NoGrad(func() {
			for _, w := range weights {
				w.Assign(w.Sub(w.Grad().Mul(0.01)))
				w.ZeroGrad()
			}
		})
		return loss
	}, lucid.CompileOptions{Check: check}), weights
}

// TestGradientsDieAtOnce: in a training step each weight is updated in place right behind its gradient, so gradients
// never come together.
func TestGradientsDieAtOnce(t *testing.T) {
	if lucid.DefaultDevice() != lucid.CPU {
		t.Skip("counts memory of the CPU")
	}
	const layers, weight = 12, 512 * 512 * 4
	step, _ := bigStep(layers, false)
	x := lucid.Arange(8*512).Sin().Reshape(8, 512).Eval()
	step(x).Eval()
	m := lucid.Explain(step).Memory
	if len(m) != 1 || m[0].Inputs < layers*weight {
		t.Fatalf("the plan's memory is %v", m)
	}
	if m[0].Results > 1<<10 {
		t.Errorf("%d bytes of new memory: state is not written in place", m[0].Results)
	}
	if m[0].Peak > 3*weight || m[0].Temporaries < m[0].Peak {
		t.Errorf("%d bytes are alive at once, of %d; want at most three gradients of %d", m[0].Peak, m[0].Temporaries, weight)
	}
	if s := fmt.Sprint(m[0]); !strings.Contains(s, "matmul") || !strings.Contains(s, "alive at launch") {
		t.Errorf("the plan reads %q", s)
	}
	sum := 0
	for _, a := range m[0].Alive {
		sum += a.Bytes
		if a.First > m[0].Step || a.Last < m[0].Step {
			t.Errorf("%+v is not alive at launch %d", a, m[0].Step)
		}
	}
	if sum != m[0].Peak {
		t.Errorf("what is alive takes %d bytes, not %d", sum, m[0].Peak)
	}
	checked, _ := bigStep(3, true) // every call runs both ways and compares bits, state included
	for range 3 {
		checked(x).Eval()
	}
}

// TestLogitsAreNeverAllThere: a compiled step with LinearCrossEntropy holds the logits of one chunk, has the bits of the
// plain run, and the values of CrossEntropy.
func TestLogitsAreNeverAllThere(t *testing.T) {
	const rows, in, classes, chunk = 1024, 32, 2048, 128
	w := lucid.Arange(classes*in).Mul(0.61).Sin().Mul(0.2).Reshape(classes, in).Eval()
	b := lucid.Arange(classes).Mul(0.3).Cos().Eval()
	x := lucid.Arange(rows*in).Mul(0.17).Cos().Reshape(rows, in).Eval()
	y := lucid.Arange(rows).Mul(7).Remainder(classes).To(lucid.Int64).Eval()
	grads := func(loss func(x, w, b *lucid.Tensor) *lucid.Tensor) func(x, w, b *lucid.Tensor) []*lucid.Tensor {
		f := lucid.ValueAndGrad(loss, 0, 1, 2)
		return func(x, w, b *lucid.Tensor) []*lucid.Tensor {
			l, g := f(x, w, b)
			return append([]*lucid.Tensor{l}, g...)
		}
	}
	for _, kind := range []lucid.DType{lucid.Float32, lucid.BFloat16} {
		chunked := func(x, w, b *lucid.Tensor) *lucid.Tensor {
			return F.LinearCrossEntropy(x.To(kind), w.To(kind), y,
				F.LinearCrossEntropyOptions{LinearBias: b.To(kind), BatchChunkSize: chunk})
		}
		whole := func(x, w, b *lucid.Tensor) *lucid.Tensor {
			return F.CrossEntropy(F.Linear(x.To(kind), w.To(kind), F.LinearOptions{Bias: b.To(kind)}), y)
		}
		step := lucid.Compile(grads(chunked), lucid.CompileOptions{Check: true})
		got := step(x, w, b)
		want := grads(whole)(x, w, b)
		for i := range got {
			scale := want[i].Abs().Max().Item()
			tol := map[lucid.DType]float64{lucid.Float32: 1e-5, lucid.BFloat16: 1.0 / 128}[kind]
			if d := got[i].Sub(want[i]).Abs().Max().Item(); !(d <= tol*scale) {
				t.Errorf("%v, result %d: %v from that of CrossEntropy, of %v", kind, i, d, scale)
			}
		}
		m := lucid.Explain(step).Memory[0]
		if logits := rows * classes * 4; m.Peak > logits/2 {
			t.Errorf("%v: %d bytes are alive at once, all logits are %d", kind, m.Peak, logits)
		}
	}
}

// TestRecompute: a step that may do some of its work again holds less, and has the same bits.
func TestRecompute(t *testing.T) {
	const layers, rows, width = 6, 512, 128
	var params []*lucid.Tensor
	for i := range layers {
		for j, dims := range [][]int{{width, 4 * width}, {4 * width, width}, {width}, {width}} {
			n := dims[0] * append(dims, 1)[1]
			params = append(params, lucid.Arange(n).Mul(0.37).Add(4*i+j).Sin().Mul(0.1).Reshape(dims...).Eval())
		}
	}
	loss := func(p []*lucid.Tensor, x *lucid.Tensor) *lucid.Tensor {
		for i := range layers {
			q := p[4*i:]
			n := F.LayerNorm(x, []int{width}, F.LayerNormOptions{Weight: q[2], Bias: q[3]})
			x = x.Add(F.GELU(n.MatMul(q[0]), F.GELUOptions{Approximate: "tanh"}).MatMul(q[1]))
		}
		return x.Square().Mean()
	}
	f := lucid.ValueAndGrad(loss)
	x := lucid.Arange(rows*width).Mul(0.01).Cos().Reshape(rows, width).Eval()
	peak := func(share float64) (int, []float32) {
		step := lucid.Compile(func(x *lucid.Tensor, p []*lucid.Tensor) []*lucid.Tensor {
			l, g := f(p, x)
			return append([]*lucid.Tensor{l}, g...)
		}, lucid.CompileOptions{Recompute: share, Check: true})
		var all []float32
		for _, t := range step(x, params) {
			all = append(all, lucid.ToSlice[float32](t.Reshape(-1))...)
		}
		return lucid.Explain(step).Memory[0].Peak, all
	}
	whole, want := peak(0)
	less, got := peak(0.5)
	some, _ := peak(0.05)
	if less > whole*3/4 || some > whole || some < less {
		t.Errorf("%d bytes are alive at once; %d with some recomputation and %d with much", whole, some, less)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("element %d is %v, without recomputation %v", i, got[i], want[i])
		}
	}
	// Other sizes take the same plan, have the bits of one of their own, and hold less too.
	make1 := func(share float64) func(x *lucid.Tensor, p []*lucid.Tensor) []*lucid.Tensor {
		return lucid.Compile(func(x *lucid.Tensor, p []*lucid.Tensor) []*lucid.Tensor {
			l, g := f(p, x)
			return append([]*lucid.Tensor{l}, g...)
		}, lucid.CompileOptions{Recompute: share})
	}
	again, once := make1(0.5), make1(0)
	for _, n := range []int{512, 640} {
		x := lucid.Arange(n*width).Mul(0.01).Cos().Reshape(n, width).Eval()
		want := once(x, params)
		for i, y := range again(x, params) {
			if !lucid.Equal(y, want[i]) {
				t.Errorf("%d rows: result %d differs from that without recomputation", n, i)
			}
		}
		if a, b := lucid.Explain(again).Memory[0].Peak, lucid.Explain(once).Memory[0].Peak; a > b*3/4 {
			t.Errorf("%d rows: %d bytes are alive at once, %d without recomputation", n, a, b)
		}
	}
	if e := lucid.Explain(again); e.Plans != 1 || e.Traces != 2 {
		t.Errorf("%d plans for %d traces: %v", e.Plans, e.Traces, e.Unshared)
	}
	if err := lucid.Try(func() {
		lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x }, lucid.CompileOptions{Recompute: 2})
	}); err == nil {
		t.Error("a share of 2 was taken")
	}
}
