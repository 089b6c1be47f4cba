package lucid

import (
	"fmt"
	"math"
	"testing"

	"github.com/lucid-go/lucid/internal/exec"
)

// TestGradOfSharedWeight: the gradients of a weight that many steps use meet in one product, whatever way the weight is
// seen, and have the value of their sum.
func TestGradOfSharedWeight(t *testing.T) {
	if DefaultDevice() != CPU {
		t.Skip("counts launches of the CPU")
	}
	const steps, batch, in, out = 6, 3, 24, 20
	shown := map[string]func(x, w *Tensor) *Tensor{
		"linear": func(x, w *Tensor) *Tensor { return Linear(x, w, nil) },
		"plain":  func(x, w *Tensor) *Tensor { return x.MatMul(w.T()) },
		"turned": func(x, w *Tensor) *Tensor { return w.MatMul(x.T()).T() },
	}
	var xs []*Tensor
	for i := range steps {
		xs = append(xs, Arange(batch*in).Mul(i+1).Mul(0.37).Sin().Reshape(batch, in).Eval())
	}
	w := Arange(out*in).Mul(0.11).Cos().Reshape(out, in).Eval()
	for name, use := range shown {
		loss := func(ws []*Tensor) *Tensor {
			sum := Scalar(0).To(Float32)
			for i, x := range xs {
				sum = sum.Add(use(x, ws[i%len(ws)]).Tanh().Square().Sum())
			}
			return sum
		}
		shared := Grad(func(w *Tensor) *Tensor { return loss([]*Tensor{w}) })
		before := exec.Count.Steps.Load()
		got := shared(w).Eval()
		launches := exec.Count.Steps.Load() - before
		// Apart, every step has a weight of its own.
		parts := gradsApart(func(ws []*Tensor) *Tensor { return loss(ws) }, w, steps)
		want := parts[0]
		for _, p := range parts[1:] {
			want = want.Add(p)
		}
		same(t, name, got, want)
		if most := map[string]int64{"linear": 9, "plain": 9, "turned": 15}[name]; launches > most { // one product a step would be three more
			t.Errorf("%s: %d launches, want at most %d", name, launches, most)
		}
		leaf := w.Clone().RequiresGrad_(true)
		loss([]*Tensor{leaf}).Backward()
		same(t, name+", Backward", leaf.Grad(), want)
		twice := Grad(func(w *Tensor) *Tensor { return shared(w).Square().Sum() })
		d := Arange(out*in).Sin().Reshape(out, in)
		const eps = 3e-3
		rise := shared(w.Add(d.Mul(eps))).Square().Sum().Sub(shared(w.Sub(d.Mul(eps))).Square().Sum()).Item() / (2 * eps)
		if got := twice(w).Mul(d).Sum().Item(); !(math.Abs(got-rise) < 0.02*math.Abs(rise)) {
			t.Errorf("%s, second derivative: %v along a line, %v by differences", name, got, rise)
		}
	}
}

// gradsApart gives the gradients of a function of copies of w.
func gradsApart(f func([]*Tensor) *Tensor, w *Tensor, copies int) []*Tensor {
	ws := make([]*Tensor, copies)
	for i := range ws {
		ws[i] = w.Clone()
	}
	_, grads := VJPN(func(in []*Tensor) []*Tensor { return []*Tensor{f(in)} }, ws, []*Tensor{Scalar(1).To(Float32)})
	return grads
}

// TestGradOfMixedUses: uses of other sizes, or too deep to be joined, are added as they are.
func TestGradOfMixedUses(t *testing.T) {
	w := Arange(12).Mul(0.3).Sin().Reshape(3, 4).Eval()
	for _, rows := range [][]int{{2, 3, 5}, {50, 50, 50}, {1, 1, 1}} {
		f := func(ws []*Tensor) *Tensor {
			sum := Scalar(0).To(Float32)
			for i, n := range rows {
				x := Arange(n*4).Mul(0.7+float64(i)).Cos().Reshape(n, 4)
				sum = sum.Add(Linear(x, ws[i%len(ws)], nil).Sin().Sum())
			}
			return sum.Add(ws[0].Square().Sum())
		}
		got := Grad(func(w *Tensor) *Tensor { return f([]*Tensor{w}) })(w)
		want := Scalar(0).To(Float32)
		for _, g := range gradsApart(f, w, len(rows)) {
			want = want.Add(g)
		}
		same(t, fmt.Sprint(rows), got, want)
	}
}

// TestGradOfTiedEmbedding: the gradient of a table that is read by positions and multiplied with too is added up where the
// product lies; it has the value of the sum of both, also for positions that come twice and through a cast.
func TestGradOfTiedEmbedding(t *testing.T) {
	const rows, width = 11, 6
	w := Arange(rows*width).Mul(0.31).Sin().Reshape(rows, width).Eval()
	ids := New([]int64{3, 0, 3, 10, 3, 7}, 6)
	for _, kind := range []DType{Float32, BFloat16} {
		loss := func(ws []*Tensor) *Tensor {
			h := Embedding(ids, ws[0].To(kind)).Tanh()
			picked := Gather(ws[2%len(ws)].To(kind), 1, ids.Reshape(6, 1).Remainder(width)).Square().Sum()
			return Linear(h, ws[1%len(ws)].To(kind), nil).Square().Sum().Add(picked).To(Float32)
		}
		got := Grad(func(w *Tensor) *Tensor { return loss([]*Tensor{w}) })(w)
		parts := gradsApart(loss, w, 3)
		want := parts[0].Add(parts[1]).Add(parts[2])
		tol := map[DType]float64{Float32: 1e-6, BFloat16: 0.02}[kind]
		if d, scale := got.Sub(want).Abs().Max().Item(), want.Abs().Max().Item(); !(d <= tol*scale) {
			t.Errorf("%v: the gradient is %v off, of %v", kind, d, scale)
		}
		leaf := w.Clone().RequiresGrad_(true)
		loss([]*Tensor{leaf}).Backward()
		if bad := equalBits([]*Tensor{leaf.Grad()}, []*Tensor{got}); bad != "" {
			t.Errorf("%v: Backward gives another gradient: %s", kind, bad)
		}
	}
	twice := func(in []*Tensor) []*Tensor {
		g := Grad(func(w *Tensor) *Tensor { return Linear(Embedding(ids, w).Tanh(), w, nil).Square().Sum() })(in[0])
		return []*Tensor{g.Square().Sum()}
	}
	if err := GradCheck(twice, []*Tensor{w.To(Float64)}); err != nil {
		t.Errorf("second derivative: %v", err)
	}
}
