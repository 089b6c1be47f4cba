package asmgen

// The kernels of AVX2 take half of a tile: eight rows of weights. VPMADDUBSW adds two products of an unsigned and a signed byte to 16
// bits, which saturate: quants of up to six bits stay below that. Others are taken as signed numbers: their magnitude, and the
// activation with their sign.
//
// Sums of a whole group stay in 16 bits: with the offset of the format taken off, they fit, and what wraps on the way there comes
// back. So sums begin with minus the offset times the activations that a lane has: records have it. Five bits with minima have no
// offset: 16 is taken off in 16 bits, and added again in 32. Six bits with one scale for 32 elements do not fit and are added in 32 bits.
// Eight bits with minima are signed, and 128 times the activations are added again.

const halfSig = "(blocks int, scales, quants, x *byte, xs int, y *float32, ys, half int)"

var (
	halfRows = []int{2, 4}
	dotRows  = []int{1, 2, 4} // of NEON
)

const ( // registers: sums of rows from Y0, integer sums from Y4
	yMask  = 8 // of the low bits; of eight bits, the sign
	yHigh  = 9 // mask of the high bits, or the table
	yOnes  = 10
	yRaw   = 11 // and minima
	yQuant = 12 // and scales
	yBits  = 13 // or magnitudes
	yTemp  = 14
	yMore  = 15
)

// hkernel is a kernel being written: as qkernel, with DX and SI 8 and 16 for the second half, R9 scales of 256 elements.
type hkernel struct {
	qkernel
	rawReg int // register of quants as they are stored
	halfAt int // where in a vector of quants the half begins; 0 where R11 says that
}

// signed: quants need all of a byte.
func (f quantized) signed() bool { return f.offset == 128 || f.bits == 8 }

// raised: what a sign takes off is added again, as the format has no offset.
func (f quantized) raised() bool { return f.signed() && f.mins }

// long: sums of a group need 32 bits.
func (f quantized) long() bool { return f.signed() || f.bits == 6 && f.groups == 1 }

// lifted: the sums of a group fit into 16 bits with 16 taken off.
func (f quantized) lifted() bool { return f.bits == 5 && f.mins }

const (
	recordLift  = recordSums + 4 // what lifted sums begin with
	recordLower = recordSums + 8 // what is added to them in the end
)

// begins is where a record has what the sums of group g begin with; 0: nowhere, with zero.
func begins(g int, mins, signed, lifted bool) int {
	switch {
	case lifted:
		return recordLift
	case mins || signed:
		return 0
	}
	return recordSums + 4*g
}

func (k *hkernel) constants() {
	w := k.w
	set := func(y, b int) {
		w.op("MOVL $0x%02[1]x%02[1]x%02[1]x%02[1]x, R13", b)
		w.op("VMOVD R13, X%d", y)
		w.op("VPBROADCASTD X%d, Y%d", y, y)
	}
	masks := map[int][2]int{2: {3, 0}, 3: {3, 4}, 4: {15, 0}, 5: {15, 16}, 6: {15, 48}, 8: {128, 0}}[k.f.bits]
	set(yMask, masks[0])
	if masks[1] != 0 {
		set(yHigh, masks[1])
	}
	if k.f.table != nil {
		w.op("VBROADCASTI128 levels%s<>(SB), Y%d", k.f.id, yHigh)
	}
	w.op("VPCMPEQW Y%[1]d, Y%[1]d, Y%[1]d", yOnes)
	w.op("VPSRLW $15, Y%[1]d, Y%[1]d", yOnes)
}

// unpack brings group g of four to yQuant.
func (k *hkernel) unpack(g int) {
	w := k.w
	masked := func(v, shift int) {
		if k.raw != v {
			w.op("VMOVDQU %d(R11), Y%d", 64*v+k.halfAt, k.rawReg)
			k.raw = v
		}
		from := k.rawReg
		if shift > 0 {
			w.op("VPSRLW $%d, Y%d, Y%d", shift, k.rawReg, yQuant)
			from = yQuant
		}
		w.op("VPAND Y%d, Y%d, Y%d", yMask, from, yQuant)
	}
	high := func(v, left int) {
		switch {
		case left > 0:
			w.op("VMOVDQU %d(R11), Y%d", 64*v+k.halfAt, yTemp)
			w.op("VPSLLW $%d, Y%d, Y%d", left, yTemp, yTemp)
		case left < 0:
			w.op("VMOVDQU %d(R11), Y%d", 64*v+k.halfAt, yTemp)
			w.op("VPSRLW $%d, Y%d, Y%d", -left, yTemp, yTemp)
		default:
			w.op("VMOVDQU %d(R11), Y%d", 64*v+k.halfAt, yTemp)
		}
		w.op("VPAND Y%d, Y%d, Y%d", yHigh, yTemp, yTemp)
		w.op("VPOR Y%d, Y%d, Y%d", yTemp, yQuant, yQuant)
	}
	v, shift := g%4, g/4*4
	if k.f.groups == 2 {
		v, shift = g/2, g%2*4
	}
	switch k.f.bits {
	case 8:
		w.op("VPXOR %d(R11), Y%d, Y%d", 64*g+k.halfAt, yMask, yQuant)
	case 2:
		masked(g/4, g%4*2)
	case 3:
		masked(g/4, g%4*2)
		high(2, 2-g)
	case 4:
		masked(v, shift)
	case 5:
		masked(v, shift)
		high(4, 4-g)
	case 6:
		masked(v, shift)
		high(4+g/4, 4-g%4*2)
	}
	if k.f.table != nil {
		w.op("VPSHUFB Y%d, Y%d, Y%d", yQuant, yHigh, yQuant)
	}
}

// multiply adds the products of four quants with all rows.
func (k *hkernel) multiply(q int) {
	w := k.w
	if k.f.signed() {
		w.op("VPABSB Y%d, Y%d", yQuant, yBits)
	}
	for r := range k.rows {
		t := yTemp + r%2
		w.op("VPBROADCASTD %s, Y%d", at(4*q, rowAddr(r)), t)
		if k.f.signed() {
			w.op("VPSIGNB Y%d, Y%d, Y%d", yQuant, t, t)
			w.op("VPMADDUBSW Y%d, Y%d, Y%d", t, yBits, t)
		} else {
			w.op("VPMADDUBSW Y%d, Y%d, Y%d", t, yQuant, t)
		}
		if k.f.long() {
			w.op("VPMADDWD Y%d, Y%d, Y%d", yOnes, t, t)
			w.op("VPADDD Y%d, Y%d, Y%d", t, 4+r, 4+r)
			continue
		}
		w.op("VPADDW Y%d, Y%d, Y%d", t, 4+r, 4+r)
	}
}

// start gives the integer sums of a group their first value.
func (k *hkernel) start(g int) {
	for r := range k.rows {
		if b := begins(g, k.f.mins, k.f.signed(), k.f.lifted()); b > 0 {
			k.w.op("VPBROADCASTD %s, Y%d", at(b, rowAddr(r)), 4+r)
			continue
		}
		avx2.clear(k.w, 4+r)
	}
}

// scale brings scales to yQuant and minima to yRaw.
func (k *hkernel) scale(g int) {
	w := k.w
	k.raw = -1
	switch k.f.scales {
	case halfScales:
		w.op("VCVTPH2PS (R10)(SI*1), Y%d", yQuant)
		if k.f.mins {
			w.op("VCVTPH2PS 32(R10)(SI*1), Y%d", yRaw)
		}
	case floatScales:
		w.op("VMOVUPS (R10)(SI*2), Y%d", yQuant)
		w.op("VMOVUPS 64(R10)(SI*2), Y%d", yRaw)
	case bfloatScales:
		w.op("VPMOVZXWD (R10)(SI*1), Y%d", yQuant)
		w.op("VPSLLD $16, Y%[1]d, Y%[1]d", yQuant)
	case superScales:
		for i, y := range []int{yQuant, yRaw}[:k.parts()] {
			w.op("VPMOVSXBD %d(R10)(DX*1), Y%d", 16*(i*k.f.groups+g), y)
			w.op("VCVTDQ2PS Y%[1]d, Y%[1]d", y)
			w.op("VCVTPH2PS %d(R9)(SI*1), Y%d", 32*i, yTemp)
			w.op("VMULPS Y%d, Y%d, Y%d", yTemp, y, y)
		}
	}
}

// finish adds the integer sums of a group to those of rows.
func (k *hkernel) finish(g int) {
	w := k.w
	k.scale(g)
	add := "VFMADD231PS"
	if k.f.subtract {
		add = "VFNMADD231PS"
	}
	for r := range k.rows {
		if !k.f.long() {
			w.op("VPMADDWD Y%d, Y%d, Y%d", yOnes, 4+r, 4+r)
		}
		raise(w, k.f.lifted(), k.f.raised(), r, yTemp, 4+r)
		w.op("VCVTDQ2PS Y%[1]d, Y%[1]d", 4+r)
		w.op("VBROADCASTSS %s, Y%d", at(recordD, rowAddr(r)), yTemp)
		w.op("VMULPS Y%d, Y%d, Y%d", yTemp, yQuant, yTemp)
		w.op("VFMADD231PS Y%d, Y%d, Y%d", 4+r, yTemp, r)
		if k.f.mins {
			w.op("VBROADCASTSS %s, Y%d", at(recordSums+4*g, rowAddr(r)), yTemp)
			w.op("%s Y%d, Y%d, Y%d", add, yTemp, yRaw, r)
		}
	}
}

// raise adds to the sums of row r what was taken off from quants, from its record.
func raise(w *asm, lifted, raised bool, r, temp int, sums ...int) {
	if !lifted && !raised {
		return
	}
	w.op("VPBROADCASTD %s, Y%d", at(recordLower, rowAddr(r)), temp)
	if raised {
		w.op("VPSLLD $7, Y%[1]d, Y%[1]d", temp)
	}
	for _, y := range sums {
		w.op("VPADDD Y%[1]d, Y%[2]d, Y%[2]d", temp, y)
	}
}

// fetchAhead is how many bytes ahead quants are fetched: the tiles of a matrix follow each other.
const fetchAhead = 3072

// fetch asks for the lines of a later block.
func (k *hkernel) fetch() {
	for i := range k.f.bits {
		k.w.op("PREFETCHT0 %d(R11)", fetchAhead+64*i)
	}
}

// half writes the kernel of some rows on half of a tile.
func (k *hkernel) half() {
	w, f := k.w, k.f
	w.text("\n// func half%sR%d%s", f.id, k.rows, halfSig)
	w.text("TEXT ·half%sR%d(SB), NOSPLIT, $0-64", f.id, k.rows)
	w.op("MOVQ blocks+0(FP), R12")
	w.op("MOVQ scales+8(FP), R10")
	w.op("MOVQ quants+16(FP), R11")
	w.op("MOVQ x+24(FP), AX")
	w.op("MOVQ xs+32(FP), BX")
	multiples(w, k.rows)
	w.op("MOVQ half+56(FP), DX")
	w.op("SHLQ $3, DX")
	w.op("LEAQ (DX)(DX*1), SI")
	w.op("LEAQ (R11)(DX*4), R11")
	k.constants()
	for r := range k.rows {
		avx2.clear(w, r)
	}
	k.raw = -1
	k.loop(k.start, func(q int) {
		k.unpack(q)
		k.multiply(q)
	}, k.finish)
	storeRows(w, "Y", k.rows)
}

// loop goes through the blocks of a tile; start and finish are of groups, each of four quants.
func (k *hkernel) loop(start, each, finish func(i int)) {
	w, f := k.w, k.f
	w.op("PCALIGN $64")
	if f.scales == superScales {
		w.label("super")
		w.op("MOVQ R10, R9")
		w.op("ADDQ $%d, R10", 32*k.parts())
		w.op("MOVQ $8, R13")
	}
	w.label("block")
	k.fetch()
	quants := 8 / f.groups
	for i, q := range k.order() {
		if i%quants == 0 {
			start(i / quants)
		}
		each(q)
		if i%quants == quants-1 {
			finish(i / quants)
		}
	}
	k.advance()
	w.op("ADDQ $%d, AX", recordSize)
	if f.scales == superScales {
		w.op("SUBQ $1, R13")
		w.op("JNE block")
		w.op("SUBQ $8, R12")
		w.op("JGT super")
	} else {
		w.op("SUBQ $1, R12")
		w.op("JNE block")
	}
}
