//go:build purego || (!amd64 && !arm64)

package simd

// ChainWidth is how many elements chain code takes at a time, in lanes of a size; 0: this machine has none.
func ChainWidth(int) int { return 0 }

// RunChain is never called where there is no chain code.
func RunChain([]Step, int, int) { panic("simd: no chain code here") }

func chainRoutine(ChainOp, int) uintptr { return 0 }
