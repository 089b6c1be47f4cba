package fusion

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/quant"
)

// TestBoundPlanCachesWeights: a size that shares the plan of another one caches packed weights as that one does, also where a state is
// written in place. Without, each call of a step over caches would pack all weights again.
func TestBoundPlanCachesWeights(t *testing.T) {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // what is collected meanwhile would be missing in the sums
	lucid.Seed(3)
	blocks := func() *lucid.Tensor { return quant.QuantizeBlocks(lucid.Randn(512, 256), "q8_0").Eval() }
	state := lucid.Zeros(4000, 512).Contiguous().Eval()
	row, square := lucid.New([]int64{2}, 1), lucid.Randn(512, 512).Eval()
	compiled := lucid.Compile(func(x, w, state *lucid.Tensor) *lucid.Tensor {
		y := quant.MatMulBlocks(x, w, "q8_0", quant.BlockOptions{Fast: true})
		state.Assign(state.IndexCopy(0, row, y.Sum(0).Unsqueeze(0)))
		total := state.Sum()
		for range 4 { // products are moved next to their sums, to save memory
			total = total.Add(y.Add(total).MatMul(square).Sum(0).Sum())
		}
		a, b := y.MatMul(square), y.MatMul(square.Mul(2))
		return total.Add(a.Softmax(1).Sum()).Add(b.Softmax(1).Sum())
	})
	f := func(x, w *lucid.Tensor) *lucid.Tensor { return compiled(x, w, state) }
	// packed is how much memory stays taken behind some calls with a weight.
	packed := func(rows int, w *lucid.Tensor) int64 {
		x := lucid.Randn(rows, 256).Eval()
		f(x, w).Eval().Free()
		f(x, w).Eval().Free()
		before := lucid.MemoryStats(lucid.CPU).Allocated
		fresh := blocks()
		own := lucid.MemoryStats(lucid.CPU).Allocated - before
		for range 3 {
			f(x, fresh).Eval().Free()
		}
		took := lucid.MemoryStats(lucid.CPU).Allocated - before - own
		fresh.Free()
		runtime.KeepAlive(w)
		return took
	}
	donated := lucid.MemoryStats(lucid.CPU).Donated
	first, bound := packed(2100, blocks()), packed(2200, blocks())
	if x := lucid.Explain(compiled); x.Plans != 1 || x.Traces != 2 || lucid.MemoryStats(lucid.CPU).Donated == donated {
		t.Fatalf("%d traces have %d plans: the test looks at nothing", x.Traces, x.Plans)
	}
	if first == 0 {
		t.Skip("this machine has no kernels that pack weights")
	}
	if bound < first/2 {
		t.Errorf("%d bytes of packed weights are stored for the first size, %d for another one", first, bound)
	}
}
