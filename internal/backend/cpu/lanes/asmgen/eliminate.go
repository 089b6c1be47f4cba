package asmgen

import "fmt"

// MostOthers is the number of columns that eliminate changes at most besides the first.
const MostOthers = 7

// eliminate multiplies the n vectors of a column at a by the first factor at t, and subtracts the products of the result and the factors
// behind it from the m columns at c, cs bytes apart. It writes what peak writes of the first of these to b and d.
func eliminate(e *emitter) {
	e.op(`
		MOVQ .consts, R13
		MOVQ .a, SI
		MOVQ .c, DI
		MOVQ .cs, R9
		MOVQ .n, CX
		MOVQ .t, R10
		MOVQ .m, DX
		LEAQ (R9)(R9*2), R12
		LEAQ (DI)(R9*4), BX
		VPCMPEQ% Y15, Y15, Y15
		VPSRL% $1, Y15, Y14
		VXORP@ Y13, Y13, Y13
		VXORP@ Y12, Y12, Y12
		VBROADCASTS@ (R10), Y7`)
	e.constant(constMinusOne, "Y11")
	for m := range MostOthers + 1 {
		e.op(fmt.Sprintf("CMPQ DX, $%d\nJEQ others%d", m, m))
	}
	for m := range MostOthers + 1 {
		e.op(fmt.Sprintf("others%d:", m))
		for q := range m {
			e.op(fmt.Sprintf("VBROADCASTS@ %d(R10), Y%d", (q+1)*e.size, q))
		}
		e.op(fmt.Sprintf("next%d:\nVMULP@ (SI), Y7, Y8\nVMOVUP@ Y8, (SI)", m))
		for q := range m {
			at := []string{"(DI)", "(DI)(R9*1)", "(DI)(R9*2)", "(DI)(R12*1)", "(BX)", "(BX)(R9*1)", "(BX)(R9*2)"}[q]
			e.op(fmt.Sprintf("VMOVUP@ %s, Y9\nVFNMADD231# Y8, Y%d, Y9\nVMOVUP@ Y9, %s", at, q, at))
			if q == 0 {
				e.op(`
					VANDP@ Y9, Y14, Y9
					VCMP# $30, Y11, Y9, Y10
					VBLENDVP@ Y10, Y9, Y11, Y11
					VBLENDVP@ Y10, Y13, Y12, Y12
					VPSUB% Y15, Y13, Y13`)
			}
		}
		e.op(fmt.Sprintf("ADDQ $32, SI\nADDQ $32, DI\nADDQ $32, BX\nDECQ CX\nJNZ next%d", m))
		if m < MostOthers {
			e.op("JMP end")
		}
	}
	e.op(`
	end:
		MOVQ .b, DI
		MOVQ .d, R10
		VMOVUP@ Y11, (DI)
		VMOVUP@ Y12, (R10)`)
}
