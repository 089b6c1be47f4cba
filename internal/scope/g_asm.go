//go:build (amd64 || arm64) && !purego

package scope

// goroutine returns the address of the running goroutine's descriptor: distinct for
// goroutines alive together, and stable while one runs.
func goroutine() uintptr

// known returns the key of the goroutine for callers inside a scope.
func known() (g uintptr, ok bool) { return goroutine(), true }

// call runs f in a scope of goroutine g.
func call(_ uintptr, f func()) { f() }
