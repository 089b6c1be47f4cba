package main

import (
	"fmt"
	"strconv"
	"strings"
)

// neonChain writes chain code for NEON. R1 is the instruction, R0 the first one, R2 the place in bytes, R3 its end, R4 the
// operand in memory, R6 the routine that comes next.
type neonChain struct{ *chain }

// word writes an instruction of four lanes; y is empty if there is one operand.
func (c neonChain) word(name, d, x, y string) {
	number := func(r string) int {
		n, err := strconv.Atoi(strings.TrimPrefix(r, "V"))
		if err != nil {
			panic(name + " of " + r)
		}
		return n
	}
	m := -1
	if y != "" {
		m = number(y)
	}
	c.p("%s", neonWord(name, 4, number(d), number(x), m))
}

func (c neonChain) from(src, i int) string { return c.in(src, i) }

// in reads two vectors at once.
func (c neonChain) in(src, i int) string {
	if src > 0 {
		return c.bank(src, i)
	}
	t := i % (c.n / 2)
	if i%2 == 0 {
		c.pair("FLDPQ", "(R4)", c.temp(t), c.temp(t+1), i)
	}
	return c.temp(t)
}

// pair moves two vectors from or to memory.
func (c neonChain) pair(op, at, x, y string, i int) {
	regs := strings.ReplaceAll("("+x+", "+y+")", "V", "F")
	at = fmt.Sprintf("%d%s", i*c.vl(), at)
	if op == "FLDPQ" {
		c.p("FLDPQ %s, %s", at, regs)
	} else {
		c.p("FSTPQ %s, %s", regs, at)
	}
}

func (c neonChain) arith(op string, x, y, d string) { c.word("F"+op, d, x, y) }

// extremum is Max or Min as the block kernels have them: NaN wins, which the instruction does too, and of two zeros y.
func (c neonChain) extremum(op string, x, y, d string) {
	m := c.spare(0)
	c.word("FCMEQ", m, x, y)
	if d == y {
		t := c.spare(1)
		c.word("F"+op, t, x, y)
		c.word("BIF", d, t, m)
		return
	}
	c.word("F"+op, d, x, y)
	c.word("BIT", d, y, m)
}

// gradMul is x == 0 ? 0 : x*y.
func (c neonChain) gradMul(x, y, d string) {
	m := c.spare(0)
	c.word("FCMEQ0", m, x, "")
	c.word("FMUL", d, x, y)
	c.word("BIC", d, d, m)
}

func (c neonChain) compare(pred int, x, y, d string) {
	switch pred {
	case 17:
		c.word("FCMGT", d, y, x)
	case 18:
		c.word("FCMGE", d, y, x)
	case 30:
		c.word("FCMGT", d, x, y)
	case 29:
		c.word("FCMGE", d, x, y)
	case 0, 4:
		c.word("FCMEQ", d, x, y)
	}
	if pred == 4 {
		c.word("NOT", d, d, "")
	}
}

func (c neonChain) choose(m, x, y, d string) {
	if d == x {
		c.word("BIF", d, y, m)
	} else {
		c.word("BIT", d, x, m)
	}
}

func (c neonChain) sqrt(x, d string) { c.word("FSQRT", d, x, "") }

func (c neonChain) begin(op string) string {
	if op != "Recip" && op != "Rsqrt" {
		return ""
	}
	t := c.temp(c.n - 1)
	c.p("%s", neonImmediate("FMOV1", (3*c.n)+c.n-1))
	return t
}

func (c neonChain) sign(op string, i int, _ string) {
	c.word(map[string]string{"Neg": "FNEG", "Abs": "FABS"}[op], c.a(i), c.a(i), "")
}

func (c neonChain) relu(i int, _ string) {
	m := c.temp(i)
	c.word("FCMLT0", m, c.a(i), "")
	c.word("BIC", c.a(i), c.a(i), m)
}

func (c neonChain) load(src, i int) {
	switch {
	case src > 0:
		c.word("ORR", c.a(i), c.bank(src, i), c.bank(src, i))
	case i%2 == 0:
		c.pair("FLDPQ", "(R4)", c.a(i), c.a(i+1), i)
	}
}

func (c neonChain) store(src, i int) {
	switch {
	case src > 0:
		c.word("ORR", c.bank(src, i), c.a(i), c.a(i))
	case i%2 == 0:
		c.pair("FSTPQ", "(R4)", c.a(i), c.a(i+1), i)
	}
}

// stream is store: the machine finds out by itself that whole lines are written.
func (c neonChain) stream(i int) { c.store(0, i) }

func (c neonChain) loadBool(i int) {
	a := c.a(i)
	c.p("FMOVS %d(R4), %s", i*c.vl()/4, strings.Replace(a, "V", "F", 1))
	c.word("UXTL8", a, a, "")
	c.word("UXTL16", a, a, "")
	c.word("CMTST", a, a, a)
}

func (c neonChain) storeBool() {
	ones := 4*c.n - 1
	c.p("%s", neonImmediate("MOVI1", ones))
	c.each(func(i int) {
		t := c.temp(i % (c.n - 1))
		c.word("XTN16", t, c.a(i), "")
		c.word("XTN8", t, t, "")
		c.word("AND", t, t, c.reg(ones))
		c.p("FMOVS %s, %d(R4)", strings.Replace(t, "V", "F", 1), i*c.vl()/4)
	})
}

func (c neonChain) next() {
	c.p("ADD $%d, R2", c.n*c.vl())
	c.p("CMP R3, R2")
	c.p("BGE done")
	c.p("MOVD R0, R1")
	c.p("MOVD (R1), R6")
	c.p("JMP (R6)")
	c.label("done")
	c.p("RET")
}

func (c neonChain) operand(bytes bool) {
	c.p("LDP 8(R1), (R4, R5)")
	c.p("AND R2, R5")
	if bytes {
		c.p("ADD R5>>2, R4")
	} else {
		c.p("ADD R5, R4")
	}
}

func (c neonChain) leave() {
	c.p("MOVD.W 24(R1), R6")
	c.p("JMP (R6)")
}

func (c neonChain) constants() string { return "" }

func (c neonChain) entry() string {
	return `// func chainTableNEON() *[chainRoutines]uintptr
TEXT ·chainTableNEON(SB), NOSPLIT, $0-8
	MOVD $chainNEONTable<>(SB), R0
	MOVD R0, ret+0(FP)
	RET

// func chainRunNEON(code *Step, from, to int)
// R1 is the instruction, R0 the first one, R2 the place in bytes, R3 its end.
TEXT ·chainRunNEON(SB), NOSPLIT, $0-24
	MOVD code+0(FP), R0
	MOVD from+8(FP), R2
	MOVD to+16(FP), R3
	MOVD R0, R1
	MOVD (R1), R6
	JMP (R6)
`
}
