package par

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lucid-go/lucid/internal/fault"
)

func TestForRunsEveryBlockOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 7, 100, 1000} {
		seen := make([]atomic.Int32, n)
		if err := For(n, func(b int) { seen[b].Add(1) }); err != nil {
			t.Fatal(err)
		}
		for b := range seen {
			if seen[b].Load() != 1 {
				t.Fatalf("n=%d: block %d ran %d times", n, b, seen[b].Load())
			}
		}
	}
}

func TestForNested(t *testing.T) {
	var total atomic.Int64
	err := For(16, func(int) {
		if err := For(16, func(int) {
			if err := For(4, func(int) { total.Add(1) }); err != nil {
				panic(err)
			}
		}); err != nil {
			panic(err)
		}
	})
	if err != nil || total.Load() != 16*16*4 {
		t.Fatalf("total %d, err %v", total.Load(), err)
	}
}

func TestForPanicIsAnError(t *testing.T) {
	err := For(50, func(b int) {
		if b == 7 {
			panic("seven")
		}
	})
	if !errors.Is(err, fault.SentinelOf(fault.Internal)) || !strings.Contains(err.Error(), "seven") {
		t.Fatalf("got %v", err)
	}
	if err := For(50, func(int) {}); err != nil {
		t.Fatalf("the pool must go on: %v", err)
	}
}

// TestForConcurrent: several callers at once, each with nested calls, and pauses that let helpers fall asleep.
func TestForConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Go(func() {
			for i := range 200 {
				var sum atomic.Int64
				err := For(7, func(b int) {
					if b == 3 {
						if err := For(3, func(int) { sum.Add(1) }); err != nil {
							t.Error(err)
						}
					}
					sum.Add(int64(b))
				})
				if err != nil || sum.Load() != 24 {
					t.Errorf("caller %d: sum %d, err %v", g, sum.Load(), err)
				}
				if i%50 == g {
					time.Sleep(2 * spinTime)
				}
			}
		})
	}
	wg.Wait()
}

// TestThreads: no more goroutines take part than SetThreads allows.
func TestThreads(t *testing.T) {
	old := runtime.GOMAXPROCS(4)
	SetThreads(2)
	defer func() { SetThreads(0); runtime.GOMAXPROCS(old) }()
	for range 100 {
		var now, most atomic.Int64
		err := For(16, func(int) {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(20 * time.Microsecond)
			now.Add(-1)
		})
		if err != nil || most.Load() > 2 {
			t.Fatalf("%d at once, err %v", most.Load(), err)
		}
	}
}

// TestSleep: helpers go to sleep.
func TestSleep(t *testing.T) {
	if err := For(64, func(int) {}); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if awake.Load() == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d helpers still awake after a second", awake.Load())
}

// TestCopy copies lengths around the size of a block.
func TestCopy(t *testing.T) {
	for _, n := range []int{0, 1, copyBlock - 1, copyBlock, copyBlock + 1, 5*copyBlock + 17} {
		src, dst := make([]byte, n), make([]byte, n+1)
		for i := range src {
			src[i] = byte(i*7 + i>>8)
		}
		dst[n] = 1
		if Copy(dst[:n], src); !bytes.Equal(dst[:n], src) || dst[n] != 1 {
			t.Errorf("a copy of %d bytes differs", n)
		}
	}
}
