// Package par runs blocks of work on several goroutines. Blocks are fixed by the
// caller, never by the number of workers, so that results have the same bits for any GOMAXPROCS.
package par

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/lucid-go/lucid/internal/fault"
)

// job is one For: those who take part take block numbers from next until they reach n. It ends when every block has, not
// when every helper has looked at it, so a helper that comes late finds nothing and nested calls cannot deadlock.
type job struct {
	f       func(block int)
	n       int64
	next    atomic.Int64 // blocks taken
	front   atomic.Int64 // of them by the caller, from the first on
	back    atomic.Int64 // by helpers, from the last on
	left    atomic.Int64
	seats   atomic.Int64 // helpers that may still join
	fin     chan struct{}
	failure atomic.Pointer[error]
}

// A helper is awake for a while after its last job and finds the next one in posted, which is the latest job of all;
// those asleep are woken through queue.
var (
	posted  atomic.Pointer[job]
	queue   = make(chan *job, 256)
	workers atomic.Int64
	limit   atomic.Int64 // set by SetThreads; 0 means GOMAXPROCS
	awake   atomic.Int64 // helpers that look at posted
	asleep  atomic.Int64 // helpers that wait for queue
)

// Waking a goroutine takes longer than a small product. So a helper looks for its next job for a while before it sleeps,
// and a caller for the end of the last blocks; a program that does nothing uses no CPU. Neither yields in that
// time: the scheduler might put both on one processor.
const (
	spinTime  = 50 * time.Microsecond
	spinPolls = 64 // looks between two glances at the clock
	yieldTime = 100 * time.Microsecond
)

// SetThreads bounds how many goroutines one For uses; 0 means GOMAXPROCS.
func SetThreads(n int) { limit.Store(int64(n)) }

// Threads returns how many goroutines a For may use now.
func Threads() int {
	n := runtime.GOMAXPROCS(0)
	if l := int(limit.Load()); l > 0 && l < n {
		return l
	}
	return n
}

// For calls f for every block in [0, n), some of them at the same time. The caller works too, so nested calls
// cannot starve. A panic in f is returned as an error, after all running blocks ended.
func For(n int, f func(block int)) error {
	width := min(Threads(), n)
	if width <= 1 {
		return serial(n, f)
	}
	j := &job{f: f, n: int64(n), fin: make(chan struct{})}
	j.left.Store(int64(n))
	j.seats.Store(int64(width - 1))
	posted.Store(j)
	for helpers := awake.Load(); helpers < int64(width-1); helpers++ {
		wake(j)
	}
	j.work(false)
	j.wait()
	posted.CompareAndSwap(j, nil)
	if p := j.failure.Load(); p != nil {
		return *p
	}
	return nil
}

func serial(n int, f func(block int)) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fault.FromPanic("parallel", r)
		}
	}()
	p := NewPace()
	for b := range n {
		f(b)
		p.Step()
	}
	return nil
}

// Pace lets others have the processor when a loop has held it for long: assembly cannot be preempted.
type Pace struct{ last time.Time }

// NewPace begins a loop.
func NewPace() Pace { return Pace{time.Now()} }

// Step ends a piece of work.
func (p *Pace) Step() {
	if now := time.Now(); now.Sub(p.last) > yieldTime {
		runtime.Gosched()
		p.last = time.Now()
	}
}

// wake hands the job to a helper that sleeps, or to a new one if none does and there is room.
func wake(j *job) {
	if asleep.Load() == 0 {
		if w := workers.Add(1); w <= int64(runtime.GOMAXPROCS(0)) {
			go worker(j)
		} else {
			workers.Add(-1)
		}
		return
	}
	select {
	case queue <- j:
	default: // the queue is full of other jobs: this one runs narrower
	}
}

func worker(j *job) {
	for {
		if j.join() {
			j.work(true)
		}
		j = find()
	}
}

// join takes a seat.
func (j *job) join() bool { return j.next.Load() < j.n && j.seats.Add(-1) >= 0 }

// find waits for a job, awake at first.
func find() *job {
	awake.Add(1)
	for start := time.Now(); time.Since(start) < spinTime; {
		for range spinPolls {
			if j := posted.Load(); j != nil && j.next.Load() < j.n && j.seats.Load() > 0 {
				awake.Add(-1)
				return j
			}
		}
	}
	asleep.Add(1)
	awake.Add(-1)
	// A job posted before that counts on this helper; one posted after wakes another.
	if j := posted.Load(); j != nil && j.next.Load() < j.n && j.seats.Load() > 0 {
		asleep.Add(-1)
		return j
	}
	j := <-queue
	asleep.Add(-1)
	return j
}

// wait returns when all blocks ended: a short spin, since the others are about to end too, then sleep.
func (j *job) wait() {
	for start := time.Now(); time.Since(start) < spinTime; {
		for range spinPolls {
			if j.left.Load() == 0 {
				return
			}
		}
	}
	<-j.fin
}

// work does blocks until none is left. The caller takes them from the front and helpers from the back, so that in a
// sequence of loops over the same memory each finds in its cache what it wrote before.
func (j *job) work(helper bool) {
	p := NewPace()
	for {
		if j.next.Add(1) > j.n {
			return
		}
		var b int64
		if helper {
			b = j.n - j.back.Add(1)
		} else {
			b = j.front.Add(1) - 1
		}
		if j.failure.Load() == nil {
			j.block(int(b))
		}
		if j.left.Add(-1) == 0 {
			close(j.fin)
			return
		}
		p.Step()
	}
}

func (j *job) block(b int) {
	defer func() {
		if r := recover(); r != nil {
			err := fault.FromPanic("parallel", r)
			j.failure.CompareAndSwap(nil, &err)
		}
	}()
	j.f(b)
}
