package asmgen

import (
	"fmt"
	"strings"
)

// tights are the radices of a last pass of columns whose results are rows that begin anywhere in a line of the cache.
var tights = []int{4, 8}

// tight writes the last pass of columns of an image whose rows are a number of whole lines of the cache and one bin more, around the
// cache. The results of a butterfly belong to r parts of the image, which begin at lines; of each, the last line of results waits for what
// is behind it: row after row, results are shifted by one bin more. SI are the elements of a row, in groups of columns, R8 the distance of
// the inputs of a butterfly, DI the line of the first part, R9 the distance of the parts, R14 a line of scratch for each, R12 the last
// bins of rows, R15 the distance of those of the parts, R11 counts rows, DX those until the last bins fill a line, CX the groups.
func tight(v variant, t element, name string, r int, swap bool) string {
	c := newCode(v, t)
	x := make([]complexValue, r)
	for k := range x {
		pre := "MOVQ SI, BX"
		if k > 0 {
			pre = "ADDQ R8, BX"
		}
		x[k] = complexValue{c.load("(BX)", pre), c.load("64(BX)", "")}
	}
	for j, z := range c.butterfly(x) {
		if swap {
			z = complexValue{z.im, z.re}
		}
		a, b := c.permute(z.re, z.im, "low"), c.permute(z.re, z.im, "high")
		line := fmt.Sprintf("%d(R14)", 64*j)
		before := c.load(line, "")
		pre := "MOVQ DI, BX"
		if j > 0 {
			pre = "ADDQ R9, BX"
		}
		c.stream = true
		c.storeOut(c.permute(before, a, "shift"), "(BX)", pre)
		c.storeOut(c.permute(a, b, "shift"), "64(BX)", "")
		c.store(b, line, "")
	}
	lines, stack, tables := assemble(v, c)
	b := &text{v: v, tables: tables, stream: true}
	width, bin := map[int]string{4: "D", 8: "Q"}[t.size], map[int]string{4: "VBROADCASTSD", 8: "VBROADCASTF64X2"}[t.size]
	shift := 0
	for i, name := range tables {
		if name == "shift"+t.name {
			shift = v.regs - 1 - i
		}
	}
	b.begin(name, stack, field{argY, "DI"}, field{argX, "SI"}, field{argConst, "R13"}, field{argFrom, "R8"}, field{argTo, "R9"},
		field{argWork, "R14"}, field{argTable, "R12"}, field{argStepOut, "R15"}, field{argCount, "R11"})
	b.op("MOVQ $%d, DX", 64/(2*t.size))
	b.WriteString("row:\n")
	b.op("MOVQ %d(AX), CX", argS)
	b.elements(strings.Join(lines, "\n")+"\n", field{128, "SI"}, field{128, "DI"})
	b.op("DECQ CX")
	b.op("JNZ next")
	b.op("ADDQ %d(AX), SI", argNextIn)
	b.op("MOVQ R12, BX")
	for j := range r {
		b.op("VMOVUPS %d(R14), Z0", 64*j)
		b.op("%s (BX), Z1", bin)
		b.op("VALIGN%s $2, Z0, Z1, Z0", width)
		b.op("VMOVUPS Z0, %d(R14)", 64*j)
		b.op("ADDQ R15, BX")
	}
	b.op("ADDQ $%d, R12", 2*t.size)
	b.op("VMOVUPS two%s<>(SB), Z0", t.name)
	b.op("VPSUB%s Z0, Z%d, Z%d", width, shift, shift)
	b.op("DECQ DX")
	b.op("JNZ rest")
	b.op("MOVQ DI, BX")
	for j := range r {
		b.op("VMOVUPS %d(R14), Z0", 64*j)
		b.op("VMOVNTPS Z0, (BX)")
		b.op("ADDQ R9, BX")
	}
	b.op("ADDQ $64, DI")
	b.op("VMOVUPS shift%s<>(SB), Z%d", t.name, shift)
	b.op("MOVQ $%d, DX", 64/(2*t.size))
	b.WriteString("rest:\n")
	b.op("DECQ R11")
	b.op("JNZ row")
	return b.end()
}
