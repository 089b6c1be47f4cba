package main

import (
	"fmt"
	"strconv"
	"strings"
)

// neonChain writes chain code for NEON. R1 is the instruction, R0 the first one, R2 the offset in bytes, R3 its end, R4 the
// operand in memory, R6 the routine that comes next.
type neonChain struct{ *chain }

// laneless are the instructions to which the size of lanes does not matter, or which have it in their name.
var laneless = map[string]bool{"AND": true, "ORR": true, "EOR": true, "BIT": true, "BIF": true, "BIC": true, "NOT": true, "UXTL8": true,
	"UXTL16": true, "UXTL32": true, "XTN8": true, "XTN16": true, "XTN32": true, "FCVTL16": true, "FCVTN16": true}

// word writes an instruction; y is empty if there is one operand.
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
	size := c.lane
	if laneless[name] {
		size = 0
	}
	c.p("%s", neonWord(name, size, number(d), number(x), m))
}

func (c neonChain) from(src, i int) string { return c.in(src, i) }

// in reads two vectors at once; a number that is the same for all is in the last temporary.
func (c neonChain) in(src, i int) string {
	switch src {
	case 1, 2:
		return c.bank(src, i)
	case sourceBroadcast:
		if i == 0 {
			c.p("VLD1R (R4), [%s.%s]", c.temp(c.n-1), map[int]string{4: "S4", 8: "D2"}[c.lane])
		}
		return c.temp(c.n - 1)
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
	case 0, 4, 3: // 3 is for one operand: x is NaN
		c.word("FCMEQ", d, x, y)
	}
	if pred == 4 || pred == 3 {
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
	t := c.temp(c.n - 1)
	switch {
	case op == "RoundBF16":
		c.p("MOVD $0x7fff, R7")
		c.p("VDUP R7, %s.S4", t)
	case op != "Recip" && op != "Rsqrt":
		return ""
	case c.lane == 8:
		c.p("%s", neonDouble("FMOV1", 4*c.n-1))
	default:
		c.p("%s", neonImmediate("FMOV1", 4*c.n-1))
	}
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
		x := c.in(src, i)
		c.word("ORR", c.a(i), x, x)
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

// stream is store: the machine detects full-line writes by itself.
func (c neonChain) stream(i int) { c.store(0, i) }

func (c neonChain) logic(op string, x, y, d string) {
	c.word(map[string]string{"AND": "AND", "OR": "ORR", "XOR": "EOR"}[op], d, x, y)
}

func (c neonChain) not(i int, _ string) { c.word("NOT", c.a(i), c.a(i), "") }

func (c neonChain) round(mode int, x, d string) {
	c.word([]string{"FRINTN", "FRINTM", "FRINTP", "FRINTZ"}[mode], d, x, "")
}

func (c neonChain) loadAs(mem string, d string, i int) {
	at, f := i*c.vl()/c.lane, strings.Replace(d, "V", "F", 1)
	switch mem {
	case "f16":
		c.p("FMOVD %d(R4), %s", 2*at, f)
		c.word("FCVTL16", d, d, "")
	case "bf16":
		c.p("FMOVD %d(R4), %s", 2*at, f)
		c.word("UXTL16", d, d, "")
		c.shift("SHL", d, d, 16)
	case "bool":
		if c.lane == 8 {
			c.p("MOVHU %d(R4), R7", at)
			c.p("FMOVS R7, %s", f)
		} else {
			c.p("FMOVS %d(R4), %s", at, f)
		}
		c.word("UXTL8", d, d, "")
		c.word("UXTL16", d, d, "")
		if c.lane == 8 {
			c.word("UXTL32", d, d, "")
		}
		c.word("CMTST", d, d, d)
	}
}

func (c neonChain) shift(name, d, x string, count int) {
	n, _ := strconv.Atoi(d[1:])
	m, _ := strconv.Atoi(x[1:])
	c.p("%s", neonShift(name, 4, n, m, count))
}

// roundBF16 rounds to nearest even in the bits; a NaN is made quiet, and keeps its upper bits.
func (c neonChain) roundBF16(i int, half string) {
	a, t, m := c.a(i), c.temp(0), c.temp(1)
	c.shift("SHL", t, a, 15)
	c.shift("USHR", t, t, 31)
	c.word("ADD", t, t, half)
	c.word("ADD", t, t, a)
	c.word("FCMEQ", m, a, a)
	c.word("FADD", a, a, a)
	c.word("BIT", a, t, m)
	c.shift("USHR", a, a, 16)
	c.shift("SHL", a, a, 16)
}

func (c neonChain) roundF16(i int) {
	c.word("FCVTN16", c.a(i), c.a(i), "")
	c.word("FCVTL16", c.a(i), c.a(i), "")
}

func (c neonChain) storeBF16(i int) {
	t := c.temp(i % c.n)
	c.shift("USHR", t, c.a(i), 16)
	c.word("XTN16", t, t, "")
	c.p("FMOVD %s, %d(R4)", strings.Replace(t, "V", "F", 1), i*c.vl()/2)
}

func (c neonChain) storeF16(i int) {
	t := c.temp(i % c.n)
	c.word("FCVTN16", t, c.a(i), "")
	c.p("FMOVD %s, %d(R4)", strings.Replace(t, "V", "F", 1), i*c.vl()/2)
}

func (c neonChain) storeBool() {
	ones := 4*c.n - 1
	c.p("%s", neonImmediate("MOVI1", ones))
	c.each(func(i int) {
		t := c.temp(i % (c.n - 1))
		f := strings.Replace(t, "V", "F", 1)
		if c.lane == 8 {
			c.word("XTN32", t, c.a(i), "")
			c.word("XTN16", t, t, "")
		} else {
			c.word("XTN16", t, c.a(i), "")
		}
		c.word("XTN8", t, t, "")
		c.word("AND", t, t, c.reg(ones))
		if c.lane == 8 {
			c.p("FMOVS %s, R7", f)
			c.p("MOVH R7, %d(R4)", i*c.vl()/8)
		} else {
			c.p("FMOVS %s, %d(R4)", f, i*c.vl()/4)
		}
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

func (c neonChain) operand(mem string) {
	c.p("LDP 8(R1), (R4, R5)")
	c.p("AND R2, R5")
	switch {
	case mem == "bool" && c.lane == 8:
		c.p("ADD R5>>3, R4")
	case mem == "bool":
		c.p("ADD R5>>2, R4")
	case mem != "":
		c.p("ADD R5>>1, R4")
	default:
		c.p("ADD R5, R4")
	}
}

func (c neonChain) leave() {
	c.p("MOVD.W 24(R1), R6")
	c.p("JMP (R6)")
}

func (c neonChain) constants() string { return "" }

func (c neonChain) entry() string {
	s := strings.ReplaceAll(`// func CHAINTableNEON() *[chainRoutines]uintptr
TEXT ·CHAINTableNEON(SB), NOSPLIT, $0-8
	MOVD $CHAINNEONTable<>(SB), R0
	MOVD R0, ret+0(FP)
	RET
`, "CHAIN", c.kind())
	if c.lane == 8 {
		return s // it is entered as the other is
	}
	return s + `
// func chainRunNEON(code *Step, from, to int)
// R1 is the instruction, R0 the first one, R2 the offset in bytes, R3 its end.
TEXT ·chainRunNEON(SB), NOSPLIT, $0-24
	MOVD code+0(FP), R0
	MOVD from+8(FP), R2
	MOVD to+16(FP), R3
	MOVD R0, R1
	MOVD (R1), R6
	JMP (R6)
`
}
