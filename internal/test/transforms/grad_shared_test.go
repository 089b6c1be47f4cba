package transforms

import (
	"fmt"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestGradOfSharedWeight: the gradients of a weight that many steps use become one product, whatever way the weight is
// seen, and have the value of their sum.
func TestGradOfSharedWeight(t *testing.T) {
	if lucid.DefaultDevice() != lucid.CPU {
		t.Skip("counts launches of the CPU")
	}
	const steps, batch, in, out = 6, 3, 24, 20
	shown := map[string]func(x, w *lucid.Tensor) *lucid.Tensor{
		"linear":     func(x, w *lucid.Tensor) *lucid.Tensor { return F.Linear(x, w) },
		"plain":      func(x, w *lucid.Tensor) *lucid.Tensor { return x.MatMul(w.T()) },
		"transposed": func(x, w *lucid.Tensor) *lucid.Tensor { return w.MatMul(x.T()).T() },
	}
	var xs []*lucid.Tensor
	for i := range steps {
		xs = append(xs, lucid.Arange(batch*in).Mul(i+1).Mul(0.37).Sin().Reshape(batch, in).Eval())
	}
	w := lucid.Arange(out*in).Mul(0.11).Cos().Reshape(out, in).Eval()
	for name, use := range shown {
		loss := func(ws []*lucid.Tensor) *lucid.Tensor {
			sum := lucid.Scalar(0).To(lucid.Float32)
			for i, x := range xs {
				sum = sum.Add(use(x, ws[i%len(ws)]).Tanh().Square().Sum())
			}
			return sum
		}
		shared := lucid.Grad(func(w *lucid.Tensor) *lucid.Tensor { return loss([]*lucid.Tensor{w}) })
		before := exec.Count.Steps.Load()
		got := shared(w).Eval()
		launches := exec.Count.Steps.Load() - before
		// Apart, every step has a weight of its own.
		parts := gradsApart(func(ws []*lucid.Tensor) *lucid.Tensor { return loss(ws) }, w, steps)
		want := parts[0]
		for _, p := range parts[1:] {
			want = want.Add(p)
		}
		tensortest.Same(t, name, got, want)
		// one product a step would be three more
		if most := map[string]int64{"linear": 9, "plain": 9, "transposed": 15}[name]; launches > most {
			t.Errorf("%s: %d launches, want at most %d", name, launches, most)
		}
		leaf := w.Clone().RequiresGrad_(true)
		loss([]*lucid.Tensor{leaf}).Backward()
		tensortest.Same(t, name+", Backward", leaf.Grad(), want)
		twice := lucid.Grad(func(w *lucid.Tensor) *lucid.Tensor { return shared(w).Square().Sum() })
		d := lucid.Arange(out*in).Sin().Reshape(out, in)
		const eps = 3e-3
		rise := shared(w.Add(d.Mul(eps))).Square().Sum().Sub(shared(w.Sub(d.Mul(eps))).Square().Sum()).Item() / (2 * eps)
		if got := twice(w).Mul(d).Sum().Item(); !(math.Abs(got-rise) < 0.02*math.Abs(rise)) {
			t.Errorf("%s, second derivative: %v along a line, %v by differences", name, got, rise)
		}
	}
}

// gradsApart gives the gradients of a function of copies of w.
func gradsApart(f func([]*lucid.Tensor) *lucid.Tensor, w *lucid.Tensor, copies int) []*lucid.Tensor {
	ws := make([]*lucid.Tensor, copies)
	for i := range ws {
		ws[i] = w.Clone()
	}
	_, grads := lucid.VJPN(func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{f(in)} }, ws,
		[]*lucid.Tensor{lucid.Scalar(1).To(lucid.Float32)})
	return grads
}

// TestGradOfMixedUses: uses of other sizes, or too deep to be joined, are added as they are.
func TestGradOfMixedUses(t *testing.T) {
	w := lucid.Arange(12).Mul(0.3).Sin().Reshape(3, 4).Eval()
	for _, rows := range [][]int{{2, 3, 5}, {50, 50, 50}, {1, 1, 1}} {
		f := func(ws []*lucid.Tensor) *lucid.Tensor {
			sum := lucid.Scalar(0).To(lucid.Float32)
			for i, n := range rows {
				x := lucid.Arange(n*4).Mul(0.7+float64(i)).Cos().Reshape(n, 4)
				sum = sum.Add(F.Linear(x, ws[i%len(ws)]).Sin().Sum())
			}
			return sum.Add(ws[0].Square().Sum())
		}
		got := lucid.Grad(func(w *lucid.Tensor) *lucid.Tensor { return f([]*lucid.Tensor{w}) })(w)
		want := lucid.Scalar(0).To(lucid.Float32)
		for _, g := range gradsApart(f, w, len(rows)) {
			want = want.Add(g)
		}
		tensortest.Same(t, fmt.Sprint(rows), got, want)
	}
}

// TestGradOfTiedEmbedding: the gradient of a table that is read by positions and multiplied with too is added up where the
// product is; it has the value of the sum of both, also for positions that come twice and through a cast.
func TestGradOfTiedEmbedding(t *testing.T) {
	const rows, width = 11, 6
	w := lucid.Arange(rows*width).Mul(0.31).Sin().Reshape(rows, width).Eval()
	ids := lucid.New([]int64{3, 0, 3, 10, 3, 7}, 6)
	for _, kind := range []lucid.DType{lucid.Float32, lucid.BFloat16} {
		loss := func(ws []*lucid.Tensor) *lucid.Tensor {
			h := F.Embedding(ids, ws[0].To(kind)).Tanh()
			picked := lucid.Gather(ws[2%len(ws)].To(kind), 1, ids.Reshape(6, 1).Remainder(width)).Square().Sum()
			return F.Linear(h, ws[1%len(ws)].To(kind)).Square().Sum().Add(picked).To(lucid.Float32)
		}
		got := lucid.Grad(func(w *lucid.Tensor) *lucid.Tensor { return loss([]*lucid.Tensor{w}) })(w)
		parts := gradsApart(loss, w, 3)
		want := parts[0].Add(parts[1]).Add(parts[2])
		tol := map[lucid.DType]float64{lucid.Float32: 1e-6, lucid.BFloat16: 0.02}[kind]
		if d, scale := got.Sub(want).Abs().Max().Item(), want.Abs().Max().Item(); !(d <= tol*scale) {
			t.Errorf("%v: the gradient is %v off, of %v", kind, d, scale)
		}
		leaf := w.Clone().RequiresGrad_(true)
		loss([]*lucid.Tensor{leaf}).Backward()
		if bad := tensortest.EqualBits([]*lucid.Tensor{leaf.Grad()}, []*lucid.Tensor{got}); bad != "" {
			t.Errorf("%v: Backward gives another gradient: %s", kind, bad)
		}
	}
	twice := func(in []*lucid.Tensor) []*lucid.Tensor {
		g := lucid.Grad(func(w *lucid.Tensor) *lucid.Tensor {
			return F.Linear(F.Embedding(ids, w).Tanh(), w).Square().Sum()
		})(in[0])
		return []*lucid.Tensor{g.Square().Sum()}
	}
	if err := lucid.GradCheck(twice, []*lucid.Tensor{w.To(lucid.Float64)}); err != nil {
		t.Errorf("second derivative: %v", err)
	}
}
