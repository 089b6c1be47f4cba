// Package par runs blocks of work on several goroutines. Blocks are fixed by the
// caller, never by the number of workers, so that results have the same bits for any GOMAXPROCS.
package par

import (
	"runtime"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/fault"
)

// job is one For: workers take block numbers from next until they reach n. It ends when every block has, not
// when every helper has looked at it, so a helper that comes late finds nothing and nested calls cannot deadlock.
type job struct {
	f       func(block int)
	n       int64
	next    atomic.Int64
	left    atomic.Int64
	fin     chan struct{}
	failure atomic.Pointer[error]
}

var (
	queue   = make(chan *job, 256)
	workers atomic.Int64
	limit   atomic.Int64 // set by SetThreads; 0 means GOMAXPROCS
	idle    atomic.Int64
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
	for range width - 1 {
		submit(j)
	}
	j.work()
	j.wait()
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
	for b := range n {
		f(b)
		if b&15 == 15 {
			runtime.Gosched()
		}
	}
	return nil
}

// submit hands the job to a worker, starting one if none waits and there is room.
func submit(j *job) {
	if idle.Load() == 0 {
		if w := workers.Add(1); w <= int64(runtime.GOMAXPROCS(0)+8) {
			go worker()
		} else {
			workers.Add(-1)
		}
	}
	select {
	case queue <- j:
	default: // the queue is full of other jobs: this one runs narrower
	}
}

func worker() {
	for {
		idle.Add(1)
		j := <-queue
		idle.Add(-1)
		j.work()
	}
}

// wait returns when all blocks ended: a short spin, since the others are about to end too, then sleep.
func (j *job) wait() {
	for range 200 {
		if j.left.Load() == 0 {
			return
		}
		runtime.Gosched()
	}
	<-j.fin
}

func (j *job) work() {
	for {
		b := j.next.Add(1) - 1
		if b >= j.n {
			return
		}
		if j.failure.Load() == nil {
			j.block(int(b))
		}
		if j.left.Add(-1) == 0 {
			close(j.fin)
			return
		}
		runtime.Gosched() // assembly cannot be preempted; let the collector and others in
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
