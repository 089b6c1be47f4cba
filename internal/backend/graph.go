package backend

import (
	"errors"

	"github.com/lucid-go/lucid/internal/mem"
)

// Graph is a device's recording of launches over fixed memory.
type Graph interface {
	// Launch copies what is to be copied before, runs the recording, and copies what is to be copied behind; no other
	// recording of the device comes in between. made are the buffers of its results, some of them written in place. It does not
	// wait. ErrStaleRecording: the recording cannot run any more.
	Launch(before, behind []Copy, made []*mem.Buffer) (Outcome, error)
	// ReportsErrors reports whether a launch can meet values it refuses.
	ReportsErrors() bool
	// Close gives the recording back; it may be running.
	Close()
}

// Copy asks for the first bytes of Dst to become those of Src; Src may lie in host memory.
type Copy struct{ Dst, Src *mem.Buffer }

// Outcome tells what became of a run: whether it is over, which launches met values they refuse, by Ctx.Step, and
// whether the device failed. With wait it returns when the run is over.
type Outcome func(wait bool) (done bool, bad []DeviceError, err error)

// DeviceError is a launch that met a value it refuses.
type DeviceError struct {
	Step int
	Err  error
}

// ErrStaleRecording says that memory of a recording was given back since it was made.
var ErrStaleRecording = errors.New("the recording is void")
