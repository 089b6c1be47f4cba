// Package profile records the profiler's events while a recording is active. Any layer may add to it; without a recording it costs one
// atomic load.
package profile

import (
	"sync"
	"sync/atomic"
	"time"
)

// Event is one launch.
type Event struct {
	Name      string
	Device    string
	Start     time.Duration // since the recording began
	Time      time.Duration
	Bytes     int64 // of the operands: read and written once
	Allocated int64 // on the device, when it ended
	Later     bool  // the device computes later, and was not waited for: Time is that of the launch
}

// Recorder collects events.
type Recorder struct {
	began  time.Time
	mu     sync.Mutex
	events []Event
}

var active atomic.Pointer[Recorder]

// Active returns the recorder to add to, nil if there is none.
func Active() *Recorder { return active.Load() }

// Begin starts a recording; ok is false if there is one already.
func Begin() (r *Recorder, ok bool) {
	r = &Recorder{began: time.Now()}
	return r, active.CompareAndSwap(nil, r)
}

// Add notes an event that began at a moment and ends now.
func (r *Recorder) Add(from time.Time, e Event) {
	e.Start, e.Time = from.Sub(r.began), time.Since(from)
	r.mu.Lock()
	r.events = append(r.events, e)
	r.mu.Unlock()
}

// End stops the recording and returns what was noted, in the order in which it ended, and how long it lasted.
func (r *Recorder) End() ([]Event, time.Duration) {
	active.CompareAndSwap(r, nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events, time.Since(r.began)
}
