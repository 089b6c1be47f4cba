package asmgen

import "fmt"

// Rotations of pairs of complex numbers: x and y become c·x + s·y and c·y - conj(s)·x. For each the four numbers at c are its c, and re s,
// -im s and im s. There are m of them, and the y of one is the x of the next.

// givensVectors is how many vectors, of two numbers each, go through all rotations at once: what one waits for is time for the others.
const givensVectors = 3

// givens rotates neighbouring rows at a, cs bytes apart, of n vectors.
func givens(e *emitter) {
	givensLoop(e, 32, 1, "R9", func(op string, i, reg int, next bool) {
		row := "R12"
		if next {
			row = "DI"
		}
		if op == "load" {
			e.op(fmt.Sprintf("VMOVUPD %d(%s), Y%d", 32*i, row, reg))
		} else {
			e.op(fmt.Sprintf("VMOVUPD Y%d, %d(%s)", reg, 32*i, row))
		}
	})
}

// givensColumns rotates neighbouring columns of n pairs of rows at a, cs bytes apart: a vector has the same element of two rows.
func givensColumns(e *emitter) {
	e.op("MOVQ .cs, R8\nLEAQ (R8)(R8*2), R11")
	givensLoop(e, 2, 2, "$16", func(op string, i, reg int, next bool) {
		base := []string{"(R12)", "(R12)(R8*1)", "(R12)(R8*2)", "(R12)(R11*1)", "(R12)(R8*4)", "(R15)"}
		if next {
			base = []string{"(DI)", "(DI)(R8*1)", "(DI)(R8*2)", "(DI)(R11*1)", "(DI)(R8*4)", "16(R15)"}
		}
		if op == "load" {
			e.op(fmt.Sprintf("VMOVUPD %s, X%d\nVINSERTF128 $1, %s, Y%d, Y%d", base[2*i], reg, base[2*i+1], reg, reg))
		} else {
			e.op(fmt.Sprintf("VMOVUPD X%d, %s\nVEXTRACTF128 $1, Y%d, %s", reg, base[2*i], reg, base[2*i+1]))
		}
	})
}

// givensLoop goes through the vectors: R12 has the address of x and DI that of y, step further on. A vector is so many bytes or rows wide.
func givensLoop(e *emitter, width, rows int, step string, move func(op string, i, reg int, next bool)) {
	e.op(fmt.Sprintf(`
		MOVQ .a, SI
		MOVQ .n, BX
		MOVQ .m, DX
		MOVQ .cs, R9
		SUBQ $%d, BX
		JLT few`, givensVectors))
	part := func(label string, vectors int) {
		e.op(label + ":\nMOVQ SI, R12\nMOVQ .c, R10\nMOVQ DX, CX")
		if rows == 2 {
			e.op("LEAQ (SI)(R8*4), R15\nADDQ R8, R15")
		}
		e.op("MOVQ R12, DI\nADDQ " + step + ", DI")
		for i := range vectors {
			move("load", i, 4*i, false)
		}
		e.op(label + `step:
			VBROADCASTSD (R10), Y12
			VBROADCASTSD 8(R10), Y13
			VBROADCASTF128 16(R10), Y14
			ADDQ $32, R10`)
		for i := range vectors {
			x, y, z, t := 4*i, 4*i+1, 4*i+2, 4*i+3
			move("load", i, y, true)
			e.op(fmt.Sprintf(`
				VPERMILPD $5, Y%d, Y%d
				VMULPD Y%d, Y14, Y%d
				VFMADD231PD Y%d, Y13, Y%d
				VFMADD231PD Y%d, Y12, Y%d`, y, t, t, t, y, t, x, t))
			e.op(fmt.Sprintf(`
				VPERMILPD $5, Y%d, Y%d
				VMULPD Y%d, Y14, Y%d
				VFNMADD231PD Y%d, Y13, Y%d
				VFMADD231PD Y%d, Y12, Y%d`, x, z, z, z, x, z, y, z))
			move("store", i, t, false)
			e.op(fmt.Sprintf("VMOVAPD Y%d, Y%d", z, x))
		}
		e.op("ADDQ " + step + ", R12\nADDQ " + step + ", DI")
		if rows == 2 {
			e.op("ADDQ $16, R15")
		}
		e.op("DECQ CX\nJNZ " + label + "step")
		for i := range vectors {
			move("store", i, 4*i, false)
		}
		if rows == 2 {
			e.op(fmt.Sprintf("LEAQ (SI)(R8*%d), SI", 2))
			if vectors > 1 {
				e.op("LEAQ (SI)(R8*4), SI")
			}
		} else {
			e.op(fmt.Sprintf("ADDQ $%d, SI", width*vectors))
		}
		e.op(fmt.Sprintf("SUBQ $%d, BX", vectors))
	}
	part("many", givensVectors)
	e.op(fmt.Sprintf("JGE many\nfew:\nADDQ $%d, BX\nJEQ end", givensVectors))
	part("one", 1)
	e.op("JNZ one\nend:")
}
