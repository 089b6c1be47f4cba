package programs

import (
	"runtime"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// TestNoLeaksAnyWay: a hundred thousand evaluations by Backward, on streams, under transforms and by calls that fail leave
// neither goroutines nor memory behind.
func TestNoLeaksAnyWay(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 4_000
	}
	x := lucid.Ones(32).Eval()
	leaf := lucid.Ones(32).RequiresGrad_(true)
	stream := lucid.NewStream()
	loss := func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(0.5).Square().Sum() }
	bad := lucid.New([]int64{99}, 1).Eval()
	step := lucid.Compile(func(k *lucid.Tensor) *lucid.Tensor { // gradients and state inside
		leaf.ZeroGrad()
		l := loss(leaf).Mul(k)
		l.Backward()
		lucid.NoGrad(func() { leaf.Sub_(leaf.Grad().Mul(1e-6)) })
		return l
	})
	one := lucid.Scalar(1.0).To(lucid.Float32).Eval()
	for name, f := range map[string]func(){
		"backward": func() {
			leaf.ZeroGrad()
			loss(leaf).Backward()
			leaf.Grad().Eval()
		},
		"hook": func() {
			leaf.ZeroGrad()
			h := leaf.RegisterHook(func(g *lucid.Tensor) *lucid.Tensor { return g.Mul(2) })
			loss(leaf).Backward()
			leaf.Grad().Eval()
			h.Remove()
		},
		"compiled step": func() { step(one).Eval() },
		"grad of a batch": func() {
			lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return lucid.VMap(loss)(x.Reshape(4, 8)).Sum() })(x).Eval()
		},
		"stream":  func() { lucid.WithStream(stream, func() { _ = lucid.EvalAsync(x.Exp()) }) },
		"failure": func() { _ = lucid.Eval(x.At(bad)) },
		"refusal": func() { _ = lucid.Try(func() { x.Add(lucid.Ones(5)) }) },
		"dropped": func() { x.Exp().Add(1) },
	} {
		t.Run(name, func(t *testing.T) {
			for range 200 {
				f()
			}
			stream.Synchronize()
			runtime.GC()
			runtime.GC()
			before := runtime.NumGoroutine()
			var m0, m1 runtime.MemStats
			runtime.ReadMemStats(&m0)
			live := lucid.MemoryStats(lucid.CPU).Allocated
			for range n {
				f()
			}
			stream.Synchronize()
			lucid.Synchronize()
			// Cleanups run behind collections, on a goroutine of their own: what is no leak goes in the end.
			var routines int
			var pool int64
			for range 100 {
				runtime.GC()
				runtime.ReadMemStats(&m1)
				routines, pool = runtime.NumGoroutine(), lucid.MemoryStats(lucid.CPU).Allocated
				if routines <= before+2 && m1.HeapAlloc <= m0.HeapAlloc+8<<20 && pool <= live+1<<20 {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
			t.Errorf("goroutines: %d, then %d; heap: %d, then %d; pool: %d, then %d", before, routines, m0.HeapAlloc,
				m1.HeapAlloc, live, pool)
		})
	}
}

// TestDeepTransforms: graphs of very many nodes are vectorised, compiled, checkpointed and freed; nothing recurses over
// their depth.
func TestDeepTransforms(t *testing.T) {
	n := 200_000
	if testing.Short() {
		n = 8_000
	}
	if testutil.Long() {
		n = 1_000_000
	}
	deep := func(x *lucid.Tensor) *lucid.Tensor {
		for range n {
			x = x.Neg()
		}
		return x
	}
	x := lucid.New([]float64{1, 2, 3}, 3)
	tensortest.Same(t, "vmap", lucid.VMap(deep)(x), x)
	tensortest.Same(t, "gradient of each", lucid.VMap(lucid.Grad(deep))(x), lucid.Ones(3).To(lucid.Float64))
	_, d := lucid.JVP(deep, x, x)
	tensortest.Same(t, "tangent", d, x)
	if n > 100_000 {
		n /= 10 // a trace that long takes seconds
	}
	f := lucid.Compile(deep)
	tensortest.Same(t, "compiled", f(x), x)
	tensortest.Same(t, "called again", f(x.Mul(2)), x.Mul(2))
	tensortest.Same(t, "checkpoint", lucid.Grad(lucid.Checkpoint(func(x *lucid.Tensor) *lucid.Tensor { return deep(x).Sum() }))(x),
		lucid.Ones(3).To(lucid.Float64))
}
