package main

import (
	"bytes"
	"fmt"
	"strings"
)

// transposeSource writes the block transposes: blocks of n by n, going down the rows of the source, so that the
// destination is written along its rows; with ordinary stores, and with non-temporal stores, which must be aligned.
func transposeSource(t target) []byte {
	a := &asm{tgt: t}
	a.transpose("transpose", "VMOVUPS")
	a.transpose("transposeStream", "VMOVNTPS")
	if t == avx512 {
		a.transposeEdge()
	}
	var b bytes.Buffer
	b.WriteString(header + "//go:build !purego\n\n#include \"textflag.h\"\n")
	b.WriteString(a.out.String())
	return b.Bytes()
}

func (a *asm) transpose(name, store string) {
	n := a.vl() / 4
	fmt.Fprintf(&a.out, "\n// func %sF32%s(dst, src *float32, ldd, lds, blocks int)\nTEXT ·%[1]sF32%[2]s(SB), NOSPLIT, $0-40\n", name,
		a.isa())
	for i, s := range []string{"dst DI", "src SI", "ldd DX", "lds CX", "blocks BX"} {
		name, reg, _ := strings.Cut(s, " ")
		a.p("MOVQ %s+%d(FP), %s", name, 8*i, reg)
	}
	a.p("SHLQ $2, DX")
	a.p("SHLQ $2, CX")
	a.out.WriteString("\n")
	a.label("loop")
	a.p("MOVQ SI, R8")
	for i := range n {
		a.p("VMOVUPS (R8), %s", a.reg(i))
		a.p("ADDQ CX, R8")
	}
	shuffle := a.shuffle8
	if a.tgt == avx512 {
		shuffle = a.shuffle16
	}
	out := shuffle()
	a.p("MOVQ DI, R8")
	for j := range n {
		a.p("%s %s, (R8)", store, a.reg(out[j]))
		a.p("ADDQ DX, R8")
	}
	a.p("MOVQ CX, R9")
	a.p("SHLQ $%d, R9", map[int]int{8: 3, 16: 4}[n])
	a.p("ADDQ R9, SI")
	a.p("ADDQ $%d, DI", 4*n)
	a.p("DECQ BX")
	a.p("JNZ loop")
	a.p("VZEROUPPER")
	a.p("RET")
}

// transposeEdge writes the transpose of one edge block: at most 16 rows and columns, at least one. Rows beyond the
// last read the last again; columns beyond the last are masked.
func (a *asm) transposeEdge() {
	a.out.WriteString(
		"\n// func transposeEdgeF32AVX512(dst, src *float32, ldd, lds, rows, cols int)\nTEXT ·transposeEdgeF32AVX512(SB), NOSPLIT, $0-48\n")
	for i, s := range []string{"dst DI", "src SI", "ldd DX", "lds CX", "rows BX", "cols R10"} {
		name, reg, _ := strings.Cut(s, " ")
		a.p("MOVQ %s+%d(FP), %s", name, 8*i, reg)
	}
	a.p("SHLQ $2, DX")
	a.p("SHLQ $2, CX")
	a.p("MOVQ $-1, AX")
	a.p("BZHIQ R10, AX, R9")
	a.p("KMOVW R9, K1")
	a.p("BZHIQ BX, AX, R9")
	a.p("KMOVW R9, K2")
	a.p("XORQ R9, R9")
	for i := range 16 {
		a.p("VMOVUPS.Z (SI), K1, Z%d", i)
		if i < 15 {
			a.p("DECQ BX")
			a.p("CMOVQEQ R9, CX // stay on the last row")
			a.p("ADDQ CX, SI")
		}
	}
	out := a.shuffle16()
	for j := range 16 {
		a.p("VMOVUPS Z%d, K2, (DI)", out[j])
		if j < 15 {
			a.p("DECQ R10")
			a.p("JZ done")
			a.p("ADDQ DX, DI")
		}
	}
	a.out.WriteString("\n")
	a.label("done")
	a.p("VZEROUPPER")
	a.p("RET")
}

// quads transposes rows 4g..4g+3 within each 128 bits: register base+4g+k
// then holds, in its lane l, column 4l+k of these rows. It uses tmp..tmp+3.
func (a *asm) quads(base, tmp int) {
	r := a.reg
	b := base
	a.p("VUNPCKLPS %s, %s, %s", r(b+1), r(b), r(tmp))
	a.p("VUNPCKHPS %s, %s, %s", r(b+1), r(b), r(tmp+1))
	a.p("VUNPCKLPS %s, %s, %s", r(b+3), r(b+2), r(tmp+2))
	a.p("VUNPCKHPS %s, %s, %s", r(b+3), r(b+2), r(tmp+3))
	a.p("VUNPCKLPD %s, %s, %s", r(tmp+2), r(tmp), r(b))
	a.p("VUNPCKHPD %s, %s, %s", r(tmp+2), r(tmp), r(b+1))
	a.p("VUNPCKLPD %s, %s, %s", r(tmp+3), r(tmp+1), r(b+2))
	a.p("VUNPCKHPD %s, %s, %s", r(tmp+3), r(tmp+1), r(b+3))
}

// shuffle8 transposes Y0..Y7 and returns the register of each column.
func (a *asm) shuffle8() (out [16]int) {
	a.quads(0, 8)
	a.quads(4, 8)
	for k := range 4 {
		a.p("VPERM2F128 $0x20, Y%d, Y%d, Y%d", 4+k, k, 8+k)
		a.p("VPERM2F128 $0x31, Y%d, Y%d, Y%d", 4+k, k, 12+k)
		out[k], out[4+k] = 8+k, 12+k
	}
	return out
}

// shuffle16 does the same for Z0..Z15.
func (a *asm) shuffle16() (out [16]int) {
	for g := range 4 {
		a.quads(4*g, 16)
	}
	for k := range 4 {
		// Z20..Z23 take the lanes by twos, then by four.
		a.p("VSHUFF32X4 $0x44, Z%d, Z%d, Z20", 4+k, k)
		a.p("VSHUFF32X4 $0xee, Z%d, Z%d, Z21", 4+k, k)
		a.p("VSHUFF32X4 $0x44, Z%d, Z%d, Z22", 12+k, 8+k)
		a.p("VSHUFF32X4 $0xee, Z%d, Z%d, Z23", 12+k, 8+k)
		a.p("VSHUFF32X4 $0x88, Z22, Z20, Z%d", k)
		a.p("VSHUFF32X4 $0xdd, Z22, Z20, Z%d", 4+k)
		a.p("VSHUFF32X4 $0x88, Z23, Z21, Z%d", 8+k)
		a.p("VSHUFF32X4 $0xdd, Z23, Z21, Z%d", 12+k)
		for l := range 4 {
			out[4*l+k] = 4*l + k
		}
	}
	return out
}
