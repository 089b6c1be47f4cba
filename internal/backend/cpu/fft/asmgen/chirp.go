package asmgen

import (
	"fmt"
	"strings"
)

// openForm is what a first pass along a row reads: a row as a tensor has it, with the parts swapped or not; blocks of lanes whose second
// half is zeros; or blocks that are multiplied by a table and swapped.
type openForm int

const (
	openPairs openForm = iota
	openSwapped
	openFront
	openTimes
)

// openBlock is the k-th input of a first pass of blocks.
func (c *code) openBlock(v variant, k int, pre string, form openForm) complexValue {
	if form == openFront && k >= openRadix/2 {
		return complexValue{c.nought(), c.nought()}
	}
	second := fmt.Sprintf("%d(BX)", v.bytes)
	x := complexValue{c.load("(BX)", pre), c.load(second, "")}
	if form == openTimes {
		x = c.times(x, "(BX)(R10*1)", second+"(R10*1)")
		x = complexValue{x.im, x.re}
	}
	return x
}

// chirp writes the product of a row, as a tensor has it, and a table in blocks, DX: DI is the result in blocks.
func chirp(v variant, t element, name string, swap bool) string {
	c := newCode(v, t)
	c.each = true
	x := c.loadPairs("(SI)", "")
	if swap {
		x = complexValue{x.im, x.re}
	}
	x = c.times(x, "(DX)", fmt.Sprintf("%d(DX)", v.bytes))
	c.store(x.re, "(DI)", "")
	c.store(x.im, fmt.Sprintf("%d(DI)", v.bytes), "")
	lines, stack, tables := assemble(v, c)
	b := &text{v: v, tables: tables}
	b.begin(name+t.name+v.name, stack, field{argY, "DI"}, field{argX, "SI"}, field{argRoots, "DX"}, field{argCount, "CX"})
	b.elements(strings.Join(lines, "\n")+"\n", field{2 * v.bytes, "SI"}, field{2 * v.bytes, "DX"}, field{2 * v.bytes, "DI"})
	b.op("DECQ CX")
	b.op("JNZ next")
	return b.end()
}

// front writes the last pass of a convolution, of which the first half of the results is wanted: they are multiplied by a table in blocks,
// and by the scale, and stored as tensors have them. SI and DI are input and output, R8 and R9 the distances, CX counts q.
func front(v variant, t element, name string, r int, swap bool) string {
	c := newCode(v, t)
	c.each = true
	x := make([]complexValue, r)
	second := fmt.Sprintf("%d(BX)", v.bytes)
	for k := range x {
		pre := "MOVQ SI, BX"
		if k > 0 {
			pre = "ADDQ R8, BX"
		}
		x[k] = complexValue{c.load("(BX)", pre), c.load(second, "")}
	}
	y := c.butterfly(x)
	scale := fmt.Sprintf("%d(AX)", argScale)
	for j := range r / 2 {
		// A move that nothing depends on would be left out: the first operation has it.
		pre := "MOVQ DI, BX"
		if j > 0 {
			pre = "ADDQ R9, BX"
		}
		c.emit(operation{name: "ahead", a: -1, b: -1, mem: "(BX)(R10*1)", pre: pre})
		z := c.times(complexValue{y[j].im, y[j].re}, "(BX)(R10*1)", second+"(R10*1)") // the way back has swapped parts
		z = complexValue{c.mul(z.re, scale), c.mul(z.im, scale)}
		if swap {
			z = complexValue{z.im, z.re}
		}
		c.storePairs(z, "(BX)", "")
	}
	lines, stack, tables := assemble(v, c)
	b := &text{v: v, tables: tables}
	b.begin(name, stack, field{argY, "DI"}, field{argX, "SI"}, field{argConst, "R13"}, field{argFrom, "R8"}, field{argTo, "R9"},
		field{argS, "CX"}, field{argTable, "R10"})
	b.op("SUBQ DI, R10")
	b.elements(strings.Join(lines, "\n")+"\n", field{2 * v.bytes, "SI"}, field{2 * v.bytes, "DI"})
	b.op("DECQ CX")
	b.op("JNZ next")
	return b.end()
}
