//go:build race

package lucid

// raced: the race detector makes everything six times as slow and looks at who touches what, not at values, so tests that
// repeat the same accesses for the values' sake repeat them less.
const raced = true
