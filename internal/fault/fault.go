// Package fault owns the one error type of the project, its kinds, and the form of every message:
// package, op, what is wrong, the values, what would be right.
package fault

import (
	"errors"
	"fmt"
)

// Kind classifies an error; each kind has a sentinel for errors.Is.
type Kind uint8

// The kinds.
const (
	Internal Kind = iota
	Shape
	DType
	Index
	Device
	DeviceMismatch
	OutOfMemory
	NotImplemented
	Version
	Gradient
	Format
	Value // an argument outside its domain
	Trace // a traced value used where it may not be
	Freed // use after Free
	Canceled
	Singular // a matrix without the factorisation that was asked for
	numKinds
)

var kindText = [numKinds]string{
	Internal: "internal error", Shape: "shape mismatch", DType: "dtype", Index: "index", Device: "device",
	DeviceMismatch: "device mismatch", OutOfMemory: "out of memory", NotImplemented: "not implemented", Version: "version",
	Gradient: "gradient", Format: "format", Value: "invalid value", Trace: "traced value", Freed: "freed value", Canceled: "canceled",
	Singular: "singular matrix",
}

// String names the kind.
func (k Kind) String() string { return kindText[k] }

// Sentinel is what errors.Is compares with; there is one per kind.
type Sentinel struct{ kind Kind }

func (s *Sentinel) Error() string { return "lucid: " + s.kind.String() }

var sentinels = func() (all [numKinds]*Sentinel) {
	for k := range all {
		all[k] = &Sentinel{Kind(k)}
	}
	return
}()

// SentinelOf returns the kind's sentinel.
func SentinelOf(k Kind) error { return sentinels[k] }

// Error is every error of the project.
type Error struct {
	Kind Kind
	Op   string // lower_snake op or function name
	Msg  string // what is wrong, the values, what would be right
	Err  error  // cause, if another error is behind it
}

// Error formats as "lucid: op: message".
func (e *Error) Error() string {
	s := "lucid: "
	if e.Op != "" {
		s += e.Op + ": "
	}
	s += e.Msg
	if e.Err != nil {
		if e.Msg != "" {
			s += ": "
		}
		s += e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is matches the kind's sentinel.
func (e *Error) Is(target error) bool {
	s, ok := target.(*Sentinel)
	return ok && s.kind == e.Kind
}

// New builds an error.
func New(k Kind, op, format string, args ...any) *Error {
	return &Error{Kind: k, Op: op, Msg: fmt.Sprintf(format, args...)}
}

// Wrap builds an error with a cause.
func Wrap(k Kind, op string, err error, format string, args ...any) *Error {
	return &Error{Kind: k, Op: op, Msg: fmt.Sprintf(format, args...), Err: err}
}

// Throw panics with an error of kind k: the form of mistakes found while building a graph.
func Throw(k Kind, op, format string, args ...any) { panic(New(k, op, format, args...)) }

// Rethrow panics with *Error, whatever kind of error came from an evaluation.
func Rethrow(op string, err error) {
	if e, ok := err.(*Error); ok {
		panic(e)
	}
	panic(Wrap(Internal, op, err, "evaluation failed"))
}

// Catch runs f and returns the *Error it panicked with; other panics go on.
func Catch(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			err = r
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// FromPanic makes an error of a value that a worker recovered, so that a worker never takes the process down.
func FromPanic(op string, r any) error {
	switch r := r.(type) {
	case *Error:
		return r
	case error:
		return Wrap(Internal, op, r, "a kernel panicked")
	}
	return New(Internal, op, "a kernel panicked: %v", r)
}

// KindOf returns the kind of the first *Error in the chain, or of a sentinel.
func KindOf(err error) (Kind, bool) {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind, true
	}
	var s *Sentinel
	if errors.As(err, &s) {
		return s.kind, true
	}
	return 0, false
}
