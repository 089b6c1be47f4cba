package main

import "fmt"

// Routines of planes on arm64: depthwise convolution, pooling, the transforms of Winograd's convolution. Loops over rows
// and what is less than a vector are in Go.

// set puts a float into all lanes.
func (a *neonText) set(d int, f string) { a.p("%s", neonImmediate("FMOV"+f, d)) }

// move copies a register.
func (a *neonText) move(d, n int) { a.word("ORR", d, n, n) }

// neonDepthwise writes one row of a convolution by 3 by 3 taps, and of its gradient.
func neonDepthwise() []byte {
	a := &neonText{}
	// n is a multiple of 4; rows says how many rows of taps there are, one to three, xs elements apart in x.
	a.text("depthwiseRowNEON", "(z, x, taps *float32, n, rows, xs int)", "z R0", "x R1", "taps R2", "n R3", "rows R4", "xs R5")
	a.p("LSL $2, R5, R5")
	a.p("ADD R5, R1, R6")
	a.p("ADD R5, R6, R7")
	for rows := 3; rows >= 1; rows-- {
		if rows > 1 {
			a.p("CMP $%d, R4", rows)
			a.p("BLT less%d", rows)
		}
		for t := range 3 * rows {
			a.p("VLD1R.P 4(R2), [V%d.S4]", 16+t)
		}
		for _, vectors := range []int{4, 1} {
			loop := fmt.Sprintf("loop%dx%d", rows, vectors)
			a.p("SUBS $%d, R3", 4*vectors)
			a.p("BLT end%s", loop)
			a.label(loop)
			for v := range vectors {
				a.word("EOR", v, v, v)
			}
			for u := range rows {
				row := []string{"R1", "R6", "R7"}[u]
				for c := range 3 {
					for v := range vectors {
						t := 4 + (c*vectors+v)%12
						a.p("FMOVQ %d(%s), F%d", 4*c+16*v, row, t)
						a.word("FMLA", v, t, 16+3*u+c)
					}
				}
				a.p("ADD $%d, %s", 16*vectors, row)
			}
			for v := range vectors {
				a.p("FMOVQ.P F%d, 16(R0)", v)
			}
			a.p("SUBS $%d, R3", 4*vectors)
			a.p("BGE %s", loop)
			a.label("end" + loop)
			a.p("ADD $%d, R3", 4*vectors)
		}
		a.p("RET")
		if rows > 1 {
			a.label(fmt.Sprintf("less%d", rows))
		}
	}
	// The sums of three taps, a row of 16 each: n is a multiple of 16.
	a.text("correlateRowNEON", "(sums *[16]float32, cot, x *float32, n int)", "sums R0", "cot R1", "x R2", "n R3")
	a.p("MOVD R0, R4")
	for t := range 3 {
		a.p("VLD1.P 64(R4), [V%d.S4, V%d.S4, V%d.S4, V%d.S4]", 4*t, 4*t+1, 4*t+2, 4*t+3)
	}
	a.label("loop")
	a.p("VLD1.P 64(R1), [V12.S4, V13.S4, V14.S4, V15.S4]")
	for t := range 3 {
		for v := range 4 {
			r := 16 + 4*t + v
			a.p("FMOVQ %d(R2), F%d", 4*t+16*v, r)
			a.word("FMLA", 4*t+v, r, 12+v)
		}
	}
	a.p("ADD $64, R2")
	a.p("SUBS $16, R3")
	a.p("BNE loop")
	for t := range 3 {
		a.p("VST1.P [V%d.S4, V%d.S4, V%d.S4, V%d.S4], 64(R0)", 4*t, 4*t+1, 4*t+2, 4*t+3)
	}
	a.p("RET")
	// The same for four columns, whose sums begin at sums.
	a.text("correlateFourNEON", "(sums, cot, x *float32)", "sums R0", "cot R1", "x R2")
	a.p("FMOVQ (R1), F0")
	for t := range 3 {
		a.p("FMOVQ %d(R0), F1", 64*t)
		a.p("FMOVQ %d(R2), F2", 4*t)
		a.word("FMLA", 1, 2, 0)
		a.p("FMOVQ F1, %d(R0)", 64*t)
	}
	a.p("RET")
	return a.source()
}

// winogradB writes the transform of six inputs: from reads one into a register, to takes one. See winogradB in simd.
func (a *neonText) winogradB(from func(i, d int), to func(i, s int)) {
	const four, five = 28, 29
	for i := range 6 {
		from(i, i)
	}
	a.move(6, 4)
	a.word("FMLA", 6, 0, four)
	a.word("FMLS", 6, 2, five)
	to(0, 6)
	a.move(7, 4)
	a.word("FMLS", 7, 2, four)
	a.move(8, 3)
	a.word("FMLS", 8, 1, four)
	a.word("FADD", 9, 7, 8)
	to(1, 9)
	a.word("FSUB", 10, 7, 8)
	to(2, 10)
	a.word("FSUB", 11, 4, 2)
	a.word("FSUB", 12, 3, 1)
	a.word("FADD", 12, 12, 12)
	a.word("FADD", 13, 11, 12)
	to(3, 13)
	a.word("FSUB", 14, 11, 12)
	to(4, 14)
	a.word("FMLA", 5, 1, four)
	a.word("FMLS", 5, 3, five)
	to(5, 5)
}

// winogradA writes the transform of six products, in V0 to V5, to four outputs in V8 to V11.
func (a *neonText) winogradA() {
	const two, four, eight = 28, 29, 30
	a.word("FADD", 6, 1, 2)  // s
	a.word("FSUB", 9, 1, 2)  // d
	a.word("FADD", 7, 3, 4)  // u
	a.word("FSUB", 12, 3, 4) // v
	a.word("FADD", 8, 0, 6)
	a.word("FADD", 8, 8, 7)
	a.move(11, 9)
	a.word("FMLA", 9, 12, two)
	a.move(10, 6)
	a.word("FMLA", 10, 7, four)
	a.word("FMLA", 11, 12, eight)
	a.word("FADD", 11, 11, 5)
}

// neonWinograd writes the transforms, four tiles at a time; what is between two passes is on the stack.
func neonWinograd() []byte {
	a := &neonText{}
	a.textFrame("winogradInputNEON", "(v *float32, vs int, x *float32, plane, pitch, tiles int)", 36*16, "v R0", "vs R1", "x R2",
		"plane R3", "pitch R4", "tiles R5")
	a.p("LSL $2, R1, R1")
	a.p("LSL $2, R3, R3")
	a.p("LSL $2, R4, R4")
	a.p("MOVD $between-%d(SP), R7", 36*16)
	a.set(28, "4")
	a.set(29, "5")
	a.label("loop")
	for i := range 6 {
		// Element (i, j) is i/4 rows of tiles and j/4 columns on, in plane (i%4)*4+j%4.
		a.p("MOVD $%d, R8", i%4*4)
		a.p("MADD R3, R2, R8, R8 // plane*R8 + x")
		if i >= 4 {
			a.p("ADD R4, R8")
		}
		a.p("MOVD R8, R9")
		a.winogradB(func(j, d int) {
			if j == 4 {
				a.p("ADD $4, R8, R9")
			}
			a.p("FMOVQ (R9), F%d", d)
			if j != 3 && j != 5 {
				a.p("ADD R3, R9")
			}
		}, func(j, s int) { a.p("FMOVQ F%d, %d(R7)", s, 16*(6*i+j)) })
	}
	a.p("MOVD R0, R8")
	for j := range 6 {
		// Products of column j are 6 vs apart; they come in the order of i.
		a.p("MOVD R8, R9")
		a.winogradB(func(i, d int) { a.p("FMOVQ %d(R7), F%d", 16*(6*i+j), d) }, func(_, s int) {
			a.p("FMOVQ F%d, (R9)", s)
			a.p("ADD R1<<2, R9")
			a.p("ADD R1<<1, R9")
		})
		a.p("ADD R1, R8")
	}
	a.p("ADD $16, R0")
	a.p("ADD $16, R2")
	a.p("SUBS $4, R5")
	a.p("BNE loop")
	a.p("RET")
	a.winogradOutput()
	a.winogradSpread()
	return a.source()
}

func (a *neonText) winogradOutput() {
	a.textFrame("winogradOutputNEON", "(z *float32, plane int, m *float32, ms, tiles int)", 24*16, "z R0", "plane R1", "m R2",
		"ms R3", "tiles R4")
	a.p("LSL $2, R1, R1")
	a.p("LSL $2, R3, R3")
	a.p("MOVD $between-%d(SP), R7", 24*16)
	a.set(28, "2")
	a.set(29, "4")
	a.set(30, "8")
	a.label("loop")
	a.p("MOVD R2, R8")
	for j := range 6 {
		a.p("MOVD R8, R9")
		for i := range 6 {
			a.p("FMOVQ (R9), F%d", i)
			if i < 5 {
				a.p("ADD R3<<2, R9")
				a.p("ADD R3<<1, R9")
			}
		}
		a.winogradA()
		for r := range 4 {
			a.p("FMOVQ F%d, %d(R7)", 8+r, 16*(6*r+j))
		}
		a.p("ADD R3, R8")
	}
	a.p("MOVD R0, R8")
	for r := range 4 {
		for j := range 6 {
			a.p("FMOVQ %d(R7), F%d", 16*(6*r+j), j)
		}
		a.winogradA()
		a.p("VST4 [V8.S4, V9.S4, V10.S4, V11.S4], (R8)")
		a.p("ADD R1, R8")
	}
	a.p("ADD $64, R0")
	a.p("ADD $16, R2")
	a.p("SUBS $4, R4")
	a.p("BNE loop")
	a.p("RET")
}

// winogradSpread writes the copy of n elements of a row, a multiple of 16, to four planes.
func (a *neonText) winogradSpread() {
	a.text("winogradSpreadNEON", "(dst *float32, plane int, src *float32, n int)", "dst R0", "plane R1", "src R2", "n R3")
	a.p("LSL $2, R1, R1")
	a.label("loop")
	a.p("VLD4.P 64(R2), [V0.S4, V1.S4, V2.S4, V3.S4]")
	a.p("MOVD R0, R4")
	for c := range 4 {
		a.p("FMOVQ F%d, (R4)", c)
		if c < 3 {
			a.p("ADD R1, R4")
		}
	}
	a.p("ADD $16, R0")
	a.p("SUBS $16, R3")
	a.p("BNE loop")
	a.p("RET")
}
