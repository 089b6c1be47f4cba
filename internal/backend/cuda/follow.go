package cuda

import "regexp"

// Between two kernels that depend on each other a device stands idle for a microsecond: the first must end before the second is
// brought to the processors. From Hopper on, a kernel can be started earlier and wait where it first needs what others do.
// So each of ours begins with such a wait, and recordings start small ones early (driver.Device.Early).

// entry is the beginning of a kernel in our sources.
var entry = regexp.MustCompile(`__global__[^{;]*\{`)

// following lets the kernels of a source of ours wait for what stands before them.
func following(source string) string { return entry.ReplaceAllString(source, "$0 FOLLOW") }
