package lucid

import (
	"runtime"
	"strings"
	"unicode"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/schema"
)

// Error is every error of the package. Ask for its kind by errors.Is and a sentinel, for its parts by errors.As:
//
//	Op  string // lower_snake name of the op or function
//	Msg string // what is wrong, the values, what would be right
//	Err error  // the cause, if another error is behind it
//
// and, where they apply:
//
//	Requested, InUse, Peak int64  // of memory that ran out, in bytes
//	Expected, Got          string // of shapes, dtypes and other values that do not fit
//	ExpectedValues, GotValues []any // the same as Go values: []int for a shape, a DType, a number; Shapes() has the first shapes
//	Value, Size            int64  // of an index out of range, or a target out of the classes
//	At                     string // file:line of the program that recorded the op, also if it failed when it was computed
//	Module                 string // the module whose Forward recorded it, as nn.NamedModules spells it: layers.2.attention
//	ModuleTypes            string // types of the modules whose Forward recorded it, from the outermost
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
	ErrSingular       = fault.SentinelOf(fault.Singular)
)

// Try runs f and returns the *Error it panicked with, nil if it did not. Other panics go on.
func Try(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			var pcs [64]uintptr
			err = within(calledOp(), r.Recorded(pcs[:runtime.Callers(2, pcs[:])]))
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// within names the op a user called where the error comes from another that it is written with.
func within(op string, err error) error {
	e, ok := err.(*Error)
	if !ok || schema.Lookup(op) == nil {
		return err
	}
	plain := func(s string) string { return strings.ReplaceAll(s, "_", "") }
	if inner, outer := plain(e.Op), plain(op); strings.Contains(inner, outer) || strings.Contains(outer, inner) {
		return err
	}
	named := *e
	named.Op, named.Msg = op, e.Op+": "+e.Msg
	return &named
}

// calledOp names the op whose door is open, for errors: it reads the stack, so that doors need not carry their names. Called while a
// panic unwinds it still sees where that began.
func calledOp() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if op := opOfFrame(f.Function); op != "" {
			return op
		}
	}
	return "operand"
}

// opOfFrame is the op of a public function or method, given as the runtime names it; "" if it is none.
func opOfFrame(function string) string {
	rest, ok := strings.CutPrefix(function, "github.com/lucid-go/lucid")
	if !ok {
		return ""
	}
	rest, _, _ = strings.Cut(rest, "[")
	name := rest[strings.LastIndexByte(rest, '.')+1:]
	if name == "" || !unicode.IsUpper(rune(name[0])) {
		return ""
	}
	if rest[0] == '/' { // of another package: nn/functional.Conv2d is known as functional.Conv2d
		if s := schema.OfDoor(rest[strings.LastIndexByte(rest, '/')+1:]); s != nil {
			return s.Name
		}
		return ""
	}
	return opOfDoor(strings.TrimSuffix(name, "_"))
}

func opOfDoor(door string) string {
	if s := schema.OfDoor(door); s != nil {
		return s.Name
	}
	var snake strings.Builder
	for i, c := range door {
		if unicode.IsUpper(c) && i > 0 && unicode.IsLower(rune(door[i-1])) {
			snake.WriteByte('_')
		}
		snake.WriteRune(unicode.ToLower(c))
	}
	return snake.String()
}

// Errorf builds an error of the kind of a sentinel (ErrShapeMismatch, ErrValue, …), for code that adds ops or modules.
// op is the lower_snake name of what was called.
func Errorf(kind error, op, format string, args ...any) *Error {
	k, ok := fault.KindOf(kind)
	if !ok {
		k = fault.Value
	}
	return fault.New(k, op, format, args...)
}
