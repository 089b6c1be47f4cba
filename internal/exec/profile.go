package exec

import (
	"slices"
	"time"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/profile"
)

// noteStep records a launch that began at a moment and ends now.
func noteStep(rec *profile.Recorder, from time.Time, s *step, out, in []backend.View) {
	var bytes int64
	for _, v := range slices.Concat(out, in) {
		bytes += int64(v.Shape.Numel() * v.DType.Size())
	}
	note(rec, from, s.name(), s.dev, bytes)
}

// note records an event that began at a moment and ends now. An asynchronous device is waited for if it can be, so that the time is that
// of the work.
func note(rec *profile.Recorder, from time.Time, name string, d *backend.Device, bytes int64) {
	later := !d.Host && (d.Waiter == nil || d.Wait() != nil)
	rec.Add(from, profile.Event{Name: name, Device: d.String(), Bytes: bytes, Allocated: d.Pool.Stats().Allocated, Later: later})
}
