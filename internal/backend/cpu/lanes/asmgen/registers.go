package asmgen

import "fmt"

// Sixteen 4×4 matrices of float32 that follow each other stay in registers from their rows in memory to those of the result. Matrix
// 4r+q is lane 4q+r: then what a transposition moves between quarters of a register are whole rows.

// inLanes transposes the 4×4 elements of each quarter of four registers; it takes four others for it.
func inLanes(e *emitter, x, free []int) {
	a, b, c, d := free[0], free[1], free[2], free[3]
	e.op(fmt.Sprintf(`
		VUNPCKLPS Z%d, Z%d, Z%d
		VUNPCKHPS Z%d, Z%d, Z%d
		VUNPCKLPS Z%d, Z%d, Z%d
		VUNPCKHPS Z%d, Z%d, Z%d`, x[1], x[0], a, x[1], x[0], b, x[3], x[2], c, x[3], x[2], d))
	e.op(fmt.Sprintf(`
		VUNPCKLPD Z%d, Z%d, Z%d
		VUNPCKHPD Z%d, Z%d, Z%d
		VUNPCKLPD Z%d, Z%d, Z%d
		VUNPCKHPD Z%d, Z%d, Z%d`, c, a, x[0], c, a, x[1], d, b, x[2], d, b, x[3]))
}

// quarters transposes the 4×4 quarters of four registers.
func quarters(e *emitter, x, free []int) {
	a, b, c, d := free[0], free[1], free[2], free[3]
	e.op(fmt.Sprintf(`
		VSHUFF32X4 $0x44, Z%d, Z%d, Z%d
		VSHUFF32X4 $0xEE, Z%d, Z%d, Z%d
		VSHUFF32X4 $0x44, Z%d, Z%d, Z%d
		VSHUFF32X4 $0xEE, Z%d, Z%d, Z%d`, x[1], x[0], a, x[1], x[0], b, x[3], x[2], c, x[3], x[2], d))
	e.op(fmt.Sprintf(`
		VSHUFF32X4 $0x88, Z%d, Z%d, Z%d
		VSHUFF32X4 $0xDD, Z%d, Z%d, Z%d
		VSHUFF32X4 $0x88, Z%d, Z%d, Z%d
		VSHUFF32X4 $0xDD, Z%d, Z%d, Z%d`, c, a, x[0], c, a, x[1], d, b, x[2], d, b, x[3]))
}

// elements loads the matrices at a register into Z0 … Z15: element j of row i is a[i][j].
func elements(e *emitter, from string, free []int) (a [4][4]int) {
	for r := range 4 { // matrices 4r … 4r+3, then their rows
		for q := range 4 {
			a[q][r] = 4*q + r
			e.op(fmt.Sprintf("VMOVUPS %d(%s), Z%d", 64*(4*r+q), from, a[q][r]))
		}
		quarters(e, []int{a[0][r], a[1][r], a[2][r], a[3][r]}, free)
	}
	for i := range 4 {
		inLanes(e, a[i][:], free)
	}
	return a
}

// store4 is the way back of four vectors: four numbers of each matrix.
func store4(e *emitter, x, free []int, to string) {
	inLanes(e, x, free)
	for r, reg := range x {
		e.op(fmt.Sprintf("VMOVUPS Z%d, %d(%s)", reg, 64*r, to))
	}
}

// lu4 is lu: a has the matrices, c gets their factors, b the rows exchanged with, and t the numbers of columns without pivots. d has the
// matrix of each lane.
func lu4(e *emitter) {
	e.op("MOVQ .consts, R13\nMOVQ .a, SI\nMOVQ .b, DI\nMOVQ .c, R8\nMOVQ .t, R9\nMOVQ .d, R10")
	free := []int{16, 17, 18, 19}
	a := elements(e, "SI", free)
	const one, minusOne, mask, zero, info, best, size, spare, piv = 31, 30, 29, 28, 27, 26, 25, 24, 20 // piv … piv+3
	e.constant(constOne, "Z31")
	e.constant(constMinusOne, "Z30")
	e.absMask("Z29")
	e.op("VPXORD Z28, Z28, Z28\nVPXORD Z27, Z27, Z27")
	unused := spare
	for j := range 4 {
		e.op(fmt.Sprintf("MOVL $%d, AX", j+1))
		e.op(fmt.Sprintf("VPBROADCASTD AX, Z%d\nVMOVAPS Z%d, Z%d", piv+j, minusOne, best))
		for i := j; i < 4; i++ {
			e.op(fmt.Sprintf("VPANDD Z%d, Z%d, Z%d\nVCMPPS $30, Z%d, Z%d, K1", a[i][j], mask, size, best, size))
			e.op(fmt.Sprintf("VMOVAPS Z%d, K1, Z%d", size, best))
			e.op(fmt.Sprintf("MOVL $%d, AX\nVPBROADCASTD AX, K1, Z%d", i+1, piv+j))
		}
		for i := j + 1; i < 4; i++ {
			e.op(fmt.Sprintf("MOVL $%d, AX\nVPBROADCASTD AX, Z%d\nVPCMPEQD Z%d, Z%d, K1", i+1, size, size, piv+j))
			for c := range 4 {
				e.op(fmt.Sprintf("VBLENDMPS Z%d, Z%d, K1, Z%d", a[i][c], a[j][c], unused))
				e.op(fmt.Sprintf("VBLENDMPS Z%d, Z%d, K1, Z%d", a[j][c], a[i][c], a[i][c]))
				a[j][c], unused = unused, a[j][c]
			}
		}
		e.op(fmt.Sprintf("VMOVAPS Z%d, Z%d\nVCMPPS $0, Z%d, Z%d, K1\nVMOVAPS Z%d, K1, Z%d", a[j][j], best, zero, best, one, best))
		e.op(fmt.Sprintf("VPTESTNMD Z%d, Z%d, K1, K2\nMOVL $%d, AX\nVPBROADCASTD AX, K2, Z%d", info, info, j+1, info))
		for i := j + 1; i < 4; i++ {
			e.op(fmt.Sprintf("VDIVPS Z%d, Z%d, Z%d", best, a[i][j], a[i][j]))
			for c := j + 1; c < 4; c++ {
				e.op(fmt.Sprintf("VFNMADD231PS Z%d, Z%d, Z%d", a[j][c], a[i][j], a[i][c]))
			}
		}
	}
	e.op("VMOVDQU32 (R10), Z31\nVPERMD Z27, Z31, Z27\nVMOVUPS Z27, (R9)")
	store4(e, []int{piv, piv + 1, piv + 2, piv + 3}, free, "DI")
	for i := range 4 {
		inLanes(e, a[i][:], free)
	}
	for r := range 4 {
		x := []int{a[0][r], a[1][r], a[2][r], a[3][r]}
		quarters(e, x, free)
		for q, reg := range x {
			e.op(fmt.Sprintf("VMOVUPS Z%d, %d(R8)", reg, 64*(4*r+q)))
		}
	}
}

// solve4 is exchange and the two triangles of solve for one right side: a has factors, b rows exchanged with, c right sides, and t gets
// the solutions.
func solve4(e *emitter) {
	e.op("MOVQ .a, SI\nMOVQ .b, DI\nMOVQ .c, R8\nMOVQ .t, R9")
	free, x, p := []int{16, 17, 18, 19}, []int{20, 21, 22, 23}, []int{24, 25, 26, 27}
	for r := range 4 {
		e.op(fmt.Sprintf("VMOVUPS %d(R8), Z%d\nVMOVUPS %d(DI), Z%d", 64*r, x[r], 64*r, p[r]))
	}
	inLanes(e, x, free)
	inLanes(e, p, free)
	unused := 28
	for j := range 3 {
		for i := j + 1; i < 4; i++ {
			e.op(fmt.Sprintf("MOVL $%d, AX\nVPBROADCASTD AX, Z29\nVPCMPEQD Z29, Z%d, K1", i+1, p[j]))
			e.op(fmt.Sprintf("VBLENDMPS Z%d, Z%d, K1, Z%d\nVBLENDMPS Z%d, Z%d, K1, Z%d", x[i], x[j], unused, x[j], x[i], x[i]))
			x[j], unused = unused, x[j]
		}
	}
	a := elements(e, "SI", free)
	for j := range 4 {
		for i := j + 1; i < 4; i++ {
			e.op(fmt.Sprintf("VFNMADD231PS Z%d, Z%d, Z%d", x[j], a[i][j], x[i]))
		}
	}
	for j := 3; j >= 0; j-- {
		e.op(fmt.Sprintf("VDIVPS Z%d, Z%d, Z%d", a[j][j], x[j], x[j]))
		for i := range j {
			e.op(fmt.Sprintf("VFNMADD231PS Z%d, Z%d, Z%d", x[j], a[i][j], x[i]))
		}
	}
	store4(e, x, free, "R9")
}
