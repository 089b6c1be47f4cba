package asmgen

// One row of activations with a whole tile: the next token of a text. Half by half, memory would wait while the second half is computed
// from the cache. Registers are those of half of a tile: sums Y0 and Y1, integer sums Y4 and Y5, and
const (
	yDelta = 2 // scale of the activations
	yRaw2  = 3 // of the second half
	yX     = 6 // four activations, in all lanes
)

// wkernel is a kernel on a whole tile being written.
type wkernel struct {
	hkernel
	raws [2]int // vector of quants in yRaw and yRaw2; -1: none
}

// whole writes the kernel.
func (k *wkernel) whole() {
	w, f := k.w, k.f
	w.text("\n// func whole%s%s", f.id, halfSig)
	w.text("TEXT ·whole%s(SB), NOSPLIT, $0-64", f.id)
	w.op("MOVQ blocks+0(FP), R12")
	w.op("MOVQ scales+8(FP), R10")
	w.op("MOVQ quants+16(FP), R11")
	w.op("MOVQ x+24(FP), AX")
	k.constants()
	avx2.clear(w, 0)
	avx2.clear(w, 1)
	k.raws = [2]int{-1, -1}
	k.loop(k.start, func(q int) {
		w.op("VPBROADCASTD %s, Y%d", at(4*q, rowAddr(0)), yX)
		for h := range 2 {
			k.unpack(q, h)
			k.multiply(h)
		}
	}, k.finish)
	w.op("MOVQ y+40(FP), DI")
	w.op("VMOVUPS Y0, (DI)")
	w.op("VMOVUPS Y1, 32(DI)")
	w.op("VZEROUPPER")
	w.op("RET")
}

// start gives the integer sums of a group their first value.
func (k *wkernel) start(g int) {
	for h := range 2 {
		if b := begins(g, k.f.mins, k.f.signed(), k.f.lifted()); b > 0 {
			k.w.op("VPBROADCASTD %s, Y%d", at(b, rowAddr(0)), 4+h)
			continue
		}
		avx2.clear(k.w, 4+h)
	}
}

// unpack brings four quants of each row of a half to yQuant.
func (k *wkernel) unpack(q, h int) {
	k.hkernel.raw, k.rawReg, k.halfAt = k.raws[h], []int{yRaw, yRaw2}[h], 32*h
	k.hkernel.unpack(q)
	k.raws[h] = k.hkernel.raw
}

// multiply adds their products.
func (k *wkernel) multiply(h int) {
	w := k.w
	if k.f.signed() {
		w.op("VPABSB Y%d, Y%d", yQuant, yBits)
		w.op("VPSIGNB Y%d, Y%d, Y%d", yQuant, yX, yTemp)
		w.op("VPMADDUBSW Y%d, Y%d, Y%d", yTemp, yBits, yTemp)
	} else {
		w.op("VPMADDUBSW Y%d, Y%d, Y%d", yX, yQuant, yTemp)
	}
	if k.f.long() {
		w.op("VPMADDWD Y%d, Y%d, Y%d", yOnes, yTemp, yTemp)
		w.op("VPADDD Y%d, Y%d, Y%d", yTemp, 4+h, 4+h)
		return
	}
	w.op("VPADDW Y%d, Y%d, Y%d", yTemp, 4+h, 4+h)
}

// finish adds the integer sums of a group to those of rows.
func (k *wkernel) finish(g int) {
	w := k.w
	w.op("VBROADCASTSS %s, Y%d", at(recordD, rowAddr(0)), yDelta)
	add := "VFMADD231PS"
	if k.f.subtract {
		add = "VFNMADD231PS"
	}
	for h := range 2 {
		k.scale(g, h)
		if !k.f.long() {
			w.op("VPMADDWD Y%d, Y%d, Y%d", yOnes, 4+h, 4+h)
		}
		raise(w, k.f.lifted(), k.f.raised(), 0, yTemp, 4+h)
		w.op("VCVTDQ2PS Y%[1]d, Y%[1]d", 4+h)
		w.op("VMULPS Y%d, Y%d, Y%d", yDelta, yQuant, yTemp)
		w.op("VFMADD231PS Y%d, Y%d, Y%d", 4+h, yTemp, h)
		if k.f.mins {
			w.op("VBROADCASTSS %s, Y%d", at(recordSums+4*g, rowAddr(0)), yTemp)
			w.op("%s Y%d, Y%d, Y%d", add, yTemp, yRaw, h)
		}
	}
	k.raws = [2]int{-1, -1}
}

// scale brings the scales of a half to yQuant and its minima to yRaw.
func (k *wkernel) scale(g, h int) {
	w := k.w
	switch k.f.scales {
	case halfScales:
		w.op("VCVTPH2PS %s, Y%d", at(16*h, "(R10)"), yQuant)
		if k.f.mins {
			w.op("VCVTPH2PS %s, Y%d", at(32+16*h, "(R10)"), yRaw)
		}
	case floatScales:
		w.op("VMOVUPS %s, Y%d", at(32*h, "(R10)"), yQuant)
		w.op("VMOVUPS %s, Y%d", at(64+32*h, "(R10)"), yRaw)
	case bfloatScales:
		w.op("VPMOVZXWD %s, Y%d", at(16*h, "(R10)"), yQuant)
		w.op("VPSLLD $16, Y%[1]d, Y%[1]d", yQuant)
	case superScales:
		for i, y := range []int{yQuant, yRaw}[:k.parts()] {
			w.op("VPMOVSXBD %s, Y%d", at(16*(i*k.f.groups+g)+8*h, "(R10)"), y)
			w.op("VCVTDQ2PS Y%[1]d, Y%[1]d", y)
			w.op("VCVTPH2PS %s, Y%d", at(32*i+16*h, "(R9)"), yTemp)
			w.op("VMULPS Y%d, Y%d, Y%d", yTemp, y, y)
		}
	}
}
