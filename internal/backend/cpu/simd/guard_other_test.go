//go:build !linux

package simd

import "testing"

// fence has no pages to protect here; the canaries of the other tests must do.
func fence(t testing.TB, n int, atEnd bool) []byte { return make([]byte, n) }
