package asmgen

import "fmt"

// largest writes to the cell b the largest magnitude in each lane of the n cells at a; NaN is larger than all.
func largest(e *emitter) {
	e.op(`
		MOVQ .a, SI
		MOVQ .b, DI
		MOVQ .n, CX
		VPXOR% Z0, Z0, Z0`)
	e.absMask("Z31")
	e.op(`
	cell:
		VPAND% (SI), Z31, Z1
		VPMAXU% Z1, Z0, Z0
		ADDQ $64, SI
		DECQ CX
		JNZ cell
		VMOVUP@ Z0, (DI)`)
}

// scale multiplies the n cells at a by the cell b.
func scale(e *emitter) {
	e.op(`
		MOVQ .a, SI
		MOVQ .b, DI
		MOVQ .n, CX
		VMOVUP@ (DI), Z0
	cell:
		VMULP@ (SI), Z0, Z1
		VMOVUP@ Z1, (SI)
		ADDQ $64, SI
		DECQ CX
		JNZ cell`)
}

// fetch asks for n lines of memory at a, to be read or written soon.
func fetch(e *emitter) {
	e.op(`
		MOVQ .a, SI
		MOVQ .n, CX
	line:
		PREFETCHT1 (SI)
		ADDQ $64, SI
		DECQ CX
		JNZ line`)
}

// transpose writes the transpose of n blocks of 8×8 elements: block i is 8 rows, rs bytes apart, and goes to 8 rows of a, cs bytes apart.
// The blocks of b are bs bytes from each other, those of a k bytes.
func transpose(e *emitter) {
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
		LEAQ (SI)(R8*4), BX
		LEAQ (DI)(R9*4), DX`)
	at := func(base, far, stride, three string, i int) string {
		if i > 3 {
			base = far
		}
		return "(" + base + ")" + []string{"", "(" + stride + "*1)", "(" + stride + "*2)", "(" + three + "*1)"}[i%4]
	}
	for i := range 8 {
		e.op(fmt.Sprintf("VMOVUPD %s, Z%d", at("SI", "BX", "R8", "R12", i), i))
	}
	// Pairs of rows: Z8+i has the even columns of rows i and i+1, Z9+i the odd ones.
	for i := 0; i < 8; i += 2 {
		e.op(fmt.Sprintf("VUNPCKLPD Z%d, Z%d, Z%d\nVUNPCKHPD Z%d, Z%d, Z%d", i+1, i, 8+i, i+1, i, 9+i))
	}
	// Quarters: of four rows the columns c and c+4, for c = 0, 1 and 2, 3.
	for half := range 2 {
		for odd := range 2 {
			x, y := 8+4*half+odd, 10+4*half+odd
			e.op(fmt.Sprintf("VSHUFF64X2 $0x88, Z%d, Z%d, Z%d\nVSHUFF64X2 $0xdd, Z%d, Z%d, Z%d", y, x, 16+4*half+odd, y, x, 18+4*half+odd))
		}
	}
	// Z16+c has, for rows 0 … 3, quarters (rows 01, column c), (rows 01, column c+4), (rows 23, c), (rows 23, c+4); Z20+c for rows 4 … 7.
	for c := range 4 {
		e.op(fmt.Sprintf("VSHUFF64X2 $0x88, Z%d, Z%d, Z%d\nVSHUFF64X2 $0xdd, Z%d, Z%d, Z%d", 20+c, 16+c, c, 20+c, 16+c, 4+c))
	}
	for i := range 8 {
		e.op(fmt.Sprintf("VMOVUPD Z%d, %s", i, at("DI", "DX", "R9", "R13", i)))
	}
	e.op(`
		ADDQ R10, SI
		ADDQ R11, DI
		DECQ CX
		JNZ block`)
}

// poles sums z/(x - t) and z/(x - t)² over n elements of a and b: lane by lane, to the cells c.
func poles(e *emitter) {
	e.op(`
		MOVQ .consts, R13
		MOVQ .a, SI
		MOVQ .b, DI
		MOVQ .c, R10
		MOVQ .t, R11
		MOVQ .n, BX
		VBROADCASTSD (R11), Z30
		VBROADCASTSD (R13), Z29
		VPXORQ Z0, Z0, Z0
		VPXORQ Z1, Z1, Z1
		SUBQ $8, BX
		JLT few
	next:
		VMOVUPD (SI), Z2
		VSUBPD Z30, Z2, Z2
		VDIVPD Z2, Z29, Z2
		VMULPD (DI), Z2, Z3
		VADDPD Z3, Z0, Z0
		VFMADD231PD Z2, Z3, Z1
		ADDQ $64, SI
		ADDQ $64, DI
		SUBQ $8, BX
		JGE next
	few:
		ADDQ $8, BX
		JEQ done
		MOVQ BX, CX
		MOVQ $1, DX
		SHLQ CX, DX
		DECQ DX
		KMOVW DX, K1
		VMOVUPD.Z (SI), K1, Z2
		VMOVUPD.Z (DI), K1, Z3
		VSUBPD.Z Z30, Z2, K1, Z2
		VDIVPD.Z Z2, Z29, K1, Z2
		VMULPD.Z Z2, Z3, K1, Z3
		VADDPD Z3, Z0, Z0
		VFMADD231PD Z2, Z3, Z1
	done:
		VMOVUPD Z0, (R10)
		VMOVUPD Z1, 64(R10)`)
}
