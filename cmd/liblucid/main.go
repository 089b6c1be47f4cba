//go:build liblucid

// Liblucid is the C library of Lucid: exported functions and ops for programs in C and in every language that can call it. lucid.h is its
// interface, docs/c-abi.md its page. It is the only package with cgo, and built by itself:
//
//	go build -tags liblucid -buildmode=c-shared -o liblucid.so ./cmd/liblucid
package main

/*
#cgo CFLAGS: -std=gnu11 -Wall -Wextra -Werror -fvisibility=hidden
#include "internal.h"
*/
import "C"

import (
	"unsafe"

	"github.com/lucid-go/lucid/cuda"
	"github.com/lucid-go/lucid/internal/cabi"
	"github.com/lucid-go/lucid/internal/dtype"
)

func main() {}

func init() {
	cabi.GPUs = func() int {
		n, err := cuda.Count()
		if err != nil {
			return 0 // no driver: no GPU
		}
		return n
	}
}

// done makes a status of an error, and the error the last one of the thread.
func done(err error) C.lucid_status {
	if err == nil {
		return C.LUCID_OK
	}
	status, text := C.lucid_status(cabi.StatusOf(err)), err.Error()
	C.lucid_set_error(status, (*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.size_t(len(text)))
	return status
}

// missing is the error of a pointer that is NULL; nil if none is.
func missing(op string, pointers ...unsafe.Pointer) error { return cabi.Missing(op, pointers) }

// list is an array of the caller as a slice.
func list[T any](p *T, n C.size_t) []T {
	if p == nil {
		return nil
	}
	return unsafe.Slice(p, int(n))
}

// dims is a shape of the caller; a rank that is too large is refused by its length.
func dims(p *C.int64_t, rank C.int32_t) []int64 {
	if p == nil || rank <= 0 {
		return nil
	}
	return unsafe.Slice((*int64)(p), min(int(rank), cabi.MaxRank+1))
}

func dtypeOf(d C.lucid_dtype) dtype.DType {
	if d < 0 || d >= C.lucid_dtype(dtype.N) {
		return dtype.Invalid
	}
	return dtype.DType(d)
}

// text copies a name into an array of the caller.
func text(dst []C.char, s string) {
	n := 0
	for ; n < len(s) && n < len(dst)-1; n++ {
		dst[n] = C.char(s[n])
	}
	dst[n] = 0
}
