package asmgen

import (
	"fmt"
	"regexp"
	"strings"
)

// MostOthers is the number of columns that eliminate changes at most besides the first.
const MostOthers = 7

// eliminate multiplies the n vectors of a column at a by the first factor at t, and subtracts the products of the result and the factors
// behind it from the m columns at c, cs bytes apart. It writes what peak writes of the first of these to b and d.
func eliminate(e *emitter) {
	eliminateIn(e, 32, "VPCMPEQ% V15, V15, V15", `
		VANDP@ V9, V14, V9
		VCMP# $30, V11, V9, V10
		VBLENDVP@ V10, V9, V11, V11
		VBLENDVP@ V10, V13, V12, V12
		VPSUB% V15, V13, V13`)
}

// eliminateWide is eliminate for AVX-512.
func eliminateWide(e *emitter) {
	eliminateIn(e, 64, "VPTERNLOG% $255, V15, V15, V15", `
		VPAND% V9, V14, V9
		VCMP# $30, V11, V9, K1
		VMOVAP@ V9, K1, V11
		VMOVAP@ V13, K1, V12
		VPSUB% V15, V13, V13`)
}

// eliminateIn is eliminate with vectors of some bytes, V0 … V15: ones sets all bits, track follows the peak.
func eliminateIn(e *emitter, bytes int, ones, track string) {
	op := func(format string, args ...any) {
		name := "Y"
		if bytes == 64 {
			name = "Z"
		}
		lines := strings.Split(fmt.Sprintf(format, args...), "\n")
		for i, l := range lines {
			lines[i] = vectorName.ReplaceAllString(l, name+"$1")
		}
		e.op(strings.Join(lines, "\n"))
	}
	e.op(`
		MOVQ .consts, R13
		MOVQ .a, SI
		MOVQ .c, DI
		MOVQ .cs, R9
		MOVQ .n, CX
		MOVQ .t, R10
		MOVQ .m, DX
		LEAQ (R9)(R9*2), R12
		LEAQ (DI)(R9*4), BX`)
	op("%s", ones)
	op("VPSRL%% $1, V15, V14\nVXORP@ V13, V13, V13\nVXORP@ V12, V12, V12\nVBROADCASTS@ (R10), V7")
	op("VBROADCASTS@ %d(R13), V11", constMinusOne*e.size)
	for m := range MostOthers + 1 {
		e.op(fmt.Sprintf("CMPQ DX, $%d\nJEQ others%d", m, m))
	}
	for m := range MostOthers + 1 {
		e.op(fmt.Sprintf("others%d:", m))
		for q := range m {
			op("VBROADCASTS@ %d(R10), V%d", (q+1)*e.size, q)
		}
		op("next%d:\nVMULP@ (SI), V7, V8\nVMOVUP@ V8, (SI)", m)
		for q := range m {
			at := []string{"(DI)", "(DI)(R9*1)", "(DI)(R9*2)", "(DI)(R12*1)", "(BX)", "(BX)(R9*1)", "(BX)(R9*2)"}[q]
			op("VMOVUP@ %s, V9\nVFNMADD231# V8, V%d, V9\nVMOVUP@ V9, %s", at, q, at)
			if q == 0 {
				op("%s", strings.TrimSpace(track))
			}
		}
		e.op(fmt.Sprintf("ADDQ $%d, SI\nADDQ $%d, DI\nADDQ $%d, BX\nDECQ CX\nJNZ next%d", bytes, bytes, bytes, m))
		if m < MostOthers {
			e.op("JMP end")
		}
	}
	op(`
	end:
		MOVQ .b, DI
		MOVQ .d, R10
		VMOVUP@ V11, (DI)
		VMOVUP@ V12, (R10)`)
}

// vectorName is a register of vectors of either length.
var vectorName = regexp.MustCompile(`\bV([0-9]+)\b`)
