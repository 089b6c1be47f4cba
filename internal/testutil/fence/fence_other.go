//go:build !linux

package fence

import "testing"

// Slices gives plain slices where pages cannot be protected in a simple way.
func Slices[T any](t testing.TB, most int) func(number, n int) []T {
	return func(_, n int) []T { return make([]T, n) }
}
