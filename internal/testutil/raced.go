//go:build race

package testutil

// Raced: the race detector makes everything six times as slow and looks at who touches what, not at values, so tests that
// repeat the same accesses for the sake of values repeat them less.
const Raced = true
