// Package par runs blocks of work on several goroutines. Blocks are fixed by the
// caller, never by the number of workers, so that results have the same bits for any GOMAXPROCS.
package par

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/lucid-go/lucid/internal/fault"
)

// job is one For: those who take part take blocks until none is left. It ends when every block has, not when every helper
// has looked at it, so a helper that comes late finds nothing and nested calls cannot deadlock.
type job struct {
	f       func(block int)
	n       uint64
	own     uint64        // blocks that are the caller's as long as helpers have others
	taken   atomic.Uint64 // blocks taken: by the caller in the low half, by helpers in the high
	seats   atomic.Int64  // helpers that may still join
	need    atomic.Int64  // helpers at rest that are still to be woken
	left    atomic.Int64  // blocks that have not ended
	end     atomic.Int32  // running, asleep or ended
	fin     chan struct{} // of a caller that is asleep
	failure atomic.Pointer[error]
}

// How far a job is, for its caller.
const (
	running int32 = iota
	asleep        // the caller sleeps on fin
	ended
)

const byHelper = 1 << 32 // one block in the high half of taken

// A helper is awake for a while after its last job and finds the next one in posted, which is the latest job of all, or was;
// those at rest are woken through queue. What one side reads all the time and the other seldom writes has a cache line
// of its own: each write moves the line between processors.
var (
	posted struct {
		_   [64]byte
		job atomic.Pointer[job]
		_   [64]byte
	}
	active struct {
		atomic.Int64 // loops that run
		_            [64]byte
	}
	awake struct {
		atomic.Int64 // helpers that look at posted
		_            [64]byte
	}
	queue   = make(chan *job, 256)
	workers atomic.Int64
	limit   atomic.Int64 // set by SetThreads; 0 means GOMAXPROCS
	resting atomic.Int64 // helpers that wait for queue
)

// Waking a goroutine takes longer than a small product. So a helper looks for its next job for a while before it sleeps,
// and a caller for the end of the last blocks; a program that does nothing uses no CPU. Neither yields in that
// time: the scheduler might put both on one processor. Where several loops run at the same time there is no processor to
// spare, and they sleep at once.
//
// The side that ends first waits for the last block of the other, so both also look for as long as a block took: a thread that
// is put to sleep for that is often woken on the processor of the one it worked with, and shares it for milliseconds. A
// helper that was woken soon after it fell asleep is more patient the next time.
const (
	spinTime  = 50 * time.Microsecond  // how long to look at least
	spinMost  = 200 * time.Microsecond // the most patience of a helper
	spinBlock = time.Millisecond       // longest block that is waited for
	spinPolls = 16                     // looks between two glances at the clock
)

// SetThreads bounds how many goroutines one For uses, and returns the bound before; 0 means GOMAXPROCS.
func SetThreads(n int) (was int) { return int(limit.Swap(int64(n))) }

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
	j := &job{f: f, n: uint64(n), own: uint64(n / width)}
	j.left.Store(int64(n))
	j.seats.Store(int64(width - 1))
	active.Add(1)
	posted.job.Store(j)
	if need := int64(width-1) - awake.Load(); need > 0 {
		j.need.Store(need)
		j.rouse()
	}
	j.wait(j.work(false))
	active.Add(-1)
	j.f = nil // posted may hold on to the job, not to what it worked on
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

// rouse wakes two helpers if the job needs them; each of those wakes two more.
func (j *job) rouse() {
	for range 2 {
		if j.need.Load() <= 0 || j.need.Add(-1) < 0 {
			return
		}
		wake(j)
	}
}

// wake hands the job to a helper that sleeps, or to a new one if none does and there is room: a processor is the caller's.
func wake(j *job) {
	if resting.Load() == 0 {
		if w := workers.Add(1); w < int64(runtime.GOMAXPROCS(0)) {
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
	patience := spinTime
	for {
		spin := spinTime
		if j.join() {
			j.rouse()
			spin = j.work(true)
		}
		j = find(spin, &patience)
	}
}

// open reports whether there are blocks and seats left.
func (j *job) open() bool {
	t := j.taken.Load()
	return t>>32+t&(byHelper-1) < j.n && j.seats.Load() > 0
}

// join takes a seat.
func (j *job) join() bool { return j.open() && j.seats.Add(-1) >= 0 }

// find waits for a job, awake for a while.
func find(spin time.Duration, patience *time.Duration) *job {
	awake.Add(1)
	spin = max(spin, *patience)
	for start := time.Now(); active.Load() <= 1 && time.Since(start) < spin; {
		for range spinPolls {
			if j := posted.job.Load(); j != nil && j.open() {
				awake.Add(-1)
				return j
			}
			relax()
		}
	}
	resting.Add(1)
	awake.Add(-1)
	// A job posted before that counts on this helper; one posted after wakes another.
	if j := posted.job.Load(); j != nil && j.open() {
		resting.Add(-1)
		return j
	}
	slept := time.Now()
	j := <-queue
	resting.Add(-1)
	if time.Since(slept) < spinMost {
		*patience = min(2**patience, spinMost)
	} else {
		*patience = spinTime
	}
	return j
}

// wait returns when all blocks ended: a short spin, since the others are about to end too, then sleep.
func (j *job) wait(spin time.Duration) {
	for start := time.Now(); active.Load() <= 1 && time.Since(start) < spin; {
		for range spinPolls {
			if j.left.Load() == 0 {
				return
			}
			relax()
		}
	}
	j.fin = make(chan struct{})
	if j.end.CompareAndSwap(running, asleep) {
		<-j.fin
	}
}

// work does blocks until none is left. The first blocks are the caller's, the others are the helpers', and each side goes
// forward through its own, as memory is read ahead; what is left of the other's it takes from the end. So in a sequence of loops
// over the same memory each finds in its cache what it wrote before. It returns how long to look for what comes next.
func (j *job) work(helper bool) (spin time.Duration) {
	p := NewPace()
	start, done := p.last, int64(0)
	for {
		b, ok := j.take(helper)
		if !ok {
			break
		}
		if j.failure.Load() == nil {
			j.block(b)
		}
		done++
		p.Step()
	}
	if done > 0 && j.left.Add(-done) == 0 && j.end.Swap(ended) == asleep {
		close(j.fin)
	}
	return spinTime + min(spinBlock, (time.Since(epoch)-start)/time.Duration(max(1, done)))
}

// take returns the number of a block that no other worker has.
func (j *job) take(helper bool) (block int, ok bool) {
	one := uint64(1)
	if helper {
		one = byHelper
	}
	t := j.taken.Add(one)
	front, back := t&(byHelper-1), t>>32
	if front+back > j.n {
		return 0, false
	}
	if helper {
		if back <= j.n-j.own {
			return int(j.own + back - 1), true
		}
		return int(j.n - back), true
	}
	if front <= j.own {
		return int(front - 1), true
	}
	return int(j.n + j.own - front), true
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
