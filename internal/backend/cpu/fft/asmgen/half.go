package asmgen

import (
	"fmt"
	"strings"
)

// half writes unpack or pack of package fft for the elements k and h-k, count of them: SI and BX are the inputs, from the front and
// from the back, DI and R9 the outputs, DX the roots; the constants at R13 are the factors of the real and the imaginary parts. If row,
// lanes are values of k with a root each, and both inputs and both outputs are in order.
func half(v variant, name string, t element, pack, row bool) string {
	re, im := "(R13)", fmt.Sprintf("%d(R13)", t.size)
	cos, sin := "(DX)", fmt.Sprintf("%d(DX)", t.size)
	if row {
		sin = fmt.Sprintf("%d(DX)", v.bytes)
	}
	part := func(reg string) string { return fmt.Sprintf("%d(%s)", v.bytes, reg) }
	c := &code{each: row}
	p := complexValue{c.load("(SI)", ""), c.load(part("SI"), "")}
	q := complexValue{c.load("(BX)", ""), c.load(part("BX"), "")}
	er, ei := c.add(p.re, q.re), c.sub(p.im, q.im)
	if pack {
		dr, di := c.mul(c.sub(p.re, q.re), re), c.mul(c.add(p.im, q.im), im)
		er, ei = c.mul(er, re), c.mul(ei, im)
		or, oi := c.fma(c.mul(dr, cos), di, sin), c.fnma(c.mul(di, cos), dr, sin)
		c.store(c.sub(er, oi), part("DI"), "")
		c.store(c.add(ei, or), "(DI)", "")
		c.store(c.add(er, oi), part("R9"), "")
		c.store(c.sub(or, ei), "(R9)", "")
	} else {
		or, oi := c.add(p.im, q.im), c.sub(q.re, p.re)
		tr, ti := c.fnma(c.mul(or, cos), oi, sin), c.fma(c.mul(or, sin), oi, cos)
		c.store(c.mul(c.add(er, tr), re), "(DI)", "")
		c.store(c.mul(c.add(ei, ti), im), part("DI"), "")
		c.store(c.mul(c.sub(er, tr), re), "(R9)", "")
		c.store(c.mul(c.sub(ti, ei), im), part("R9"), "")
	}
	lines, _ := assemble(v, c, t.suffix)
	b := &text{v: v}
	b.begin(name, 0, field{argY, "DI"}, field{argX, "SI"}, field{argRoots, "DX"}, field{argConst, "R13"}, field{argCount, "CX"},
		field{argFrom, "BX"}, field{argTo, "R9"})
	b.op("ADDQ SI, BX")
	b.op("ADDQ DI, R9")
	to := 2 * v.bytes
	by := []field{{to, "SI"}, {to, "DI"}, {-to, "BX"}, {-to, "R9"}}
	if row {
		by = []field{{to, "SI"}, {to, "DI"}, {to, "BX"}, {to, "R9"}, {to, "DX"}}
	}
	b.elements(strings.Join(lines, "\n")+"\n", by...)
	if !row {
		b.op("ADDQ $%d, DX", 2*t.size)
	}
	b.op("DECQ CX")
	b.op("JNZ next")
	return b.end()
}
