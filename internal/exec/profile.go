package exec

import (
	"slices"
	"time"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/trace"
)

// launch runs a step, and notes it if somebody asks what runs.
func launch(kc *backend.Ctx, s *step, out, in []backend.View) error {
	rec := trace.Active()
	if rec == nil || kc.Face != nil { // a face is shown the launch; nothing runs
		return attempt(kc, s, out, in)
	}
	from := time.Now()
	err := attempt(kc, s, out, in)
	var bytes int64
	for _, v := range slices.Concat(out, in) {
		bytes += int64(v.Shape.Numel() * v.DType.Size())
	}
	note(rec, from, s.name(), s.dev, bytes)
	return err
}

func note(rec *trace.Recorder, from time.Time, name string, d *backend.Device, bytes int64) {
	rec.Add(from, trace.Event{Name: name, Device: d.String(), Bytes: bytes, Allocated: d.Pool.Stats().Allocated, Later: !d.Host})
}
