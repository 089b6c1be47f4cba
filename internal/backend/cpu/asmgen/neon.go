package asmgen

import "fmt"

// On arm64 a "vector" of the tables is two registers, so that the same two widths
// exist as on amd64: 8 and 16 columns of float32, 4 and 8 of float64.
const (
	neonRows  = 6
	neonPairs = 2 // registers per vector
)

// neonTileName names the kernel of a tile, regs registers wide.
func neonTileName(e elem, mr, regs int) string {
	return fmt.Sprintf("tile%sNEONr%dw%d", e.suffix, mr, regs)
}

// arr is the arrangement of a register, as in V0.S4.
func (e elem) arr() string { return map[int]string{4: "S4", 8: "D2"}[e.size] }

// per is the number of lanes of a register.
func (e elem) per() int { return 16 / e.size }

// fmov is the scalar move.
func (e elem) fmov() string { return map[int]string{4: "FMOVS", 8: "FMOVD"}[e.size] }

// vlist is a list of registers for VLD1 and VST1, four at most.
func vlist(e elem, from, n int) string {
	s := "["
	for i := range n {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprintf("V%d.%s", from+i, e.arr())
	}
	return s + "]"
}

// fmla is Vd += Vn times a lane of Vm, which the assembler does not have.
func (w *asm) fmla(e elem, d, n, m, lane int) {
	word := uint32(0x4F801000) | uint32(lane&1)<<21 | uint32(lane>>1)<<11
	if e.size == 8 {
		word = 0x4FC01000 | uint32(lane)<<11
	}
	w.op("WORD $0x%08x // FMLA V%d.%[5]s, V%[3]d.%[5]s, V%[4]d.%[6]s[%[7]d]", word|uint32(m)<<16|uint32(n)<<5|uint32(d), d, n, m, e.arr(),
		e.arr()[:1], lane)
}

// fadd is Vd = Vn + Vm, which the assembler does not have.
func (w *asm) fadd(e elem, d, n, m int) {
	word := uint32(0x4E20D400) | uint32(e.shift-2)<<22
	w.op("WORD $0x%08x // FADD V%d.%[5]s, V%[3]d.%[5]s, V%[4]d.%[5]s", word|uint32(m)<<16|uint32(n)<<5|uint32(d), d, n, m, e.arr())
}

func (w *asm) zero(from, to int) {
	for i := from; i < to; i++ {
		w.op("VEOR V%d.B16, V%[1]d.B16, V%[1]d.B16", i)
	}
}

// loadRow reads regs registers from at; it moves on by step if that is a register. at changes otherwise too.
func (w *asm) loadRow(e elem, at, step string, from, regs int) {
	for i := 0; i < regs; i += 4 {
		n := min(4, regs-i)
		switch {
		case i+n < regs:
			w.op("VLD1.P %d(%s), %s", 16*n, at, vlist(e, from+i, n))
		case step != "":
			w.op("VLD1.P (%s)(%s), %s", at, step, vlist(e, from+i, n))
		default:
			w.op("VLD1 (%s), %s", at, vlist(e, from+i, n))
		}
	}
}

// neonTile writes the kernel that kernel writes on amd64, for whole registers. Scalars of A are read as they are and
// multiply by their lane: to broadcast them would take the units that multiply. Registers: R0-R5 rows of A, R6 B, R7 what
// is between its rows, R8 the column of A in bytes, R10 the distance of columns, R9 steps left.
func neonTile(w *asm, e elem, mr, regs int) {
	name := neonTileName(e, mr, regs)
	w.text("\n// func %s%s", name, fmt.Sprintf(kernelSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $0-121", name)
	neonTileArguments(w, e, mr)
	if regs > 4 {
		w.op("SUB $%d, R7 // from behind the first registers", 16*4*((regs-1)/4))
	}
	k := neonTiles{w, e, mr, regs}
	w.zero(0, mr*regs)
	w.op("SUBS $%d, R9", neonUnroll)
	w.op("BLT tail")
	w.op("PCALIGN $16")
	w.label("loop")
	for range neonUnroll {
		k.step()
	}
	w.op("SUBS $%d, R9", neonUnroll)
	w.op("BGE loop")
	w.label("tail")
	w.op("ADDS $%d, R9", neonUnroll)
	w.op("BEQ done")
	w.label("single")
	k.step()
	w.op("SUBS $1, R9")
	w.op("BNE single")
	w.label("done")
	k.store()
	w.op("RET")
}

// neonUnroll is the number of steps of k in the main loop.
const neonUnroll = 2

func neonTileArguments(w *asm, e elem, mr int) {
	w.op("MOVD a_base+8(FP), R0")
	w.op("MOVD ars+32(FP), R10")
	for i := 1; i < mr; i++ {
		w.op("ADD R10<<%d, R%d, R%d // row %d", e.shift, i-1, i, i)
	}
	w.op("MOVD acs+40(FP), R10")
	w.op("LSL $%d, R10, R10", e.shift)
	w.op("MOVD b_base+48(FP), R6")
	w.op("MOVD brs+72(FP), R7")
	w.op("LSL $%d, R7, R7", e.shift)
	w.op("MOVD $0, R8")
	w.op("MOVD kc+0(FP), R9")
}

// neonTiles is a kernel being written: sums from V0 on, then B, then scalars of A.
type neonTiles struct {
	w        *asm
	e        elem
	mr, regs int
}

func (k neonTiles) breg() int { return k.mr * k.regs }

// areg is the register of scalar i: they serve in turn.
func (k neonTiles) areg(i int) int {
	first := k.breg() + k.regs
	return first + i%min(4, 32-first)
}

// step does one k.
func (k neonTiles) step() {
	k.w.loadRow(k.e, "R6", "R7", k.breg(), k.regs)
	k.multiply()
}

// multiply adds the products of the column of A at R8 and the row of B.
func (k neonTiles) multiply() {
	w := k.w
	for i := range k.mr {
		w.op("%s (R%d)(R8), F%d // a[%d]", k.e.fmov(), i, k.areg(i), i)
		for j := range k.regs {
			w.fmla(k.e, i*k.regs+j, k.breg()+j, k.areg(i), 0)
		}
	}
	w.op("ADD R10, R8")
}

// store writes the sums to C, or adds them.
func (k neonTiles) store() {
	w := k.w
	w.op("MOVD c_base+80(FP), R0")
	w.op("MOVD crs+104(FP), R1")
	w.op("LSL $%d, R1, R1", k.e.shift)
	w.op("MOVBU add+120(FP), R2")
	k.storeRows()
}

// storeRows writes rows R1 apart from R0 on, or adds them if R2 is not 0.
func (k neonTiles) storeRows() {
	w := k.w
	w.op("CBZ R2, write")
	w.op("MOVD R0, R3")
	for i := range k.mr {
		w.op("MOVD R3, R4")
		w.loadRow(k.e, "R4", "", k.breg(), k.regs)
		w.op("ADD R1, R3")
		for j := range k.regs {
			w.fadd(k.e, i*k.regs+j, i*k.regs+j, k.breg()+j)
		}
	}
	w.label("write")
	for i := range k.mr {
		w.op("MOVD R0, R4")
		for j := 0; j < k.regs; j += 4 {
			n := min(4, k.regs-j)
			w.op("VST1.P %s, %d(R4)", vlist(k.e, i*k.regs+j, n), 16*n)
		}
		w.op("ADD R1, R0")
	}
}

// neonPartName names the kernel for fewer columns than a register has.
func neonPartName(e elem, mr int) string { return fmt.Sprintf("part%sNEONr%d", e.suffix, mr) }

// neonPart writes a tile of fewer columns than a register has: rows of B are read element by element, since there may be
// nothing behind them.
func neonPart(w *asm, e elem, mr int) {
	name, k := neonPartName(e, mr), neonTiles{w, e, mr, 1}
	w.text("\n// func %s%s", name, fmt.Sprintf(kernelSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $%d-121", name, 16*mr)
	neonTileArguments(w, e, mr)
	w.op("MOVD cols+112(FP), R12")
	w.zero(0, mr)
	for cols := e.per() - 1; cols >= 1; cols-- {
		loop := fmt.Sprintf("loop%d", cols)
		if cols > 1 {
			w.op("CMP $%d, R12", cols)
			w.op("BLT less%d", cols)
		}
		w.label(loop)
		b := k.breg()
		switch cols {
		case 1:
			w.op("%s (R6), F%d", e.fmov(), b)
		default:
			w.op("FMOVD (R6), F%d", b)
		}
		if cols == 3 {
			w.op("ADD $8, R6, R13")
			w.op("VLD1 (R13), V%d.S[2]", b)
		}
		w.op("ADD R7, R6")
		k.multiply()
		w.op("SUBS $1, R9")
		w.op("BNE %s", loop)
		if cols > 1 {
			w.op("JMP done")
			w.label(fmt.Sprintf("less%d", cols))
		}
	}
	w.label("done")
	k.storeCut()
	w.op("RET")
}

// storeCut writes the first columns of the sums to C element by element, by way of the stack.
func (k neonTiles) storeCut() {
	w, e := k.w, k.e
	w.op("MOVD c_base+80(FP), R0")
	w.op("MOVD crs+104(FP), R1")
	w.op("LSL $%d, R1, R1", e.shift)
	w.op("MOVBU add+120(FP), R2")
	w.op("MOVD $scratch-%d(SP), R3", 16*k.mr*k.regs)
	for i := range k.mr * k.regs {
		w.op("FMOVQ F%d, %d(R3)", i, 16*i)
	}
	w.op("MOVD $%d, R8", k.mr)
	w.label("cutRow")
	w.op("MOVD cols+112(FP), R9")
	w.op("MOVD R0, R4")
	w.op("MOVD R3, R5")
	w.label("cut")
	w.op("%s.P %d(R5), F0", e.fmov(), e.size)
	w.op("CBZ R2, set")
	w.op("%s (R4), F1", e.fmov())
	w.op("%s F1, F0", map[int]string{4: "FADDS", 8: "FADDD"}[e.size])
	w.label("set")
	w.op("%s.P F0, %d(R4)", e.fmov(), e.size)
	w.op("SUBS $1, R9")
	w.op("BNE cut")
	w.op("ADD R1, R0")
	w.op("ADD $%d, R3", 16*k.regs)
	w.op("SUBS $1, R8")
	w.op("BNE cutRow")
}
