package par

import (
	"runtime"
	"sync"
	"time"
)

// Assembly cannot be preempted, and a goroutine that computes in many short loops may hold its processor until the
// runtime takes it away, after ten milliseconds. So loops ask how long ago their processor was last given up.

const (
	yieldTime = 100 * time.Microsecond
	lookTime  = 20 * time.Microsecond // between two looks of one loop
)

// stamps has, by processor, when it was last given up: what a pool holds stays with the processor.
var stamps = sync.Pool{New: func() any { return new(time.Duration) }}

var epoch = time.Now()

// Pace lets others have the processor when it was held for long.
type Pace struct {
	last time.Duration
	done int // since the clock was read
}

// NewPace begins a loop.
func NewPace() (p Pace) {
	p.last = time.Since(epoch)
	yield(p.last)
	return p
}

// Step ends a piece of work.
func (p *Pace) Step() {
	if now := time.Since(epoch); now-p.last > lookTime {
		p.last = now
		yield(now)
	}
}

// StepElems ends a piece of work of n elements; looking at the clock takes as long as some tens of them, so it is done once in a while.
func (p *Pace) StepElems(n int) {
	if p.done += n; p.done >= 2048 {
		p.done = 0
		p.Step()
	}
}

// Slow reports whether the work since the last look was long enough for another.
func (p *Pace) Slow() bool { return time.Since(epoch)-p.last > lookTime }

func yield(now time.Duration) {
	s := stamps.Get().(*time.Duration)
	due := now-*s > yieldTime
	if due {
		*s = now
	}
	stamps.Put(s)
	if due {
		runtime.Gosched()
	}
}
