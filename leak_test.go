package lucid

import (
	"runtime"
	"testing"
	"time"
)

// TestNoLeaksAnyWay: a hundred thousand evaluations by Backward, on streams, under transforms and by calls that fail leave
// neither goroutines nor memory behind.
func TestNoLeaksAnyWay(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 4_000
	}
	x := Ones(32).Eval()
	leaf := Ones(32).RequiresGrad_(true)
	stream := NewStream()
	loss := func(x *Tensor) *Tensor { return x.Mul(0.5).Square().Sum() }
	bad := New([]int64{99}, 1).Eval()
	step := Compile(func(k *Tensor) *Tensor { // gradients and state inside
		leaf.ZeroGrad()
		l := loss(leaf).Mul(k)
		l.Backward()
		NoGrad(func() { leaf.Sub_(leaf.Grad().Mul(1e-6)) })
		return l
	})
	one := Scalar(1.0).To(Float32).Eval()
	for name, f := range map[string]func(){
		"backward": func() {
			leaf.ZeroGrad()
			loss(leaf).Backward()
			leaf.Grad().Eval()
		},
		"hook": func() {
			leaf.ZeroGrad()
			h := leaf.RegisterHook(func(g *Tensor) *Tensor { return g.Mul(2) })
			loss(leaf).Backward()
			leaf.Grad().Eval()
			h.Remove()
		},
		"compiled step":   func() { step(one).Eval() },
		"grad of a batch": func() { Grad(func(x *Tensor) *Tensor { return VMap(loss)(x.Reshape(4, 8)).Sum() })(x).Eval() },
		"stream":          func() { WithStream(stream, func() { _ = EvalAsync(x.Exp()) }) },
		"failure":         func() { _ = Eval(x.At(bad)) },
		"refusal":         func() { _ = Try(func() { x.Add(Ones(5)) }) },
		"dropped":         func() { x.Exp().Add(1) },
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
			live := MemoryStats(CPU).Allocated
			for range n {
				f()
			}
			stream.Synchronize()
			Synchronize()
			// Cleanups run behind collections, on a goroutine of their own: what is no leak goes in the end.
			var routines int
			var pool int64
			for range 100 {
				runtime.GC()
				runtime.ReadMemStats(&m1)
				routines, pool = runtime.NumGoroutine(), MemoryStats(CPU).Allocated
				if routines <= before+2 && m1.HeapAlloc <= m0.HeapAlloc+8<<20 && pool <= live+1<<20 {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
			t.Errorf("goroutines: %d, then %d; heap: %d, then %d; pool: %d, then %d", before, routines, m0.HeapAlloc, m1.HeapAlloc, live, pool)
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
	if long() {
		n = 1_000_000
	}
	deep := func(x *Tensor) *Tensor {
		for range n {
			x = x.Neg()
		}
		return x
	}
	x := New([]float64{1, 2, 3}, 3)
	same(t, "vmap", VMap(deep)(x), x)
	same(t, "gradient of each", VMap(Grad(deep))(x), Ones(3).To(Float64))
	_, d := JVP(deep, x, x)
	same(t, "tangent", d, x)
	if n > 100_000 {
		n /= 10 // a trace that long takes seconds
	}
	f := Compile(deep)
	same(t, "compiled", f(x), x)
	same(t, "called again", f(x.Mul(2)), x.Mul(2))
	same(t, "checkpoint", Grad(Checkpoint(func(x *Tensor) *Tensor { return deep(x).Sum() }))(x), Ones(3).To(Float64))
}
