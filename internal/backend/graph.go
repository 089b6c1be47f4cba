package backend

import (
	"errors"

	"github.com/lucid-go/lucid/internal/mem"
)

// Graph is a device's recording of launches over fixed memory.
type Graph interface {
	// Launch does the copies of before, runs the recording, and does the copies of behind; no other recording of the device runs in
	// between. made are the buffers of its results, some of them written in place. It does not wait. ErrStaleRecording: the recording
	// cannot run any more.
	Launch(before, behind []Copy, made []*mem.Buffer) (Outcome, error)
	// ReportsErrors reports whether a launch can have device errors.
	ReportsErrors() bool
	// Close frees the recording; it may be running.
	Close()
}

// Copy asks for the first bytes of Dst to become those of Src; Src may be in host memory.
type Copy struct{ Dst, Src *mem.Buffer }

// Outcome is the result of a run: whether it is over, its device errors, and whether the device failed. With wait it returns when the
// run is over.
type Outcome func(wait bool) (done bool, bad []DeviceError, err error)

// DeviceError is the error of a launch that found an operand's value invalid; Step is its Ctx.Step.
type DeviceError struct {
	Step int
	Err  error
}

// ErrStaleRecording says that memory of a recording was given back since it was made.
var ErrStaleRecording = errors.New("the recording is void")
