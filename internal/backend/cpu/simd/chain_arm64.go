//go:build !purego

package simd

// ChainWidth is how many elements chain code takes at a time; 0: this machine has none.
func ChainWidth() int {
	if useNEON {
		return 32
	}
	return 0
}

// RunChain runs code over n elements, a multiple of ChainWidth and not 0. It cannot be stopped meanwhile.
func RunChain(code []Step, n int) { chainRunNEON(&code[0], 0, 4*n) }

func chainRoutine(op ChainOp) uintptr { return chainTableNEON()[op] }

//go:noescape
func chainRunNEON(code *Step, from, to int)

func chainTableNEON() *[chainRoutines]uintptr
