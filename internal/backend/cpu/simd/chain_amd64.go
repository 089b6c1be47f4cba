//go:build !purego

package simd

// ChainWidth is how many elements chain code takes at a time, in lanes of a size; 0: this machine has none.
func ChainWidth(lane int) int {
	switch {
	case useAVX512:
		return 512 / lane
	case useAVX2:
		return 128 / lane
	}
	return 0
}

// RunChain runs code over n elements, a multiple of ChainWidth and not 0. It cannot be stopped meanwhile.
func RunChain(code []Step, lane, n int) {
	if useAVX512 {
		chainRunAVX512(&code[0], 0, lane*n)
	} else {
		chainRunAVX2(&code[0], 0, lane*n)
	}
}

func chainRoutine(op ChainOp, lane int) uintptr {
	switch {
	case useAVX512 && lane == 8:
		return chain64TableAVX512()[op]
	case useAVX512:
		return chainTableAVX512()[op]
	case lane == 8:
		return chain64TableAVX2()[op]
	}
	return chainTableAVX2()[op]
}

//go:noescape
func chainRunAVX512(code *Step, from, to int)

//go:noescape
func chainRunAVX2(code *Step, from, to int)

func chainTableAVX512() *[chainRoutines]uintptr

func chainTableAVX2() *[chainRoutines]uintptr

func chain64TableAVX512() *[chainRoutines]uintptr

func chain64TableAVX2() *[chainRoutines]uintptr
