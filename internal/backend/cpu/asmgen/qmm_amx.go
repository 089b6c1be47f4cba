package asmgen

import "fmt"

const (
	qmmAMXSig = "(shape *tileShape, sums *int32, blocks int, panel, x *byte, xs int, y *float32, ys, strips, offset int, " +
		"add bool)"
	panelRow = 128 // bytes of a row of a panel: two tiles
)

const qmmAMXName = "amxPlain"

// qmmAMX writes the kernel that multiplies strips of 16 rows with one tile of a panel:
//
//	for i < 16*strips, j < 16: y[i*ys+j] = (add ? y : 0) + Σ over blocks of 32 elements
//
// The products of a block are one instruction of AMX, whose sums go through memory to be scaled in the order of all kernels, two blocks
// later. Blocks of two groups, or with minima, gain nothing: stores and loads of integer sums take the time. First the quants of the
// tile become signed: offset is subtracted in the panel.
//
// Registers: Z0-Z15 sums of a strip; AX and R9 rows 0 and 8 of x, BX the row stride with multiples in CX, DX and SI, R15 scales; R12 and
// R10 activations and quants of the block that is multiplied, R11 the stride of the panel and of integer sums, R8 these; R13 and R14
// blocks to be multiplied and scaled, DI y.
func qmmAMX(w *asm) {
	k, name := qamx{w}, qmmAMXName
	w.text("\n// func %s%s", name, qmmAMXSig)
	w.text("TEXT ·%s(SB), NOSPLIT, $0-81", name)
	w.op("MOVQ shape+0(FP), R10")
	ldtilecfg(w, "R10")
	k.sign()
	w.op("MOVQ sums+8(FP), R8")
	w.op("MOVQ xs+40(FP), BX")
	multiples(w, 8)
	w.op("MOVQ y+48(FP), DI")
	w.op("MOVQ $%d, R11", panelRow)
	w.label("strip")
	for r := range 16 {
		avx512.clear(w, r)
	}
	w.op("CMPB add+80(FP), $0")
	w.op("JEQ begin")
	k.each("VMOVUPS (R10), Z%d")
	w.label("begin")
	w.op("MOVQ x+32(FP), AX")
	w.op("LEAQ (AX)(BX*8), R9")
	w.op("MOVQ AX, R12")
	w.op("MOVQ panel+24(FP), R15")
	w.op("LEAQ %d(R15), R10", panelRow)
	w.op("MOVQ blocks+16(FP), R13")
	w.op("MOVQ R13, R14")
	k.products(0, "one")
	k.products(1, "one")
	w.label("one")
	w.label("loop")
	for i := range amxSlots {
		next := fmt.Sprintf("scale%d", i)
		k.products((i+amxSlots/2)%amxSlots, next)
		w.label(next)
		k.finish(i)
		w.op("SUBQ $1, R14")
		w.op("JEQ done")
		w.op("ADDQ $%d, AX", recordSize)
		w.op("ADDQ $%d, R9", recordSize)
		w.op("ADDQ $%d, R15", k.size())
	}
	w.op("JMP loop")
	w.label("done")
	k.each("VMOVUPS Z%d, (R10)")
	w.op("MOVQ R10, DI // the next strip")
	w.op("MOVQ BX, R14")
	w.op("SHLQ $4, R14")
	w.op("ADDQ R14, x+32(FP)")
	w.op("SUBQ $1, strips+64(FP)")
	w.op("JNE strip")
	tilerelease(w)
	w.op("VZEROUPPER")
	w.op("RET")
}

// amxSlots is how many blocks have integer sums in memory.
const amxSlots = 4

type qamx struct{ w *asm }

// size is that of a block in a panel.
func (k *qamx) size() int { return panelRow * (8 + 1) }

// sign subtracts the offset of the quants.
func (k *qamx) sign() {
	w := k.w
	w.op("MOVQ offset+72(FP), AX")
	w.op("TESTQ AX, AX")
	w.op("JEQ signed")
	w.op("VPBROADCASTB AX, Z0")
	w.op("MOVQ panel+24(FP), R10")
	w.op("MOVQ blocks+16(FP), R12")
	w.label("sign")
	for q := range 8 {
		at := panelRow * (1 + q)
		w.op("VMOVDQU64 %d(R10), Z1", at)
		w.op("VPSUBB Z0, Z1, Z1")
		w.op("VMOVDQU64 Z1, %d(R10)", at)
	}
	w.op("ADDQ $%d, R10", k.size())
	w.op("SUBQ $1, R12")
	w.op("JNE sign")
	w.label("signed")
}

// each does something for all rows of y; R10 goes from one to the next.
func (k *qamx) each(what string) {
	k.w.op("MOVQ DI, R10")
	k.w.op("MOVQ ys+56(FP), R14")
	for r := range 16 {
		k.w.op(what, r)
		k.w.op("ADDQ R14, R10")
	}
}

// sums is where the integer sums of a row are.
func (k *qamx) sums(slot, r int) int { return panelRow*16*slot + panelRow*r }

// products multiplies the next block, if there is one, else it jumps.
func (k *qamx) products(slot int, none string) {
	w := k.w
	w.op("SUBQ $1, R13")
	w.op("JLT %s", none)
	c, a := slot, 4+slot%2*2
	tileloadd(w, a, 0, "R12", "BX")
	tileloadd(w, a+1, 0, "R10", "R11")
	tilezero(w, c)
	tdpbssd(w, a+1, a, c)
	tilestored(w, c, k.sums(slot, 0), "R8", "R11")
	w.op("ADDQ $%d, R12", recordSize)
	w.op("ADDQ $%d, R10", k.size())
}

// finish scales the sums of a block.
func (k *qamx) finish(slot int) {
	w := k.w
	w.op("VMOVUPS (R15), Z16")
	for r := range 16 {
		row := rowAddrFrom([...]string{"AX", "R9"}[r/8], r%8)
		c, s := 18+r%4, 22+r%4
		w.op("VCVTDQ2PS %d(R8), Z%d", k.sums(slot, r), c)
		w.op("VMULPS.BCST %s, Z16, Z%d", at(recordD, row), s)
		w.op("VFMADD231PS Z%d, Z%d, Z%d", c, s, r)
	}
}
