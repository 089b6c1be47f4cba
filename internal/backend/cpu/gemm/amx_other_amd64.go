//go:build amd64 && !linux && !purego

package gemm

// askForTiles knows no way to ask here.
func askForTiles() bool { return false }
