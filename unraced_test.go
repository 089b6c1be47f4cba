//go:build !race

package lucid

// raced reports whether the race detector watches; see its twin.
const raced = false
