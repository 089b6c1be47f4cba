package fault

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
)

// ModuleName names a module by the addresses of the modules whose Forward is on a stack, the innermost first: the innermost that is known,
// as nn.NamedModules spells it. It is empty if none is. Package nn provides it.
var ModuleName = func(receivers []uintptr) string { return "" }

// stackBytes bounds the text of a stack that is read; the innermost calls come first.
const stackBytes = 32 << 10

// Receivers returns the addresses of the structs whose Forward, or ForwardPacked and the like, the goroutine is in, the innermost first.
// Which of several layers of one type it is, only their receivers tell, and only the runtime knows where they are stored. A value that a
// function may not have stored is marked in the runtime's text and left out.
func Receivers() (list []uintptr) {
	text := make([]byte, stackBytes)
	text = text[:runtime.Stack(text, false)]
	for line := range bytes.Lines(text) {
		if r, ok := receiver(line); ok {
			list = append(list, r)
		}
	}
	return list
}

// HasReceiver reports whether a return address is in a Forward that Receivers lists, not in one that was inlined into another function.
func HasReceiver(pc uintptr) bool {
	var f runtime.Frame
	frames := runtime.CallersFrames([]uintptr{pc})
	for more := true; more; {
		f, more = frames.Next()
	}
	_, name, ok := strings.Cut(f.Function, ").Forward")
	return ok && !strings.Contains(name, ".")
}

// receiver reads a line such as "main.(*Block).Forward(0xc000012345, 0x2?)".
func receiver(line []byte) (uintptr, bool) {
	k := bytes.Index(line, []byte(").Forward"))
	if k < 0 || line[0] == '\t' {
		return 0, false
	}
	name, args, ok := bytes.Cut(line[k+2:], []byte("(0x"))
	if !ok || bytes.IndexByte(name, '.') >= 0 { // a function inside Forward
		return 0, false
	}
	end := bytes.IndexAny(args, ",)?")
	if end < 0 || args[end] == '?' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(args[:end]), 16, 64)
	return uintptr(v), err == nil && v != 0
}
