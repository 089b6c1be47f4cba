package cuda

import "regexp"

// Between two dependent kernels a device idles for about a microsecond: the first must end before the second is scheduled.
// From Hopper on, programmatic dependent launch (PDL) schedules a kernel early; it then waits on the device until its
// predecessors are done. So each of our kernels begins with that wait, and captured graphs launch small kernels this way
// (driver.Device.PDL).

// entry matches the opening of a kernel in our sources.
var entry = regexp.MustCompile(`__global__[^{;]*\{`)

// withPDL inserts the wait at the start of every kernel of a source.
func withPDL(source string) string { return entry.ReplaceAllString(source, "$0 PDL_ENTRY") }
