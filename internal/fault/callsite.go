package fault

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
)

const modulePath = "github.com/lucid-go/lucid"

// programs are the folders of the module whose packages are programs that use it, as a user's are.
var programs = []string{"cmd/", "examples/", "docs/", "bench/"}

// UserLine returns the first line of a stack, the innermost first, that is not of this module or of the standard library: file:line.
// It is empty if there is none.
func UserLine(pcs []uintptr) string {
	frames := runtime.CallersFrames(pcs)
	for more := len(pcs) > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if !ofLibrary(f) {
			return f.File + ":" + strconv.Itoa(f.Line)
		}
	}
	return ""
}

// Modules returns the types whose Forward is on a stack, from the outermost, separated by dots.
func Modules(pcs []uintptr) string {
	var names []string
	frames := runtime.CallersFrames(pcs)
	for more := len(pcs) > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if path, ok := strings.CutSuffix(f.Function, ").Forward"); ok {
			name := path[strings.LastIndexByte(path, '(')+1:]
			names = append(names, strings.TrimPrefix(name, "*"))
		}
	}
	slices.Reverse(names)
	return strings.Join(names, ".")
}

// ofLibrary reports whether a frame is of this module, but for its tests and programs, or of the runtime.
func ofLibrary(f runtime.Frame) bool {
	for _, std := range []string{"runtime.", "reflect.", "sync.", "iter."} {
		if strings.HasPrefix(f.Function, std) {
			return true
		}
	}
	rest, ok := strings.CutPrefix(f.Function, modulePath)
	if f.Function == "" || !ok || strings.HasSuffix(f.File, "_test.go") {
		return f.Function == ""
	}
	return strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "/") &&
		!slices.ContainsFunc(programs, func(p string) bool { return strings.HasPrefix(rest[1:], p) })
}
