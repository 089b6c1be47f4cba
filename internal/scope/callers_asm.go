//go:build (amd64 || arm64) && !purego

package scope

// callers reads return addresses from the stack.
//
//go:noescape
func callers(dst *[Depth]uintptr) int

// argument reads the first argument of a function on the stack.
func argument(frame int) uintptr
