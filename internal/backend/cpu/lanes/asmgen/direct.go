package asmgen

// lu factors a, m×n cells with rows rs bytes apart, by columns with row exchanges, one pivot a lane; b gets the rows exchanged with
// from 1 on, integers as wide as an element, a cell for each of k columns; t gets the number of the first column without a pivot, or 0.
func lu(e *emitter) {
	e.op(`
		MOVQ .consts, R13
		MOVQ .a, R10
		MOVQ .b, DI
		MOVQ .m, BX
		MOVQ .n, SI
		MOVQ .rs, R8
		MOVQ R10, R11
		XORQ R9, R9`)
	e.absMask("Z31")
	e.constant(constOne, "Z29")
	e.constant(constMinusOne, "Z28")
	e.op(`
		VPXOR% Z30, Z30, Z30
		VPXOR% Z26, Z26, Z26
		VPTERNLOG% $255, Z27, Z27, Z27
	column:
		VMOVAP@ Z28, Z0
		VPBROADCAST% R9, Z1
		MOVQ R11, R12
		MOVQ R9, CX
	search:
		VPAND% (R12), Z31, Z2
		VCMP# $30, Z0, Z2, K1
		VMOVAP@ Z2, K1, Z0
		VPBROADCAST% CX, Z3
		VMOVAP@ Z3, K1, Z1
		ADDQ R8, R12
		INCQ CX
		CMPQ CX, BX
		JLT search
		VPSUB% Z27, Z1, Z2
		VMOVUP@ Z2, (DI)
		ADDQ $64, DI
		LEAQ (R10)(R8*1), R12
		LEAQ 1(R9), CX`)
	exchangeRows(e, "lu")
	e.op(`
		VMOVUP@ (R11), Z0
		VCMP# $0, Z30, Z0, K1
		VMOVAP@ Z29, K1, Z0
		LEAQ (R11)(R8*1), R12
		LEAQ 1(R9), CX
		VPTESTNM% Z26, Z26, K1, K2
		VPBROADCAST% CX, Z3
		VMOVAP@ Z3, K2, Z26
	eliminate:
		CMPQ CX, BX
		JGE eliminated
		VMOVUP@ (R12), Z4
		VDIV# Z0, Z4, Z4
		VMOVUP@ Z4, (R12)
		MOVQ SI, DX
		SUBQ R9, DX
		XORQ R15, R15
		SUBQ $2, DX
		JLT next
		JEQ one
	two:
		VMOVUP@ 64(R12)(R15*1), Z5
		VMOVUP@ 128(R12)(R15*1), Z6
		VFNMADD231# 64(R11)(R15*1), Z4, Z5
		VFNMADD231# 128(R11)(R15*1), Z4, Z6
		VMOVUP@ Z5, 64(R12)(R15*1)
		VMOVUP@ Z6, 128(R12)(R15*1)
		ADDQ $128, R15
		SUBQ $2, DX
		JGT two
		JLT next
	one:
		VMOVUP@ 64(R12)(R15*1), Z5
		VFNMADD231# 64(R11)(R15*1), Z4, Z5
		VMOVUP@ Z5, 64(R12)(R15*1)
	next:
		ADDQ R8, R12
		INCQ CX
		JMP eliminate
	eliminated:
		ADDQ R8, R10
		LEAQ 64(R11)(R8*1), R11
		INCQ R9
		CMPQ R9, .k
		JLT column
		MOVQ .t, DX
		VMOVUP@ Z26, (DX)`)
}

// exchangeRows exchanges in each lane the row at R10 with row Z1, one of rows CX … BX-1, which begin at R12 and are R8 apart; rows have
// SI cells.
func exchangeRows(e *emitter, label string) {
	e.op(label + `row:
		CMPQ CX, BX
		JGE ` + label + `done
		VPBROADCAST% CX, Z3
		VPCMPEQ% Z3, Z1, K1
		KORTESTW K1, K1
		JEQ ` + label + `skip
		XORQ R15, R15
		MOVQ SI, DX
	` + label + `cell:
		VMOVUP@ (R10)(R15*1), Z4
		VMOVUP@ (R12)(R15*1), Z5
		VBLENDM# Z5, Z4, K1, Z6
		VBLENDM# Z4, Z5, K1, Z7
		VMOVUP@ Z6, (R10)(R15*1)
		VMOVUP@ Z7, (R12)(R15*1)
		ADDQ $64, R15
		DECQ DX
		JNZ ` + label + `cell
	` + label + `skip:
		ADDQ R8, R12
		INCQ CX
		JMP ` + label + `row
	` + label + `done:`)
}

// exchange exchanges in each lane rows k … bs-1 of a, m×n cells with rows rs bytes apart, one after the other with the rows in the cells
// b.
func exchange(e *emitter) {
	e.op(`
		MOVQ .b, DI
		MOVQ .m, BX
		MOVQ .n, SI
		MOVQ .rs, R8
	again:
		MOVQ .a, R10
		MOVQ .k, CX
		MOVQ CX, R9
		IMULQ R8, R9
		ADDQ R9, R10
		LEAQ (R10)(R8*1), R12
		INCQ CX
		VMOVUP@ (DI), Z1`)
	exchangeRows(e, "ex")
	e.op(`
		ADDQ $64, DI
		INCQ .k
		MOVQ .k, CX
		CMPQ CX, .bs
		JLT again`)
}

// solve replaces b, n×m cells with rows bs bytes apart, by the solution with the lower triangle of a, with strides rs and cs; its
// diagonal is 1 if k is not 0.
func solve(e *emitter) {
	e.op(`
		MOVQ .a, R10
		MOVQ .b, DI
		MOVQ .n, BX
		MOVQ .rs, R8
		MOVQ .bs, R9
	row:
		CMPQ .k, $0
		JNE update
		VMOVUP@ (R10), Z0
		MOVQ .m, DX
		XORQ R15, R15
	divide:
		VMOVUP@ (DI)(R15*1), Z1
		VDIV# Z0, Z1, Z1
		VMOVUP@ Z1, (DI)(R15*1)
		ADDQ $64, R15
		DECQ DX
		JNZ divide
	update:
		LEAQ (R10)(R8*1), R11
		LEAQ (DI)(R9*1), R12
		MOVQ BX, CX
		DECQ CX
		JEQ done
	below:
		VMOVUP@ (R11), Z4
		MOVQ .m, DX
		XORQ R15, R15
		SUBQ $2, DX
		JLT one
	two:
		VMOVUP@ (R12)(R15*1), Z5
		VMOVUP@ 64(R12)(R15*1), Z6
		VFNMADD231# (DI)(R15*1), Z4, Z5
		VFNMADD231# 64(DI)(R15*1), Z4, Z6
		VMOVUP@ Z5, (R12)(R15*1)
		VMOVUP@ Z6, 64(R12)(R15*1)
		ADDQ $128, R15
		SUBQ $2, DX
		JGE two
		CMPQ DX, $-2
		JEQ next
	one:
		VMOVUP@ (R12)(R15*1), Z5
		VFNMADD231# (DI)(R15*1), Z4, Z5
		VMOVUP@ Z5, (R12)(R15*1)
	next:
		ADDQ R8, R11
		ADDQ R9, R12
		DECQ CX
		JNZ below
		ADDQ R8, R10
		ADDQ .cs, R10
		ADDQ R9, DI
		DECQ BX
		JMP row
	done:`)
}

// cholesky replaces the lower triangle of a, n×n cells with rows rs bytes apart.
func cholesky(e *emitter) {
	e.op(`
		MOVQ .a, R10
		MOVQ .n, BX
		MOVQ .rs, R8
	column:
		VSQRT# (R10), Z0
		VMOVUP@ Z0, (R10)
		LEAQ (R10)(R8*1), R11
		MOVQ BX, CX
		DECQ CX
		JEQ done
	divide:
		VMOVUP@ (R11), Z1
		VDIV# Z0, Z1, Z1
		VMOVUP@ Z1, (R11)
		ADDQ R8, R11
		DECQ CX
		JNZ divide
		LEAQ (R10)(R8*1), R11
		MOVQ $1, CX
	row:
		VMOVUP@ (R11), Z4
		LEAQ (R10)(R8*1), R12
		LEAQ 64(R11), DI
		MOVQ CX, DX
	cell:
		VMOVUP@ (DI), Z5
		VFNMADD231# (R12), Z4, Z5
		VMOVUP@ Z5, (DI)
		ADDQ R8, R12
		ADDQ $64, DI
		DECQ DX
		JNZ cell
		ADDQ R8, R11
		INCQ CX
		CMPQ CX, BX
		JLT row
		LEAQ 64(R10)(R8*1), R10
		DECQ BX
		JMP column
	done:`)
}

// reflector makes the reflector of a, n cells rs bytes apart: its first cell becomes beta, the others those of v; b gets tau. A
// vector so small that it is nothing but rounding counts as zero.
func reflector(e *emitter) {
	e.op(`
		MOVQ .consts, R13
		MOVQ .a, R10
		MOVQ .b, DI
		MOVQ .n, CX
		MOVQ .rs, R8
		VPXOR% Z30, Z30, Z30
		VPXOR% Z1, Z1, Z1
		VPXOR% Z2, Z2, Z2
		MOVQ R10, R11
		MOVQ CX, DX`)
	e.absMask("Z31")
	e.constant(constOne, "Z29")
	e.constant(constSmall, "Z28")
	e.constant(constLeast, "Z25")
	e.constant(constUp, "Z27")
	e.constant(constDown, "Z26")
	e.op(`
	largest:
		VPAND% (R11), Z31, Z3
		VMAX# Z3, Z2, Z2
		ADDQ R8, R11
		DECQ DX
		JNZ largest
		VCMP# $30, Z2, Z28, K2
		VCMP# $30, Z2, Z25, K3
		VBLENDM# Z27, Z29, K2, Z27
		VBLENDM# Z26, Z29, K2, Z26
		VMULP@ (R10), Z27, Z0
		LEAQ (R10)(R8*1), R11
		MOVQ CX, DX
		DECQ DX
		JEQ summed
	sum:
		VMULP@ (R11), Z27, Z2
		VFMADD231# Z2, Z2, Z1
		ADDQ R8, R11
		DECQ DX
		JNZ sum
	summed:
		VCMP# $0, Z30, Z1, K1
		KORW K1, K3, K1
		VMOVAP@ Z1, Z3
		VFMADD231# Z0, Z0, Z3
		VSQRT# Z3, Z3
		VPANDN% Z0, Z31, Z4
		VPOR% Z4, Z3, Z3
		VSUB# Z3, Z30, Z3
		VMOVAP@ Z0, K1, Z3
		VSUB# Z0, Z3, Z5
		VDIV# Z3, Z5, Z6
		VMOVAP@ Z30, K1, Z6
		VMOVUP@ Z6, (DI)
		VSUB# Z5, Z30, Z5
		VDIV# Z5, Z29, Z5
		VMOVAP@ Z30, K1, Z5
		VMULP@ Z26, Z3, Z3
		VMOVUP@ Z3, (R10)
		LEAQ (R10)(R8*1), R11
		DECQ CX
		JEQ done
	cell:
		VMULP@ (R11), Z27, Z2
		VMULP@ Z5, Z2, Z2
		VMOVUP@ Z2, (R11)
		ADDQ R8, R11
		DECQ CX
		JNZ cell
	done:`)
}

// reflect applies the reflector a, n cells rs bytes apart whose first is taken as 1, with the cell tau in b, to c from the left: n×m
// cells with strides bs and cs.
func reflect(e *emitter) {
	e.op(`
		MOVQ .a, SI
		MOVQ .b, DI
		MOVQ .c, R10
		MOVQ .n, BX
		MOVQ .m, DX
		MOVQ .rs, R8
		MOVQ .bs, R9
		MOVQ .cs, R13
		LEAQ (R13)(R13*2), R15
		VMOVUP@ (DI), Z31
		DECQ BX
		SUBQ $4, DX
		JLT few
	four:
		MOVQ R10, R12
		MOVQ SI, R11
		MOVQ BX, CX
		VMOVUP@ (R12), Z0
		VMOVUP@ (R12)(R13*1), Z1
		VMOVUP@ (R12)(R13*2), Z2
		VMOVUP@ (R12)(R15*1), Z3
		TESTQ CX, CX
		JEQ scale4
	dot4:
		ADDQ R8, R11
		ADDQ R9, R12
		VMOVUP@ (R11), Z4
		VFMADD231# (R12), Z4, Z0
		VFMADD231# (R12)(R13*1), Z4, Z1
		VFMADD231# (R12)(R13*2), Z4, Z2
		VFMADD231# (R12)(R15*1), Z4, Z3
		DECQ CX
		JNZ dot4
	scale4:
		VMULP@ Z31, Z0, Z0
		VMULP@ Z31, Z1, Z1
		VMULP@ Z31, Z2, Z2
		VMULP@ Z31, Z3, Z3
		VMOVUP@ (R10), Z5
		VMOVUP@ (R10)(R13*1), Z6
		VMOVUP@ (R10)(R13*2), Z7
		VMOVUP@ (R10)(R15*1), Z8
		VSUB# Z0, Z5, Z5
		VSUB# Z1, Z6, Z6
		VSUB# Z2, Z7, Z7
		VSUB# Z3, Z8, Z8
		VMOVUP@ Z5, (R10)
		VMOVUP@ Z6, (R10)(R13*1)
		VMOVUP@ Z7, (R10)(R13*2)
		VMOVUP@ Z8, (R10)(R15*1)
		MOVQ R10, R12
		MOVQ SI, R11
		MOVQ BX, CX
		TESTQ CX, CX
		JEQ next4
	add4:
		ADDQ R8, R11
		ADDQ R9, R12
		VMOVUP@ (R11), Z4
		VMOVUP@ (R12), Z5
		VMOVUP@ (R12)(R13*1), Z6
		VMOVUP@ (R12)(R13*2), Z7
		VMOVUP@ (R12)(R15*1), Z8
		VFNMADD231# Z0, Z4, Z5
		VFNMADD231# Z1, Z4, Z6
		VFNMADD231# Z2, Z4, Z7
		VFNMADD231# Z3, Z4, Z8
		VMOVUP@ Z5, (R12)
		VMOVUP@ Z6, (R12)(R13*1)
		VMOVUP@ Z7, (R12)(R13*2)
		VMOVUP@ Z8, (R12)(R15*1)
		DECQ CX
		JNZ add4
	next4:
		LEAQ (R10)(R13*4), R10
		SUBQ $4, DX
		JGE four
	few:
		ADDQ $4, DX
		JEQ done
	one:
		MOVQ R10, R12
		MOVQ SI, R11
		MOVQ BX, CX
		VMOVUP@ (R12), Z0
		TESTQ CX, CX
		JEQ scale1
	dot1:
		ADDQ R8, R11
		ADDQ R9, R12
		VMOVUP@ (R11), Z4
		VFMADD231# (R12), Z4, Z0
		DECQ CX
		JNZ dot1
	scale1:
		VMULP@ Z31, Z0, Z0
		VMOVUP@ (R10), Z5
		VSUB# Z0, Z5, Z5
		VMOVUP@ Z5, (R10)
		MOVQ R10, R12
		MOVQ SI, R11
		MOVQ BX, CX
		TESTQ CX, CX
		JEQ next1
	add1:
		ADDQ R8, R11
		ADDQ R9, R12
		VMOVUP@ (R11), Z4
		VMOVUP@ (R12), Z5
		VFNMADD231# Z0, Z4, Z5
		VMOVUP@ Z5, (R12)
		DECQ CX
		JNZ add1
	next1:
		ADDQ R13, R10
		DECQ DX
		JNZ one
	done:`)
}
