package asmgen

import "fmt"

// Kernels of package qmm, whose doc.go says how tiles and activations are laid out.

// scaleKind is what the scales of a tile are.
type scaleKind int

const (
	halfScales scaleKind = iota
	bfloatScales
	superScales
	floatScales
)

// quantized is a format of tiles.
type quantized struct {
	id       string
	bits     int
	groups   int // with a scale each, in 32 elements
	scales   scaleKind
	mins     bool
	subtract bool
	offset   int
	table    []byte // nil: quants are numbers
	short    bool   // there are no kernels of AVX-512
}

// blocks reports whether it is a format of blocks: MLX's groups are not, and are packed in Go.
func (f quantized) blocks() bool { return f.scales != floatScales }

var (
	nonlinear = []byte{1, 24, 45, 63, 79, 93, 106, 118, 129, 141, 153, 166, 181, 197, 217, 241}
	fractions = []byte{12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0}

	quantizedFormats = []quantized{
		{id: "Q80", bits: 8, groups: 1, offset: 128},
		{id: "Q40", bits: 4, groups: 1, offset: 8},
		{id: "Q41", bits: 4, groups: 1, mins: true},
		{id: "Q50", bits: 5, groups: 1, offset: 16},
		{id: "Q51", bits: 5, groups: 1, mins: true},
		{id: "Q4K", bits: 4, groups: 1, scales: superScales, mins: true, subtract: true},
		{id: "Q5K", bits: 5, groups: 1, scales: superScales, mins: true, subtract: true},
		{id: "Q6K", bits: 6, groups: 2, scales: superScales, offset: 32},
		{id: "Q2K", bits: 2, groups: 2, scales: superScales, mins: true, subtract: true},
		{id: "Q3K", bits: 3, groups: 2, scales: superScales, offset: 4},
		{id: "IQ4NL", bits: 4, groups: 1, offset: 128, table: nonlinear},
		{id: "IQ4XS", bits: 4, groups: 1, scales: superScales, offset: 128, table: nonlinear},
		{id: "MXFP4", bits: 4, groups: 1, scales: bfloatScales, offset: 12, table: fractions},
		{id: "A4", bits: 4, groups: 1, scales: floatScales, mins: true},
		{id: "A8", bits: 8, groups: 1, scales: floatScales, mins: true},
		{id: "A2", bits: 2, groups: 1, scales: floatScales, mins: true, short: true},
		{id: "A3", bits: 3, groups: 1, scales: floatScales, mins: true, short: true},
		{id: "A5", bits: 5, groups: 1, scales: floatScales, mins: true, short: true},
		{id: "A6", bits: 6, groups: 1, scales: floatScales, mins: true, short: true},
	}
)

const (
	fewSig      = "(blocks int, scales, quants, x *byte, xs int, y *float32, ys int)"
	unpackSig   = "(blocks int, scales, quants, dst *byte)"
	expandSig   = "(blocks int, scales, quants *byte, dst *float32, ds int)"
	manySig     = "(blocks int, panel, x *byte, xs int, y *float32, ys int, add bool)"
	quantSig    = "(blocks int, dst *byte, x *float32, offset, groups int)"
	recordSize  = 48
	recordD     = 32       // the scale in a record
	recordSums  = 36       // what is added for the groups
	tileAhead   = 128 * 64 // bytes ahead that quants are fetched
	scalesAhead = 640      // and scales of a long tile
	longTile    = 64 << 10 // bytes
)

var fewRows = []int{1, 2, 4, 8}

// qkernel is a kernel being written. Vector registers: sums of rows from Z0, integer sums from Z8, then those named below. AX is
// x, BX its row stride with multiples by rowRegs, R10 scales, R11 quants, R12 blocks left.
type qkernel struct {
	w    *asm
	f    quantized
	rows int
	raw  int // the vector of quants in zRaw; -1: none
}

const (
	zScale = 16 + iota
	zMin
	zHead // of 256 elements
	zHeadMin
	zMask // of the low bits
	zHigh // mask of the high bits
	zTable
	zRaw
	zBits // high bits
	zQuant
	zTemp
)

func (k *qkernel) parts() int {
	if k.f.mins {
		return 2
	}
	return 1
}

// constants sets the masks and the table.
func (k *qkernel) constants() {
	set := func(z, b int) {
		k.w.op("MOVL $0x%02[1]x%02[1]x%02[1]x%02[1]x, R13", b)
		k.w.op("VPBROADCASTD R13, Z%d", z)
	}
	switch k.f.bits {
	case 4:
		set(zMask, 15)
	case 5:
		set(zMask, 15)
		set(zHigh, 16)
	case 6:
		set(zMask, 15)
		set(zHigh, 48)
	case 2:
		set(zMask, 3)
	case 3:
		set(zMask, 3)
		set(zHigh, 4)
	}
	if k.f.table != nil {
		k.w.op("VBROADCASTI32X4 table%s<>(SB), Z%d", k.f.id, zTable)
	}
}

// order is the order in which groups of four are unpacked: those that share a vector after each other; of six bits those that share high
// ones.
func (k *qkernel) order() []int {
	if k.f.groups == 1 && (k.f.bits == 4 || k.f.bits == 5) {
		return []int{0, 4, 1, 5, 2, 6, 3, 7}
	}
	return []int{0, 1, 2, 3, 4, 5, 6, 7}
}

// load brings a vector of quants to zRaw.
func (k *qkernel) load(v int) {
	if k.raw != v {
		k.w.op("VMOVDQU64 %d(R11), Z%d", 64*v, zRaw)
		k.raw = v
	}
}

// addBits ors bits of zBits, after a shift to the left by some, to the quants.
func (k *qkernel) addBits(left int) {
	from := zBits
	if left != 0 {
		from = zTemp
		if left > 0 {
			k.w.op("VPSLLW $%d, Z%d, Z%d", left, zBits, zTemp)
		} else {
			k.w.op("VPSRLW $%d, Z%d, Z%d", -left, zBits, zTemp)
		}
	}
	k.w.op("VPTERNLOGD $0xf8, Z%d, Z%d, Z%d", zHigh, from, zQuant)
}

// unpack brings the quants of group g of four to zQuant.
func (k *qkernel) unpack(g int) {
	w := k.w
	masked := func(shift int) {
		from := zRaw
		if shift > 0 {
			w.op("VPSRLW $%d, Z%d, Z%d", shift, zRaw, zQuant)
			from = zQuant
		}
		w.op("VPANDD Z%d, Z%d, Z%d", zMask, from, zQuant)
	}
	switch b := k.f.bits; {
	case b == 8:
		w.op("VMOVDQU64 %d(R11), Z%d", 64*g, zQuant)
	case b < 4:
		k.load(g / 4)
		masked(g % 4 * 2)
		if b == 3 {
			k.addBits(2 - g)
		}
	default:
		v, shift := g%4, g/4*4
		if k.f.groups == 2 {
			v, shift = g/2, g%2*4
		}
		k.load(v)
		masked(shift)
		if b == 5 {
			k.addBits(4 - g)
		}
		if b == 6 {
			k.addBits(4 - g%4*2)
		}
	}
	if k.f.table != nil {
		w.op("VPSHUFB Z%d, Z%d, Z%d", zQuant, zTable, zQuant)
	}
}

// bits loads the vector of high bits that group g needs, where it is a new one.
func (k *qkernel) bits(g int) {
	switch {
	case k.f.bits == 5 && g == 0:
		k.w.op("VMOVDQU64 256(R11), Z%d", zBits)
	case k.f.bits == 3 && g == 0:
		k.w.op("VMOVDQU64 128(R11), Z%d", zBits)
	case k.f.bits == 6 && g%4 == 0:
		k.w.op("VMOVDQU64 %d(R11), Z%d", 256+64*(g/4), zBits)
	}
}

// head loads the scales of 256 elements.
func (k *qkernel) head() {
	k.w.op("VCVTPH2PS (R10), Z%d", zHead)
	if k.f.mins {
		k.w.op("VCVTPH2PS 32(R10), Z%d", zHeadMin)
	}
	k.w.op("ADDQ $%d, R10", 32*k.parts())
}

// scale brings the scales, and minima, of a group to zScale and zMin.
func (k *qkernel) scale(g int) {
	w := k.w
	switch k.f.scales {
	case halfScales:
		w.op("VCVTPH2PS (R10), Z%d", zScale)
		if k.f.mins {
			w.op("VCVTPH2PS 32(R10), Z%d", zMin)
		}
	case floatScales:
		w.op("VMOVUPS (R10), Z%d", zScale)
		w.op("VMOVUPS 64(R10), Z%d", zMin)
	case bfloatScales:
		w.op("VPMOVZXWD (R10), Z%d", zScale)
		w.op("VPSLLD $16, Z%[1]d, Z%[1]d", zScale)
	case superScales:
		for i, z := range []int{zScale, zMin}[:k.parts()] {
			w.op("VPMOVSXBD %d(R10), Z%d", 16*(i*k.f.groups+g), z)
			w.op("VCVTDQ2PS Z%[1]d, Z%[1]d", z)
			w.op("VMULPS Z%d, Z%d, Z%d", []int{zHead, zHeadMin}[i], z, z)
		}
	}
}

// blockScales is how many bytes of scales and minima a block of 32 has.
func (k *qkernel) blockScales() int {
	switch k.f.scales {
	case superScales:
		return 16 * k.f.groups * k.parts()
	case floatScales:
		return 64 * k.parts()
	}
	return 32 * k.parts()
}

// Tiles are fetched as memory, from first to last and through the tile that follows, so that no line is left out: as many bytes as a block
// has with its scales, DI being where in the tile they would be if those were together, and R8 its end. But scales come before quants, so
// that of a long tile the last ones would have left L1 when they are read. Those are fetched where they are read, quants from DI and scales
// from R8 on; each goes on in the tile that follows, at R14, whose quants begin at R15, when it is through with its part of this one.

// fetchesApart reports whether the kernel can fetch long tiles so: for more rows there are no registers, and lines go to L2.
func (k *qkernel) fetchesApart() bool { return k.rows <= 2 }

// fetchBegin sets the addresses. CX and DX are the steps, R9 is where the scales end.
func (k *qkernel) fetchBegin() {
	w := k.w
	quants, all := 64*k.f.bits, 64*k.f.bits+k.scaleStep()
	w.op("LEAQ %d(R10), DI", tileAhead)
	if !k.fetchesApart() {
		return
	}
	w.op("LEAQ %d(DI), R8", quants)
	w.op("MOVQ $%d, CX", all)
	w.op("MOVQ CX, DX")
	w.op("XORQ R9, R9 // an end that is not reached")
	w.op("XORQ R14, R14")
	w.op("CMPQ R12, $%d", longTile/all)
	w.op("JLT short")
	w.op("MOVQ $%d, CX", quants)
	w.op("MOVQ $%d, DX", k.scaleStep())
	w.op("MOVQ R11, R9")
	w.op("IMUL3Q $%d, R12, R14", quants)
	w.op("ADDQ R11, R14")
	w.op("MOVQ R14, R15")
	w.op("ADDQ R11, R15")
	w.op("SUBQ R10, R15")
	w.op("LEAQ %d(R11), DI", steps(tileAhead, quants))
	w.op("LEAQ %d(R10), R8", steps(scalesAhead, k.scaleStep()))
	w.label("short")
}

// steps is some bytes as whole steps, so that an end is met.
func steps(bytes, step int) int { return (bytes + step - 1) / step * step }

// scaleStep is how many bytes of scales a block has, with its share of what 256 elements have.
func (k *qkernel) scaleStep() int {
	if k.f.scales == superScales {
		return k.blockScales() + 4*k.parts()
	}
	return k.blockScales()
}

// fetch asks for as much as a block has.
func (k *qkernel) fetch() {
	hint := "T0"
	if k.rows == 1 {
		hint = "NTA" // it is not read again: it need not go to L2
	}
	w := k.w
	quants, scales := 64*k.f.bits, k.scaleStep()
	if !k.fetchesApart() {
		for from := 0; from < quants+scales; from += 64 {
			w.op("PREFETCH%s %d(DI)", hint, from)
		}
		w.op("ADDQ $%d, DI", quants+scales)
		return
	}
	w.op("CMPQ DI, R14")
	w.op("CMOVQEQ R15, DI")
	w.op("CMPQ R8, R9")
	w.op("CMOVQEQ R14, R8")
	for from := 0; from < quants; from += 64 {
		w.op("PREFETCH%s %d(DI)", hint, from)
	}
	for from := 0; from < scales; from += 64 {
		w.op("PREFETCH%s %d(R8)", hint, from)
	}
	w.op("ADDQ CX, DI")
	w.op("ADDQ DX, R8")
}

// advance moves to the next block.
func (k *qkernel) advance() {
	k.w.op("ADDQ $%d, R10", k.blockScales())
	k.w.op("ADDQ $%d, R11", 64*k.f.bits)
	k.raw = -1
}

// loop writes body for each block; those of K formats in groups of eight.
func (k *qkernel) loop(body func()) {
	w := k.w
	w.op("PCALIGN $64")
	if k.f.scales == superScales {
		w.label("super")
		k.head()
		w.op("MOVQ $8, R13")
	}
	w.label("block")
	body()
	if k.f.scales == superScales {
		w.op("SUBQ $1, R13")
		w.op("JNE block")
		w.op("SUBQ $8, R12")
		w.op("JGT super")
		return
	}
	w.op("SUBQ $1, R12")
	w.op("JNE block")
}

func at(offset int, row string) string {
	if offset == 0 {
		return row
	}
	return fmt.Sprintf("%d%s", offset, row)
}

// few writes the kernel of some rows on a tile.
func (k *qkernel) few() {
	w, f := k.w, k.f
	w.text("\n// func few%sR%d%s", f.id, k.rows, fewSig)
	w.text("TEXT ·few%sR%d(SB), NOSPLIT, $0-56", f.id, k.rows)
	w.op("MOVQ blocks+0(FP), R12")
	w.op("MOVQ scales+8(FP), R10")
	w.op("MOVQ quants+16(FP), R11")
	k.fetchBegin()
	w.op("MOVQ x+24(FP), AX")
	w.op("MOVQ xs+32(FP), BX")
	multiples(w, k.rows)
	k.constants()
	for r := range k.rows {
		avx512.clear(w, r)
	}
	k.raw = -1
	k.loop(func() {
		k.fetch()
		each := 8 / f.groups
		for i, g := range k.order() {
			if i%each == 0 {
				k.start(i / each)
			}
			k.bits(i)
			k.unpack(g)
			for r := range k.rows {
				w.op("VPDPBUSD.BCST %s, Z%d, Z%d", at(4*g, rowAddr(r)), zQuant, 8+r)
			}
			if i%each == each-1 {
				k.finish(i / each)
			}
		}
		k.advance()
		w.op("ADDQ $%d, AX", recordSize)
	})
	storeRows(w, "Z", k.rows)
}

// storeRows ends a kernel: register r of a kind, Y or Z, has the sums of row r of y.
func storeRows(w *asm, kind string, rows int) {
	w.op("MOVQ y+40(FP), DI")
	w.op("MOVQ ys+48(FP), R8")
	for r := range rows {
		w.op("VMOVUPS %s%d, (DI)", kind, r)
		if r < rows-1 {
			w.op("ADDQ R8, DI")
		}
	}
	w.op("VZEROUPPER")
	w.op("RET")
}

// start gives the integer sums of a group their first value.
func (k *qkernel) start(g int) {
	for r := range k.rows {
		if k.f.mins {
			avx512.clear(k.w, 8+r)
		} else {
			k.w.op("VPBROADCASTD %s, Z%d", at(recordSums+4*g, rowAddr(r)), 8+r)
		}
	}
}

// finish adds the integer sums of a group to those of rows.
func (k *qkernel) finish(g int) {
	w := k.w
	k.scale(g)
	add := "VFMADD231PS"
	if k.f.subtract {
		add = "VFNMADD231PS"
	}
	for r := range k.rows {
		w.op("VCVTDQ2PS Z%[1]d, Z%[1]d", 8+r)
		w.op("VMULPS.BCST %s, Z%d, Z%d", at(recordD, rowAddr(r)), zScale, zTemp)
		w.op("VFMADD231PS Z%d, Z%d, Z%d", 8+r, zTemp, r)
		if k.f.mins {
			w.op("%s.BCST %s, Z%d, Z%d", add, at(recordSums+4*g, rowAddr(r)), zMin, r)
		}
	}
}

// panelUnpack writes the kernel that fills one tile's half of a panel: scales, minima to be added, quants as bytes.
func (k *qkernel) panelUnpack() {
	w, f := k.w, k.f
	w.text("\n// func unpack%s%s", f.id, unpackSig)
	w.text("TEXT ·unpack%s(SB), NOSPLIT, $0-32", f.id)
	w.op("MOVQ blocks+0(FP), R12")
	w.op("MOVQ scales+8(FP), R10")
	w.op("MOVQ quants+16(FP), R11")
	w.op("MOVQ dst+24(FP), DI")
	k.constants()
	avx512.clear(w, 0)
	k.raw = -1
	k.loop(func() {
		for g := range f.groups {
			k.scale(g)
			w.op("VMOVUPS Z%d, %d(DI)", zScale, 128*g)
			if f.mins {
				if f.subtract {
					w.op("VSUBPS Z%[1]d, Z0, Z%[1]d", zMin)
				}
				w.op("VMOVUPS Z%d, %d(DI)", zMin, 128*(f.groups+g))
			}
		}
		for i, g := range k.order() {
			k.bits(i)
			k.unpack(g)
			w.op("VMOVDQU64 Z%d, %d(DI)", zQuant, 128*(f.groups*k.parts()+g))
		}
		k.advance()
		w.op("ADDQ $%d, DI", 128*(8+f.groups*k.parts()))
	})
	w.op("VZEROUPPER")
	w.op("RET")
}
