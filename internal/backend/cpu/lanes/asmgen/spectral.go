package asmgen

import "fmt"

// implicit does one implicit QL step in each lane on the tridiagonal matrices with diagonals a and subdiagonals b, n and n-1 cells, over
// the block that begins with row k and ends before the first negligible b. c and d get the cosines and sines of rows k … n-2, 1 and 0
// where a lane does nothing. t is a cell with the square of what is negligible by itself. done becomes 0 where no lane had anything to
// do.
func implicit(e *emitter) {
	e.op(`
		MOVQ .consts, R13
		MOVQ .a, SI
		MOVQ .b, DI
		MOVQ .c, R10
		MOVQ .d, R11
		MOVQ .t, R12
		MOVQ .n, BX
		MOVQ .k, R9
		VMOVUP@ (R12), Z27
		VPXOR% Z30, Z30, Z30`)
	e.absMask("Z31")
	e.constant(constOne, "Z29")
	e.constant(constEps2, "Z28")
	e.constant(constSmall, "Z24")
	e.constant(constUp, "Z19")
	e.constant(constDown, "Z18")
	e.constant(constHalf, "Z17")
	e.op(`
		DECQ BX
		VPBROADCAST% BX, Z26
		MOVQ BX, CX
	split:
		DECQ CX
		MOVQ CX, DX
		SHLQ $6, DX
		VMOVUP@ (DI)(DX*1), Z0
		VMULP@ Z0, Z0, Z0
		VPAND% (SI)(DX*1), Z31, Z1
		VPAND% 64(SI)(DX*1), Z31, Z2
		VMULP@ Z28, Z1, Z1
		VFMADD213# Z27, Z2, Z1
		VCMP# $18, Z1, Z0, K1
		VPBROADCAST% CX, Z3
		VMOVAP@ Z3, K1, Z26
		CMPQ CX, R9
		JGT split
		VPBROADCAST% R9, Z3
		VPCMP% $4, Z3, Z26, K2
		MOVQ $0, .done
		KORTESTW K2, K2
		JEQ done
		MOVQ $1, .done
		MOVQ R9, DX
		SHLQ $6, DX
		VBLENDM# (DI)(DX*1), Z29, K2, Z0
		VMOVUP@ (SI)(DX*1), Z1
		VMOVUP@ 64(SI)(DX*1), Z2
		VSUB# Z1, Z2, Z2
		VADD# Z0, Z0, Z3
		VDIV# Z3, Z2, Z2
		VMOVAP@ Z29, Z3
		VFMADD231# Z2, Z2, Z3
		VSQRT# Z3, Z3
		VPANDN% Z2, Z31, Z4
		VPOR% Z4, Z3, Z3
		VADD# Z3, Z2, Z2
		VDIV# Z2, Z0, Z0
		VSUB# Z1, Z0, Z25
		VMOVAP@ Z29, Z20
		VMOVAP@ Z29, Z21
		VPXOR% Z22, Z22, Z22
		VPXOR% Z23, Z23, Z23
		MOVQ BX, CX
	step:
		VPBROADCAST% CX, Z1
		DECQ CX
		VPBROADCAST% CX, Z0
		MOVQ CX, DX
		SHLQ $6, DX
		VPCMP% $6, Z0, Z26, K3
		VPCMP% $0, Z1, Z26, K4
		VMOVUP@ 64(SI)(DX*1), Z2
		VADD# Z25, Z2, K4, Z23
		VMOVUP@ (DI)(DX*1), Z3
		VMULP@ Z3, Z20, Z4
		VMULP@ Z3, Z21, Z5
		VMOVAP@ Z23, Z6
		VPAND% Z4, Z31, Z7
		VPAND% Z6, Z31, Z8
		VMAX# Z7, Z8, Z7
		VCMP# $17, Z24, Z7, K5
		VMULP@ Z19, Z4, K5, Z4
		VMULP@ Z19, Z6, K5, Z6
		VMULP@ Z4, Z4, Z7
		VFMADD231# Z6, Z6, Z7
		VCMP# $0, Z30, Z7, K6
		KNOTW K6, K7`)
	cosines(e)
	e.op(`
		VMOVAP@ Z30, K6, Z8
		VMOVAP@ Z29, K6, Z9
		VMULP@ Z18, Z7, K5, Z7
		VMOVAP@ Z30, K4, Z7
		VMOVUP@ Z7, K3, 64(DI)(DX*1)
		VMOVAP@ Z8, K3, Z20
		VMOVAP@ Z9, K3, Z21
		VBLENDM# Z8, Z30, K3, Z8
		VBLENDM# Z9, Z29, K3, Z9
		VMOVUP@ Z9, (R10)(DX*1)
		VMOVUP@ Z8, (R11)(DX*1)
		VSUB# Z22, Z2, Z10
		VMOVUP@ (SI)(DX*1), Z11
		VSUB# Z10, Z11, Z11
		VMULP@ Z20, Z11, Z11
		VADD# Z5, Z5, Z12
		VFMADD231# Z12, Z21, Z11
		VMULP@ Z11, Z20, K3, Z22
		VADD# Z22, Z10, Z12
		VMOVUP@ Z12, K3, 64(SI)(DX*1)
		VMULP@ Z11, Z21, Z12
		VSUB# Z5, Z12, K3, Z23
		CMPQ CX, R9
		JGT step
		VMOVUP@ (SI)(DX*1), Z0
		VSUB# Z22, Z0, Z0
		VMOVUP@ Z0, K2, (SI)(DX*1)
		VMOVUP@ Z23, K2, (DI)(DX*1)
	done:`)
}

// cosines replaces Z7, the sum of the squares of Z4 and Z6, by its root, and writes the ratios of these to it to Z8 and Z9; they are
// anything where it is 0. Each step of implicit waits for them, so that in float32 an estimate of the inverse root, made exact by one
// step of Newton's, is worth its instructions. AVX2 has one whose bits differ from machine to machine.
func cosines(e *emitter) {
	if e.size == 8 || e.isa == "AVX2" {
		e.op("VSQRT# Z7, Z7\nVDIV# Z7, Z4, Z8\nVDIV# Z7, Z6, Z9")
		return
	}
	e.op(`
		VRSQRT14PS Z7, Z13
		VMULPS Z17, Z7, Z14
		VMULPS Z13, Z13, Z15
		VFNMADD213PS Z17, Z14, Z15
		VFMADD213PS Z13, Z13, Z15
		VMULPS Z15, Z4, Z8
		VMULPS Z15, Z6, Z9
		VMULPS.Z Z15, Z7, K7, Z7`)
}

// rotations applies m rotations to n sequences of cells, rs bytes apart, which begin at a and go on in steps of cs bytes: of neighbours
// x, y the first becomes s·y + c·x and the second c·y - s·x. The cells c and d have the cosines and sines, in steps of bs bytes.
func rotations(e *emitter) { rotate4(e, func(r string) string { return "VMOVUP@ (" + r + ")" }) }

// rotate is rotations with one cosine and one sine for a whole cell.
func rotate(e *emitter) { rotate4(e, func(r string) string { return "VBROADCASTS@ (" + r + ")" }) }

func rotate4(e *emitter, load func(r string) string) {
	e.op(`
		MOVQ .a, SI
		MOVQ .n, BX
		MOVQ .m, DX
		MOVQ .rs, R8
		MOVQ .cs, R9
		MOVQ .bs, R13
		LEAQ (R8)(R8*2), R15`)
	part := func(label string, rows []string) {
		e.op(label + `:
			MOVQ SI, R12
			MOVQ .c, R10
			MOVQ .d, R11
			MOVQ DX, CX`)
		for i, r := range rows {
			e.op(fmt.Sprintf("VMOVUP@ (R12)%s, Z%d", r, i))
		}
		e.op(label + "step:\nLEAQ (R12)(R9*1), DI\n" + load("R10") + ", Z8\n" + load("R11") + ", Z9")
		for i, r := range rows {
			e.op(fmt.Sprintf(`
				VMOVUP@ (DI)%s, Z%d
				VMULP@ Z%d, Z9, Z%d
				VFMADD231# Z%d, Z8, Z%d
				VMULP@ Z%d, Z9, Z%d
				VFMSUB231# Z%d, Z8, Z%d
				VMOVUP@ Z%d, (R12)%s`, r, 4+i, 4+i, 10+i, i, 10+i, i, i, 4+i, i, 10+i, r))
		}
		e.op(`
			MOVQ DI, R12
			ADDQ R13, R10
			ADDQ R13, R11
			DECQ CX
			JNZ ` + label + `step`)
		for i, r := range rows {
			e.op(fmt.Sprintf("VMOVUP@ Z%d, (R12)%s", i, r))
		}
	}
	e.op("SUBQ $4, BX\nJLT few")
	part("four", []string{"", "(R8*1)", "(R8*2)", "(R15*1)"})
	e.op(`
			LEAQ (SI)(R8*4), SI
			SUBQ $4, BX
			JGE four
		few:
			ADDQ $4, BX
			JEQ done`)
	part("one", []string{""})
	e.op(`
			ADDQ R8, SI
			DECQ BX
			JNZ one
		done:`)
}

// jacobi makes rows i0 … i1-1 of a, n cells each and rs bytes apart, orthogonal to those of j0 … j1-1 that are behind them, by rotations,
// which the rows of b, k cells and bs bytes apart, take along. c has the squared norms of the m rows, which are computed first if cs is
// not 0. t is a cell with the cosine that is small enough and one with the squared norm below which a row counts as zero and stays. done
// is the number of pairs that some lane rotated. With AVX2 the longer row of a pair that is rotated comes first: a fifth fewer sweeps.
func jacobi(e *emitter) {
	e.op(`
		MOVQ .consts, R13
		MOVQ .c, DI
		MOVQ .rs, R8
		MOVQ .n, SI
		SHLQ $6, SI
		MOVQ .a, R10
		MOVQ .m, CX`)
	e.absMask("Z31")
	e.constant(constOne, "Z29")
	e.constant(constMost, "Z28")
	e.op(`
		MOVQ .t, DX
		VMOVUP@ (DX), Z27
		VMOVUP@ 64(DX), Z26
		MOVQ $0, .done
		CMPQ .cs, $0
		JEQ pairs
	norm:
		VPXOR% Z0, Z0, Z0
		XORQ R15, R15
	square:
		VMOVUP@ (R10)(R15*1), Z1
		VFMADD231# Z1, Z1, Z0
		ADDQ $64, R15
		CMPQ R15, SI
		JLT square
		VMOVUP@ Z0, (DI)
		ADDQ $64, DI
		ADDQ R8, R10
		DECQ CX
		JNZ norm`)
	jacobiPair(e)
}

// jacobiPair goes through pairs of rows: what their rotation is, and both.
func jacobiPair(e *emitter) {
	e.op(`
	pairs:
		MOVQ .i0, R9
		MOVQ R9, R10
		IMULQ R8, R10
		ADDQ .a, R10
	first:
		MOVQ R9, BX
		INCQ BX
		CMPQ BX, .j0
		JGE begin
		MOVQ .j0, BX
	begin:
		MOVQ BX, R11
		DECQ R11
		IMULQ R8, R11
		ADDQ .a, R11
	second:
		ADDQ R8, R11
		CMPQ BX, .j1
		JGE rowdone
		VPXOR% Z0, Z0, Z0
		VPXOR% Z1, Z1, Z1
		XORQ R15, R15
	dot:
		VMOVUP@ (R10)(R15*1), Z2
		VFMADD231# (R11)(R15*1), Z2, Z0
		ADDQ $64, R15
		CMPQ R15, SI
		JGE dotted
		VMOVUP@ (R10)(R15*1), Z2
		VFMADD231# (R11)(R15*1), Z2, Z1
		ADDQ $64, R15
		CMPQ R15, SI
		JLT dot
	dotted:
		VADD# Z1, Z0, Z0
		MOVQ .c, DI
		MOVQ R9, DX
		SHLQ $6, DX
		MOVQ BX, CX
		SHLQ $6, CX
		VMOVUP@ (DI)(DX*1), Z2
		VMOVUP@ (DI)(CX*1), Z3
		VSQRT# Z2, Z4
		VSQRT# Z3, Z5
		VMULP@ Z27, Z4, Z4
		VMULP@ Z5, Z4, Z4
		VPAND% Z0, Z31, Z5
		VCMP# $30, Z4, Z5, K1
		VMIN# Z2, Z3, Z5
		VCMP# $30, Z26, Z5, K2
		KANDW K1, K2, K1
		KORTESTW K1, K1
		JEQ skip
		INCQ .done
		VBLENDM# Z0, Z29, K1, Z6
		VSUB# Z2, Z3, Z7
		VADD# Z6, Z6, Z8
		VDIV# Z8, Z7, Z7
		VPAND% Z7, Z31, Z8
		VMIN# Z28, Z8, Z8
		VMOVAP@ Z29, Z9
		VFMADD231# Z8, Z8, Z9
		VSQRT# Z9, Z9
		VADD# Z8, Z9, Z9
		VDIV# Z9, Z29, Z9
		VPANDN% Z7, Z31, Z8
		VPOR% Z8, Z9, Z9
		VMOVAP@.Z Z9, K1, Z9
		VFNMADD231# Z9, Z0, Z2
		VFMADD231# Z9, Z0, Z3`)
	sorts := e.isa == "AVX2"
	if sorts {
		e.op(`
		VCMP# $17, Z3, Z2, K3
		KANDW K1, K3, K3
		VMOVAP@ Z2, Z10
		VMOVAP@ Z3, K3, Z2
		VMOVAP@ Z10, K3, Z3`)
	}
	e.op(`
		VMOVUP@ Z2, (DI)(DX*1)
		VMOVUP@ Z3, (DI)(CX*1)
		VMOVAP@ Z29, Z8
		VFMADD231# Z9, Z9, Z8
		VSQRT# Z8, Z8
		VDIV# Z8, Z29, Z8
		VMULP@ Z8, Z9, Z9`)
	if sorts {
		e.op(`
		VMOVAP@ Z8, Z10
		VMOVAP@ Z9, K3, Z8
		VPXOR% Z11, Z11, Z11
		VSUB# Z10, Z11, Z11
		VMOVAP@ Z11, K3, Z9`)
	}
	e.op(`
		XORQ R15, R15
	rotate:`)
	pairRotation(e, "(R10)(R15*1)", "(R11)(R15*1)")
	e.op(`
		ADDQ $64, R15
		CMPQ R15, SI
		JLT rotate
		MOVQ .b, R12
		MOVQ .bs, R13
		MOVQ R9, DX
		IMULQ R13, DX
		MOVQ BX, CX
		IMULQ R13, CX
		LEAQ (R12)(DX*1), R13
		ADDQ CX, R12
		MOVQ .k, DX
		TESTQ DX, DX
		JEQ skip
	along:`)
	pairRotation(e, "(R13)", "(R12)")
	e.op(`
		ADDQ $64, R13
		ADDQ $64, R12
		DECQ DX
		JNZ along
	skip:
		INCQ BX
		JMP second
	rowdone:
		ADDQ R8, R10
		INCQ R9
		CMPQ R9, .i1
		JLT first`)
}

// pairRotation rotates two cells by the cosine in Z8 and the sine in Z9: x becomes c·x - s·y, y becomes s·x + c·y.
func pairRotation(e *emitter, x, y string) {
	e.op(fmt.Sprintf(`
		VMOVUP@ %s, Z4
		VMOVUP@ %s, Z5
		VMULP@ Z5, Z9, Z6
		VMULP@ Z5, Z8, Z7
		VFMSUB231# Z4, Z8, Z6
		VFMADD231# Z4, Z9, Z7
		VMOVUP@ Z6, %s
		VMOVUP@ Z7, %s`, x, y, x, y))
}

// triples applies m reflectors of three rows each to n cells of neighbouring rows: rows are cs bytes apart, and the i-th reflector is
// that of rows i, i+1 and i+2. c has for each the second and third element of its vector, whose first is 1, and tau.
func triples(e *emitter) {
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
			e.op(fmt.Sprintf("VMOVUPD %d(R12), Z%d\nVMOVUPD %d(DI), Z%d", 64*i, i, 64*i, 4+i))
		}
		e.op(label + `step:
			ADDQ R9, DI
			VBROADCASTSD (R10), Z16
			VBROADCASTSD 8(R10), Z17
			VBROADCASTSD 16(R10), Z18
			ADDQ $24, R10`)
		for i := range cells {
			e.op(fmt.Sprintf(`
				VMOVUPD %d(DI), Z%d
				VMOVAPD Z%d, Z%d
				VFMADD231PD Z%d, Z16, Z%d
				VFMADD231PD Z%d, Z17, Z%d
				VMULPD Z18, Z%d, Z%d
				VSUBPD Z%d, Z%d, Z%d
				VMOVUPD Z%d, %d(R12)
				VFNMADD231PD Z%d, Z16, Z%d
				VFNMADD231PD Z%d, Z17, Z%d
				VMOVAPD Z%d, Z%d
				VMOVAPD Z%d, Z%d`, 64*i, 8+i, i, 12+i, 4+i, 12+i, 8+i, 12+i, 12+i, 12+i, 12+i, i, i, i, 64*i,
				12+i, 4+i, 12+i, 8+i, 4+i, i, 8+i, 4+i))
		}
		e.op("ADDQ R9, R12\nDECQ CX\nJNZ " + label + "step\nLEAQ (R12)(R9*1), DI")
		for i := range cells {
			e.op(fmt.Sprintf("VMOVUPD Z%d, %d(R12)\nVMOVUPD Z%d, %d(DI)", i, 64*i, 4+i, 64*i))
		}
	}
	part("four", 4)
	e.op(`
			ADDQ $256, SI
			SUBQ $4, BX
			JGE four
		few:
			ADDQ $4, BX
			JEQ done`)
	part("one", 1)
	e.op(`
			ADDQ $64, SI
			DECQ BX
			JNZ one
		done:`)
}
