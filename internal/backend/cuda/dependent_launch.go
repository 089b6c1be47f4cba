package cuda

import (
	"regexp"
	"strings"
)

// Between two dependent kernels a device idles for about a microsecond: the first must end before the second is scheduled.
// From Hopper on, programmatic dependent launch (PDL) schedules a kernel early; it then waits on the device until its
// predecessors are done. So each of our kernels begins with that wait, and captured graphs launch small kernels this way
// (driver.Device.PDL). Kernels that stream a matrix ask for it before they wait (PDL_EARLY in prelude.cu): memory is busy while their
// predecessors end.

// entry matches the opening of a kernel in our sources.
var entry = regexp.MustCompile(`__global__[^{;]*\{\s*(PDL_EARLY)?`)

// withPDL inserts the wait at the start of every kernel of a source that has none of its own.
func withPDL(source string) string {
	return entry.ReplaceAllStringFunc(source, func(s string) string {
		if strings.HasSuffix(s, "PDL_EARLY") {
			return s
		}
		open, rest, _ := strings.Cut(s, "{")
		return open + "{ PDL_ENTRY" + rest
	})
}
