//go:build !linux

package gemm

import "testing"

// fences gives plain slices where pages cannot be guarded in a simple way.
func fences[T Float](t testing.TB, most int) func(number, n int) []T {
	return func(_, n int) []T { return make([]T, n) }
}
