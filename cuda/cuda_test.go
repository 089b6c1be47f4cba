package cuda

import (
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/backend/cuda/cublas"
	F "github.com/lucid-go/lucid/nn/functional"
)

// gpu returns the first GPU, or skips the test: with LUCID_REQUIRE=cuda it fails.
func gpu(t testing.TB) lucid.Device {
	t.Helper()
	err := lucid.Try(func() { lucid.Zeros(1).To(lucid.CUDA(0)) })
	asmvariant.Feature("cuda", err == nil)
	if err != nil {
		t.Logf("SKIP: %v", err)
		asmvariant.Require(t, "cuda")
	}
	return lucid.CUDA(0)
}

// TestMissing asks for a GPU on a machine without one.
func TestMissing(t *testing.T) {
	if Available() {
		t.Skip("SKIP: there is a GPU")
	}
	err := lucid.Try(func() { lucid.Zeros(1).To(lucid.CUDA(0)) })
	if !errors.Is(err, lucid.ErrDevice) || !strings.Contains(err.Error(), "libcuda.so") {
		t.Errorf("%v", err)
	}
	text, err := Doctor()
	if err == nil || !strings.Contains(text, "FAIL") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestNoProducts has an emulated driver and no cuBLASLt: a matmul's error lists what was looked for, other ops work.
func TestNoProducts(t *testing.T) {
	dev := gpu(t)
	if cublas.Init() == nil {
		t.Skip("SKIP: cuBLASLt is there")
	}
	x := lucid.Ones(8, 8).To(dev)
	if err := lucid.Try(func() { x.MatMul(x).Eval() }); !errors.Is(err, lucid.ErrDevice) || !strings.Contains(err.Error(), "libcublasLt") {
		t.Errorf("%v", err)
	}
	if got := x.Add(1).Sum().Item(); got != 128 {
		t.Errorf("after that: %v", got)
	}
}

func TestDoctor(t *testing.T) {
	gpu(t)
	text, err := Doctor()
	if err != nil {
		t.Error(err)
	}
	t.Log("\n" + text)
}

// TestTraining trains the same network on both devices.
func TestTraining(t *testing.T) {
	dev := gpu(t)
	for _, compiled := range []bool{false, true} {
		var losses [2][]float64
		for k, d := range []lucid.Device{lucid.CPU, dev} {
			losses[k] = train(d, 60, compiled)
		}
		for i := range losses[0] {
			if c, g := losses[0][i], losses[1][i]; !(math.Abs(c-g) <= 2e-3*math.Abs(c)+1e-4) {
				t.Fatalf("compiled %v, step %d: loss %v on the CPU, %v on the GPU", compiled, i, c, g)
			}
		}
		t.Logf("compiled %v: loss %.4f to %.4f", compiled, losses[1][0], losses[1][len(losses[1])-1])
	}
	counts, _ := Fallbacks(0)
	t.Logf("on the host: %v", counts)
}

// train fits y = f(x) with two layers by Adam and returns the losses.
func train(d lucid.Device, steps int, compiled bool) (losses []float64) {
	lucid.Seed(3)
	x := lucid.Randn(64, 20).To(d)
	y := x.Mul(2).Sin().Sum(1).Unsqueeze(1)
	var params, mean, square []*lucid.Tensor
	for _, s := range [][]int{{20, 32}, {32}, {32, 1}, {1}} {
		p := lucid.Randn(s...).Mul(0.2).To(d)
		lucid.Eval(p)
		params = append(params, p.Detach().RequiresGrad_(true))
		mean, square = append(mean, lucid.ZerosLike(p)), append(square, lucid.ZerosLike(p))
	}
	step := func(x, y *lucid.Tensor) *lucid.Tensor {
		h := x.MatMul(params[0]).Add(params[1]).Tanh()
		loss := h.MatMul(params[2]).Add(params[3]).Sub(y).Square().Mean()
		loss.Backward()
		lucid.NoGrad(func() {
			for i, p := range params {
				g := p.Grad()
				mean[i].Mul_(0.9).Add_(g.Mul(0.1))
				square[i].Mul_(0.99).Add_(g.Square().Mul(0.01))
				p.Sub_(mean[i].Div(square[i].Sqrt().Add(1e-6)).Mul(0.01))
				p.ZeroGrad()
			}
		})
		return loss
	}
	if compiled {
		step = lucid.Compile(step)
	}
	for range steps {
		losses = append(losses, step(x, y).Item())
	}
	return losses
}

// TestDeviceErrors: refused values become the errors they are on the CPU, and affect nothing else.
func TestDeviceErrors(t *testing.T) {
	dev := gpu(t)
	x := lucid.Arange(10).To(dev)
	bad := func(f func() *lucid.Tensor, want error) {
		t.Helper()
		if err := lucid.Try(func() { f().Item() }); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	at := lucid.New([]int64{3, 12}, 2).To(dev)
	bad(func() *lucid.Tensor { return x.IndexSelect(0, at).Sum() }, lucid.ErrIndex)
	bad(func() *lucid.Tensor { return lucid.FloorDivide(x, x).Sum() }, lucid.ErrValue)
	bad(func() *lucid.Tensor {
		return F.CrossEntropy(lucid.Zeros(2, 3).To(dev), lucid.New([]int64{0, 5}, 2).To(dev))
	}, lucid.ErrIndex)
	if s := x.Sum().Item(); s != 45 {
		t.Errorf("afterwards the sum is %v, want 45", s)
	}
	if err := lucid.Try(func() { lucid.Zeros(1 << 45).To(dev).Add(lucid.Rand(1).To(dev)).Item() }); err == nil {
		t.Error("a value of 128 TiB fits")
	}
	if s := x.Add(1).Sum().Item(); s != 55 {
		t.Errorf("after running out of memory the sum is %v, want 55", s)
	}
}

// TestHammer computes from many goroutines at once.
func TestHammer(t *testing.T) {
	dev := gpu(t)
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for i := range 30 {
				n := 100 + 37*i + g
				x := lucid.Full([]int{n}, float64(g)).To(dev)
				if got, want := x.Mul(2).Add(1).Sum().Item(), float64(n*(2*g+1)); got != want {
					t.Errorf("%d elements of %d: %v, want %v", n, g, got, want)
				}
			}
		})
	}
	wg.Wait()
	before := lucid.MemoryStats(dev)
	t.Logf("%d bytes in use, %d cached", before.Allocated, before.Cached)
}
