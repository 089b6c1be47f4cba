package asmgen

import (
	"fmt"
	"strings"
)

// The kernels of NEON take half of a tile, as those of AVX2: eight rows of weights, in two registers. SDOT adds four products of signed
// bytes to each lane, and takes the bytes of the second operand from one lane of a register: activations are read once for 16 elements.
// Quants of up to six bits are positive as signed numbers too; others are made signed, which takes their offset off.

const ( // registers: sums of rows from V0, integer sums from V8, activations from V16
	nSums   = 8
	nX      = 16
	nMask   = 20 // of the low bits; of eight bits, the sign
	nHigh   = 21 // mask of the high bits, or the table
	nQuant  = 22 // two
	nTemp   = 24 // two
	nScale  = 26 // two
	nMin    = 28 // two
	nRecord = 30 // scale and sums of a row; the first half of scales of 256 elements
	nWord   = 31 // a sum in all lanes; the other half
)

// nkernel is a kernel being written: R0 to R3 are rows of x, R9 scales of 256 elements, R10 scales, R11 quants, R12 blocks left, R13 those
// of 256 elements.
type nkernel struct {
	w    *asm
	f    quantized
	rows int
}

func (k *nkernel) signed() bool { return k.f.bits == 8 || k.f.table != nil }

func (k *nkernel) parts() int { return (&qkernel{f: k.f}).parts() }

// word writes an instruction that the assembler does not have: its bits with operands d, n and m, and how it is written with those.
func (k *nkernel) word(bits uint32, text string, d, n, m int) {
	operands := []any{d, n, m}[:strings.Count(text, "%d")]
	k.w.op("WORD $0x%08x // %s", bits|uint32(m)<<16|uint32(n)<<5|uint32(d), fmt.Sprintf(text, operands...))
}

// lane is word for an instruction whose last operand is one lane of 32 bits.
func (k *nkernel) lane(bits uint32, text string, d, n, m, lane int) {
	k.word(bits|uint32(lane&1)<<21|uint32(lane>>1)<<11, fmt.Sprintf("%s[%d]", text, lane), d, n, m)
}

func (k *nkernel) constants() {
	w := k.w
	masks := map[int][2]int{2: {3, 0}, 3: {3, 4}, 4: {15, 0}, 5: {15, 16}, 6: {15, 48}, 8: {128, 0}}[k.f.bits]
	w.op("VMOVI $%d, V%d.B16", masks[0], nMask)
	if masks[1] != 0 {
		w.op("VMOVI $%d, V%d.B16", masks[1], nHigh)
	}
	if k.f.table != nil {
		w.op("MOVD $signed%s<>(SB), R5", k.f.id)
		w.op("VLD1 (R5), [V%d.B16]", nHigh)
	}
}

// unpack brings group g of four to nQuant and the register behind it.
func (k *nkernel) unpack(g int) {
	w := k.w
	// read brings a vector to a register, shifted to the left, or to the right if that is negative.
	read := func(v, j, to, left int) {
		w.op("FMOVQ %d(R11), F%d", 64*v+16*j, to)
		switch {
		case left > 0:
			w.op("VSHL $%d, V%[2]d.B16, V%[2]d.B16", left, to)
		case left < 0:
			w.op("VUSHR $%d, V%[2]d.B16, V%[2]d.B16", -left, to)
		}
	}
	v, shift := g%4, g/4*4
	if k.f.groups == 2 {
		v, shift = g/2, g%2*4
	}
	for j := range 2 {
		q, t := nQuant+j, nTemp+j
		low := func(v, shift int) {
			read(v, j, q, -shift)
			w.op("VAND V%d.B16, V%[2]d.B16, V%[2]d.B16", nMask, q)
		}
		high := func(v, left int) {
			read(v, j, t, left)
			w.op("VAND V%d.B16, V%[2]d.B16, V%[2]d.B16", nHigh, t)
			w.op("VORR V%d.B16, V%[2]d.B16, V%[2]d.B16", t, q)
		}
		switch k.f.bits {
		case 8:
			read(g, j, q, 0)
			w.op("VEOR V%d.B16, V%[2]d.B16, V%[2]d.B16", nMask, q)
		case 2:
			low(g/4, g%4*2)
		case 3:
			low(g/4, g%4*2)
			high(2, 2-g)
		case 4:
			low(v, shift)
		case 5:
			low(v, shift)
			high(4, 4-g)
		case 6:
			low(v, shift)
			high(4+g/4, 4-g%4*2)
		}
		if k.f.table != nil {
			w.op("VTBL V%[1]d.B16, [V%[2]d.B16], V%[1]d.B16", q, nHigh)
		}
	}
}

// scale brings scales to nScale and minima to nMin, each with the register behind it.
func (k *nkernel) scale(g int) {
	const (
		fcvtl, fcvtl2   = 0x0E217800, 0x4E217800 // float16 to float32
		shll, shll2     = 0x2E613800, 0x6E613800 // 16 bits to the left
		widen8          = 0x0F08A400             // int8 to int16
		widen16, widen2 = 0x0F10A400, 0x4F10A400 // int16 to int32
		scvtf, fmul     = 0x4E21D800, 0x6E20DC00
	)
	w := k.w
	switch k.f.scales {
	case halfScales:
		for i := range k.parts() {
			w.op("FMOVQ %d(R10), F%d", 32*i, nTemp)
			k.word(fcvtl, "FCVTL V%d.S4, V%d.H4", nScale+2*i, nTemp, 0)
			k.word(fcvtl2, "FCVTL2 V%d.S4, V%d.H8", nScale+2*i+1, nTemp, 0)
		}
	case bfloatScales:
		w.op("FMOVQ (R10), F%d", nTemp)
		k.word(shll, "SHLL V%d.S4, V%d.H4, 16", nScale, nTemp, 0)
		k.word(shll2, "SHLL2 V%d.S4, V%d.H8, 16", nScale+1, nTemp, 0)
	case superScales:
		for i := range k.parts() {
			w.op("FMOVD %d(R10), F%d", 16*(i*k.f.groups+g), nTemp)
			k.word(widen8, "SSHLL V%d.H8, V%d.B8, 0", nTemp, nTemp, 0)
			k.word(widen16, "SSHLL V%d.S4, V%d.H4, 0", nScale+2*i, nTemp, 0)
			k.word(widen2, "SSHLL2 V%d.S4, V%d.H8, 0", nScale+2*i+1, nTemp, 0)
			w.op("FMOVQ %d(R9), F%d", 32*i, nTemp)
			k.word(fcvtl, "FCVTL V%d.S4, V%d.H4", nRecord, nTemp, 0)
			k.word(fcvtl2, "FCVTL2 V%d.S4, V%d.H8", nWord, nTemp, 0)
			for j := range 2 {
				k.word(scvtf, "SCVTF V%d.S4, V%d.S4", nScale+2*i+j, nScale+2*i+j, 0)
				k.word(fmul, "FMUL V%d.S4, V%d.S4, V%d.S4", nScale+2*i+j, nScale+2*i+j, nRecord+j)
			}
		}
	}
}

// finish adds the integer sums of a group to those of rows.
func (k *nkernel) finish(g int) {
	const scvtf, fmulLane, fmlaLane, fmlsLane = 0x4E21D800, 0x4F809000, 0x4F801000, 0x4F805000
	w := k.w
	k.scale(g)
	for r := range k.rows {
		w.op("FMOVQ %d(R%d), F%d", recordD, r, nRecord)
		if !k.f.mins && !k.signed() {
			w.op("VDUP V%d.S[%d], V%d.S4", nRecord, 1+g, nWord)
		}
		for j := range 2 {
			sum, whole := 2*r+j, nSums+2*r+j
			if !k.f.mins && !k.signed() {
				w.op("VADD V%d.S4, V%[2]d.S4, V%[2]d.S4", nWord, whole)
			}
			k.word(scvtf, "SCVTF V%d.S4, V%d.S4", whole, whole, 0)
			k.lane(fmulLane, "FMUL V%d.S4, V%d.S4, V%d.S", nTemp+j, nScale+j, nRecord, 0)
			w.op("VFMLA V%d.S4, V%d.S4, V%d.S4", nTemp+j, whole, sum)
			switch {
			case k.f.mins && k.f.subtract:
				k.lane(fmlsLane, "FMLS V%d.S4, V%d.S4, V%d.S", sum, nMin+j, nRecord, 1+g)
			case k.f.mins:
				k.lane(fmlaLane, "FMLA V%d.S4, V%d.S4, V%d.S", sum, nMin+j, nRecord, 1+g)
			}
		}
	}
}

// half writes the kernel of some rows on half of a tile.
func (k *nkernel) half() {
	const sdot = 0x4F80E000
	w, f := k.w, k.f
	w.text("\n// func half%sR%d%s", f.id, k.rows, halfSig)
	w.text("TEXT ·half%sR%d(SB), NOSPLIT, $0-64", f.id, k.rows)
	w.op("MOVD blocks+0(FP), R12")
	w.op("MOVD scales+8(FP), R10")
	w.op("MOVD quants+16(FP), R11")
	w.op("MOVD x+24(FP), R0")
	w.op("MOVD xs+32(FP), R4")
	for r := 1; r < k.rows; r++ {
		w.op("ADD R4, R%d, R%d", r-1, r)
	}
	k.constants()
	w.op("MOVD half+56(FP), R4")
	w.op("ADD R4<<5, R11, R11")
	w.op("LSL $3, R4, R4")
	w.op("ADD R4, R10, R10")
	scales := 32 * k.parts()
	if f.scales == superScales {
		scales = 16 * f.groups * k.parts()
	} else {
		w.op("ADD R4, R10, R10")
	}
	w.zero(0, 2*k.rows)
	if f.scales == superScales {
		w.label("super")
		w.op("ADD R4, R10, R9")
		w.op("ADD $%d, R10", 32*k.parts())
		w.op("MOVD $8, R13")
	}
	w.label("block")
	each := 8 / f.groups
	for g := range 8 {
		if g%each == 0 {
			w.zero(nSums, nSums+2*k.rows)
		}
		if g%4 == 0 {
			for r := range k.rows {
				w.op("FMOVQ %d(R%d), F%d", 4*g, r, nX+r)
			}
		}
		k.unpack(g)
		for r := range k.rows {
			for j := range 2 {
				k.lane(sdot, "SDOT V%d.S4, V%d.B16, V%d.B4", nSums+2*r+j, nQuant+j, nX+r, g%4)
			}
		}
		if g%each == each-1 {
			k.finish(g / each)
		}
	}
	w.op("ADD $%d, R10", scales)
	w.op("ADD $%d, R11", 64*f.bits)
	for r := range k.rows {
		w.op("ADD $%d, R%d", recordSize, r)
	}
	if f.scales == superScales {
		w.op("SUBS $1, R13")
		w.op("BNE block")
		w.op("SUBS $8, R12")
		w.op("BGT super")
	} else {
		w.op("SUBS $1, R12")
		w.op("BNE block")
	}
	w.op("MOVD y+40(FP), R0")
	w.op("MOVD ys+48(FP), R1")
	for r := range k.rows {
		w.op("VST1 [V%d.S4, V%d.S4], (R0)", 2*r, 2*r+1)
		if r < k.rows-1 {
			w.op("ADD R1, R0")
		}
	}
	w.op("RET")
}

// qmmNEON adds the files of quantized products on arm64.
func qmmNEON(files map[string]string) {
	stubs := newGoFile("arm64", "qmm")
	for _, f := range quantizedFormats {
		if !f.blocks() {
			continue
		}
		w := newAssembly("arm64")
		if f.table != nil {
			byteTable(w, "signed"+f.id, f.table, f.offset)
		}
		for _, rows := range dotRows {
			k := nkernel{w: w, f: f, rows: rows}
			k.half()
			stubs.text("//go:noescape\nfunc half%sR%d%s\n", f.id, rows, halfSig)
		}
		stubs.text("var kernels%[1]s = kernels{half: [3]halfKernel{half%[1]sR1, half%[1]sR2, half%[1]sR4}}\n", f.id)
		files["half_"+strings.ToLower(f.id)+"_neon_gen_arm64.s"] = w.b.String()
	}
	files["stubs_gen_arm64.go"] = stubs.formatted()
}
