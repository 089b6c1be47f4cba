package driver

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/dl"
)

// Event marks a point in the stream.
type Event struct {
	d      *Device
	handle uintptr
}

// NewEvent makes an event with timing.
func (d *Device) NewEvent() (*Event, error) {
	e := &Event{d: d}
	return e, d.call("making an event", func() uintptr { return dl.Call(cu.eventCreate, uintptr(unsafe.Pointer(&e.handle)), 0) })
}

// NewMark makes an event without timing.
func (d *Device) NewMark() (*Event, error) {
	const untimed = 2
	e := &Event{d: d}
	return e, d.call("making an event", func() uintptr { return dl.Call(cu.eventCreate, uintptr(unsafe.Pointer(&e.handle)), untimed) })
}

// Record records the event behind all submitted work.
func (e *Event) Record() error {
	if q := e.d.launcher; q != nil && q.awake.Load() && q.add(func(l *launching) { l.name, l.event = "an event", e.handle }) {
		return q.refused()
	}
	return e.d.call("recording an event", func() uintptr { return dl.Call(cu.eventRecord, e.handle, e.d.Stream) })
}

// Wait blocks until the device reached the event.
func (e *Event) Wait() error {
	return e.d.call("waiting for an event", func() uintptr { return dl.Call(cu.eventSynchronize, e.handle) })
}

// Since returns the milliseconds from an earlier event to this one, both reached.
func (e *Event) Since(start *Event) (float64, error) {
	ms := new(float32)
	err := e.d.call("timing events", func() uintptr {
		return dl.Call(cu.eventElapsedTime, uintptr(unsafe.Pointer(ms)), start.handle, e.handle)
	})
	return float64(*ms), err
}

// Close destroys the event.
func (e *Event) Close() error {
	return e.d.call("freeing an event", func() uintptr { return dl.Call(cu.eventDestroy, e.handle) })
}
