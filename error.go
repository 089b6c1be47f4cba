package lucid

import "github.com/lucid-go/lucid/internal/fault"

// Error is every error of the package. Ask for its kind by errors.Is and a sentinel, for its parts by errors.As:
//
//	Op  string // lower_snake name of the op or function
//	Msg string // what is wrong, the values, what would be right
//	Err error  // the cause, if another error is behind it
type Error = fault.Error

// One sentinel per kind, for errors.Is.
var (
	ErrShapeMismatch  = fault.SentinelOf(fault.Shape)
	ErrDType          = fault.SentinelOf(fault.DType)
	ErrIndex          = fault.SentinelOf(fault.Index)
	ErrDevice         = fault.SentinelOf(fault.Device)
	ErrDeviceMismatch = fault.SentinelOf(fault.DeviceMismatch)
	ErrOutOfMemory    = fault.SentinelOf(fault.OutOfMemory)
	ErrNotImplemented = fault.SentinelOf(fault.NotImplemented)
	ErrVersion        = fault.SentinelOf(fault.Version)
	ErrGradient       = fault.SentinelOf(fault.Gradient)
	ErrFormat         = fault.SentinelOf(fault.Format)
	ErrValue          = fault.SentinelOf(fault.Value)
	ErrTrace          = fault.SentinelOf(fault.Trace)
	ErrFreed          = fault.SentinelOf(fault.Freed)
)

// Try runs f and returns the *Error it panicked with, nil if it did not. Other panics go on.
func Try(f func()) error { return fault.Catch(f) }

// Errorf builds an error of the kind of a sentinel (ErrShapeMismatch, ErrValue, …), for code that adds ops or modules.
// op is the lower_snake name of what was called.
func Errorf(kind error, op, format string, args ...any) *Error {
	k, ok := fault.KindOf(kind)
	if !ok {
		k = fault.Value
	}
	return fault.New(k, op, format, args...)
}
