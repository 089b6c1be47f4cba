package asmgen

import "fmt"

// The kernels of convolutions on arm64: see taps and positions.

// neonConvFiles adds the files of convolutions on arm64.
func neonConvFiles(files map[string]string) {
	stubs := newGoFile("arm64", "kernel")
	for _, e := range []elem{f32, f64} {
		add := neonAdder(files, e)
		add("direct", func(w *asm) {
			for mr := 1; mr <= neonRows; mr++ {
				for _, nv := range neonDirectVectors(mr) {
					neonDirect(w, e, mr, nv)
				}
			}
		})
		add("nhwc", func(w *asm) {
			for h := 1; h <= neonPositionMost; h++ {
				for _, rows := range neonNHWCCounts(h) {
					for _, nv := range vectors {
						neonNHWC(w, e, rows, h, nv)
					}
				}
			}
		})
		add("positions", func(w *asm) {
			for h := 1; h <= neonPositionMost; h++ {
				for _, nv := range vectors {
					neonPositions(w, e, h, nv)
				}
			}
		})
		neonConvStubs(stubs, e)
		neonNHWCStubs(stubs, e)
	}
	files["stubs_gen_arm64.go"] = stubs.formatted()
}

func neonDirectName(e elem, mr, nv int) string {
	return fmt.Sprintf("direct%sNEONr%dv%d", e.suffix, mr, nv)
}

// neonDirectVectors lists the widths of the kernels of mr rows, as directVectors does: two registers are left for A.
func neonDirectVectors(mr int) []int {
	list := []int{min(4, 30/(neonPairs*(mr+1)))}
	for _, nv := range []int{2, 1} {
		if nv < list[0] {
			list = append(list, nv)
		}
	}
	return list
}

// neonDirect writes a direct convolution kernel. A column of A is contiguous, so it is read as a vector or two, and its lanes
// multiply. Registers: R0 A, R6 B, R7 offsets, R9 steps left, R10 row of B.
func neonDirect(w *asm, e elem, mr, nv int) {
	k := neonTiles{w, e, mr, nv * neonPairs}
	name := neonDirectName(e, mr, nv)
	w.text("\n// func %s%s", name, fmt.Sprintf(directSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $0-137", name)
	w.op("MOVD kc+0(FP), R9")
	w.op("MOVD a_base+8(FP), R0")
	w.op("MOVD off_base+32(FP), R7")
	w.op("MOVD b_base+56(FP), R6")
	w.zero(0, k.breg())
	w.op("PCALIGN $16")
	w.label("loop")
	w.op("MOVD.P 8(R7), R10")
	w.op("ADD R10<<%d, R6, R10 // row of B", e.shift)
	w.loadRow(e, "R10", "", k.breg(), k.regs)
	a := k.breg() + k.regs
	for i := 0; i < mr; { // as many scalars at once as there are
		n := min(mr-i, e.per())
		if n == 3 {
			n = 2
		}
		w.op("%s.P %d(R0), F%d // a[%d]", map[int]string{4: "FMOVS", 8: "FMOVD", 16: "FMOVQ"}[n*e.size], n*e.size, a, i)
		for l := range n {
			for j := range k.regs {
				w.fmla(e, (i+l)*k.regs+j, k.breg()+j, a, l)
			}
		}
		i += n
		if a++; a == 32 {
			a = k.breg() + k.regs
		}
	}
	w.op("SUBS $1, R9")
	w.op("BNE loop")
	w.op("MOVD c_base+80(FP), R0")
	w.op("MOVD crs+104(FP), R1")
	w.op("LSL $%d, R1, R1", e.shift)
	w.op("MOVBU add+136(FP), R2")
	k.storeRows()
	w.op("RET")
}

// neonPositionMost is the longest row of positions: two of them, two vectors each, leave registers for W and scalars of X.
const neonPositionMost = 3

func neonPositionName(e elem, h, nv int) string {
	return fmt.Sprintf("positions%sNEONh%dv%d", e.suffix, h, nv)
}

// neonPositions writes the output-position kernel. Registers: R0 and R1 the rows of X, R2 channels left, R3 and R4 what is between
// two channels of X and of W, R5 the offsets, R6 their number, R7 W, R8 and R9 the next offset and how many are left.
func neonPositions(w *asm, e elem, h, nv int) {
	k := neonTiles{w, e, 2 * h, nv * neonPairs}
	name := neonPositionName(e, h, nv)
	w.text("\n// func %s%s", name, fmt.Sprintf(positionSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $0-137", name)
	w.op("MOVD channels+0(FP), R2")
	w.op("MOVD off_base+8(FP), R5")
	w.op("MOVD off_len+16(FP), R6")
	w.op("MOVD x_base+32(FP), R0")
	w.op("MOVD second+56(FP), R1")
	w.op("ADD R1<<%d, R0, R1", e.shift)
	w.op("MOVD xcs+64(FP), R3")
	w.op("LSL $%d, R3, R3", e.shift)
	w.op("MOVD w_base+72(FP), R7")
	w.op("MOVD wcs+96(FP), R4")
	w.op("LSL $%d, R4, R4", e.shift)
	w.op("MOVD $%d, R10", 16*k.regs)
	w.op("MUL R10, R6, R10")
	w.op("SUB R10, R4 // from the last row of a channel to the next one")
	w.zero(0, k.breg())
	w.label("channel")
	w.op("MOVD R5, R8")
	w.op("MOVD R6, R9")
	w.label("tap")
	w.op("MOVD.P 8(R8), R10")
	w.op("VLD1.P %d(R7), %s", 16*k.regs, vlist(e, k.breg(), k.regs))
	for r := range 2 {
		w.op("ADD R10<<%d, R%d, R11", e.shift, r)
		for i := range h {
			w.op("%s %d(R11), F%d", e.fmov(), i*e.size, k.areg(r*h+i))
			for j := range k.regs {
				w.fmla(e, (r*h+i)*k.regs+j, k.breg()+j, k.areg(r*h+i), 0)
			}
		}
	}
	w.op("SUBS $1, R9")
	w.op("BNE tap")
	w.op("ADD R3, R0")
	w.op("ADD R3, R1")
	w.op("ADD R4, R7")
	w.op("SUBS $1, R2")
	w.op("BNE channel")
	w.op("MOVD c_base+104(FP), R0")
	w.op("MOVD cs+128(FP), R1")
	w.op("ADD R1<<%d, R0, R1", e.shift)
	w.op("MOVBU add+136(FP), R2")
	w.op("CBZ R2, write")
	for r := range 2 { // all is read before any is written: the second row may be the first
		w.op("MOVD R%d, R3", r)
		for i := range h {
			w.op("VLD1.P %d(R3), %s", 16*k.regs, vlist(e, k.breg(), k.regs))
			for j := range k.regs {
				w.fadd(e, (r*h+i)*k.regs+j, (r*h+i)*k.regs+j, k.breg()+j)
			}
		}
	}
	w.label("write")
	for r := range 2 {
		for i := range h {
			w.op("VST1.P %s, %d(R%d)", vlist(e, (r*h+i)*k.regs, k.regs), 16*k.regs, r)
		}
	}
	w.op("RET")
}

// neonConvStubs declares the direct convolution kernels and the output-position kernels.
func neonConvStubs(w *asm, e elem) {
	t, id := e.goType, e.suffix+"NEON"
	w.text("// direct%s holds the direct convolution kernels, by rows; the widest first.", id)
	w.text("var direct%s = [][]directTile[%s]{", id, t)
	for mr := 1; mr <= neonRows; mr++ {
		w.text("%d: {", mr)
		for _, nv := range neonDirectVectors(mr) {
			w.text("{%d, %s},", nv, neonDirectName(e, mr, nv))
		}
		w.text("},")
	}
	w.text("}\n")
	w.text("// positions%s holds the output-position kernels, by the length of a row and by vectors.", id)
	w.text("var positions%s = [][maxVectors + 1]positionTile[%s]{", id, t)
	for h := 1; h <= neonPositionMost; h++ {
		w.text("%d: {1: %s, 2: %s},", h, neonPositionName(e, h, 1), neonPositionName(e, h, 2))
	}
	w.text("}\n")
	for mr := 1; mr <= neonRows; mr++ {
		for _, nv := range neonDirectVectors(mr) {
			w.text("//go:noescape\nfunc %s%s\n", neonDirectName(e, mr, nv), fmt.Sprintf(directSig, t))
		}
	}
	for h := 1; h <= neonPositionMost; h++ {
		for _, nv := range vectors {
			w.text("//go:noescape\nfunc %s%s\n", neonPositionName(e, h, nv), fmt.Sprintf(positionSig, t))
		}
	}
}
