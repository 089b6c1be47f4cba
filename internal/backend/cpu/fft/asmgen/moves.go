package asmgen

import (
	"fmt"
	"strings"
)

// interleave writes split, which parts the pairs of neighbouring rows into lanes, and join, its opposite.
func interleave(v variant, t element) string {
	b := &text{v: v}
	for _, split := range []bool{true, false} {
		c := newCode(v, t)
		second := fmt.Sprintf("%d", v.bytes)
		if split {
			x := c.loadPairs("(SI)", "")
			c.store(x.re, "(DI)", "")
			c.store(x.im, second+"(DI)", "")
		} else {
			c.storePairs(complexValue{c.load("(SI)", ""), c.load(second+"(SI)", "")}, "(DI)", "")
		}
		lines, _, tables := assemble(v, c)
		b.tables = tables
		b.begin(map[bool]string{true: "split", false: "join"}[split]+t.name+v.name, 0,
			field{argY, "DI"}, field{argX, "SI"}, field{argCount, "CX"}, field{argFrom, "R8"}, field{argTo, "R9"})
		b.WriteString("next:\n" + strings.Join(lines, "\n") + "\n")
		b.op("ADDQ R8, SI")
		b.op("ADDQ R9, DI")
		b.op("DECQ CX")
		b.op("JNZ next")
		b.op("VZEROUPPER")
		b.op("RET")
		if split {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// transpose writes a transposition of blocks of float64, as many rows and columns as a vector has lanes, one block below the other in the
// result.
func transpose(v variant) string {
	n := v.bytes / 8
	b := &text{v: v}
	b.begin("transposeF64"+v.name, 0, field{argY, "DI"}, field{argX, "SI"}, field{argCount, "CX"}, field{argFrom, "R8"}, field{argTo, "R9"})
	b.WriteString("next:\n")
	b.op("MOVQ SI, BX")
	for i := range n {
		b.op("VMOVUPD (BX), %s%d", v.reg, i)
		b.op("ADDQ R8, BX")
	}
	// Pairs of rows: even columns, then odd ones.
	for i := 0; i < n; i += 2 {
		b.op("VUNPCKLPD %s%d, %s%d, %s%d", v.reg, i+1, v.reg, i, v.reg, n+i)
		b.op("VUNPCKHPD %s%d, %s%d, %s%d", v.reg, i+1, v.reg, i, v.reg, n+i+1)
	}
	column := make([]int, n) // the register of a column
	for odd := range 2 {
		if n == 4 {
			b.op("VPERM2F128 $0x20, Y%d, Y%d, Y%d", 6+odd, 4+odd, odd)
			b.op("VPERM2F128 $0x31, Y%d, Y%d, Y%d", 6+odd, 4+odd, 2+odd)
			column[odd], column[2+odd] = odd, 2+odd
			continue
		}
		// Columns 0 and 4, then 2 and 6, of four rows and of the other four.
		for i, imm := range []int{0x88, 0xdd} {
			b.op("VSHUFF64X2 $0x%x, Z%d, Z%d, Z0", imm, 10+odd, 8+odd)
			b.op("VSHUFF64X2 $0x%x, Z%d, Z%d, Z1", imm, 14+odd, 12+odd)
			low, high := 16+4*odd+2*i, 17+4*odd+2*i
			b.op("VSHUFF64X2 $0x88, Z1, Z0, Z%d", low)
			b.op("VSHUFF64X2 $0xdd, Z1, Z0, Z%d", high)
			column[2*i+odd], column[4+2*i+odd] = low, high
		}
	}
	for _, r := range column {
		b.op("VMOVUPD %s%d, (DI)", v.reg, r)
		b.op("ADDQ R9, DI")
	}
	b.op("ADDQ $%d, SI", v.bytes)
	b.op("DECQ CX")
	b.op("JNZ next")
	return b.end()
}
