package asmgen

import "fmt"

// neonDotRows is the most rows of A that the dot kernels take.
const neonDotRows = 8

func neonDotName(e elem, mr, groups int) string {
	return fmt.Sprintf("dot%sNEONr%dg%d", e.suffix, mr, groups)
}

// neonColumns is a vector of the tables: the columns of B that are transposed together.
func (e elem) neonColumns() int { return neonPairs * e.per() }

// neonSquares reads two squares of B, a register of k for each column of a vector from R14 on, and transposes them around. Column
// pointers are R7 apart; in a cut one those past the R12-th repeat the last. Step p of k is then in registers base+2p and
// base+2p+1, by names that it returns. It uses four registers from tmp on.
func neonSquares(w *asm, e elem, base, tmp int, cut bool) [][2]int {
	n, per := e.neonColumns(), e.per()
	for j := range n {
		neonReach(w, j, cut)
		w.op("VLD1.P (R14)(%s), [V%d.%s]", neonStride(cut), base+j, e.arr())
	}
	out := make([][2]int, per)
	zip := func(name string, d, x, y int) {
		w.op("%s V%d.%[5]s, V%[3]d.%[5]s, V%[4]d.%[5]s", name, y, x, d, e.arr())
	}
	for h := range 2 {
		b := base + h*per
		if e.size == 8 {
			zip("VZIP1", tmp+2*h, b, b+1)
			zip("VZIP2", tmp+2*h+1, b, b+1)
			out[0][h], out[1][h] = tmp+2*h, tmp+2*h+1
			continue
		}
		zip("VZIP1", tmp, b, b+2)
		zip("VZIP1", tmp+1, b+1, b+3)
		zip("VZIP2", tmp+2, b, b+2)
		zip("VZIP2", tmp+3, b+1, b+3)
		zip("VZIP1", b, tmp, tmp+1)
		zip("VZIP2", b+1, tmp, tmp+1)
		zip("VZIP1", b+2, tmp+2, tmp+3)
		zip("VZIP2", b+3, tmp+2, tmp+3)
		for p := range per {
			out[p][h] = b + p
		}
	}
	return out
}

// neonReach puts the way to column j+1 into R13: none from the last on.
func neonReach(w *asm, j int, cut bool) {
	if cut {
		w.op("CMP $%d, R12", j+1)
		w.op("CSEL GT, R7, ZR, R13")
	}
}

func neonStride(cut bool) string {
	if cut {
		return "R13"
	}
	return "R7"
}

// neonRow reads one step of k of a vector of columns from R14 on into registers base and base+1.
func neonRow(w *asm, e elem, base int, cut bool) {
	for j := range e.neonColumns() {
		neonReach(w, j, cut)
		w.op("VLD1.P (R14)(%s), V%d.%s[%d]", neonStride(cut), base+j/e.per(), e.arr()[:1], j%e.per())
	}
}

// neonDot writes a kernel like dot, for groups vectors of columns; of one vector there may be fewer columns.
// Registers: sums from V0 on, then the squares of B, four next to them, a scalar of A. R0-R5, R11 and R15 rows of A, R6 B,
// R7 what is between its columns, R8 the column of A in bytes, R10 the distance of columns, R9 steps left, R12 columns.
func neonDot(w *asm, e elem, mr, groups int) {
	k := neonTiles{w, e, mr, neonPairs * groups}
	name, frame := neonDotName(e, mr, groups), 0
	if groups == 1 {
		frame = 16 * mr * k.regs
	}
	w.text("\n// func %s%s", name, fmt.Sprintf(dotSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $%d-121", name, frame)
	w.op("MOVD a_base+8(FP), R0")
	w.op("MOVD ars+32(FP), R10")
	for i := 1; i < mr; i++ {
		w.op("ADD R10<<%d, %s, %s // row %d", e.shift, dotRow(i-1), dotRow(i), i)
	}
	w.op("MOVD acs+40(FP), R10")
	w.op("LSL $%d, R10, R10", e.shift)
	w.op("MOVD b_base+48(FP), R6")
	w.op("MOVD bcs+72(FP), R7")
	w.op("LSL $%d, R7, R7", e.shift)
	w.op("MOVD $0, R8")
	w.op("MOVD kc+0(FP), R9")
	w.zero(0, k.breg())
	if groups == 1 {
		w.op("MOVD cols+112(FP), R12")
		w.op("CMP $%d, R12", e.neonColumns())
		w.op("BLT cutColumns")
	}
	neonDotLoop(w, k, groups, false)
	k.store()
	w.op("RET")
	if groups == 1 {
		w.label("cutColumns")
		neonDotLoop(w, k, groups, true)
		k.storeCut()
		w.op("RET")
	}
}

// dotRow is the register of row i of A.
func dotRow(i int) string {
	return []string{"R0", "R1", "R2", "R3", "R4", "R5", "R11", "R15"}[i]
}

// neonDotLoop multiplies all steps of k.
func neonDotLoop(w *asm, k neonTiles, groups int, cut bool) {
	e, id := k.e, map[bool]string{false: "", true: "Cut"}[cut]
	base := k.breg()
	tmp := base + e.neonColumns()
	scalar := tmp + 4
	multiply := func(g int, row [2]int, lane int) {
		for i := range k.mr {
			w.op("%s (%s)(R16), F%d // a[%d]", e.fmov(), dotRow(i), scalar, i)
			for h := range 2 {
				w.fmla(e, i*k.regs+2*g+h, row[h], scalar, 0)
			}
		}
		w.op("ADD R10, R16")
	}
	w.op("SUBS $%d, R9", e.per())
	w.op("BLT tail%s", id)
	w.label("loop" + id)
	w.op("MOVD R6, R14")
	for g := range groups {
		w.op("MOVD R8, R16")
		for p, row := range neonSquares(w, e, base, tmp, cut) {
			multiply(g, row, p)
		}
	}
	w.op("MOVD R16, R8")
	w.op("ADD $16, R6")
	w.op("SUBS $%d, R9", e.per())
	w.op("BGE loop%s", id)
	w.label("tail" + id)
	w.op("ADDS $%d, R9", e.per())
	w.op("BEQ done%s", id)
	w.label("single" + id)
	w.op("MOVD R6, R14")
	for g := range groups {
		w.op("MOVD R8, R16")
		neonRow(w, e, base, cut)
		multiply(g, [2]int{base, base + 1}, 0)
	}
	w.op("MOVD R16, R8")
	w.op("ADD $%d, R6", e.size)
	w.op("SUBS $1, R9")
	w.op("BNE single%s", id)
	w.label("done" + id)
}

// neonPackT writes the transposing copy of packT: R0 is the panel, R1 what is between its rows.
func neonPackT(w *asm, e elem) {
	name := "packT" + e.suffix + "NEON"
	w.text("\n// func %s%s", name, fmt.Sprintf(packSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $0-80", name)
	w.op("MOVD dst_base+0(FP), R0")
	w.op("MOVD drs+24(FP), R1")
	w.op("LSL $%d, R1, R1", e.shift)
	w.op("MOVD src_base+32(FP), R6")
	w.op("MOVD scs+56(FP), R7")
	w.op("LSL $%d, R7, R7", e.shift)
	w.op("MOVD kc+64(FP), R9")
	w.op("MOVD cols+72(FP), R12")
	w.op("CMP $%d, R12", e.neonColumns())
	w.op("BLT cutColumns")
	for _, cut := range []bool{false, true} {
		id := map[bool]string{false: "", true: "Cut"}[cut]
		if cut {
			w.label("cutColumns")
		}
		put := func(row [2]int) {
			for h, r := range row {
				w.op("FMOVQ F%d, %d(R0)", r, 16*h)
			}
			w.op("ADD R1, R0")
		}
		w.op("SUBS $%d, R9", e.per())
		w.op("BLT tail%s", id)
		w.label("loop" + id)
		w.op("MOVD R6, R14")
		for _, row := range neonSquares(w, e, 0, e.neonColumns(), cut) {
			put(row)
		}
		w.op("ADD $16, R6")
		w.op("SUBS $%d, R9", e.per())
		w.op("BGE loop%s", id)
		w.label("tail" + id)
		w.op("ADDS $%d, R9", e.per())
		w.op("BEQ done%s", id)
		w.label("single" + id)
		w.op("MOVD R6, R14")
		neonRow(w, e, 0, cut)
		put([2]int{0, 1})
		w.op("ADD $%d, R6", e.size)
		w.op("SUBS $1, R9")
		w.op("BNE single%s", id)
		w.label("done" + id)
		w.op("RET")
	}
}

// neonStrips writes the copy of rows into panels of four registers: see strips.
func neonStrips(w *asm, e elem) {
	name := "strips" + e.suffix + "NEON"
	w.text("\n// func %s%s", name, fmt.Sprintf(stripsSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $0-96", name)
	w.op("MOVD dst_base+0(FP), R0")
	w.op("MOVD src_base+40(FP), R1")
	for _, s := range []struct{ arg, reg string }{{"drs+24(FP)", "R2"}, {"dps+32(FP)", "R3"}, {"srs+64(FP)", "R4"}} {
		w.op("MOVD %s, %s", s.arg, s.reg)
		w.op("LSL $%d, %[2]s, %[2]s", e.shift, s.reg)
	}
	w.op("MOVD rows+72(FP), R5")
	w.label("row")
	w.op("MOVD R0, R6")
	w.op("MOVD R1, R7")
	w.op("ADD R4<<2, R1, R9 // the rows that come may begin new pages")
	w.op("MOVD panels+80(FP), R8")
	w.label("panel")
	w.op("PRFM (R9), PLDL1KEEP")
	w.op("ADD $64, R9")
	w.op("VLD1.P 64(R7), %s", vlist(e, 0, 4))
	w.op("VST1.P %s, (R6)(R3)", vlist(e, 0, 4))
	w.op("SUBS $1, R8")
	w.op("BNE panel")
	w.op("ADD R2, R0")
	w.op("ADD R4, R1")
	w.op("SUBS $1, R5")
	w.op("BNE row")
	w.op("RET")
}

// neonWiden writes the exact conversion of n half types, a multiple of eight: bits become the upper half of a float, or the
// instruction for float16 is used.
func neonWiden(w *asm, half string) {
	w.text("\n// func widen%sNEON(dst *float32, src *uint16, n int)", half)
	w.text("TEXT ·widen%sNEON(SB), NOSPLIT, $0-24", half)
	w.op("MOVD dst+0(FP), R0")
	w.op("MOVD src+8(FP), R1")
	w.op("MOVD n+16(FP), R2")
	w.label("loop")
	w.op("VLD1.P 16(R1), [V0.H8]")
	if half == "BF16" {
		w.op("WORD $0x2e613801 // SHLL V1.S4, V0.H4, 16")
		w.op("WORD $0x6e613802 // SHLL2 V2.S4, V0.H8, 16")
	} else {
		w.op("WORD $0x0e217801 // FCVTL V1.S4, V0.H4")
		w.op("WORD $0x4e217802 // FCVTL2 V2.S4, V0.H8")
	}
	w.op("VST1.P [V1.S4, V2.S4], 32(R0)")
	w.op("SUBS $8, R2")
	w.op("BNE loop")
	w.op("RET")
}
