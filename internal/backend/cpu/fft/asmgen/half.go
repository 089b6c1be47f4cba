package asmgen

import (
	"fmt"
	"strings"
)

// halfForm says what the lanes of unpack and pack are: transforms, whose elements have the same root; values of k with a root each, in two
// blocks in order; or neighbouring elements of a row as tensors have them.
type halfForm int

const (
	halfLanes halfForm = iota
	halfRow
	halfPairs
)

// half writes unpack or pack of package fft for the elements k and h-k, count of them: SI and BX are the inputs, from the front and
// from the back, DI and R9 the outputs, DX the roots; the constants at R13 are the factors of the real and the imaginary parts.
func half(v variant, name string, t element, pack bool, form halfForm) string {
	re, im := "(R13)", fmt.Sprintf("%d(R13)", t.size)
	cos, sin := "(DX)", fmt.Sprintf("%d(DX)", t.size)
	if form != halfLanes {
		sin = fmt.Sprintf("%d(DX)", v.bytes)
	}
	part := func(reg string) string { return fmt.Sprintf("%d(%s)", v.bytes, reg) }
	c := newCode(v, t)
	c.each = form != halfLanes
	var p, q complexValue
	if form == halfPairs {
		p, q = c.loadPairs("(SI)", ""), c.loadBack("(BX)", "")
	} else {
		p = complexValue{c.load("(SI)", ""), c.load(part("SI"), "")}
		q = complexValue{c.load("(BX)", ""), c.load(part("BX"), "")}
	}
	// The four results: the parts of k, then those of h-k.
	save := func(order []int, parts ...func() value) {
		at := []string{"(DI)", part("DI"), "(R9)", part("R9")}
		var y [4]value
		for _, i := range order {
			y[i] = parts[i]()
			if form != halfPairs {
				c.store(y[i], at[i], "")
			}
		}
		if form == halfPairs {
			if !pack { // bins go to a tensor
				c.ahead("(DI)(R14*1)")
				c.ahead("(R9)(R14*1)")
			}
			c.storePairs(complexValue{y[0], y[1]}, "(DI)", "")
			c.storeBack(complexValue{y[2], y[3]}, "(R9)")
		}
	}
	er, ei := c.add(p.re, q.re), c.sub(p.im, q.im)
	if pack {
		dr, di := c.mul(c.sub(p.re, q.re), re), c.mul(c.add(p.im, q.im), im)
		er, ei = c.mul(er, re), c.mul(ei, im)
		or, oi := c.fma(c.mul(dr, cos), di, sin), c.fnma(c.mul(di, cos), dr, sin)
		save([]int{1, 0, 3, 2}, // the parts are swapped
			func() value { return c.add(ei, or) }, func() value { return c.sub(er, oi) },
			func() value { return c.sub(or, ei) }, func() value { return c.add(er, oi) })
	} else {
		or, oi := c.add(p.im, q.im), c.sub(q.re, p.re)
		tr, ti := c.fnma(c.mul(or, cos), oi, sin), c.fma(c.mul(or, sin), oi, cos)
		save([]int{0, 1, 2, 3},
			func() value { return c.mul(c.add(er, tr), re) }, func() value { return c.mul(c.add(ei, ti), im) },
			func() value { return c.mul(c.sub(er, tr), re) }, func() value { return c.mul(c.sub(ti, ei), im) })
	}
	lines, stack, tables := assemble(v, c)
	b := &text{v: v, repeats: form == halfPairs, tables: tables}
	b.begin(name, stack, field{argY, "DI"}, field{argX, "SI"}, field{argRoots, "DX"}, field{argConst, "R13"}, field{argCount, "CX"},
		field{argFrom, "BX"}, field{argTo, "R9"})
	if form == halfPairs && !pack {
		b.op("MOVQ %d(AX), R14", argAhead)
	}
	b.op("ADDQ SI, BX")
	b.op("ADDQ DI, R9")
	to := 2 * v.bytes
	by := []field{{to, "SI"}, {to, "DI"}, {-to, "BX"}, {-to, "R9"}}
	switch form {
	case halfRow:
		by = []field{{to, "SI"}, {to, "DI"}, {to, "BX"}, {to, "R9"}, {to, "DX"}}
	case halfPairs:
		by = append(by, field{to, "DX"})
	}
	b.elements(strings.Join(lines, "\n")+"\n", by...)
	if form == halfLanes {
		b.op("ADDQ $%d, DX", 2*t.size)
	}
	b.op("DECQ CX")
	b.op("JNZ next")
	return b.end()
}
