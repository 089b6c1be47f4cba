package fusion

import (
	"runtime"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend/cpu/qmm"
	"github.com/lucid-go/lucid/internal/exec"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/quant"
)

// TestBlockProducts: products of the same rows with matrices of blocks are one launch with what follows them, and have the bits of
// launches one by one, with any number of rows and threads.
func TestBlockProducts(t *testing.T) {
	lucid.Seed(5)
	const n = 256
	weights := func(rows int, format string) func(x *lucid.Tensor) *lucid.Tensor {
		w := quant.QuantizeBlocks(lucid.Randn(rows, n).Mul(0.1), format)
		return func(x *lucid.Tensor) *lucid.Tensor {
			return quant.MatMulBlocks(x, w, format, quant.BlockOptions{Fast: true})
		}
	}
	q, k, v, bias := weights(n, "q4_k"), weights(80, "q4_k"), weights(80, "q6_k"), lucid.Randn(80).Eval()
	gate, up, down := weights(n, "q8_0"), weights(n, "q4_0"), weights(n, "q4_1")
	block := func(x *lucid.Tensor, at func(t *lucid.Tensor) *lucid.Tensor) []*lucid.Tensor {
		a, b, c := at(q(x)), at(at(k(x)).Add(bias)), at(at(at(v(x)).Mul(2)).Add(at(q(x)).Narrow(2, 3, 80))) // the last reads another's
		h := at(x.Add(at(at(F.SiLU(at(gate(x)))).Mul(at(up(x))))))
		return []*lucid.Tensor{a, b, c, at(h.Add(at(down(h))))}
	}
	apart := func(t *lucid.Tensor) *lucid.Tensor { return t.Eval() }
	compiled := lucid.Compile(func(x *lucid.Tensor) []*lucid.Tensor { return block(x, later) })
	for _, rows := range []int{1, 3, 8, 9, 40} {
		x := lucid.Randn(1, rows, n).Eval()
		want := block(x, apart)
		for _, threads := range []int{1, 2, 5} {
			old := runtime.GOMAXPROCS(threads)
			before := exec.Count.Steps.Load()
			got := block(x, later)
			if err := lucid.Eval(got...); err != nil {
				t.Fatal(err)
			}
			if steps := exec.Count.Steps.Load() - before; qmm.HasFast() && steps > 3 {
				t.Errorf("%d rows: %d launches; want 3 at most", rows, steps)
			}
			again := compiled(x)
			for i := range want {
				if a := lucid.ToSlice[float32](want[i]); !slices.Equal(a, lucid.ToSlice[float32](got[i])) ||
					!slices.Equal(a, lucid.ToSlice[float32](again[i])) {
					t.Errorf("%d rows, %d threads: value %d differs from that of launches one by one", rows, threads, i)
				}
			}
			runtime.GOMAXPROCS(old)
		}
	}
}
