package asmgen

import "fmt"

// panelRows is how many rows a register tile on a panel of two vectors has.
const panelRows = 6

// panelName names the kernel of some rows on panels with some groups a block, with minima or without.
func panelName(rows, groups int, mins bool) string {
	m := ""
	if mins {
		m = "Mins"
	}
	return fmt.Sprintf("manyG%d%sR%d", groups, m, rows)
}

// many writes it. Registers: sums Z0-Z11, integer sums Z12-Z23, quants Z24 and Z25, activations Z26, scales Z27 and Z28, minima
// Z29 and Z30, products Z31. AX is x, BX its row stride, R10 the panel, R12 blocks left.
func many(w *asm, rows, groups int, mins bool) {
	name, parts := panelName(rows, groups, mins), 1
	if mins {
		parts = 2
	}
	w.text("\n// func %s%s", name, manySig)
	w.text("TEXT ·%s(SB), NOSPLIT, $0-49", name)
	w.op("MOVQ blocks+0(FP), R12")
	w.op("MOVQ panel+8(FP), R10")
	w.op("MOVQ x+16(FP), AX")
	w.op("MOVQ xs+24(FP), BX")
	multiples(w, rows)
	w.op("MOVQ y+32(FP), DI")
	w.op("MOVQ ys+40(FP), R8")
	w.op("MOVBLZX add+48(FP), R9")
	for i := range 2 * rows {
		avx512.clear(w, i)
	}
	w.op("TESTL R9, R9")
	w.op("JEQ loop")
	w.op("MOVQ DI, R11")
	for r := range rows {
		w.op("VMOVUPS (R11), Z%d", 2*r)
		w.op("VMOVUPS 64(R11), Z%d", 2*r+1)
		w.op("ADDQ R8, R11")
	}
	w.op("PCALIGN $64")
	w.label("loop")
	each := 8 / groups
	for g := range groups {
		manyStart(w, rows, g, mins)
		for q := g * each; q < (g+1)*each; q++ {
			w.op("VMOVDQU64 %d(R10), Z24", 128*(groups*parts+q))
			w.op("VMOVDQU64 %d(R10), Z25", 128*(groups*parts+q)+64)
			for r := range rows {
				w.op("VPBROADCASTD %s, Z26", at(4*q, rowAddr(r)))
				w.op("VPDPBUSD Z26, Z24, Z%d", 12+2*r)
				w.op("VPDPBUSD Z26, Z25, Z%d", 13+2*r)
			}
		}
		manyFinish(w, rows, groups, g, mins)
	}
	w.op("ADDQ $%d, AX", recordSize)
	w.op("ADDQ $%d, R10", 128*(8+groups*parts))
	w.op("SUBQ $1, R12")
	w.op("JNE loop")
	for r := range rows {
		w.op("VMOVUPS Z%d, (DI)", 2*r)
		w.op("VMOVUPS Z%d, 64(DI)", 2*r+1)
		if r < rows-1 {
			w.op("ADDQ R8, DI")
		}
	}
	w.op("VZEROUPPER")
	w.op("RET")
}

func manyStart(w *asm, rows, g int, mins bool) {
	for r := range rows {
		if mins {
			avx512.clear(w, 12+2*r)
			avx512.clear(w, 13+2*r)
			continue
		}
		w.op("VPBROADCASTD %s, Z%d", at(recordSums+4*g, rowAddr(r)), 12+2*r)
		w.op("VMOVDQA64 Z%d, Z%d", 12+2*r, 13+2*r)
	}
}

func manyFinish(w *asm, rows, groups, g int, mins bool) {
	for j := range 2 {
		w.op("VMOVUPS %d(R10), Z%d", 128*g+64*j, 27+j)
		if mins {
			w.op("VMOVUPS %d(R10), Z%d", 128*(groups+g)+64*j, 29+j)
		}
	}
	for r := range rows {
		for j := range 2 {
			w.op("VCVTDQ2PS Z%[1]d, Z%[1]d", 12+2*r+j)
			w.op("VMULPS.BCST %s, Z%d, Z31", at(recordD, rowAddr(r)), 27+j)
			w.op("VFMADD231PS Z%d, Z31, Z%d", 12+2*r+j, 2*r+j)
			if mins {
				w.op("VFMADD231PS.BCST %s, Z%d, Z%d", at(recordSums+4*g, rowAddr(r)), 29+j, 2*r+j)
			}
		}
	}
}

// quantizeRows writes the conversion of activations to records. DI dst, SI x, R12 blocks left, R8 offset, R9 groups; X14 is 127,
// X15 minus the offset, Z13 the mask of magnitudes.
func quantizeRows(w *asm) {
	w.text("\n// func quantizeAVX512%s", quantSig)
	w.text("TEXT ·quantizeAVX512(SB), NOSPLIT, $0-40")
	w.op("MOVQ blocks+0(FP), R12")
	w.op("MOVQ dst+8(FP), DI")
	w.op("MOVQ x+16(FP), SI")
	w.op("MOVQ offset+24(FP), R8")
	w.op("MOVQ groups+32(FP), R9")
	w.op("MOVL $0x7fffffff, AX")
	w.op("VPBROADCASTD AX, Z13")
	w.op("MOVL $0x42fe0000, AX // 127")
	w.op("VMOVD AX, X14")
	w.op("MOVQ R8, AX")
	w.op("NEGQ AX")
	w.op("VMOVD AX, X15")
	w.op("VPBROADCASTD X15, X15")
	w.label("block")
	w.op("VMOVUPS (SI), Z0")
	w.op("VMOVUPS 64(SI), Z1")
	w.op("VPANDD Z13, Z0, Z2")
	w.op("VPANDD Z13, Z1, Z3")
	w.op("VPMAXUD Z3, Z2, Z2 // magnitudes are in the order of their bits, NaN last")
	w.op("VEXTRACTI64X4 $1, Z2, Y3")
	w.op("VPMAXUD Y3, Y2, Y2")
	w.op("VEXTRACTI128 $1, Y2, X3")
	w.op("VPMAXUD X3, X2, X2")
	w.op("VPSHUFD $0x4e, X2, X3")
	w.op("VPMAXUD X3, X2, X2")
	w.op("VPSHUFD $0xb1, X2, X3")
	w.op("VPMAXUD X3, X2, X2")
	w.op("VMOVD X2, AX")
	w.op("VDIVSS X14, X2, X4 // the scale")
	w.op("CMPL AX, $0x7f800000")
	w.op("JCC zero")
	w.op("CMPL AX, $0x03800000")
	w.op("JCS tiny")
	w.op("VDIVSS X2, X14, X5")
	w.op("VBROADCASTSS X5, Z5")
	for i := range 2 {
		w.op("VMULPS Z5, Z%[1]d, Z%[1]d", i)
		w.op("VCVTPS2DQ Z%[1]d, Z%[1]d", i)
	}
	w.op("JMP store")
	w.label("tiny")
	w.op("VXORPS X4, X4, X4")
	w.label("zero")
	w.op("VPXORD Z0, Z0, Z0")
	w.op("VPXORD Z1, Z1, Z1")
	w.label("store")
	w.op("VPMOVSDB Z0, (DI)")
	w.op("VPMOVSDB Z1, 16(DI)")
	for i := range 2 {
		w.op("VEXTRACTI64X4 $1, Z%d, Y%d", i, i+2)
		w.op("VPADDD Y%[1]d, Y%[2]d, Y%[2]d", i+2, i)
	}
	w.op("VPHADDD Y1, Y0, Y0")
	w.op("VPHADDD Y0, Y0, Y0")
	w.op("VEXTRACTI128 $1, Y0, X1")
	w.op("VPADDD X1, X0, X0 // the sums of the first and of the second 16")
	w.op("CMPQ R9, $1")
	w.op("JNE two")
	w.op("VPHADDD X0, X0, X0")
	w.op("VMOVD X0, AX")
	w.op("VMOVD AX, X0 // zero behind it")
	w.label("two")
	w.op("TESTQ R8, R8")
	w.op("JEQ mins")
	w.op("VPMULLD X15, X0, X0")
	w.op("JMP sums")
	w.label("mins")
	w.op("VCVTDQ2PS X0, X0")
	w.op("VBROADCASTSS X4, X5")
	w.op("VMULPS X5, X0, X0")
	w.label("sums")
	w.op("VMOVSS X4, 32(DI)")
	w.op("VMOVQ X0, 36(DI)")
	w.op("MOVL $0, 44(DI)")
	w.op("ADDQ $128, SI")
	w.op("ADDQ $48, DI")
	w.op("SUBQ $1, R12")
	w.op("JNE block")
	w.op("VZEROUPPER")
	w.op("RET")
}
