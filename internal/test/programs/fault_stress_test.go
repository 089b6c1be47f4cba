package programs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// faultStress is a random program whose evaluations run out of memory, are cancelled in the middle or fail for good, in turn on
// a stream, compiled and plain, with others of its kind. Whatever fails, every tensor shows what it did before, or, if it
// was state of the call that failed, what it would have shown after it.
type faultStress struct {
	*world
	t      *testing.T
	stream *lucid.Stream
	common []*lucid.Tensor // read by all programs
	shown  [][]float32
	counts *[numOutcomes]atomic.Int64
}

const (
	wentWell = iota
	ranOut
	wasCancelled
	wasRefused
	numOutcomes
)

// note counts how an evaluation ended; an end that nothing here can bring about is an error.
func (s *faultStress) note(err error) (ok bool) {
	switch {
	case err == nil:
		s.counts[wentWell].Add(1)
		return true
	case errors.Is(err, lucid.ErrOutOfMemory):
		s.counts[ranOut].Add(1)
	case errors.Is(err, context.Canceled):
		s.counts[wasCancelled].Add(1)
	case errors.Is(err, lucid.ErrIndex):
		s.counts[wasRefused].Add(1)
	default:
		s.t.Errorf("failed with %v", err)
	}
	return false
}

// around runs f short of memory, with a context that ends meanwhile, on a stream, or just so.
func (s *faultStress) around(f func()) {
	if s.rng.IntN(3) == 0 {
		pool := s.Dev.Pool
		pool.SetLimit(pool.Stats().Allocated + int64(s.rng.IntN(5)*s.size*4))
		defer pool.SetLimit(0)
	}
	if s.rng.IntN(3) == 0 {
		inner := f
		f = func() { lucid.WithStream(s.stream, inner) }
	}
	if s.rng.IntN(3) == 0 {
		ctx, cancel := context.WithCancel(context.Background())
		stop := time.AfterFunc(time.Duration(s.rng.IntN(300))*time.Microsecond, cancel)
		defer stop.Stop()
		defer cancel()
		inner := f
		f = func() { lucid.WithContext(ctx, inner) }
	}
	f()
}

// other picks a second operand: one of this program or one that all read.
func (s *faultStress) other() (*lucid.Tensor, []float32, int) {
	if s.rng.IntN(3) == 0 {
		k := s.rng.IntN(len(s.common))
		return s.common[k], s.shown[k], -1
	}
	k := s.pick()
	return s.handle[k], s.value[k], k
}

func (s *faultStress) act() {
	i := s.pick()
	x, vx := s.handle[i], s.value[i]
	y, vy, j := s.other()
	switch s.rng.IntN(12) {
	case 0:
		s.add(x.Add(y), zip(vx, vy, func(a, b float32) float32 { return a + b }))
	case 1:
		s.add(x.Mul(0.5).Sub(y), zip(vx, vy, func(a, b float32) float32 { return a*0.5 - b }))
	case 2:
		s.add(x.Clone(), vx)
		if !(*graph.Array)(x).IsView() {
			x.Add_(1)
			s.value[i] = zip(vx, vx, func(a, _ float32) float32 { return a + 1 })
		}
	case 3:
		s.add(x.Reshape(2, s.size/2).T().T().Reshape(s.size), vx)
	case 4: // an op with a kernel of its own between two others
		z := x.Add(y).Reshape(2, s.size/2).Flip(0).Contiguous().Reshape(s.size).Mul(2)
		v := zip(vx, vy, func(a, b float32) float32 { return (a + b) * 2 })
		s.add(z, append(slices.Clone(v[s.size/2:]), v[:s.size/2]...))
	case 5, 6:
		s.around(func() { s.note(lucid.Eval(x, y)) })
	case 7:
		s.around(func() { s.note(lucid.EvalAsync(x)) })
	case 8:
		s.step(i, y, vy, j)
	case 9: // fails for good, and takes nothing along
		bad := x.At(s.Put(lucid.New([]int64{0, int64(s.size)}, 2)))
		both := bad.Sum().Add(y.Sum())
		s.around(func() { s.note(lucid.Eval(both, y)) })
	case 10:
		var g *lucid.Tensor
		var err error
		s.around(func() { g, err = s.gradient(x) })
		if s.note(err) {
			s.same("a gradient", g, zip(vx, vx, func(a, _ float32) float32 { return 2 * a }))
		}
	case 11:
		if len(s.handle) > 4 {
			k := len(s.handle) - 1
			if s.rng.IntN(2) == 0 {
				x.Free()
			}
			s.handle[i], s.value[i] = s.handle[k], s.value[k]
			s.handle, s.value = s.handle[:k], s.value[:k]
		}
	}
	for k, v := range s.value {
		if slices.ContainsFunc(v, func(f float32) bool { return f > 1e5 || f < -1e5 }) {
			s.value[k] = make([]float32, s.size)
			s.handle[k] = s.Put(lucid.Zeros(s.size))
		}
	}
}

// gradient is that of the sum of squares.
func (s *faultStress) gradient(x *lucid.Tensor) (g *lucid.Tensor, err error) {
	err = lucid.Try(func() { g = lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return x.Square().Sum() })(x.Detach()) })
	if err == nil {
		err = lucid.Eval(g)
	}
	return g, err
}

// step calls a compiled function that writes one of the tensors in place.
func (s *faultStress) step(i int, y *lucid.Tensor, vy []float32, j int) {
	x := s.handle[i]
	if (*graph.Array)(x).IsView() {
		return
	}
	f := lucid.Compile(func(g *lucid.Tensor) *lucid.Tensor { x.Mul_(0.5).Add_(g); return x.Flip(0).Sum() })
	for range 4 {
		old := s.value[i]
		next := zip(old, vy, func(a, b float32) float32 {
			if i == j { // the argument is the state itself, which is halved before it is added
				b = a * 0.5
			}
			return a*0.5 + b
		})
		var err error
		s.around(func() { err = lucid.Try(func() { f(y) }) })
		s.value[i] = next
		if !s.note(err) && !slices.Equal(s.read(x), next) {
			s.value[i] = old
		}
		s.same("state", x, s.value[i])
	}
}

// read waits until memory is there.
func (s *faultStress) read(x *lucid.Tensor) (v []float32) {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Microsecond) {
		err := lucid.Try(func() { v = lucid.ToSlice[float32](x) })
		if err == nil {
			return v
		}
		if !errors.Is(err, lucid.ErrOutOfMemory) || time.Now().After(deadline) {
			s.t.Fatalf("cannot be read: %v", err)
		}
	}
}

func (s *faultStress) same(what string, x *lucid.Tensor, want []float32) {
	if got := s.read(x); !slices.Equal(got, want) {
		k := 0
		for got[k] == want[k] {
			k++
		}
		s.t.Errorf("%s shows %v from element %d on, want %v", what, got[k:min(k+4, len(got))], k, want[k:min(k+4, len(got))])
	}
}

func TestFaultStress(t *testing.T) {
	n, acts := 12, 60
	switch {
	case testutil.Long():
		n, acts = 1000, 120
	case testing.Short():
		n, acts = 4, 40
	}
	late, faults := fake.New(cpu.Device)
	for name, dev := range map[string]*backend.Device{"cpu": cpu.Device, "late": late} {
		t.Run(name, func(t *testing.T) {
			var counts [numOutcomes]atomic.Int64
			for seed := range n {
				if faults.SetDelay(0); seed%4 == 3 {
					faults.SetDelay(20 * time.Microsecond)
				}
				runFaultStress(t, uint64(seed), dev, acts, &counts)
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			t.Logf("%d evaluations; %d ran out of memory, %d were cancelled, %d refused", counts[wentWell].Load(), counts[ranOut].Load(),
				counts[wasCancelled].Load(), counts[wasRefused].Load())
			for k := range counts {
				if counts[k].Load() == 0 && k != wasCancelled {
					t.Errorf("outcome %d never came", k)
				}
			}
		})
	}
	faults.SetDelay(0)
}

// runFaultStress runs programs concurrently, and looks at what they leave.
func runFaultStress(t *testing.T, seed uint64, dev *backend.Device, acts int, counts *[numOutcomes]atomic.Int64) {
	r := rand.New(rand.NewPCG(seed, 77))
	held := func() (int64, int) { return dev.Pool.Stats().Allocated, runtime.NumGoroutine() }
	settle(t, func() bool { return true })
	bytes, routines := held()
	func() {
		size := []int{1536, 1 << 14}[seed%2]
		maker := &faultStress{world: &world{rng: r, Target: tensortest.Target{Dev: dev}, size: size}, t: t}
		for range 3 {
			v := make([]float32, size)
			for i := range v {
				v[i] = float32(r.IntN(16)) / 4
			}
			maker.add(maker.Put(lucid.New(v, size)).Add(1), zip(v, v, func(a, _ float32) float32 { return a + 1 }))
		}
		var wg sync.WaitGroup
		var programs []*faultStress
		for k := range 1 + seed%3 {
			s := &faultStress{world: &world{rng: rand.New(rand.NewPCG(seed, k)), Target: tensortest.Target{Dev: dev}, size: size}, t: t,
				stream: lucid.NewStream(), common: maker.handle, shown: maker.value, counts: counts}
			for i := range 4 {
				s.add(maker.handle[i%3].Mul(float32(i)),
					zip(maker.value[i%3], maker.value[i%3], func(a, _ float32) float32 { return a * float32(i) }))
			}
			programs = append(programs, s)
			wg.Go(func() {
				for range acts {
					if s.act(); t.Failed() {
						return
					}
				}
			})
		}
		wg.Wait()
		lucid.Synchronize()
		for _, s := range append(programs, maker) {
			for i, x := range s.handle {
				s.same(fmt.Sprintf("tensor %d", i), x, s.value[i])
				s.same("what is made of it", x.Mul(2), zip(s.value[i], s.value[i], func(a, _ float32) float32 { return a * 2 }))
			}
		}
	}()
	if !settle(t, func() bool {
		b, n := held()
		return b <= bytes && n <= routines
	}) {
		b, n := held()
		t.Errorf("%d bytes and %d goroutines before, %d and %d after", bytes, routines, b, n)
	}
}

// settle collects until what is dropped is gone.
func settle(t *testing.T, gone func() bool) bool {
	for range 200 {
		runtime.GC()
		time.Sleep(2 * time.Millisecond) // cleanups run on a goroutine of their own
		if gone() {
			return true
		}
	}
	return false
}
