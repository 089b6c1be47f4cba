package lucid

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/scope"
)

// Stream runs evaluations one after the other, concurrently with those of other streams. Values pass between streams as they are:
// a reader waits for it.
type Stream struct{ s *exec.Stream }

// NewStream returns a stream without work.
func NewStream() *Stream { return &Stream{exec.NewStream()} }

// WithStream runs f with its evaluations on the stream, for this call in this goroutine.
func WithStream(s *Stream, f func()) { scope.With(func(st *scope.State) { st.Stream = s.s }, f) }

// SetDefault makes evaluations outside WithStream run on the stream, and returns the one before; a nil stream, as at the start,
// is none: each
// evaluation runs by itself. Streams need not be closed: one without work holds no goroutine.
func (s *Stream) SetDefault() (was *Stream) {
	var to *exec.Stream
	if s != nil {
		to = s.s
	}
	if old := exec.SetDefaultStream(to); old != nil {
		return &Stream{old}
	}
	return nil
}

// DefaultStream returns the stream on which evaluations outside WithStream run, nil if there is none.
func DefaultStream() *Stream {
	if s := exec.DefaultStream(); s != nil {
		return &Stream{s}
	}
	return nil
}

// Synchronize waits until everything given to the stream so far is done.
func (s *Stream) Synchronize() { s.s.Synchronize() }

// Synchronize waits until every evaluation started so far is done, and then until the devices, or all that are open if none
// is given, have done the work submitted to them. It panics with the error of a device that failed.
func Synchronize(devices ...Device) {
	exec.Synchronize()
	wait := backend.Opened()
	if len(devices) > 0 {
		wait = nil
		for _, d := range devices {
			wait = append(wait, d.open())
		}
	}
	for _, d := range wait {
		if d.Waiter == nil {
			continue
		}
		if err := d.Wait(); err != nil {
			fault.Rethrow("synchronize", err)
		}
	}
}
