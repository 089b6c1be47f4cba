package main

import (
	"fmt"
	"strings"
)

// neonText writes routines for arm64 that are no loops over slices.
type neonText struct{ out strings.Builder }

func (a *neonText) p(format string, args ...any) { fmt.Fprintf(&a.out, "\t"+format+"\n", args...) }

func (a *neonText) label(name string) { fmt.Fprintf(&a.out, "%s:\n", name) }

// word writes an instruction of lanes of 32 bits; m is negative if there is one operand.
func (a *neonText) word(name string, d, n, m int) { a.p("%s", neonWord(name, 4, d, n, m)) }

// text begins a routine; args are the names and registers of arguments of eight bytes each.
func (a *neonText) text(name, sig string, args ...string) { a.textFrame(name, sig, 0, args...) }

// textFrame does the same for one that needs bytes on the stack.
func (a *neonText) textFrame(name, sig string, frame int, args ...string) {
	fmt.Fprintf(&a.out, "\n// func %s%s\nTEXT ·%s(SB), NOSPLIT, $%d-%d\n", name, sig, name, frame, 8*len(args))
	for i, s := range args {
		arg, reg, _ := strings.Cut(s, " ")
		a.p("MOVD %s+%d(FP), %s", arg, 8*i, reg)
	}
}

// source is the file.
func (a *neonText) source() []byte {
	return []byte(header + "//go:build !purego\n\n#include \"textflag.h\"\n" + a.out.String())
}

// neonTranspose writes the transpose of blocks of 8 by 8, going down the rows of the source.
func neonTranspose() []byte {
	a := &neonText{}
	a.text("transposeF32NEON", "(dst, src *float32, ldd, lds, blocks int)", "dst R0", "src R1", "ldd R2", "lds R3", "blocks R4")
	a.p("LSL $2, R2, R2")
	a.p("LSL $2, R3, R3")
	a.out.WriteString("\n")
	a.label("loop")
	for i := range 8 { // row i is in V(2i) and V(2i+1)
		a.p("FLDPQ (R1), (F%d, F%d)", 2*i, 2*i+1)
		a.p("ADD R3, R1")
	}
	// Rows 4g to 4g+3 of columns 4h to 4h+3 are a square; its columns go to V16 to V23, so a half of the columns at a time.
	a.p("MOVD R0, R5")
	for h := range 2 {
		for g := range 2 {
			r := func(i int) int { return 2*(4*g+i) + h }
			d := 16 + 4*g
			a.word("ZIP1", 24, r(0), r(2))
			a.word("ZIP1", 25, r(1), r(3))
			a.word("ZIP2", 26, r(0), r(2))
			a.word("ZIP2", 27, r(1), r(3))
			a.word("ZIP1", d, 24, 25)
			a.word("ZIP2", d+1, 24, 25)
			a.word("ZIP1", d+2, 26, 27)
			a.word("ZIP2", d+3, 26, 27)
		}
		for c := range 4 {
			a.p("FSTPQ (F%d, F%d), (R5)", 16+c, 20+c)
			a.p("ADD R2, R5")
		}
	}
	a.p("ADD $32, R0")
	a.p("SUBS $1, R4")
	a.p("BNE loop")
	a.p("RET")
	return a.source()
}
