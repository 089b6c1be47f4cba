package asmgen

import "fmt"

// transposeAVX2 is transpose for blocks of 4×4 elements.
func transposeAVX2(e *emitter) {
	e.op(`
		MOVQ .a, DI
		MOVQ .b, SI
		MOVQ .n, CX
		MOVQ .rs, R8
		MOVQ .cs, R9
		MOVQ .bs, R10
		MOVQ .k, R11
		LEAQ (R8)(R8*2), R12
		LEAQ (R9)(R9*2), R13
	block:
		VMOVUPD (SI), Y0
		VMOVUPD (SI)(R8*1), Y1
		VMOVUPD (SI)(R8*2), Y2
		VMOVUPD (SI)(R12*1), Y3
		VUNPCKLPD Y1, Y0, Y4
		VUNPCKHPD Y1, Y0, Y5
		VUNPCKLPD Y3, Y2, Y6
		VUNPCKHPD Y3, Y2, Y7
		VPERM2F128 $0x20, Y6, Y4, Y0
		VPERM2F128 $0x20, Y7, Y5, Y1
		VPERM2F128 $0x31, Y6, Y4, Y2
		VPERM2F128 $0x31, Y7, Y5, Y3
		VMOVUPD Y0, (DI)
		VMOVUPD Y1, (DI)(R9*1)
		VMOVUPD Y2, (DI)(R9*2)
		VMOVUPD Y3, (DI)(R13*1)
		ADDQ R10, SI
		ADDQ R11, DI
		DECQ CX
		JNZ block`)
}

// polesAVX2 is poles for n elements, a multiple of 8, whose eight lanes are two vectors.
func polesAVX2(e *emitter) {
	e.op(`
		MOVQ .consts, R13
		MOVQ .a, SI
		MOVQ .b, DI
		MOVQ .c, R10
		MOVQ .t, R11
		MOVQ .n, BX
		VBROADCASTSD (R11), Y15
		VBROADCASTSD (R13), Y14
		VXORPD Y0, Y0, Y0
		VXORPD Y1, Y1, Y1
		VXORPD Y2, Y2, Y2
		VXORPD Y3, Y3, Y3
	next:
		VMOVUPD (SI), Y4
		VMOVUPD 32(SI), Y5
		VSUBPD Y15, Y4, Y4
		VSUBPD Y15, Y5, Y5
		VDIVPD Y4, Y14, Y4
		VDIVPD Y5, Y14, Y5
		VMULPD (DI), Y4, Y6
		VMULPD 32(DI), Y5, Y7
		VADDPD Y6, Y0, Y0
		VADDPD Y7, Y1, Y1
		VFMADD231PD Y4, Y6, Y2
		VFMADD231PD Y5, Y7, Y3
		ADDQ $64, SI
		ADDQ $64, DI
		SUBQ $8, BX
		JGT next
		VMOVUPD Y0, (R10)
		VMOVUPD Y1, 32(R10)
		VMOVUPD Y2, 64(R10)
		VMOVUPD Y3, 96(R10)`)
}

// triplesAVX2 is triples for four cells at once: what one waits for is time for the others.
func triplesAVX2(e *emitter) {
	e.op(`
		MOVQ .a, SI
		MOVQ .n, BX
		MOVQ .m, DX
		MOVQ .cs, R9
		SUBQ $4, BX
		JLT few`)
	part := func(label string, cells int) {
		e.op(label + `:
			MOVQ SI, R12
			MOVQ .c, R10
			MOVQ DX, CX
			LEAQ (R12)(R9*1), DI`)
		for i := range cells {
			e.op(fmt.Sprintf("VMOVUPD %d(R12), Y%d\nVMOVUPD %d(DI), Y%d", 32*i, 3*i, 32*i, 3*i+1))
		}
		e.op(label + `step:
			ADDQ R9, DI
			VBROADCASTSD (R10), Y12
			VBROADCASTSD 8(R10), Y13
			VBROADCASTSD 16(R10), Y14
			ADDQ $24, R10`)
		for i := range cells {
			a, b, c := 3*i, 3*i+1, 3*i+2
			e.op(fmt.Sprintf(`
				VMOVUPD %d(DI), Y%d
				VMOVAPD Y%d, Y15
				VFMADD231PD Y%d, Y12, Y15
				VFMADD231PD Y%d, Y13, Y15
				VMULPD Y14, Y15, Y15
				VSUBPD Y15, Y%d, Y%d
				VMOVUPD Y%d, %d(R12)
				VFNMADD231PD Y15, Y12, Y%d
				VFNMADD231PD Y15, Y13, Y%d
				VMOVAPD Y%d, Y%d
				VMOVAPD Y%d, Y%d`, 32*i, c, a, b, c, a, a, a, 32*i, b, c, b, a, c, b))
		}
		e.op("ADDQ R9, R12\nDECQ CX\nJNZ " + label + "step\nLEAQ (R12)(R9*1), DI")
		for i := range cells {
			e.op(fmt.Sprintf("VMOVUPD Y%d, %d(R12)\nVMOVUPD Y%d, %d(DI)", 3*i, 32*i, 3*i+1, 32*i))
		}
	}
	part("four", 4)
	e.op(`
			ADDQ $128, SI
			SUBQ $4, BX
			JGE four
		few:
			ADDQ $4, BX
			JEQ done`)
	part("one", 1)
	e.op(`
			ADDQ $32, SI
			DECQ BX
			JNZ one
		done:`)
}

// symmetricAVX2 is symmetric; four rows of a block go at once.
func symmetricAVX2(e *emitter) {
	e.op(`
		MOVQ .a, SI
		MOVQ .b, R10
		MOVQ .c, R12
		MOVQ .rs, R8
		LEAQ (R8)(R8*2), R13
		XORQ R9, R9
		XORQ DX, DX
	block:`)
	for i := range 4 {
		e.op(fmt.Sprintf("VBROADCASTS@ %d(R10), Y%d\nVXORP@ Y%d, Y%d, Y%d", i*e.size, 4+i, i, i, i))
	}
	// An even number of vectors comes before the diagonal in float64, whose blocks are two vectors wide.
	e.op(`
		MOVQ SI, R15
		MOVQ .b, DI
		MOVQ .c, R11
		MOVQ R9, CX`)
	if e.size == 8 {
		e.op("SHLQ $1, CX")
	}
	at := func(i int) string { return "(SI)" + []string{"", "(R8*1)", "(R8*2)", "(R13*1)"}[i] }
	e.op(`
		TESTQ CX, CX
		JEQ diagonal
	next:
		VMOVUP@ (DI), Y12
		VMOVUP@ (R11), Y13`)
	for i := range 4 {
		e.op(fmt.Sprintf("VMOVUP@ %s, Y%d\nVFMADD231# Y%d, Y12, Y%d", at(i), 8+i, 8+i, i))
	}
	e.op(`
		VMULP@ Y9, Y5, Y14
		VFMADD231# Y8, Y4, Y13
		VFMADD231# Y11, Y7, Y14
		VFMADD231# Y10, Y6, Y13
		VADDP@ Y14, Y13, Y13
		VMOVUP@ Y13, (R11)
		ADDQ $32, DI
		ADDQ $32, R11
		ADDQ $32, SI
		DECQ CX
		JNZ next
	diagonal:`)
	for v := range e.size / 4 {
		e.op(fmt.Sprintf("VMOVUP@ %d(DI), Y12", 32*v))
		for i := range 4 {
			e.op(fmt.Sprintf("VFMADD231# %d%s, Y12, Y%d", 32*v, at(i), i))
		}
	}
	e.op("VHADDP@ Y1, Y0, Y0\nVHADDP@ Y3, Y2, Y2")
	if e.size == 4 {
		e.op("VHADDPS Y2, Y0, Y0\nVEXTRACTF128 $1, Y0, X1\nVADDPS X1, X0, X0\nVMOVUPS X0, (R12)")
	} else {
		e.op("VPERM2F128 $0x20, Y2, Y0, Y1\nVPERM2F128 $0x31, Y2, Y0, Y3\nVADDPD Y3, Y1, Y0\nVMOVUPD Y0, (R12)")
	}
	e.op(fmt.Sprintf(`
		ADDQ $%d, R12
		ADDQ $%d, R10
		LEAQ (R15)(R8*4), SI
		XORQ $1, DX
		JNE block
		INCQ R9
		CMPQ R9, .n
		JLT block`, 4*e.size, 4*e.size))
}

// peak writes, lane by lane, the largest magnitude of n vectors at a to b, and the number of the first vector that has it, as an integer
// as wide as an element, to c. NaN is not larger than anything.
func peak(e *emitter) {
	e.op(`
		MOVQ .consts, R13
		MOVQ .a, SI
		MOVQ .b, DI
		MOVQ .c, R10
		MOVQ .n, CX
		VPCMPEQ% Y15, Y15, Y15
		VPSRL% $1, Y15, Y14
		VXORP@ Y13, Y13, Y13
		VXORP@ Y1, Y1, Y1`)
	e.constant(constMinusOne, "Y0")
	e.op(`
	next:
		VANDP@ (SI), Y14, Y2
		VCMP# $30, Y0, Y2, Y3
		VBLENDVP@ Y3, Y2, Y0, Y0
		VBLENDVP@ Y3, Y13, Y1, Y1
		VPSUB% Y15, Y13, Y13
		ADDQ $32, SI
		DECQ CX
		JNZ next
		VMOVUP@ Y0, (DI)
		VMOVUP@ Y1, (R10)`)
}

// four transposes 8 rows of a, rs bytes apart with 4 elements each, to 4 vectors of b, cs bytes apart; back is the opposite.
func four(e *emitter) {
	fourRows(e, func(row, i int) string {
		if row < 4 {
			return fmt.Sprintf("VMOVUPS (%s), X%d", []string{"SI", "SI)(R8*1", "SI)(R8*2", "SI)(R10*1"}[row], i)
		}
		return fmt.Sprintf("VINSERTF128 $1, (%s), Y%d, Y%d", []string{"BX", "BX)(R8*1", "BX)(R8*2", "BX)(R10*1"}[row-4], i, i)
	})
	for i, at := range []string{"DI", "DI)(R9*1", "DI)(R9*2", "DI)(R11*1"} {
		e.op(fmt.Sprintf("VMOVUPS Y%d, (%s)", i, at))
	}
}

func back(e *emitter) {
	fourRows(e, func(row, i int) string {
		if row < 4 {
			return fmt.Sprintf("VMOVUPS (%s), Y%d", []string{"DI", "DI)(R9*1", "DI)(R9*2", "DI)(R11*1"}[row], i)
		}
		return ""
	})
	for i := range 4 {
		e.op(fmt.Sprintf("VMOVUPS X%d, (%s)", i, []string{"SI", "SI)(R8*1", "SI)(R8*2", "SI)(R10*1"}[i]))
		e.op(fmt.Sprintf("VEXTRACTF128 $1, Y%d, (%s)", i, []string{"BX", "BX)(R8*1", "BX)(R8*2", "BX)(R10*1"}[i]))
	}
}

// eight transposes n blocks of 8×8 elements: rows of a are rs bytes apart and those of b cs bytes, blocks bs and k bytes.
func eight(e *emitter) {
	e.op(`
		MOVQ .a, SI
		MOVQ .b, DI
		MOVQ .n, CX
		MOVQ .rs, R8
		MOVQ .cs, R9
		LEAQ (R8)(R8*2), R10
		LEAQ (R9)(R9*2), R11
	block:
		LEAQ (SI)(R8*4), BX
		LEAQ (DI)(R9*4), DX`)
	in := []string{"SI", "SI)(R8*1", "SI)(R8*2", "SI)(R10*1", "BX", "BX)(R8*1", "BX)(R8*2", "BX)(R10*1"}
	out := []string{"DI", "DI)(R9*1", "DI)(R9*2", "DI)(R11*1", "DX", "DX)(R9*1", "DX)(R9*2", "DX)(R11*1"}
	for i, at := range in {
		e.op(fmt.Sprintf("VMOVUPS (%s), Y%d", at, i))
	}
	for i := 0; i < 8; i += 2 {
		e.op(fmt.Sprintf("VUNPCKLPS Y%d, Y%d, Y%d\nVUNPCKHPS Y%d, Y%d, Y%d", i+1, i, 8+i, i+1, i, 9+i))
	}
	for i := 0; i < 8; i += 4 { // Y8 … Y11, then Y12 … Y15
		for h := range 2 {
			x, y := 8+i+h, 10+i+h
			e.op(fmt.Sprintf("VUNPCKLPD Y%d, Y%d, Y%d\nVUNPCKHPD Y%d, Y%d, Y%d", y, x, i+2*h, y, x, i+2*h+1))
		}
	}
	for i := range 4 {
		e.op(fmt.Sprintf("VPERM2F128 $0x20, Y%d, Y%d, Y8\nVPERM2F128 $0x31, Y%d, Y%d, Y9", 4+i, i, 4+i, i))
		e.op(fmt.Sprintf("VMOVUPS Y8, (%s)\nVMOVUPS Y9, (%s)", out[i], out[4+i]))
	}
	e.op(`
		ADDQ .bs, SI
		ADDQ .k, DI
		DECQ CX
		JNZ block`)
}

// fourRows loads Y0 … Y3 and transposes both of their parts of 4×4.
func fourRows(e *emitter, load func(row, i int) string) {
	e.op(`
		MOVQ .a, SI
		MOVQ .b, DI
		MOVQ .rs, R8
		MOVQ .cs, R9
		LEAQ (R8)(R8*2), R10
		LEAQ (R9)(R9*2), R11
		LEAQ (SI)(R8*4), BX`)
	for row := range 8 {
		if l := load(row, row%4); l != "" {
			e.op(l)
		}
	}
	e.op(`
		VUNPCKLPS Y1, Y0, Y4
		VUNPCKHPS Y1, Y0, Y5
		VUNPCKLPS Y3, Y2, Y6
		VUNPCKHPS Y3, Y2, Y7
		VUNPCKLPD Y6, Y4, Y0
		VUNPCKHPD Y6, Y4, Y1
		VUNPCKLPD Y7, Y5, Y2
		VUNPCKHPD Y7, Y5, Y3`)
}
