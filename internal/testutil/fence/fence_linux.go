package fence

import (
	"syscall"
	"testing"
	"unsafe"
)

// Slices returns a function that gives slices of at most most elements, which end at a page no one may touch; the same
// number is the same memory.
func Slices[T any](t testing.TB, most int) func(number, n int) []T {
	page, regions, elem := syscall.Getpagesize(), map[int][]T{}, int(unsafe.Sizeof(*new(T)))
	return func(number, n int) []T {
		if regions[number] == nil {
			size := (most*elem + page - 1) / page * page
			m, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { syscall.Munmap(m) })
			if err := syscall.Mprotect(m[size:], syscall.PROT_NONE); err != nil {
				t.Fatal(err)
			}
			regions[number] = unsafe.Slice((*T)(unsafe.Pointer(&m[0])), size/elem)
		}
		all := regions[number]
		return all[len(all)-n:]
	}
}
