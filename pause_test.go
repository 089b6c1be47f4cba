package lucid

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"
)

// TestPauses runs heavy kernels beside the collector and a ticker: neither a kernel nor a collection may hold up
// other goroutines for long. Machines that run tests are shared, so the bound is wide, grows with what plain Go loops
// suffer here, and holds if one attempt of three keeps it; where plain loops wait for the machine itself, the test is
// skipped. The numbers are printed.
func TestPauses(t *testing.T) {
	d := time.Second
	if long() {
		d = 10 * time.Second
	}
	busy := time.Duration(0)
	for attempt := 1; ; attempt++ {
		plain, p := measurePauses(d/2, idleLoops()), measurePauses(d, heavyKernels())
		t.Logf("plain loops: %v", plain)
		t.Logf("kernels:     %v", p)
		limit := 20*time.Millisecond + 3*plain.p99
		stop := 20*time.Millisecond + 3*plain.pause
		if testing.Short() { // runs beside other packages; it catches seconds, not milliseconds
			limit, stop = 10*limit, 10*stop
		}
		if p.ticks > 20 && p.collections > 2 && p.p99 <= limit && p.pause <= stop {
			return
		}
		busy = max(busy, plain.p99)
		if attempt == 3 && busy > 50*time.Millisecond {
			t.Skipf("the machine is too busy to tell: plain loops are late by %v", busy)
		}
		if attempt == 3 {
			t.Errorf("99%% of ticks came within %v, want %v; the longest collection's pause was %v, want %v", p.p99, limit, p.pause, stop)
			return
		}
	}
}

// BenchmarkPauses reports the same numbers for a longer time, and beside them what the machine itself does to loops that
// yield every few microseconds: no kernel can do better.
func BenchmarkPauses(b *testing.B) {
	for b.Loop() {
		least := measurePauses(5*time.Second, yieldingLoops())
		b.ReportMetric(float64(least.p99.Microseconds()), "loops-p99-µs")
		b.ReportMetric(float64(least.most.Microseconds()), "loops-max-µs")
		b.ReportMetric(float64(least.pause.Microseconds()), "loops-gc-pause-µs")
		p := measurePauses(5*time.Second, heavyKernels())
		b.ReportMetric(float64(p.p50.Microseconds()), "p50-µs")
		b.ReportMetric(float64(p.p99.Microseconds()), "p99-µs")
		b.ReportMetric(float64(p.most.Microseconds()), "max-µs")
		b.ReportMetric(float64(p.pause.Microseconds()), "gc-pause-µs")
	}
}

// heavyKernels are a matrix product, softmax and a long chain in one pass.
func heavyKernels() []func() {
	a := With{DType: Float32}.Uniform(-1, 1, 1024, 1024).Eval()
	big := With{DType: Float32}.Uniform(-1, 1, 1<<20).Eval()
	return []func(){
		func() { a.MatMul(a).Sum().Item() },
		func() { a.Softmax(1).Amax().Item() },
		func() { big.Mul(2).Add(1).Tanh().Mul(big).Exp().Sum().Item() },
	}
}

// idleLoops keep as many goroutines busy without the engine.
func idleLoops() []func() {
	loop := func() {
		x := 1.0
		for range 1 << 20 {
			x = math.Sqrt(x + 1)
		}
		runtime.KeepAlive(x)
	}
	return []func(){loop, loop, loop}
}

// yieldingLoops are idleLoops that give their processor up all the time.
func yieldingLoops() []func() {
	loop := func() {
		x := 1.0
		for range 50 {
			for range 2000 {
				x = math.Sqrt(x + 1)
			}
			runtime.Gosched()
		}
		runtime.KeepAlive(x)
	}
	return []func(){loop, loop, loop}
}

type pauses struct {
	ticks, collections    int
	p50, p99, most, pause time.Duration
}

func (p pauses) String() string {
	return fmt.Sprintf("%d ticks of 1 ms, late by p50 %v, p99 %v, at most %v; %d collections, longest pause %v", p.ticks, p.p50, p.p99, p.most, p.collections, p.pause)
}

func measurePauses(d time.Duration, load []func()) (p pauses) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	work := func(f func()) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				select {
				case <-stop:
					return
				default:
					f()
				}
			}
		}()
	}
	for _, f := range load {
		work(f)
	}
	work(func() { runtime.GC(); time.Sleep(time.Millisecond) })

	var before, after debug.GCStats
	debug.ReadGCStats(&before)
	var late []time.Duration
	next := time.Now().Add(time.Millisecond)
	for end := time.Now().Add(d); time.Now().Before(end); next = next.Add(time.Millisecond) {
		time.Sleep(time.Until(next))
		l := time.Since(next)
		late = append(late, max(l, 0))
		if l > time.Millisecond { // what was missed is not counted again
			next = time.Now()
		}
	}
	debug.ReadGCStats(&after)
	close(stop)
	wg.Wait()
	slices.Sort(late)
	p.ticks, p.collections = len(late), int(after.NumGC-before.NumGC)
	at := func(q float64) time.Duration { return late[int(math.Min(q*float64(len(late)), float64(len(late)-1)))] }
	p.p50, p.p99, p.most = at(0.5), at(0.99), late[len(late)-1]
	for _, x := range after.Pause[:min(p.collections, len(after.Pause))] {
		p.pause = max(p.pause, x)
	}
	return p
}
