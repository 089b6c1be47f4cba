package cabi

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/fault"
)

// Status is what a function of the C library returns. The numbers are part of the ABI.
type Status int32

// The statuses; cmd/liblucid/lucid.h has the same list.
const (
	OK Status = iota
	Internal
	Shape
	DType
	Index
	Device
	OutOfMemory
	NotImplemented
	Version
	Format
	Value
	Freed
	Canceled
	Singular
	IO
)

var statusOf = map[fault.Kind]Status{fault.Internal: Internal, fault.Shape: Shape, fault.DType: DType, fault.Index: Index,
	fault.Device: Device, fault.DeviceMismatch: Device, fault.OutOfMemory: OutOfMemory, fault.NotImplemented: NotImplemented,
	fault.Version: Version, fault.Gradient: NotImplemented, fault.Format: Format, fault.Value: Value, fault.Trace: Value,
	fault.Freed: Freed, fault.Canceled: Canceled, fault.Singular: Singular}

// StatusOf returns the status of an error. One that is not of this project comes from the system.
func StatusOf(err error) Status {
	if err == nil {
		return OK
	}
	if k, ok := fault.KindOf(err); ok {
		return statusOf[k]
	}
	return IO
}

// Guard runs f and makes an error of every panic: none may reach the caller's frames. Memory that was lent is given back after f, when
// no lock of the engine is held.
func Guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if e, ok := r.(*fault.Error); ok {
				err = e
			} else {
				err = fault.New(fault.Internal, "liblucid", "%.500s", fmt.Sprint(r))
			}
		}
		if waiting.Load() != 0 {
			giveBack()
		}
	}()
	return f()
}

// Releases wait until the engine is left: they run code of the caller, which may call the library again.
var (
	waiting    atomic.Int32
	releasesMu sync.Mutex
	releases   []func()
)

// later puts a release into the list.
func later(f func()) {
	releasesMu.Lock()
	releases = append(releases, f)
	releasesMu.Unlock()
	waiting.Add(1)
}

func giveBack() {
	releasesMu.Lock()
	list := slices.Clone(releases)
	releases = releases[:0]
	releasesMu.Unlock()
	waiting.Add(int32(-len(list)))
	for _, f := range list {
		f()
	}
}
