// Package fault owns the one error type of the project, its kinds, and the form of every message:
// package, op, what is wrong, the values, what would be right.
package fault

import (
	"errors"
	"fmt"
	"strings"
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

	// Facts are the parts of the message as fields, each zero where it does not apply.
	Facts
}

// Facts are what an error is about.
type Facts struct {
	// Of memory that ran out, in bytes: what was asked for, what was in use, the most that was in use so far.
	Requested, InUse, Peak int64

	// Of shapes, dtypes and other values that do not fit: what was wanted and what came, as the message says it.
	Expected, Got string
	// The same as Go values: shapes as []int, dtypes, numbers, names, in the order of the message.
	ExpectedValues, GotValues []any

	// Of an index out of range: the index, and the size it must stay below.
	Value, Size int64

	// At is the user's line where the op was recorded, file:line, or several with " or " between where they look alike. An error
	// that is found when values are computed has it in its message too: no stack shows it then.
	At   string
	late bool // found when values were computed
	// Module is the module whose Forward recorded the op, as nn.NamedModules of the whole model spells it: layers.2.attention. It is
	// empty for the model itself, and where the model was not seen before: by nn.Parameters, NamedModules, LoadStateDict or the like. Then
	// the text has the types.
	Module string
	// ModuleTypes are the types of the modules whose Forward recorded it, from the outermost: GPT.Block.Attention.
	ModuleTypes string
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
	var inner *Error
	told := errors.As(e.Err, &inner) && inner.late && inner.At == e.At // by the cause
	if e.Module != "" && !told {
		s += ", in module " + e.Module
	} else if e.ModuleTypes != "" && e.late && !told {
		s += ", in Forward of " + e.ModuleTypes
	}
	if e.late && e.At != "" && !told {
		s += " (at " + shortLines(e.At) + ")"
	}
	return s
}

// orLine separates the lines of At where one of several recorded the op.
const orLine = " or "

// shortLines is At without the folders.
func shortLines(at string) string {
	lines := strings.Split(at, orLine)
	for i, s := range lines {
		lines[i] = s[strings.LastIndexAny(s, `/\`)+1:]
	}
	return strings.Join(lines, orLine)
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
	e := &Error{Kind: k, Op: op, Msg: fmt.Sprintf(format, args...)}
	e.Expected, e.Got = wanted(e.Msg)
	e.ExpectedValues, e.GotValues = wantedValues(format, args)
	return e
}

// wanted finds what a message in the form of the project says was wanted, and what came: "…; want X, got Y", or "Y; want X".
func wanted(msg string) (expected, got string) {
	got, expected, ok := strings.Cut(msg, "; want ")
	if !ok {
		return "", ""
	}
	if want, came, ok := strings.Cut(expected, ", got "); ok {
		return want, came
	}
	return expected, got
}

// Wrap builds an error with a cause, of which it has the facts.
func Wrap(k Kind, op string, err error, format string, args ...any) *Error {
	e := New(k, op, format, args...)
	e.Err = err
	var inner *Error
	if errors.As(err, &inner) {
		e.Facts = inner.Facts
	}
	return e
}

// IndexError builds the error of an index that is out of range for a size.
func IndexError(op string, value, size int64) *Error {
	e := &Error{Kind: Index, Op: op, Facts: Facts{Value: value, Size: size}}
	e.Msg = indexMessage(op, value, size)
	return e
}

// targetOps are the functions whose indices are the targets of examples.
var targetOps = map[string]bool{"cross_entropy": true, "nll_loss": true, "linear_cross_entropy": true, "multi_margin_loss": true,
	"multilabel_margin_loss": true, "ctc_loss": true}

func indexMessage(op string, value, size int64) string {
	if targetOps[op] {
		return fmt.Sprintf("target %d is out of range for %d classes", value, size)
	}
	return fmt.Sprintf("position %d is out of range for size %d", value, size)
}

// Located returns a copy of an error that was found when values were computed, with the user's line that recorded the op and the
// modules it was recorded in. A kernel that several ops share does not know which it ran for: op names it.
func (e *Error) Located(op string, at []string, module, types string) *Error {
	c := *e
	if c.Kind == Index && op != "" && op != c.Op {
		c.Op, c.Msg = op, indexMessage(op, c.Value, c.Size)
	}
	c.At, c.Module, c.ModuleTypes, c.late = strings.Join(at, orLine), module, types, true
	return &c
}

// Recorded returns the error with the user's line and the module of a stack, which the goroutine is in, for one that was found when an op
// was recorded.
func (e *Error) Recorded(pcs []uintptr) *Error {
	if e.late || e.At != "" {
		return e
	}
	c := *e
	c.At, c.ModuleTypes = UserLine(pcs), Modules(pcs)
	if c.ModuleTypes != "" {
		c.Module = ModuleName(Receivers())
	}
	return &c
}

// Throw panics with an error of kind k: the form of mistakes found while building a graph.
func Throw(k Kind, op, format string, args ...any) { panic(New(k, op, format, args...)) }

// Rethrow panics with *Error, whatever kind of error came from an evaluation.
func Rethrow(op string, err error) {
	if e, ok := err.(*Error); ok {
		if !e.late {
			c := *e
			c.late = true
			e = &c
		}
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
