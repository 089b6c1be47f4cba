package main

import (
	"bytes"
	"fmt"
	"strings"
)

// Convolutions with a channel in each lane (lanes.go there): sums over a list of taps, and the gradient of rows of taps.

const laneTapsMost = 7 // LaneTapsMost there

// lanesSource writes them for amd64.
func lanesSource(t target) []byte {
	a := &asm{tgt: t}
	a.laneSums()
	a.laneGrads()
	var b bytes.Buffer
	b.WriteString(header + "//go:build !purego\n\n#include \"textflag.h\"\n")
	b.WriteString(a.out.String())
	return b.Bytes()
}

// text begins a routine; args are the names of arguments of eight bytes each and, but for those that stay in memory, registers.
func (a *asm) text(name, sig string, args ...string) {
	fmt.Fprintf(&a.out, "\n// func %s%s%s\nTEXT ·%[1]s%[2]s(SB), NOSPLIT, $0-%[4]d\n", name, a.isa(), sig, 8*len(args))
	for i, s := range args {
		if arg, reg, ok := strings.Cut(s, " "); ok {
			a.p("MOVQ %s+%d(FP), %s", arg, 8*i, reg)
		}
	}
}

// fromTap is operand i of those at AX, AX+R11, AX+2·R11, …; R12 is 3·R11, and R15 is AX+4·R11.
func fromTap(i int) string {
	base := "(AX)"
	if i >= 4 {
		base = "(R15)"
	}
	return base + []string{"", "(R11*1)", "(R11*2)", "(R12*1)"}[i%4]
}

// laneSums computes eight outputs at a time, then four, then single ones.
func (a *asm) laneSums() {
	a.text("laneSums", "(z, x, w *float32, taps *laneTap, count, n, zstep, xstep int)", "z DI", "x SI", "w DX", "taps R8", "count R9",
		"n CX", "zstep R10", "xstep R11")
	a.p("LEAQ (R11)(R11*2), R12")
	for i, n := range []int{8, 4, 1} {
		next := []string{"outs4", "outs1", "end"}[i]
		a.label(fmt.Sprintf("outs%d", n))
		a.p("CMPQ CX, $%d", n)
		a.p("JLT %s", next)
		for k := range n {
			a.p("VXORPS %s, %[1]s, %[1]s", a.low(k))
		}
		a.p("MOVQ R8, BX")
		a.p("MOVQ R9, R13")
		a.label(fmt.Sprintf("tap%d", n))
		a.p("MOVQ (BX), AX")
		a.p("ADDQ SI, AX")
		a.p("MOVQ 8(BX), R15")
		a.p("VMOVUPS (DX)(R15*1), %s", a.reg(8))
		if n > 4 {
			a.p("LEAQ (AX)(R11*4), R15")
		}
		for k := range n {
			a.p("VFMADD231PS %s, %s, %s", fromTap(k), a.reg(8), a.reg(k))
		}
		a.p("ADDQ $16, BX")
		a.p("DECQ R13")
		a.p("JNZ tap%d", n)
		for k := range n {
			a.p("VMOVUPS %s, (DI)", a.reg(k))
			a.p("ADDQ R10, DI")
		}
		a.p("LEAQ (SI)(R11*%d), SI", n)
		a.p("SUBQ $%d, CX", n)
		a.p("JMP outs%d", n)
	}
	a.label("end")
	a.p("VZEROUPPER")
	a.p("RET")
}

// low is the first sixteen bytes of a register: clearing them clears all of it.
func (a *asm) low(i int) string { return fmt.Sprintf("X%d", i) }

// laneGrads has a loop for each number of taps in a row: their sums are in registers while the cotangents pass.
func (a *asm) laneGrads() {
	a.text("laneGrads", "(sums, by, x *float32, rows, taps, n, gstep, xstep, tapstep, rowstep, sumstep int)",
		"sums DI", "by SI", "x DX", "rows R8", "taps R9", "n", "gstep R10", "xstep R13", "tapstep R11", "rowstep", "sumstep")
	a.p("LEAQ (R11)(R11*2), R12")
	for n := range laneTapsMost - 1 {
		a.p("CMPQ R9, $%d", n+1)
		a.p("JEQ row%d", n+1)
	}
	for n := laneTapsMost; n > 0; n-- {
		a.label(fmt.Sprintf("row%d", n))
		for k := range n {
			a.p("VMOVUPS %d(DI), %s", k*a.vl(), a.reg(k))
		}
		a.p("MOVQ SI, BX")
		a.p("MOVQ DX, AX")
		a.p("MOVQ n+40(FP), CX")
		a.label(fmt.Sprintf("loop%d", n))
		a.p("VMOVUPS (BX), %s", a.reg(8))
		if n > 4 {
			a.p("LEAQ (AX)(R11*4), R15")
		}
		for k := range n {
			a.p("VFMADD231PS %s, %s, %s", fromTap(k), a.reg(8), a.reg(k))
		}
		a.p("ADDQ R10, BX")
		a.p("ADDQ R13, AX")
		a.p("DECQ CX")
		a.p("JNZ loop%d", n)
		for k := range n {
			a.p("VMOVUPS %s, %d(DI)", a.reg(k), k*a.vl())
		}
		a.p("ADDQ sumstep+80(FP), DI")
		a.p("ADDQ rowstep+72(FP), DX")
		a.p("DECQ R8")
		a.p("JNZ row%d", n)
		a.p("VZEROUPPER")
		a.p("RET")
	}
}

// neonLanes writes them for arm64, where a register has four channels: a group of eight takes two.
func neonLanes() []byte {
	a := &neonText{}
	a.laneSums()
	a.laneGrads()
	return a.source()
}

func (a *neonText) laneSums() {
	a.text("laneSumsNEON", "(z, x, w *float32, taps *laneTap, count, n, zstep, xstep int)", "z R0", "x R1", "w R2", "taps R3", "count R4",
		"n R5", "zstep R6", "xstep R7")
	for i, n := range []int{4, 1} {
		next := []string{"outs1", "end"}[i]
		a.label(fmt.Sprintf("outs%d", n))
		a.p("CMP $%d, R5", n)
		a.p("BLT %s", next)
		for k := range 2 * n {
			a.p("VEOR V%d.B16, V%[1]d.B16, V%[1]d.B16", k)
		}
		a.p("MOVD R3, R8")
		a.p("MOVD R4, R9")
		a.label(fmt.Sprintf("tap%d", n))
		a.p("LDP.P 16(R8), (R10, R11)")
		a.p("ADD R1, R10, R10")
		a.p("ADD R2, R11, R11")
		a.p("VLD1 (R11), [V16.S4, V17.S4]")
		for k := range n {
			a.p("VLD1 (R10), [V18.S4, V19.S4]")
			a.p("ADD R7, R10, R10")
			a.p("VFMLA V18.S4, V16.S4, V%d.S4", 2*k)
			a.p("VFMLA V19.S4, V17.S4, V%d.S4", 2*k+1)
		}
		a.p("SUBS $1, R9, R9")
		a.p("BNE tap%d", n)
		for k := range n {
			a.p("VST1 [V%d.S4, V%d.S4], (R0)", 2*k, 2*k+1)
			a.p("ADD R6, R0, R0")
			a.p("ADD R7, R1, R1")
		}
		a.p("SUB $%d, R5, R5", n)
		a.p("B outs%d", n)
	}
	a.label("end")
	a.p("RET")
}

func (a *neonText) laneGrads() {
	a.text("laneGradsNEON", "(sums, by, x *float32, rows, taps, n, gstep, xstep, tapstep, rowstep, sumstep int)",
		"sums R0", "by R1", "x R2", "rows R3", "taps R4", "n R5", "gstep R6", "xstep R7", "tapstep R8", "rowstep R9", "sumstep R10")
	for n := range laneTapsMost - 1 {
		a.p("CMP $%d, R4", n+1)
		a.p("BEQ row%d", n+1)
	}
	for n := laneTapsMost; n > 0; n-- {
		a.label(fmt.Sprintf("row%d", n))
		a.p("MOVD R0, R11")
		for k := range n {
			a.p("VLD1.P 32(R11), [V%d.S4, V%d.S4]", 2*k, 2*k+1)
		}
		a.p("MOVD R1, R12")
		a.p("MOVD R2, R13")
		a.p("MOVD R5, R14")
		a.label(fmt.Sprintf("loop%d", n))
		a.p("VLD1 (R12), [V16.S4, V17.S4]")
		a.p("MOVD R13, R15")
		for k := range n {
			a.p("VLD1 (R15), [V18.S4, V19.S4]")
			if k+1 < n {
				a.p("ADD R8, R15, R15")
			}
			a.p("VFMLA V18.S4, V16.S4, V%d.S4", 2*k)
			a.p("VFMLA V19.S4, V17.S4, V%d.S4", 2*k+1)
		}
		a.p("ADD R6, R12, R12")
		a.p("ADD R7, R13, R13")
		a.p("SUBS $1, R14, R14")
		a.p("BNE loop%d", n)
		a.p("MOVD R0, R11")
		for k := range n {
			a.p("VST1.P [V%d.S4, V%d.S4], 32(R11)", 2*k, 2*k+1)
		}
		a.p("ADD R10, R0, R0")
		a.p("ADD R9, R2, R2")
		a.p("SUBS $1, R3, R3")
		a.p("BNE row%d", n)
		a.p("RET")
	}
}
