//go:build (amd64 || arm64) && !purego

package scope

// goroutine returns the address of the running goroutine's descriptor: distinct for
// goroutines alive together, and stable while one runs.
func goroutine() uintptr
