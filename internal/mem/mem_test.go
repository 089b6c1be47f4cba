package mem

import (
	"errors"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

func TestClasses(t *testing.T) {
	check := func(n int) {
		t.Helper()
		c, size := classOf(n)
		if size < n || c < 0 {
			t.Fatalf("%d bytes: class %d of %d", n, c, size)
		}
		if got := classSize(int(c)); got != size {
			t.Fatalf("%d bytes: class %d has %d and %d bytes", n, c, size, got)
		}
		if n > smallSize && float64(size) > 1.25*float64(n)+1 {
			t.Fatalf("%d bytes take %d, more than a quarter too much", n, size)
		}
		if c2, size2 := classOf(size); c2 != c || size2 != size {
			t.Fatalf("a block of %d bytes has class %d of %d, not %d", size, c2, size2, c)
		}
	}
	for n := 1; n < 1<<17; n++ {
		check(n)
	}
	for e := 12; e < 62; e++ {
		for _, d := range []int{-1, 0, 1} {
			for q := range 5 {
				check(1<<e + q*(1<<e/4) + d)
			}
			if n := 1<<e + 1<<e/5 + d; e >= hugeExp {
				check(n)
				part := 60
				if e >= vastExp {
					part = 500
				}
				if _, size := classOf(n); size > n+n/part {
					t.Fatalf("%d bytes take %d", n, size)
				}
			}
		}
	}
	last, before := int16(-1), 0
	for n := smallSize; n < 1<<24; n += 997 { // classes rise with sizes
		if c, size := classOf(n); c < last || size < before {
			t.Fatalf("%d bytes: class %d after %d", n, c, last)
		} else {
			last, before = c, size
		}
	}
}

func TestStats(t *testing.T) {
	p := NewPool("test", Host{})
	a, err := p.Get("t", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := p.Get("t", 100_000)
	st := p.Stats()
	_, sb := classOf(100_000)
	if want := int64(1<<20 + sb); st.Allocated != want || st.Peak != want || st.Cached != 0 || st.Allocs != 2 {
		t.Errorf("after two buffers: %+v, want %d allocated", st, want)
	}
	if len(a.Mem) != 1<<20 || cap(a.Mem) != 1<<20 || len(b.Mem) != 100_000 {
		t.Errorf("buffers of %d and %d bytes", len(a.Mem), len(b.Mem))
	}
	first := &a.Mem[0]
	a.Free()
	if st := p.Stats(); st.Allocated != int64(sb) || st.Cached != 1<<20 || st.Peak != int64(1<<20+sb) {
		t.Errorf("after freeing: %+v", st)
	}
	a.Free() // twice does nothing
	c, _ := p.Get("t", 1<<20)
	if &c.Mem[0] != first || p.Stats().Cached != 0 {
		t.Error("the memory must be used again")
	}
	c.Free()
	b.Free()
	p.ResetPeak()
	p.Trim()
	if st := p.Stats(); st.Allocated != 0 || st.Cached != 0 || st.Peak != 0 {
		t.Errorf("after trimming: %+v", st)
	}
}

func TestCacheLimit(t *testing.T) {
	p := NewPool("test", Host{})
	var bufs []*Buffer
	for range 8 {
		b, _ := p.Get("t", 1<<16)
		bufs = append(bufs, b)
	}
	if old := p.SetCacheLimit(3 << 16); old <= 0 {
		t.Errorf("the first bound is %d", old)
	}
	for _, b := range bufs {
		b.Free()
	}
	if st := p.Stats(); st.Cached != 3<<16 || st.Allocated != 0 {
		t.Errorf("%d cached, want %d", st.Cached, 3<<16)
	}
	p.SetCacheLimit(0)
	if st := p.Stats(); st.Cached != 0 {
		t.Errorf("%d cached, want none", st.Cached)
	}
}

func TestLimit(t *testing.T) {
	p := NewPool("test", Host{})
	p.SetLimit(1 << 20)
	a, err := p.Get("t", 600_000)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Get("matmul", 600_000); !errors.Is(err, fault.SentinelOf(fault.OutOfMemory)) {
		t.Fatalf("past the limit: %v", err)
	}
	a.Free()
	b, err := p.Get("t", 600_000)
	if err != nil {
		t.Fatalf("after freeing: %v", err)
	}
	b.Free()
	// Cached memory counts, but is freed on demand.
	c, err := p.Get("t", 1_000_000)
	if err != nil {
		t.Fatalf("the cache must give way: %v", err)
	}
	c.Free()
	if old := p.SetLimit(0); old != 1<<20 {
		t.Errorf("the limit was %d", old)
	}
	if _, err := p.Get("t", 2<<20); err != nil {
		t.Errorf("without a limit: %v", err)
	}
}

type brokenSource struct{ left int }

func (s *brokenSource) Alloc(n int) ([]byte, uintptr, error) {
	if s.left == 0 {
		return nil, 0, errors.New("no more")
	}
	s.left--
	return make([]byte, n), 0, nil
}
func (*brokenSource) Release([]byte, uintptr) {}

func TestSourceFails(t *testing.T) {
	src := &brokenSource{left: 1}
	p := NewPool("test", src)
	a, err := p.Get("t", 10_000)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Get("t", 10_000); !errors.Is(err, fault.SentinelOf(fault.OutOfMemory)) || errors.Unwrap(err) == nil {
		t.Fatalf("a source that has no more: %v", err)
	}
	runtime.KeepAlive(a)
	src.left = 1
	if _, err := p.Get("t", 10_000); err != nil {
		t.Fatalf("it has more again: %v", err)
	}
}

// TestCleanup drops buffers without freeing them; the collector must bring their memory back.
func TestCleanup(t *testing.T) {
	p := NewPool("test", Host{})
	for range 4 {
		b, _ := p.Get("t", 1<<18)
		b.Mem[0] = 1
	}
	for range 50 {
		runtime.GC()
		if p.Stats().Allocated == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if st := p.Stats(); st.Allocated != 0 || st.Cached != 4<<18 {
		t.Errorf("after the collector: %+v", st)
	}
	// Past a limit the pool asks the collector by itself.
	p.SetLimit(1 << 20)
	for i := range 64 {
		b, err := p.Get("t", 1<<18)
		if err != nil {
			t.Fatalf("buffer %d: %v", i, err)
		}
		b.Mem[0] = 1
	}
}

func TestPoison(t *testing.T) {
	t.Setenv("LUCID_DEBUG", "poison")
	p := NewPool("test", Host{})
	b, _ := p.Get("t", 1<<16)
	m := b.Mem
	clear(m)
	b.Free()
	for i, f := range dtype.Slice[float32](m) {
		if f == f {
			t.Fatalf("float32 %d of freed memory is %v, want NaN", i, f)
		}
	}
	for i, f := range dtype.Slice[float64](m) {
		if !math.IsNaN(f) {
			t.Fatalf("float64 %d of freed memory is %v, want NaN", i, f)
		}
	}
	for i, h := range dtype.Slice[dtype.F16](m) {
		if f := h.Float32(); f == f {
			t.Fatalf("float16 %d of freed memory is %v, want NaN", i, f)
		}
	}
}

func TestSmall(t *testing.T) {
	p := NewPool("test", Host{})
	for _, n := range []int{0, 1, 8, 63, 64, 65, 4096} {
		b, err := p.Get("t", n)
		if err != nil || len(b.Mem) != n || b.Size != n {
			t.Fatalf("%d bytes: %d, %v", n, len(b.Mem), err)
		}
		b.Free()
	}
	if st := p.Stats(); st.Allocated != 0 {
		t.Errorf("small buffers are not counted: %+v", st)
	}
}

func TestShow(t *testing.T) {
	p := NewPool("test", Host{})
	b, _ := p.Get("t", 1<<16)
	b.Ref()
	b.Ref()
	b.Unref()
	if b.Refs() != 1 || p.Stats().Allocated == 0 {
		t.Error("one node still shows the buffer")
	}
	b.Unref()
	if p.Stats().Allocated != 0 || b.Mem != nil {
		t.Error("the last node frees it")
	}
}

func TestHammer(t *testing.T) {
	p := NewPool("test", Host{})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 300 {
				b, err := p.Get("t", 5000+i*97%60000)
				if err != nil {
					t.Error(err)
					return
				}
				b.Mem[0], b.Mem[len(b.Mem)-1] = byte(g), byte(g)
				runtime.Gosched()
				if b.Mem[0] != byte(g) || b.Mem[len(b.Mem)-1] != byte(g) {
					t.Error("two goroutines have one buffer")
				}
				b.Free()
			}
		})
	}
	wg.Wait()
	if st := p.Stats(); st.Allocated != 0 || st.Allocs != 8*300 {
		t.Errorf("after all: %+v", st)
	}
}

// TestGivenBackByCount uses much memory again and again and gives it back by count: there is no garbage, and after a first look for it
// no other one.
func TestGivenBackByCount(t *testing.T) {
	p := NewPool("counted", Host{})
	for range 8 {
		var bufs []*Buffer
		for range 3 {
			b, err := p.Get("test", softBudget/2)
			if err != nil {
				t.Fatal(err)
			}
			bufs = append(bufs, b)
		}
		p.mu.Lock()
		done := p.collected
		p.mu.Unlock()
		if done != nil {
			<-done
		}
		for _, b := range bufs {
			b.Free()
		}
	}
	if n := p.Stats().Collects; n > 1 {
		t.Errorf("%d collections", n)
	}
}

// TestFoundByCollector: memory that the collector found does not count as handed out any more, and never as given back before.
func TestFoundByCollector(t *testing.T) {
	p := NewPool("found", Host{})
	for _, c := range []struct{ since, want int64 }{{3 << 20, 2 << 20}, {1 << 10, 0}, {-5, -5}} {
		b, err := p.Get("test", 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		b.clean.Stop()
		p.since = c.since
		unreachable{p, block{b.Mem, b.Dev}, b.Size, b.class}.back()
		if b.pool = nil; p.since != c.want {
			t.Errorf("%d bytes since the last collection, %d after it found some; want %d", c.since, p.since, c.want)
		}
	}
}
