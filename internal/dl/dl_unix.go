//go:build (linux || darwin || freebsd) && (amd64 || arm64)

package dl

import "github.com/ebitengine/purego"

func open(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

func symbol(h uintptr, name string) (uintptr, error) { return purego.Dlsym(h, name) }

// Call calls a C function whose arguments are integers and pointers, and returns its result. What the pointers show
// must stay alive until it returns.
//
//go:uintptrescapes
func Call(fn uintptr, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(fn, args...)
	return r
}
