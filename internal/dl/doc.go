// Package dl opens shared libraries at run time and calls their C functions without cgo. It owns the search for a
// library and the list of what was tried; it knows nothing of what the libraries do. It alone imports purego.
//
//	lib, err := dl.Open("the CUDA driver", []string{"libcuda.so.1"}, nil)
//	init, err := lib.Symbol("cuInit")
//	status := dl.Call(init, 0)
package dl
