package asmgen

// expand writes the kernel that gives the float32 values of a tile, an element of 16 rows after the other: DI dst, R8 the bytes
// from one to the next. Registers: Z0 the mask of a byte, Z1 the offset, Z2-Z5 values.
func (k *qkernel) expand() {
	w, f := k.w, k.f
	w.text("\n// func expand%s%s", f.id, expandSig)
	w.text("TEXT ·expand%s(SB), NOSPLIT, $0-40", f.id)
	w.op("MOVQ blocks+0(FP), R12")
	w.op("MOVQ scales+8(FP), R10")
	w.op("MOVQ quants+16(FP), R11")
	w.op("MOVQ dst+24(FP), DI")
	w.op("MOVQ ds+32(FP), R8")
	w.op("SHLQ $2, R8")
	w.op("LEAQ (R8)(R8*2), R9 // three elements")
	w.op("MOVL $255, AX")
	w.op("VPBROADCASTD AX, Z0")
	if f.offset != 0 {
		w.op("MOVL $%d, AX", f.offset)
		w.op("VPBROADCASTD AX, Z1")
	}
	k.constants()
	k.raw = -1
	k.loop(func() {
		each := 8 / f.groups
		for g := range 8 { // in the order of elements
			if g%each == 0 {
				k.scale(g / each)
			}
			k.bits(g)
			k.unpack(g)
			k.expandFour()
			w.op("LEAQ (DI)(R8*4), DI")
		}
		k.advance()
	})
	w.op("VZEROUPPER")
	w.op("RET")
}

// expandFour writes the values of four elements.
func (k *qkernel) expandFour() {
	w := k.w
	for i, to := range []string{"(DI)", "(DI)(R8*1)", "(DI)(R8*2)", "(DI)(R9*1)"} {
		z, from := 2+i, zQuant
		if i > 0 {
			w.op("VPSRLD $%d, Z%d, Z%d", 8*i, zQuant, z)
			from = z
		}
		if i < 3 {
			w.op("VPANDD Z0, Z%d, Z%d", from, z)
		}
		if k.f.offset != 0 {
			w.op("VPSUBD Z1, Z%[1]d, Z%[1]d", z)
		}
		w.op("VCVTDQ2PS Z%[1]d, Z%[1]d", z)
		w.op("VMULPS Z%d, Z%d, Z%d", zScale, z, z)
		if k.f.mins {
			add := "VADDPS"
			if k.f.subtract {
				add = "VSUBPS"
			}
			w.op("%s Z%d, Z%d, Z%d", add, zMin, z, z)
		}
		w.op("VMOVUPS Z%d, %s", z, to)
	}
}
