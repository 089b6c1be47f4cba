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

	DType  string        // of the first result
	Shape  string        // of it
	FLOPs  int64         // floating-point operations
	Delta  int64         // by how much the launch changed what is allocated
	Module string        // types of the modules that recorded the op, from the outermost
	Host   time.Duration // of a device that computes on its own: how long the host took to launch it
	Range  bool          // a range of the program that RecordFunction names, no launch
}

// Recorder collects events.
type Recorder struct {
	began  time.Time
	mu     sync.Mutex
	events []Event

	allocated map[string]int64 // by device
}

var active atomic.Pointer[Recorder]

// Active returns the recorder to add to, nil if there is none.
func Active() *Recorder { return active.Load() }

// Begin starts a recording; ok is false if there is one already.
func Begin() (r *Recorder, ok bool) {
	r = &Recorder{began: time.Now(), allocated: map[string]int64{}}
	return r, active.CompareAndSwap(nil, r)
}

// Allocated is what the recorder saw allocated last on a device, by name; for Event.Delta.
func (r *Recorder) Allocated(device string, now int64) (before int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, ok := r.allocated[device]
	if !ok {
		before = now
	}
	r.allocated[device] = now
	return before
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
