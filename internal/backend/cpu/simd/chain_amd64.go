//go:build !purego

package simd

// ChainWidth is how many elements chain code takes at a time; 0: this machine has none.
func ChainWidth() int {
	switch {
	case useAVX512:
		return 128
	case useAVX2:
		return 32
	}
	return 0
}

// RunChain runs code over n elements, a multiple of ChainWidth and not 0. It cannot be stopped meanwhile.
func RunChain(code []Step, n int) {
	if useAVX512 {
		chainRunAVX512(&code[0], 0, 4*n)
	} else {
		chainRunAVX2(&code[0], 0, 4*n)
	}
}

func chainRoutine(op ChainOp) uintptr {
	if useAVX512 {
		return chainTableAVX512()[op]
	}
	return chainTableAVX2()[op]
}

//go:noescape
func chainRunAVX512(code *Step, from, to int)

//go:noescape
func chainRunAVX2(code *Step, from, to int)

func chainTableAVX512() *[chainRoutines]uintptr

func chainTableAVX2() *[chainRoutines]uintptr
