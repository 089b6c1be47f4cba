//go:build !race

package testutil

// Raced reports whether the race detector is on; see raced.go.
const Raced = false
