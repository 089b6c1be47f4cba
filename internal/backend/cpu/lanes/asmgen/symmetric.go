package asmgen

import "fmt"

// symmetric writes A·x to the vector c, for x at b and a symmetric matrix at a with rows rs bytes apart, in n blocks of 8 rows. It reads
// the blocks of 8×8 elements on and below the diagonal, and each element once: for the sum of its own row, and for that of its column.
func symmetric(e *emitter) {
	e.op(`
		MOVQ .a, SI
		MOVQ .b, R10
		MOVQ .c, R12
		MOVQ .rs, R8
		LEAQ (R8)(R8*2), R13
		XORQ R9, R9`)
	if e.size == 8 {
		e.op("MOVQ $255, DX\nKMOVW DX, K1")
	}
	e.op("block:")
	for i := range 8 {
		e.op(fmt.Sprintf("VBROADCASTS@ %d(R10), Z%d\nVPXOR%% Z%d, Z%d, Z%d", i*e.size, 8+i, i, i, i))
	}
	e.op(`
		LEAQ (SI)(R8*4), BX
		MOVQ SI, R15
		MOVQ .b, DI
		MOVQ .c, R11
		MOVQ R9, CX`)
	if e.size == 4 {
		e.op("SHRQ $1, CX")
	}
	rows := func(mask string) {
		for i := range 8 {
			base := "SI"
			if i > 3 {
				base = "BX"
			}
			at := "(" + base + ")" + []string{"", "(R8*1)", "(R8*2)", "(R13*1)"}[i%4]
			e.op(fmt.Sprintf("VMOVUP@%s, Z%d\nVFMADD231# Z%d, Z24, Z%d", fmt.Sprintf(mask, at), 16+i, 16+i, i))
			if i == 1 { // two sums, so that less waits
				e.op("VMULP@ Z17, Z9, Z26")
			} else if mask == " %s" || e.size == 4 {
				e.op(fmt.Sprintf("VFMADD231# Z%d, Z%d, Z%d", 16+i, 8+i, 25+i%2))
			}
		}
	}
	e.op(`
		TESTQ CX, CX
		JEQ diagonal
	next:
		VMOVUP@ (DI), Z24
		VMOVUP@ (R11), Z25`)
	rows(" %s")
	e.op(`
		VADDP@ Z26, Z25, Z25
		VMOVUP@ Z25, (R11)
		ADDQ $64, DI
		ADDQ $64, R11
		ADDQ $64, SI
		ADDQ $64, BX
		DECQ CX
		JNZ next
	diagonal:`)
	if e.size == 4 { // half of a vector may be before the diagonal block
		e.op(`
			MOVQ $255, DX
			XORQ CX, CX
			TESTQ $1, R9
			JEQ masks
			MOVQ DX, CX
			MOVQ $65535, DX
		masks:
			KMOVW DX, K1
			KMOVW CX, K2
			VMOVUPS.Z (R11), K2, Z25`)
	}
	e.op("VMOVUP@.Z (DI), K1, Z24")
	rows(".Z %s, K1")
	if e.size == 4 {
		e.op("VADDPS Z26, Z25, Z25\nVMOVUPS Z25, K2, (R11)")
	}
	sumsOfRows(e)
	if e.size == 4 {
		e.op("VMOVUPS Y0, (R12)\nADDQ $32, R12\nADDQ $32, R10")
	} else {
		e.op("VMOVUPD Z0, (R12)\nADDQ $64, R12\nADDQ $64, R10")
	}
	e.op(`
		LEAQ (R15)(R8*8), SI
		INCQ R9
		CMPQ R9, .n
		JLT block`)
}

// sumsOfRows adds up the lanes of each of Z0 … Z7; the sums are the first 8 lanes of Z0.
func sumsOfRows(e *emitter) {
	add := func(low, high string, x, y int) {
		e.op(fmt.Sprintf("%s Z%d, Z%d, Z16\n%s Z%d, Z%d, Z17\nVADDP@ Z16, Z17, Z%d", low, y, x, high, y, x, x))
	}
	if e.size == 4 {
		for i := 0; i < 8; i += 2 {
			add("VUNPCKLPS", "VUNPCKHPS", i, i+1)
		}
		add("VUNPCKLPD", "VUNPCKHPD", 0, 2)
		add("VUNPCKLPD", "VUNPCKHPD", 4, 6)
		add("VSHUFF64X2 $0x88,", "VSHUFF64X2 $0xdd,", 0, 4)
		add("VSHUFF64X2 $0x88,", "VSHUFF64X2 $0xdd,", 0, 0)
		return
	}
	for i := 0; i < 8; i += 2 {
		add("VUNPCKLPD", "VUNPCKHPD", i, i+1)
	}
	add("VSHUFF64X2 $0x88,", "VSHUFF64X2 $0xdd,", 0, 2)
	add("VSHUFF64X2 $0x88,", "VSHUFF64X2 $0xdd,", 4, 6)
	add("VSHUFF64X2 $0x88,", "VSHUFF64X2 $0xdd,", 0, 4)
}
