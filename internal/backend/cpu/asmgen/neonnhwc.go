package asmgen

import "fmt"

func neonNHWCName(e elem, rows, h, nv int) string {
	return fmt.Sprintf("nhwc%sNEONr%dh%dv%d", e.suffix, rows, h, nv)
}

// neonNHWCRows are the registers of the rows.
var neonNHWCRows = []string{"R0", "R1", "R12", "R13"}

// neonNHWCCounts are the numbers of rows that leave registers for the sums of h positions each.
func neonNHWCCounts(h int) []int {
	if vector := maxVectors * neonPairs; 4*h*vector+vector+1 <= 32 {
		return []int{1, 2, 4}
	}
	return []int{1, 2}
}

// neonNHWC writes an NHWC kernel. Positions that a tap leaves out at the beginning are jumped over in forward order,
// those at the end in backward order, as there. Registers: R0, R1, R12 and R13 the rows of X, R2 channels left, R3 the distance of
// positions, R4 the next tap and R5 how many are left, R6 W, R7 how many positions are left out, R8 and R9 at hand.
func neonNHWC(w *asm, e elem, rows, h, nv int) {
	k := neonTiles{w, e, rows * h, nv * neonPairs}
	name := neonNHWCName(e, rows, h, nv)
	w.text("\n// func %s%s", name, fmt.Sprintf(nhwcSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $0-137", name)
	w.op("MOVD taps_base+8(FP), R4")
	w.op("MOVD taps_len+16(FP), R5")
	w.op("MOVD step+64(FP), R3")
	w.op("LSL $%d, R3, R3", e.shift)
	w.zero(0, k.breg())
	w.op("CBZ R5, sums")
	w.label("tap")
	w.op("MOVD channels+0(FP), R2")
	w.op("MOVD x_base+32(FP), R8")
	w.op("MOVD (R4), R9")
	w.op("ADD R9<<%d, R8", e.shift)
	w.op("MOVD at+56(FP), R9")
	for r, row := range neonNHWCRows[:rows] {
		w.op("MOVD %d(R9), %s", 8*r, row)
		w.op("ADD %[1]s<<%[2]d, R8, %[1]s", row, e.shift)
	}
	w.op("MOVD w_base+72(FP), R6")
	w.op("MOVD 8(R4), R8")
	w.op("MUL R2, R8, R8")
	w.op("MOVD $%d, R9", 16*k.regs)
	w.op("MADD R9, R6, R8, R6 // kernels of the tap")
	if h > 1 {
		w.op("MOVD 24(R4), R7")
		w.op("CBNZ R7, backward")
	}
	w.op("MOVD 16(R4), R7")
	k.nhwcLoop("forward", rows, h, func(i int) int { return i })
	w.label("next")
	w.op("ADD $32, R4")
	w.op("SUBS $1, R5")
	w.op("BNE tap")
	w.op("JMP sums")
	if h > 1 {
		k.nhwcLoop("backward", rows, h, func(i int) int { return h - 1 - i })
		w.op("JMP next")
		for _, name := range []string{"forward", "backward"} {
			w.label(name + "Jumps")
			for at := 1; at < h-1; at++ {
				w.op("CMP $%d, R7", at)
				w.op("BEQ %s%d", name, at)
			}
			w.op("JMP %s%d", name, h-1)
		}
	}
	w.label("sums")
	w.op("MOVD c_base+96(FP), R8")
	w.op("MOVD to+120(FP), R9")
	for r, row := range neonNHWCRows[:rows] {
		w.op("MOVD %d(R9), %s", 8*r, row)
		w.op("ADD %[1]s<<%[2]d, R8, %[1]s", row, e.shift)
	}
	w.op("MOVD ccs+128(FP), R3")
	w.op("LSL $%d, R3, R3", e.shift)
	w.op("MOVBU add+136(FP), R2")
	w.op("CBZ R2, write")
	k.nhwcSums(rows, h, func(at string, from int) {
		w.op("VLD1 (%s), %s", at, vlist(e, k.breg(), k.regs))
		for j := range k.regs {
			w.fadd(e, from+j, from+j, k.breg()+j)
		}
	})
	w.label("write")
	k.nhwcSums(rows, h, func(at string, from int) { w.op("VST1 %s, (%s)", vlist(e, from, k.regs), at) })
	w.op("RET")
}

// nhwcSums gives f the address of each position in a register, and the first register of its sums.
func (k neonTiles) nhwcSums(rows, h int, f func(at string, from int)) {
	for r := range rows {
		k.w.op("MOVD %s, R8", neonNHWCRows[r])
		for i := range h {
			f("R8", (r*h+i)*k.regs)
			if i < h-1 {
				k.w.op("ADD R3, R8")
			}
		}
	}
}

// nhwcLoop writes the loop over the channels of a tap, with the positions in an order.
func (k neonTiles) nhwcLoop(name string, rows, h int, order func(i int) int) {
	w, e := k.w, k.e
	w.label(name)
	w.op("VLD1.P %d(R6), %s", 16*k.regs, vlist(e, k.breg(), k.regs))
	if h > 1 {
		w.op("CBNZ R7, %sJumps", name)
	}
	for at := range h {
		if at > 0 {
			w.label(fmt.Sprintf("%s%d", name, at))
		}
		i := order(at)
		for r := range rows {
			a := k.areg(at*rows + r)
			switch row := neonNHWCRows[r]; i {
			case 0:
				w.op("%s (%s), F%d", e.fmov(), row, a)
			case 1:
				w.op("%s (%s)(R3), F%d", e.fmov(), row, a)
			default:
				w.op("ADD R3<<1, %s, R8", row)
				w.op("%s (R8), F%d", e.fmov(), a)
			}
			for j := range k.regs {
				w.fmla(e, (r*h+i)*k.regs+j, k.breg()+j, a, 0)
			}
		}
	}
	for r := range rows {
		w.op("ADD $%d, %s", e.size, neonNHWCRows[r])
	}
	w.op("SUBS $1, R2")
	w.op("BNE %s", name)
}

// neonNHWCStubs declares them.
func neonNHWCStubs(w *asm, e elem) {
	id := e.suffix + "NEON"
	w.text("// nhwc%s holds the NHWC convolution kernels, by the number and the length of rows and by vectors.", id)
	w.text("var nhwc%s = [][5][maxVectors + 1]nhwcTile[%s]{", id, e.goType)
	for h := 1; h <= neonPositionMost; h++ {
		w.text("%d: {", h)
		for _, rows := range neonNHWCCounts(h) {
			w.text("%d: {1: %s, 2: %s},", rows, neonNHWCName(e, rows, h, 1), neonNHWCName(e, rows, h, 2))
		}
		w.text("},")
	}
	w.text("}\n")
	for h := 1; h <= neonPositionMost; h++ {
		for _, rows := range neonNHWCCounts(h) {
			for _, nv := range vectors {
				w.text("//go:noescape\nfunc %s%s\n", neonNHWCName(e, rows, h, nv), fmt.Sprintf(nhwcSig, e.goType))
			}
		}
	}
}
