package cuda

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// captured fails the test if a compiled function does not run as a CUDA graph.
func captured(t testing.TB, f any) {
	t.Helper()
	for _, g := range lucid.Explain(f).Graphs {
		if !strings.HasPrefix(g, "recorded") {
			t.Errorf("the function is %s", g)
		}
	}
}

// TestCapture trains the same network captured, launch by launch and on the CPU; batches have new addresses at every step.
func TestCapture(t *testing.T) {
	dev := gpu(t)
	var losses [2][]float64
	for k, compiled := range []bool{true, false} {
		lucid.Seed(5)
		w := lucid.Randn(32, 8).Mul(0.2).To(dev)
		m := lucid.Zeros(32, 8).To(dev)
		lucid.Eval(w, m)
		w = w.Detach().RequiresGrad_(true)
		step := func(x, y *lucid.Tensor) *lucid.Tensor {
			loss := F.CrossEntropy(x.MatMul(w).Tanh().Mul(3), y)
			loss.Backward()
			lucid.NoGrad(func() {
				m.Mul_(0.9).Add_(w.Grad())
				w.Sub_(m.Mul(0.1))
				w.ZeroGrad()
			})
			return loss
		}
		if compiled {
			step = lucid.Compile(step)
		}
		for i := range 50 {
			x := lucid.Randn(16, 32).To(dev)
			y := x.Narrow(1, 0, 8).ArgMax(1)
			lucid.Eval(x, y)
			loss := step(x, y)
			if i%10 == 9 || i < 3 {
				losses[k] = append(losses[k], loss.Item())
			}
		}
		if compiled {
			captured(t, step)
		}
	}
	t.Log(losses)
	for i := range losses[0] {
		if a, b := losses[0][i], losses[1][i]; !(math.Abs(a-b) <= 1e-4*math.Abs(b)) {
			t.Fatalf("loss %d is %v recorded and %v launched one by one", i, a, b)
		}
	}
}

// TestCaptureDeviceError: a bad index reaches the readers of that run only, and the random generator advances.
func TestCaptureDeviceError(t *testing.T) {
	dev := gpu(t)
	table := lucid.Arange(10).To(lucid.Float32).To(dev).Eval()
	f := lucid.Compile(func(i *lucid.Tensor) *lucid.Tensor { return table.IndexSelect(0, i).Mul(2) })
	at := func(a, b int64) *lucid.Tensor { return lucid.New([]int64{a, b}, 2).To(dev).Eval() }
	for range 4 {
		f(at(1, 2))
	}
	bad, good := f(at(3, 99)), f(at(3, 4))
	captured(t, f)
	if got := good.Sum().Item(); got != 14 {
		t.Errorf("the run behind a bad one gives %v, want 14", got)
	}
	err := lucid.Try(func() { bad.Sum().Item() })
	if !errors.Is(err, lucid.ErrIndex) || !strings.Contains(err.Error(), "99") {
		t.Errorf("a reader of the bad run: %v", err)
	}
	for i := range 300 { // more runs than the ring of outcomes holds
		at := at(int64(i%10), 1)
		if v := f(at); i%50 == 0 {
			if got := v.Sum().Item(); got != float64(2*(i%10)+2) {
				t.Fatalf("run %d gives %v", i, got)
			}
		}
	}
	lucid.Seed(1)
	draw := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return lucid.Rand(4).To(x.Device()).Add(x) })
	seen := map[float64]bool{}
	x := lucid.Zeros(4).To(dev).Eval()
	lucid.WithDevice(dev, func() {
		for range 8 {
			seen[draw(x).Sum().Item()] = true
		}
	})
	if len(seen) != 8 {
		t.Errorf("8 draws gave %d different sums: %v", len(seen), lucid.Explain(draw))
	}
}

// TestSoak trains for long; memory use does not grow.
func TestSoak(t *testing.T) {
	dev := gpu(t)
	steps := 10000
	if testing.Short() {
		steps = 500
	}
	train(dev, 200, true)
	before := lucid.MemoryStats(dev)
	train(dev, steps, true)
	after := lucid.MemoryStats(dev)
	t.Logf("%d bytes in use before, %d after %d steps; peak %d", before.Allocated, after.Allocated, steps, after.Peak)
	if after.Allocated > before.Allocated+(4<<20) {
		t.Errorf("memory grew from %d to %d bytes", before.Allocated, after.Allocated)
	}
}

// TestMemory fills the GPU up to a limit: what does not fit fails cleanly, captured graphs give memory back, and work goes
// on.
func TestMemory(t *testing.T) {
	dev := gpu(t)
	x := lucid.Ones(1 << 20).To(dev).Eval()
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(2).Sum(0).Add(x.Softmax(0).Sum()) })
	for range 4 {
		f(x)
	}
	captured(t, f)
	want := f(x).Item()
	old := lucid.SetMemoryLimit(dev, lucid.MemoryStats(dev).Allocated+(64<<20))
	err := lucid.Try(func() { lucid.Zeros(64 << 20).To(dev).Add(x.Sum()).Item() })
	if !errors.Is(err, lucid.ErrOutOfMemory) {
		t.Errorf("past the limit: %v", err)
	}
	lucid.SetMemoryLimit(dev, old)
	if got := f(x).Item(); got != want {
		t.Errorf("afterwards the function gives %v, want %v", got, want)
	}
	if err := lucid.Try(func() { lucid.Zeros(3).Add(lucid.Ones(3).To(dev)).Item() }); !errors.Is(err, lucid.ErrDeviceMismatch) {
		t.Errorf("a sum over two devices: %v", err)
	}
	if got := lucid.Arange(10).To(dev).To(lucid.CPU).Sum().Item(); got != 45 {
		t.Errorf("there and back: %v", got)
	}
}

// TestCapturePDL: kernels of a graph that start by programmatic dependent launch see all their predecessors' writes and
// overwrite nothing that is still read, in long chains of small kernels and next to large ones, matmuls and copies: the
// bits are those of single launches.
func TestCapturePDL(t *testing.T) {
	dev := gpu(t)
	for _, n := range []int{16, 1 << 10} {
		var ws [2]*lucid.Tensor
		f := func(k int) func(x *lucid.Tensor) *lucid.Tensor {
			lucid.Seed(3)
			w := lucid.Randn(n, n).Mul(0.1).To(dev).Eval()
			ws[k] = w
			return func(x *lucid.Tensor) *lucid.Tensor {
				for i := range 24 {
					switch i % 6 {
					case 0:
						x = x.Softmax(-1).Sub(w)
					case 1:
						x = x.CumSum(0).Mul(0.5)
					case 2:
						x = x.MatMul(w).Add(x)
					case 3:
						x = x.Sub(x.Sum(0)).Transpose(0, 1).Contiguous()
					case 4:
						v, _ := x.Sort(-1)
						x = v.Add(x.Max(1).Unsqueeze(1)).Tanh()
					case 5:
						x = x.LogSoftmax(0)
						w.Mul_(0.99).Add_(x.Mul(1e-3))
					}
				}
				return x
			}
		}
		lucid.Deterministic(func() {
			launched, compiled := f(0), lucid.Compile(f(1))
			for i := range 40 {
				lucid.Seed(uint64(i))
				x := lucid.Randn(n, n).To(dev).Eval()
				want, got := launched(x).Eval(), compiled(x).Eval()
				if i%8 == 7 && (!lucid.Equal(want, got) || !lucid.Equal(ws[0], ws[1])) {
					t.Fatalf("size %d, run %d: a captured graph gives other bits", n, i)
				}
			}
			captured(t, compiled)
		})
	}
}
