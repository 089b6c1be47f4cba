package gemm

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestEpilogue: every element is seen once, finished, at its position.
func TestEpilogue(t *testing.T) {
	forVariants(t, func(t *testing.T) {
		for _, s := range append(pathShapes, [3]int{20, 30, 0}) {
			m, n := s[0], s[1]
			p := newProduct[float32](m, n, s[2])
			a, b := store(p.a, rowMajor, m, s[2]), store(p.b, colMajor, s[2], n)
			plain, c := make([]float32, m*n), make([]float32, m*n)
			Float32(m, n, s[2], a.data, a.rs, a.cs, b.data, b.rs, b.cs, plain, n, Overwrite, nil, nil)
			var seen atomic.Int64
			Float32(m, n, s[2], a.data, a.rs, a.cs, b.data, b.rs, b.cs, c, n, Overwrite,
				func(c []float32, crs, row, col, rows, cols int) {
					seen.Add(int64(rows * cols))
					for i := range rows {
						for j := range cols {
							c[i*crs+j] += float32((row+i)*n + col + j)
						}
					}
				}, goRun)
			if seen.Load() != int64(m*n) {
				t.Errorf("%v: the epilogue saw %d elements, want %d", s, seen.Load(), m*n)
			}
			for i := range c {
				if want := plain[i] + float32(i); c[i] != want {
					t.Fatalf("%v: c[%d] = %v, want %v", s, i, c[i], want)
				}
			}
		}
	})
}

// TestThinEpilogue: what follows a product of small k, as of an adapter, gets whole rows, though B must be copied.
func TestThinEpilogue(t *testing.T) {
	const m, n, k = 512, 320, 8
	p, c := newProduct[float32](m, n, k), make([]float32, m*n)
	b := store(p.b, colMajor, k, n)
	var pieces, calls atomic.Int64
	Float32(m, n, k, p.a, k, 1, b.data, b.rs, b.cs, c, n, Overwrite, func(_ []float32, _, _, col, rows, cols int) {
		if calls.Add(1); col != 0 || cols != n {
			pieces.Add(1)
		}
	}, goRun)
	if pieces.Load() > 0 {
		t.Errorf("%d of %d parts are pieces of rows", pieces.Load(), calls.Load())
	}
}

// TestNoGarbage: products allocate nothing once the pools are warm.
func TestNoGarbage(t *testing.T) {
	for _, s := range pathShapes {
		p := newProduct[float32](s[0], s[1], s[2])
		c := make([]float32, s[0]*s[1])
		n := testing.AllocsPerRun(20, func() {
			Float32(s[0], s[1], s[2], p.a, s[2], 1, p.b, s[1], 1, c, s[1], Overwrite, nil, reverse)
		})
		if n > 0.5 { // the collector may empty a pool now and then
			t.Errorf("%v: %v allocations a call", s, n)
		}
	}
}

// TestCollectorLatency: assembly must not hold up the collector.
func TestCollectorLatency(t *testing.T) {
	const n = 700
	a := make([]float32, n*n)
	var stop atomic.Bool
	done := make(chan bool)
	go func() {
		c := make([]float32, n*n)
		for !stop.Load() {
			Float32(n, n, n, a, n, 1, a, n, 1, c, n, Overwrite, nil, nil)
		}
		close(done)
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range 10 {
		runtime.GC()
	}
	took := time.Since(start)
	stop.Store(true)
	<-done
	runtime.ReadMemStats(&after)
	pause := time.Duration(after.PauseTotalNs-before.PauseTotalNs) / 10
	t.Logf("10 collections in %v, pause %v each", took, pause)
	if took > 5*time.Second { // loose: other programs may share the machine
		t.Errorf("10 collections next to a product took %v", took)
	}
}

func TestPeakProbe(t *testing.T) {
	forVariants(t, func(t *testing.T) {
		for name, f := range map[string]func(int) float64{"float32": PeakFMAProbe32, "float64": PeakFMAProbe64} {
			one, many := f(1), f(10000)
			if one <= 0 || many != 10000*one {
				t.Errorf("%s: %v flops for one iteration, %v for 10000", name, one, many)
			}
		}
	})
}
