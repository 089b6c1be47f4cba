//go:build purego || !(amd64 || arm64)

package scope

import "runtime"

// callers reads return addresses from the stack.
func callers(dst *[Depth]uintptr) int { return runtime.Callers(2, dst[:]) }
