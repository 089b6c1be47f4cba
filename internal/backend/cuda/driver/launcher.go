package driver

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lucid-go/lucid/internal/dl"
)

// A launch is 4 µs of the driver's, more than all that goes before it takes. So where small launches come one behind the other a
// thread of its own asks the driver for them, while the goroutine they come from makes the next one ready. Everything else that is
// asked of the driver waits until that thread has done what it was told (With), so that all remains in one order.

const (
	queued     = 256                    // launches that can wait
	burst      = 8                      // so many in a row, nothing else being asked of the driver between them, and
	within     = 200 * time.Microsecond // in so little time, and the thread takes over
	leastProcs = 4                      // it looks for work without rest: with fewer processors it would stand in the way
	patience   = 30 * time.Microsecond  // how long it does so
)

// launcher is what waits to be launched.
type launcher struct {
	mu         sync.Mutex // of those who add
	ring       [queued]launching
	head, tail atomic.Uint64 // added so far, and asked for
	row        atomic.Int32  // launches in a row
	since      atomic.Int64  // when the first of them was, in nanoseconds of the clock
	awake      atomic.Bool   // the thread looks for work
	wake       chan struct{}
	failed     atomic.Pointer[error] // a launch that was refused: nothing behind it can be relied on
}

var began = time.Now()

// Queued counts the launches that were left to the thread.
func (d *Device) Queued() uint64 { return d.launcher.head.Load() }

// drained waits until everything that was added has been asked for.
func (q *launcher) drained() {
	q.row.Store(0)
	for n := q.head.Load(); q.tail.Load() < n; {
		runtime.Gosched()
	}
}

// takesOver reports whether the thread is to be told of the next launch: while it is awake, and from the burst-th in a row on.
func (d *Device) takesOver() bool {
	q := d.launcher
	if q.awake.Load() {
		return true
	}
	switch q.row.Add(1) {
	case 1:
		q.since.Store(int64(time.Since(began)))
		return false
	default:
		return false
	case burst:
	}
	q.row.Store(0)
	if time.Since(began)-time.Duration(q.since.Load()) > within || runtime.GOMAXPROCS(0) < leastProcs {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.wake == nil {
		q.wake = make(chan struct{}, 1)
		go d.launchAll()
	}
	if q.awake.CompareAndSwap(false, true) {
		q.wake <- struct{}{}
	}
	return true
}

// add fills the next place of the queue, waiting for one if need be; false: the thread has gone to sleep.
func (q *launcher) add(fill func(l *launching)) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.awake.Load() {
		return false
	}
	n := q.head.Load()
	for n-q.tail.Load() == queued {
		runtime.Gosched()
	}
	fill(&q.ring[n%queued])
	q.head.Store(n + 1)
	return true
}

// launchAll is the thread.
func (d *Device) launchAll() {
	runtime.LockOSThread()
	q, context := d.launcher, d.current()
	for range q.wake {
		for n, idle := q.tail.Load(), time.Duration(0); ; {
			if n == q.head.Load() {
				if idle == 0 {
					idle = time.Since(began)
				} else if time.Since(began)-idle > patience && q.sleeps(n) {
					break
				}
				continue
			}
			idle = 0
			l := &q.ring[n%queued]
			s := context
			if s == 0 && l.event != 0 {
				s = uintptr(uint32(dl.Call(cu.eventRecord, l.event, d.Stream)))
			} else if s == 0 {
				s = uintptr(uint32(dl.Call(cu.launchKernel, l.list[:]...)))
			}
			if s != 0 && q.failed.Load() == nil {
				err := fail(s, "launching %s on device %d (%s)", l.name, d.Index, d.Name)
				q.failed.Store(&err)
			}
			n++
			q.tail.Store(n)
		}
	}
}

// sleeps lets the thread rest, unless something was added behind number n or is just being added: whoever adds may be waiting for
// this thread to make room.
func (q *launcher) sleeps(n uint64) bool {
	if !q.mu.TryLock() {
		return false
	}
	defer q.mu.Unlock()
	if q.head.Load() != n {
		return false
	}
	q.awake.Store(false)
	return true
}

// refused is the error of a launch that the thread could not ask for.
func (d *Device) refused() error {
	if d.launcher == nil {
		return nil
	}
	return d.launcher.refused()
}

func (q *launcher) refused() error {
	if e := q.failed.Load(); e != nil {
		return *e
	}
	return nil
}
