package par

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestPaceDid: the clock is looked at once in 2048 elements and not more often, whatever the pieces are.
func TestPaceDid(t *testing.T) {
	for _, piece := range []int{1, 7, 2047, 2048, 5000} {
		p := NewPace()
		p.last -= time.Second // any look moves it
		was, sum := p.last, 0
		for sum+piece < 2048 {
			p.StepElems(piece)
			if sum += piece; p.last != was {
				t.Fatalf("pieces of %d: looked at the clock after %d elements", piece, sum)
			}
		}
		p.StepElems(piece)
		if p.last == was {
			t.Errorf("pieces of %d: did not look at the clock after %d elements", piece, sum+piece)
		}
		if p.done != 0 {
			t.Errorf("pieces of %d: %d elements are counted twice", piece, p.done)
		}
	}
}

// TestPaceYields: a loop of short pieces on the only processor lets another goroutine run within milliseconds, long before the
// runtime would take the processor away.
func TestPaceYields(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var ran atomic.Bool
	best := time.Hour
	for range 20 { // the system may hold the thread meanwhile
		ran.Store(false)
		p := NewPace()
		go ran.Store(true)
		begin := time.Now()
		for !ran.Load() && time.Since(begin) < 5*time.Second {
			p.StepElems(64)
		}
		best = min(best, time.Since(begin))
	}
	if best > 5*time.Millisecond {
		t.Errorf("another goroutine waited %v at least", best)
	}
}
