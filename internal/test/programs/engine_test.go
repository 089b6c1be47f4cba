package programs

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// world runs random programs twice: on the engine, and on plain slices that are always copied.
type world struct {
	tensortest.Target
	rng    *rand.Rand
	handle []*lucid.Tensor
	value  [][]float32 // what each handle must show
	size   int
}

func newWorld(seed uint64, dev *backend.Device) *world {
	// Small values live on the Go heap, larger ones in the pool, where freed memory comes back.
	w := &world{rng: rand.New(rand.NewPCG(seed, 1)), Target: tensortest.Target{Dev: dev}, size: []int{6, 1536}[seed%2]}
	for range 4 {
		v := make([]float32, w.size)
		for i := range v {
			v[i] = float32(w.rng.IntN(16)) / 4
		}
		w.add(w.Put(lucid.New(v, w.size)), v)
	}
	return w
}

func (w *world) add(t *lucid.Tensor, v []float32) {
	w.handle = append(w.handle, t)
	w.value = append(w.value, append([]float32(nil), v...))
}

func (w *world) pick() int { return w.rng.IntN(len(w.handle)) }

func zip(x, y []float32, f func(a, b float32) float32) []float32 {
	z := make([]float32, len(x))
	for i := range z {
		z[i] = f(x[i], y[i])
	}
	return z
}

// act does one random thing.
func (w *world) act(t *testing.T) {
	i, j := w.pick(), w.pick()
	x, y, vx, vy := w.handle[i], w.handle[j], w.value[i], w.value[j]
	switch w.rng.IntN(12) {
	case 0:
		w.add(x.Add(y), zip(vx, vy, func(a, b float32) float32 { return a + b }))
	case 1:
		w.add(x.Mul(0.5).Sub(y), zip(vx, vy, func(a, b float32) float32 { return a*0.5 - b }))
	case 2: // rebind in place: a clone taken before keeps its value
		c := x.Clone()
		w.add(c, vx)
		if !(*graph.Array)(x).IsView() {
			x.Add_(1)
			w.value[i] = zip(vx, vx, func(a, _ float32) float32 { return a + 1 })
		}
	case 3:
		x.Assign(y)
		w.value[i] = append([]float32(nil), vy...)
	case 4: // a view next to its base
		w.add(x.Reshape(2, w.size/2).Reshape(w.size), vx)
	case 5:
		w.check(t, i)
	case 6:
		if err := lucid.Eval(x, y); err != nil {
			t.Fatal(err)
		}
	case 7:
		_ = lucid.EvalAsync(x)
	case 8: // a compiled step that writes its state in place
		if (*graph.Array)(x).IsView() {
			return
		}
		step := lucid.Compile(func(g *lucid.Tensor) *lucid.Tensor { x.Mul_(0.5).Add_(g); return x.Sum() })
		for range 4 { // from the third on as a recording, where the device makes one
			step(y)
			w.value[i] = zip(w.value[i], vy, func(a, b float32) float32 {
				if i == j { // the argument is the state itself, which is halved before it is added
					b = a * 0.5
				}
				return a*0.5 + b
			})
		}
	case 9: // forget a handle: its memory may come back under other values
		if len(w.handle) > 4 {
			k := len(w.handle) - 1
			w.handle[i], w.value[i] = w.handle[k], w.value[k]
			w.handle, w.value = w.handle[:k], w.value[:k]
		}
	case 10:
		s := x.Sum()
		sum := float32(0)
		for _, v := range vx {
			sum += v
		}
		if d := float32(s.Item()) - sum; d > 1e-3*(1+max(sum, -sum)) || d < -1e-3*(1+max(sum, -sum)) {
			t.Fatalf("sum %v, want %v", s.Item(), sum)
		}
	case 11:
		if w.rng.IntN(20) == 0 {
			runtime.GC()
		}
	}
	// Keep numbers small enough to stay exact.
	for k, v := range w.value {
		for _, f := range v {
			if f > 1e5 || f < -1e5 {
				(*graph.Array)(w.handle[k]).Set((*graph.Array)(w.Put(lucid.Zeros(w.size))).Peek())
				w.value[k] = make([]float32, w.size)
				break
			}
		}
	}
}

func (w *world) check(t *testing.T, i int) {
	got := lucid.ToSlice[float32](w.handle[i])
	for k := range got {
		if got[k] != w.value[i][k] {
			t.Fatalf("handle %d shows %v from element %d on, want %v", i, got[k:min(k+4, len(got))], k, w.value[i][k:min(k+4, len(got))])
		}
	}
}

// TestDonationIsNeverSeen runs random programs of reads, rebinds, views and compiled steps against a copying engine.
func TestDonationIsNeverSeen(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 60
	}
	runDonation(t, n)
}

// runDonation acts at random in n worlds.
func runDonation(t *testing.T, n int) {
	late, _ := fake.New(cpu.Device)
	for _, dev := range []*backend.Device{cpu.Device, late} {
		for seed := range n {
			w := newWorld(uint64(seed), dev)
			for range 40 {
				w.act(t)
			}
			for i := range w.handle {
				w.check(t, i)
			}
			if t.Failed() {
				t.Fatalf("device %v, seed %d", dev, seed)
			}
		}
	}
}

// TestFaults plants failures on the fake device: each leaves every other tensor right.
func TestFaults(t *testing.T) {
	late, faults := fake.New(cpu.Device)
	w := &tensortest.Target{Dev: late}
	x := w.Put(lucid.Arange(1 << 14).To(lucid.Float32)).Eval()
	good := x.Add(1)
	bad := x.Exp()
	after := bad.Mul(2)
	faults.FailLaunch("exp", fault.New(fault.Device, "exp", "planted"))
	if err := lucid.Eval(after); !errors.Is(err, lucid.ErrDevice) {
		t.Fatalf("got %v", err)
	}
	if got := good.At(3).Item(); got != 4 {
		t.Errorf("a tensor that does not depend on the failure: %v", got)
	}
	if err := lucid.Eval(after); !errors.Is(err, lucid.ErrDevice) {
		t.Errorf("a device fault stays: %v", err)
	}
	faults.FailLaunch("exp", nil)
	if got := x.Exp().At(0).Item(); got != 1 {
		t.Errorf("a fresh value after the fault: %v", got)
	}
	// Out of memory leaves the node pending: it can be asked for again.
	y := x.Add(5)
	lucid.ClearCache(lucid.Device{})
	late.Pool.Trim()
	faults.FailAlloc(1)
	if err := lucid.Eval(y); !errors.Is(err, lucid.ErrOutOfMemory) {
		t.Fatalf("planted memory failure: %v", err)
	}
	faults.FailAlloc(0)
	if got := y.At(0).Item(); got != 5 {
		t.Errorf("after memory came back: %v", got)
	}
	// A cancelled evaluation leaves its nodes pending too.
	ctx, cancel := context.WithCancel(context.Background())
	faults.SetDelay(20 * time.Millisecond)
	z := x.Sin()
	go func() { time.Sleep(5 * time.Millisecond); cancel() }()
	if err := lucid.EvalContext(ctx, z); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	faults.SetDelay(0)
	if got := z.At(0).Item(); got != 0 {
		t.Errorf("after a cancel: %v", got)
	}
}

// TestIndexFaultReachesItsReadersOnly: a position out of range is found when it is computed.
func TestIndexFaultReachesItsReadersOnly(t *testing.T) {
	x := lucid.Arange(10).To(lucid.Float32)
	idx := lucid.New([]int64{1, 99}, 2)
	bad := x.At(idx)
	ok := x.Add(1)
	if err := lucid.Eval(bad, ok); !errors.Is(err, lucid.ErrIndex) {
		t.Errorf("got %v", err)
	}
	if ok.Sum().Item() != 55 {
		t.Error("the other root of the same evaluation is wrong")
	}
	if err := lucid.Eval(bad.Mul(2)); !errors.Is(err, lucid.ErrIndex) {
		t.Errorf("a later reader: %v", err)
	}
}

// TestFailureLeavesItsLaunch: a value that shares a launch with a reader of what failed is not lost with it.
func TestFailureLeavesItsLaunch(t *testing.T) {
	const n = 1536
	for k := range 4 {
		base := lucid.Ones(n)
		x, y := base.Add(1), base.Add(2)
		switch k {
		case 1:
			y = x.Mul(3)
		case 2:
			y = base.Reshape(2, n/2).Flip(0).Contiguous().Reshape(n).Mul(3)
		case 3:
			x.Eval()
		}
		also := y.Sub(1)
		both := x.At(lucid.New([]int64{0, n}, 2)).Sum().Add(y.Sum())
		if err := lucid.Eval(both, y, also); !errors.Is(err, lucid.ErrIndex) {
			t.Fatal(err)
		}
		if err := lucid.Eval(both); !errors.Is(err, lucid.ErrIndex) {
			t.Errorf("asked again: %v", err)
		}
		if got := y.Sub(also).Sum().Item(); got != n {
			t.Errorf("%d: %v", k, got)
		}
		if got, want := y.At(n-1).Item(), []float64{3, 6, 3, 3}[k]; got != want {
			t.Errorf("%d: %v, want %v", k, got, want)
		}
	}
}

// TestHammer builds, evaluates, reads and rebinds from many goroutines at once.
func TestHammer(t *testing.T) {
	shared := lucid.Ones(64)
	total := lucid.Zeros()
	var mu sync.Mutex
	var wg sync.WaitGroup
	rounds := 200
	if testing.Short() {
		rounds = 50
	}
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			y := shared.Mul(float64(g))
			for i := range rounds {
				z := y.Add(i).Sum()
				if want := float64(64 * (g + i)); z.Item() != want {
					t.Errorf("goroutine %d: %v, want %v", g, z.Item(), want)
					return
				}
				mu.Lock()
				total.Add_(1)
				mu.Unlock()
				_ = lucid.EvalAsync(y.Exp())
			}
		}()
	}
	wg.Wait()
	if total.Item() != float64(8*rounds) {
		t.Errorf("total %v", total.Item())
	}
}

// TestNoLeaks: many evaluations leave neither goroutines nor memory behind.
func TestNoLeaks(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 10_000
	}
	x := lucid.Ones(32).Eval()
	step := lucid.Compile(func(a *lucid.Tensor) *lucid.Tensor { return a.Mul(0.5).Add(1) })
	for range 100 {
		step(x).Eval()
	}
	runtime.GC()
	before := runtime.NumGoroutine()
	var m0, m1 runtime.MemStats
	runtime.ReadMemStats(&m0)
	live := lucid.MemoryStats(lucid.CPU).Allocated
	for range n {
		x = step(x).Sub(0.5)
		x.Eval()
	}
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m1)
	if got := runtime.NumGoroutine(); got > before+2 {
		t.Errorf("goroutines: %d, then %d", before, got)
	}
	if m1.HeapAlloc > m0.HeapAlloc+8<<20 {
		t.Errorf("heap grew from %d to %d", m0.HeapAlloc, m1.HeapAlloc)
	}
	if got := lucid.MemoryStats(lucid.CPU).Allocated; got > live+1<<20 {
		t.Errorf("pool grew from %d to %d", live, got)
	}
}

// TestSameBitsForAnyThreads: results do not depend on GOMAXPROCS.
func TestSameBitsForAnyThreads(t *testing.T) {
	run := func() string {
		lucid.Seed(11)
		x := lucid.Randn(300, 517)
		s := ""
		for _, y := range []*lucid.Tensor{x.Sum(), x.Sum(0), x.Sum(1), x.MatMul(x.Permute(1, 0)), x.Exp().Mean(), x.Prod(1), x.CumSum(1)} {
			s += tensortest.Bits(y)
		}
		return s
	}
	old := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(old)
	want := run()
	for _, n := range []int{2, 3, 8} {
		runtime.GOMAXPROCS(n)
		if run() != want {
			t.Errorf("GOMAXPROCS %d changes bits", n)
		}
	}
}

// A chain of elementwise ops takes no memory while it waits, however large its values: it is evaluated as one.
func TestPendingChain(t *testing.T) {
	x := lucid.New([]float32{2}, 1).Expand(1 << 30)
	before := exec.Count.Plans.Load()
	y := x
	for range 20 {
		y = y.Mul(2).Add(x).Abs().Sqrt()
	}
	if n := exec.Count.Plans.Load() - before; n != 0 {
		t.Errorf("%d evaluations while it was written", n)
	}
	if y.Dim() != 1 {
		t.Errorf("it has %d dimensions", y.Dim())
	}
}

// TestViewOfOneOp: the view of a small op's result, as a dot product is, needs no plan.
func TestViewOfOneOp(t *testing.T) {
	if lucid.DefaultDevice() != lucid.CPU {
		t.Skip("other devices plan everything")
	}
	x, y := lucid.Arange(1000).To(lucid.Float32).Eval(), lucid.Arange(1000).To(lucid.Float32).Mul(0).Add(1).Eval()
	for name, f := range map[string]func() float64{
		"dot":         func() float64 { return lucid.Dot(x, y).Item() },
		"elementwise": func() float64 { return x.Add(y).Reshape(10, 100).T().Eval().Sum().Item() - 1000 },
		"stored":      func() float64 { s := x.Sum(); return s.Reshape(1).At(0).Eval().Add(s).Item() / 2 },
	} {
		before := exec.Count.Steps.Load()
		if got := f(); got != 499500 {
			t.Errorf("%s: %v", name, got)
		}
		if n := exec.Count.Steps.Load() - before; n != 0 {
			t.Errorf("%s: %d launches were planned", name, n)
		}
	}
	// What is on a tape keeps it.
	w := lucid.Ones(1000).RequiresGrad_(true)
	loss := lucid.Dot(w, x)
	loss.Item()
	loss.Backward()
	if got := w.Grad().Sum().Item(); got != 499500 {
		t.Errorf("the gradient behind a view that was read: %v", got)
	}
}
