//go:build !purego

package simd

// ChainWidth is how many elements chain code takes at a time, in lanes of a size; 0: this machine has none.
func ChainWidth(lane int) int {
	if useNEON {
		return 128 / lane
	}
	return 0
}

// RunChain runs code over n elements, a multiple of ChainWidth and not 0. It cannot be stopped meanwhile.
func RunChain(code []Step, lane, n int) { chainRunNEON(&code[0], 0, lane*n) }

func chainRoutine(op ChainOp, lane int) uintptr {
	if lane == 8 {
		return chain64TableNEON()[op]
	}
	return chainTableNEON()[op]
}

//go:noescape
func chainRunNEON(code *Step, from, to int)

func chainTableNEON() *[chainRoutines]uintptr

func chain64TableNEON() *[chainRoutines]uintptr
