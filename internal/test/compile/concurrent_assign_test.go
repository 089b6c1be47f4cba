package compile

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// TestStepDuringAssignment: a compiled step may not write over its state's value once the tensor was assigned from elsewhere, as what
// was made of the value still needs it.
func TestStepDuringAssignment(t *testing.T) {
	late, faults := fake.New(cpu.Device)
	w := &tensortest.Target{Dev: late}
	const n = 1 << 12
	x, y := w.Put(lucid.Ones(n)).Contiguous().Eval(), w.Put(lucid.Ones(n)).Eval()
	ramp := w.Put(lucid.Arange(n).To(lucid.Float32)).Eval()
	step := lucid.Compile(func(y *lucid.Tensor) *lucid.Tensor { return x.Mul_(0.5).Add_(y).Sum() })
	step(y)
	for range 3 {
		x.Mul_(0).Add_(ramp).Eval() // a value that no one else holds
		release := faults.Hold()
		before := (*graph.Array)(x).Raw().Refs()
		slow := y.Sin().CumSum(0)
		if err := lucid.EvalAsync(slow); err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() { defer close(done); step(slow) }()
		for spin := 0; (*graph.Array)(x).Raw().Refs() == before; spin++ { // until it has its state and waits for its argument
			graph.Pause(spin)
		}
		x.Add_(1)
		also := x.Clone()
		release()
		<-done
		for i, v := range lucid.ToSlice[float32](also) {
			if v != float32(i)+1 {
				t.Fatalf("element %d of what was assigned meanwhile is %v", i, v)
			}
		}
		lucid.ToSlice[float32](x)
	}
}

// TestHookEvaluatesOnTheWay: hooks may evaluate gradients while Backward goes on with what they were made of.
func TestHookEvaluatesOnTheWay(t *testing.T) {
	lucid.Seed(5)
	for _, post := range []bool{false, true} {
		var plain, hooked []*lucid.Tensor
		for _, n := range []int{4, 8, 8, 3} {
			p := lucid.Randn(n, 8).Eval()
			plain, hooked = append(plain, p.Clone().Eval().RequiresGrad_(true)), append(hooked, p.Clone().Eval().RequiresGrad_(true))
		}
		x := lucid.Randn(6, 4).Eval()
		loss := func(p []*lucid.Tensor) *lucid.Tensor {
			h := x.MatMul(p[0]).Add(p[1].At(0))
			h = h.MatMul(p[2]).ReLU().Add(h)
			return h.MatMul(p[3].T()).Add(h.Sum()).Square().Mean()
		}
		seen := 0
		for _, p := range hooked {
			if post {
				p.RegisterPostAccumulateGradHook(func(p *lucid.Tensor) { p.Grad().Eval(); seen++ })
			} else {
				p.RegisterHook(func(g *lucid.Tensor) *lucid.Tensor { g.Eval(); seen++; return nil })
			}
		}
		loss(plain).Backward()
		loss(hooked).Backward()
		for i := range plain {
			tensortest.Same(t, "gradient", hooked[i].Grad(), plain[i].Grad())
		}
		if seen != len(hooked) {
			t.Errorf("%d hooks ran", seen)
		}
	}
}
