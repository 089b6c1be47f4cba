package asmgen

import (
	"fmt"
	"strings"
)

// Rotations of pairs of complex numbers: x and y become c·x + s·y and c·y - conj(s)·x. For each the four numbers at c are its c, and re s,
// -im s and im s. There are m of them, and the y of one is the x of the next.

// givensShape is how a kernel is laid out. Several vectors go through all rotations at once: what one waits for is time for the others.
type givensShape struct {
	vectors, pairs int    // pairs are the complex numbers of a vector
	reg, two       string // vectors, and what fills them with two numbers
}

func givensShapeOf(e *emitter) givensShape {
	if e.isa == "AVX512" {
		return givensShape{vectors: 4, pairs: 4, reg: "Z", two: "VBROADCASTF64X2"}
	}
	return givensShape{vectors: 3, pairs: 2, reg: "Y", two: "VBROADCASTF128"}
}

// givens rotates neighbouring rows at a, cs bytes apart, of n vectors.
func givens(e *emitter) {
	s := givensShapeOf(e)
	givensLoop(e, s, false, func(op string, i, reg int, next bool) {
		at := fmt.Sprintf("%d(R12)", 16*s.pairs*i)
		if next {
			at = fmt.Sprintf("%d(DI)", 16*s.pairs*i)
		}
		if op == "load" {
			e.op(fmt.Sprintf("VMOVUPD %s, %s%d", at, s.reg, reg))
		} else {
			e.op(fmt.Sprintf("VMOVUPD %s%d, %s", s.reg, reg, at))
		}
	})
}

// givensColumns rotates neighbouring columns of n groups of rows at a, cs bytes apart: a vector has the same element of each row of one.
func givensColumns(e *emitter) {
	s := givensShapeOf(e)
	s.vectors = 3
	e.op("MOVQ .cs, R8\nLEAQ (R8)(R8*2), R11")
	four := []string{"R12", "R15", "R13"} // rows 0, 4 and 8
	givensLoop(e, s, true, func(op string, i, reg int, next bool) {
		for p := range s.pairs {
			row := i*s.pairs + p
			at := "(" + four[row/4] + ")" + []string{"", "(R8*1)", "(R8*2)", "(R11*1)"}[row%4]
			if next {
				at = "16" + at
			}
			switch {
			case op == "load" && p == 0:
				e.op(fmt.Sprintf("VMOVUPD %s, X%d", at, reg))
			case op == "load" && s.pairs == 2:
				e.op(fmt.Sprintf("VINSERTF128 $1, %s, Y%d, Y%d", at, reg, reg))
			case op == "load":
				e.op(fmt.Sprintf("VINSERTF64X2 $%d, %s, Z%d, Z%d", p, at, reg, reg))
			case p == 0:
				e.op(fmt.Sprintf("VMOVUPD X%d, %s", reg, at))
			case s.pairs == 2:
				e.op(fmt.Sprintf("VEXTRACTF128 $1, Y%d, %s", reg, at))
			default:
				e.op(fmt.Sprintf("VEXTRACTF64X2 $%d, Z%d, %s", p, reg, at))
			}
		}
	})
}

// givensLoop goes through the vectors: R12 has the address of x, and DI that of y in another row.
func givensLoop(e *emitter, s givensShape, columns bool, move func(op string, i, reg int, next bool)) {
	names := strings.NewReplacer("$Y", s.reg, "$TWO", s.two)
	op := func(format string, a ...any) { e.op(fmt.Sprintf(names.Replace(format), a...)) }
	c, sr, si := 4*s.vectors, 4*s.vectors+1, 4*s.vectors+2
	op(`
		MOVQ .a, SI
		MOVQ .n, BX
		MOVQ .m, DX
		MOVQ .cs, R9
		SUBQ $%d, BX
		JLT few`, s.vectors)
	part := func(label string, vectors int) {
		op(label + ":\nMOVQ SI, R12\nMOVQ .c, R10\nMOVQ DX, CX")
		if columns {
			op("LEAQ (R12)(R8*4), R15\nLEAQ (R15)(R8*4), R13")
		} else {
			op("LEAQ (R12)(R9*1), DI")
		}
		for i := range vectors {
			move("load", i, 4*i, false)
		}
		op(label+`step:
			VBROADCASTSD (R10), $Y%d
			VBROADCASTSD 8(R10), $Y%d
			$TWO 16(R10), $Y%d
			ADDQ $32, R10`, c, sr, si)
		for i := range vectors {
			x, y, z, t := 4*i, 4*i+1, 4*i+2, 4*i+3
			move("load", i, y, true)
			// What needs x comes last: it is what the rotation before it ends with.
			op(`
				VPERMILPD $%d, $Y%d, $Y%d
				VMULPD $Y%d, $Y%d, $Y%d
				VFMADD231PD $Y%d, $Y%d, $Y%d
				VMULPD $Y%d, $Y%d, $Y%d`, swapPairs(s), y, t, t, si, t, y, sr, t, y, c, z)
			op(`
				VFNMADD231PD $Y%d, $Y%d, $Y%d
				VFMADD231PD $Y%d, $Y%d, $Y%d
				VPERMILPD $%d, $Y%d, $Y%d
				VFMADD231PD $Y%d, $Y%d, $Y%d`, x, sr, z, x, c, t, swapPairs(s), x, y, y, si, z)
			move("store", i, t, false)
			op("VMOVAPD $Y%d, $Y%d", z, x)
		}
		if columns {
			op("ADDQ $16, R12\nADDQ $16, R15\nADDQ $16, R13")
		} else {
			op("ADDQ R9, R12\nADDQ R9, DI")
		}
		op("DECQ CX\nJNZ " + label + "step")
		for i := range vectors {
			move("store", i, 4*i, false)
		}
		if columns {
			for rows := vectors * s.pairs; rows > 0; {
				step := min(rows, 4)
				op("LEAQ (SI)(R8*%d), SI", step)
				rows -= step
			}
		} else {
			op("ADDQ $%d, SI", 16*s.pairs*vectors)
		}
		op("SUBQ $%d, BX", vectors)
	}
	part("many", s.vectors)
	op("JGE many\nfew:\nADDQ $%d, BX\nJEQ end", s.vectors)
	part("one", 1)
	op("JNZ one\nend:")
}

// swapPairs exchanges the two numbers of each pair.
func swapPairs(s givensShape) int { return 1 << (2 * s.pairs) / 3 }
