package driver

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lucid-go/lucid/internal/dl"
)

// A launch costs 4 µs in the driver, more than everything before it. So a burst of small launches is handed to a thread
// that calls the driver, while the goroutine prepares the next one. Every other driver call first waits for that thread
// (With), so the order is preserved.

const (
	queued     = 256                    // capacity of the queue
	burst      = 8                      // so many launches without another driver call between them, and
	within     = 200 * time.Microsecond // within this time, start the thread
	leastProcs = 4                      // it polls for work: with fewer processors it would take time from others
	patience   = 30 * time.Microsecond  // how long it polls
)

// launcher is the queue of launches.
type launcher struct {
	mu         sync.Mutex // held by producers
	ring       [queued]launching
	head, tail atomic.Uint64 // enqueued so far, and submitted
	row        atomic.Int32  // launches without another driver call between them
	since      atomic.Int64  // time of the first of them, in nanoseconds
	awake      atomic.Bool   // the thread polls
	wake       chan struct{}
	failed     atomic.Pointer[error] // a refused launch: nothing behind it can be relied on
}

var began = time.Now()

// Queued counts the launches that went through the thread.
func (d *Device) Queued() uint64 { return d.launcher.head.Load() }

// drained waits until the queue is empty.
func (q *launcher) drained() {
	q.row.Store(0)
	for n := q.head.Load(); q.tail.Load() < n; {
		runtime.Gosched()
	}
}

// takesOver reports whether the next launch goes to the thread: while it polls, and from the burst-th in a row on.
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

// add fills the next slot of the queue, waiting for one if need be; false: the thread has gone to sleep.
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

// sleeps stops polling, unless something was added behind number n or is just being added: a producer may be waiting for
// this thread to free a slot.
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

// refused is the error of a launch that the thread could not submit.
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
