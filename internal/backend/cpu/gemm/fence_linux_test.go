package gemm

import (
	"syscall"
	"testing"
	"unsafe"
)

// fences returns a function that gives slices of at most n elements, which end at a page no one may touch; the same
// number is the same memory.
func fences[T Float](t testing.TB, most int) func(number, n int) []T {
	page, regions := syscall.Getpagesize(), map[int][]T{}
	return func(number, n int) []T {
		if regions[number] == nil {
			size := (most*sizeOf[T]() + page - 1) / page * page
			m, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { syscall.Munmap(m) })
			if err := syscall.Mprotect(m[size:], syscall.PROT_NONE); err != nil {
				t.Fatal(err)
			}
			regions[number] = unsafe.Slice((*T)(unsafe.Pointer(&m[0])), size/sizeOf[T]())
		}
		all := regions[number]
		return all[len(all)-n:]
	}
}
