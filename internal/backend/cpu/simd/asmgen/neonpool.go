package main

// Pooling on arm64: the loop over rows and the tail of less than a vector are in Go. n is a multiple of four everywhere.

// indices puts the register base plus step times 0, 1, 2, 3 into register d, and step times 4 into inc; it uses R10.
func (a *neonText) indices(d, inc int, step, base string) {
	a.p("MOVD $0x0000000100000000, R10")
	a.p("VMOV R10, V%d.D[0]", d)
	a.p("MOVD $0x0000000300000002, R10")
	a.p("VMOV R10, V%d.D[1]", d)
	a.p("VDUP %s, V%d.S4", step, inc)
	a.word("MUL", d, d, inc)
	a.p("%s", neonShift("SHL", 4, inc, inc, 2))
	a.p("VDUP %s, V31.S4", base)
	a.word("ADD", d, d, 31)
}

// steps writes a loop for windows of stride 1 and one for stride 2.
func (a *neonText) steps(step string, body func(two bool), end func()) {
	a.p("CMP $1, %s", step)
	a.p("BNE two")
	for _, two := range []bool{false, true} {
		name := map[bool]string{false: "one", true: "two"}[two]
		a.label(name)
		body(two)
		end()
		a.p("BNE %s", name)
		a.p("RET")
	}
}

// window reads one element of four windows into V0, from reg on; stride 2 uses V1 too.
func (a *neonText) window(reg string, two bool) {
	if two {
		a.p("VLD2.P 32(%s), [V0.S4, V1.S4]", reg)
	} else {
		a.p("FMOVQ.P 16(%s), F0", reg)
	}
}

// takeMax replaces best by x, and the index at by index, where x is greater or NaN.
func (a *neonText) takeMax(best, at, x, index int) {
	a.word("FCMGT", 28, x, best)
	a.word("FCMEQ", 29, x, x)
	a.word("ORN", 28, 28, 29)
	a.word("BIT", best, x, 28)
	a.word("BIT", at, index, 28)
}

// narrow converts the 64-bit indices of V(x) and V(x+1) to four of 32 bits: -1 if negative or too large. It uses V24 and V25.
func (a *neonText) narrow(d, x int) {
	for h := range 2 {
		a.p("%s", neonShift("SSHR", 8, 24+h, x+h, 31))
		a.p("%s", neonWord("CMEQ0", 8, 24+h, 24+h, -1))
	}
	a.word("UZP1", 24, 24, 25)
	a.word("UZP1", d, x, x+1)
	a.word("ORN", d, d, 24)
}

func neonPool() []byte {
	a := &neonText{}
	a.text("maxStepNEON", "(z *float32, at *int32, x *float32, n, step, base int)", "z R0", "at R1", "x R2", "n R3", "step R4", "base R5")
	a.indices(16, 17, "R4", "R5")
	a.steps("R4", func(two bool) {
		a.window("R2", two)
		a.p("FMOVQ (R0), F2")
		a.p("FMOVQ (R1), F3")
		a.takeMax(2, 3, 0, 16)
		a.p("FMOVQ.P F2, 16(R0)")
		a.p("FMOVQ.P F3, 16(R1)")
		a.word("ADD", 16, 16, 17)
	}, func() { a.p("SUBS $4, R3") })
	a.text("addStepNEON", "(z, x *float32, n, step int)", "z R0", "x R1", "n R2", "step R3")
	a.steps("R3", func(two bool) {
		a.window("R1", two)
		a.p("FMOVQ (R0), F2")
		a.word("FADD", 2, 2, 0)
		a.p("FMOVQ.P F2, 16(R0)")
	}, func() { a.p("SUBS $4, R2") })
	a.text("scatterTwoNEON", "(z, x *float32, n int)", "z R0", "x R1", "n R2")
	a.label("loop")
	a.p("VLD2 (R0), [V0.S4, V1.S4]")
	a.p("FMOVQ.P 16(R1), F2")
	a.word("FADD", 0, 0, 2)
	a.p("VST2.P [V0.S4, V1.S4], 32(R0)")
	a.p("SUBS $4, R2")
	a.p("BNE loop")
	a.p("RET")
	a.text("unpoolStepNEON", "(z, x *float32, at *int32, n, step, base int)", "z R0", "x R1", "at R2", "n R3", "step R4", "base R5")
	a.indices(16, 17, "R4", "R5")
	a.steps("R4", func(two bool) {
		if two {
			a.p("VLD2 (R0), [V0.S4, V1.S4]")
		} else {
			a.p("FMOVQ (R0), F0")
		}
		a.p("FMOVQ.P 16(R1), F2")
		a.p("FMOVQ.P 16(R2), F3")
		a.word("CMEQ", 3, 3, 16)
		a.word("FADD", 2, 0, 2)
		a.word("BIT", 0, 2, 3)
		if two {
			a.p("VST2.P [V0.S4, V1.S4], 32(R0)")
		} else {
			a.p("FMOVQ.P F0, 16(R0)")
		}
		a.word("ADD", 16, 16, 17)
	}, func() { a.p("SUBS $4, R3") })
	a.neonIndices()
	a.neonSquares()
	return a.source()
}

// neonIndices writes the conversions of indices and the copies of every second or fourth element.
func (a *neonText) neonIndices() {
	a.text("widenIndicesNEON", "(z *int64, x *int32, n int)", "z R0", "x R1", "n R2")
	a.label("loop")
	a.p("FMOVQ.P 16(R1), F0")
	a.word("SXTL32", 1, 0, -1)
	a.word("SXTL2", 2, 0, -1)
	a.p("VST1.P [V1.D2, V2.D2], 32(R0)")
	a.p("SUBS $4, R2")
	a.p("BNE loop")
	a.p("RET")
	a.text("narrowIndicesNEON", "(z *int32, x *int64, n int)", "z R0", "x R1", "n R2")
	a.label("loop")
	a.p("VLD1.P 32(R1), [V0.D2, V1.D2]")
	a.narrow(2, 0)
	a.p("FMOVQ.P F2, 16(R0)")
	a.p("SUBS $4, R2")
	a.p("BNE loop")
	a.p("RET")
	for _, c := range []struct{ name, load string }{
		{"everySecondNEON", "VLD2.P 32(R1), [V0.S4, V1.S4]"}, {"everyFourthNEON", "VLD4.P 64(R1), [V0.S4, V1.S4, V2.S4, V3.S4]"},
	} {
		a.text(c.name, "(z, x *float32, n int)", "z R0", "x R1", "n R2")
		a.label("loop")
		a.p("%s", c.load)
		a.p("FMOVQ.P F0, 16(R0)")
		a.p("SUBS $4, R2")
		a.p("BNE loop")
		a.p("RET")
	}
}

// neonSquares writes a row of MaxPool2x2F32 and of its transpose; first and second are the indices of the first
// elements of its two rows.
func (a *neonText) neonSquares() {
	a.text("maxPoolNEON", "(z *float32, at *int64, x, below *float32, n, first, second int)", "z R0", "at R1", "x R2", "below R3", "n R4",
		"first R5", "second R6")
	corners := func() { // V16 and V17 the upper corners, V18 and V19 the lower
		a.p("MOVD $2, R7")
		a.p("ADD $1, R5, R8")
		a.indices(17, 20, "R7", "R8")
		a.indices(16, 20, "R7", "R5")
		a.p("ADD $1, R6, R8")
		a.indices(19, 20, "R7", "R8")
		a.indices(18, 20, "R7", "R6")
	}
	next := func() {
		for r := 16; r < 20; r++ {
			a.word("ADD", r, r, 20)
		}
	}
	corners()
	a.label("loop")
	a.p("VLD2.P 32(R2), [V0.S4, V1.S4]")
	a.p("VLD2.P 32(R3), [V2.S4, V3.S4]")
	a.move(4, 16)
	for i := 1; i < 4; i++ {
		a.takeMax(0, 4, i, 16+i)
	}
	a.p("FMOVQ.P F0, 16(R0)")
	a.word("SXTL32", 5, 4, -1)
	a.word("SXTL2", 6, 4, -1)
	a.p("VST1.P [V5.D2, V6.D2], 32(R1)")
	next()
	a.p("SUBS $4, R4")
	a.p("BNE loop")
	a.p("RET")
	a.text("maxUnpoolNEON", "(z, below, x *float32, at *int64, n, first, second int)", "z R0", "below R1", "x R2", "at R3", "n R4",
		"first R5", "second R6")
	corners()
	a.word("EOR", 21, 21, 21)
	a.label("loop")
	a.p("VLD1.P 32(R3), [V0.D2, V1.D2]")
	a.narrow(2, 0)
	a.p("FMOVQ.P 16(R2), F3")
	a.word("FADD", 3, 3, 21) // a negative zero becomes a positive one
	for i := range 4 {
		a.word("CMEQ", 4+i, 2, 16+i)
		a.word("AND", 4+i, 4+i, 3)
	}
	a.p("VST2.P [V4.S4, V5.S4], 32(R0)")
	a.p("VST2.P [V6.S4, V7.S4], 32(R1)")
	next()
	a.p("SUBS $4, R4")
	a.p("BNE loop")
	a.p("RET")
}
