package asmgen

import (
	"fmt"
	"strings"
)

// half writes unpack or pack of package fft for the elements k and h-k, count of them: SI and BX are the inputs, from the front and
// from the back, DI and R9 the outputs, DX the roots; the constants at R13 are the factors of the real and the imaginary parts.
func half(name, suffix string, pack bool) string {
	size := map[string]int{"PS": 4, "PD": 8}[suffix]
	re, im := "(R13)", fmt.Sprintf("%d(R13)", size)
	cos, sin := "(DX)", fmt.Sprintf("%d(DX)", size)
	c := &code{}
	p := complexValue{c.load("(SI)", ""), c.load("64(SI)", "")}
	q := complexValue{c.load("(BX)", ""), c.load("64(BX)", "")}
	er, ei := c.add(p.re, q.re), c.sub(p.im, q.im)
	if pack {
		dr, di := c.mul(c.sub(p.re, q.re), re), c.mul(c.add(p.im, q.im), im)
		er, ei = c.mul(er, re), c.mul(ei, im)
		or, oi := c.fma(c.mul(dr, cos), di, sin), c.fnma(c.mul(di, cos), dr, sin)
		c.store(c.sub(er, oi), "64(DI)", "")
		c.store(c.add(ei, or), "(DI)", "")
		c.store(c.add(er, oi), "64(R9)", "")
		c.store(c.sub(or, ei), "(R9)", "")
	} else {
		or, oi := c.add(p.im, q.im), c.sub(q.re, p.re)
		tr, ti := c.fnma(c.mul(or, cos), oi, sin), c.fma(c.mul(or, sin), oi, cos)
		c.store(c.mul(c.add(er, tr), re), "(DI)", "")
		c.store(c.mul(c.add(ei, ti), im), "64(DI)", "")
		c.store(c.mul(c.sub(er, tr), re), "(R9)", "")
		c.store(c.mul(c.sub(ti, ei), im), "64(R9)", "")
	}
	lines, _ := assemble(c, suffix)
	var b strings.Builder
	op := func(format string, args ...any) { fmt.Fprintf(&b, "\t"+format+"\n", args...) }
	fmt.Fprintf(&b, "// func %s(a *args)\nTEXT ·%s(SB), NOSPLIT, $0-8\n", name, name)
	op("MOVQ a+0(FP), AX")
	op("MOVQ %d(AX), DI", argY)
	op("MOVQ %d(AX), SI", argX)
	op("MOVQ %d(AX), DX", argRoots)
	op("MOVQ %d(AX), R13", argConst)
	op("MOVQ %d(AX), CX", argCount)
	op("MOVQ %d(AX), BX", argFrom)
	op("ADDQ SI, BX")
	op("MOVQ %d(AX), R9", argTo)
	op("ADDQ DI, R9")
	b.WriteString("next:\n" + strings.Join(lines, "\n") + "\n")
	op("ADDQ $128, SI")
	op("ADDQ $128, DI")
	op("SUBQ $128, BX")
	op("SUBQ $128, R9")
	op("ADDQ $%d, DX", 2*size)
	op("DECQ CX")
	op("JNZ next")
	op("VZEROUPPER")
	op("RET")
	return b.String()
}
