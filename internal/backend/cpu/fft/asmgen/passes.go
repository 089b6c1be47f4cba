package asmgen

import (
	"fmt"
	"strings"
)

// A row of three passes can have them all in one kernel: passLengths are those of such rows, passRadices the radices behind the first.
var (
	passLengths = []int{128, 256, 512}
	passRadices = map[int][2]int{128: {4, 4}, 256: {8, 4}, 512: {8, 8}}
)

// passes writes the transform of rows of n elements of float32, with the arithmetic of open, second and the last pass. While a row gets its
// first pass, the one before gets its last: so what the second one stores in two parts is not read at once, and what is read and written of
// tensors comes evenly. SI and R14 are the row and what is ahead of it, R11 and R15 the result, R9 and R10 scratch of a row each, R8 counts
// rows, R12 says that a row waits for its last pass.
func passes(v variant, t element, n int, swap, stream bool) (name, lines string) {
	name = fmt.Sprintf("passes%s%s%d%s%s", map[bool]string{true: "Stream"}[stream], map[bool]string{true: "Swap"}[swap], n, t.name, v.name)
	row, second, last := 2*t.size*n, passRadices[n][0], passRadices[n][1]
	b := &text{v: v, stream: stream}
	opening, open := assembled(v, t, func(c *code) {
		x := make([]complexValue, openRadix)
		for k := range x {
			x[k] = c.loadPairs(fmt.Sprintf("%d(SI)(BX*1)", row/openRadix*k), "")
			c.ahead(fmt.Sprintf("%d(R14)(BX*1)", row/openRadix*k))
			if swap {
				x[k] = complexValue{x[k].im, x[k].re}
			}
		}
		c.openWide(c.butterfly(x))
	})
	middle, seconds := assembled(v, t, func(c *code) {
		x := make([]complexValue, second)
		for k := range x {
			x[k] = complexValue{c.load(fmt.Sprintf("%d(BX)", row/second*k), ""), c.load(fmt.Sprintf("%d(BX)", row/second*k+64), "")}
		}
		c.bothParts(c.butterfly(x))
	})
	ending, end := assembled(v, t, func(c *code) {
		c.stream = stream
		x := make([]complexValue, last)
		for k := range x {
			at := row / last * k
			x[k] = complexValue{c.load(fmt.Sprintf("%d(R10)(CX*1)", at), ""), c.load(fmt.Sprintf("%d(R10)(CX*1)", at+64), "")}
		}
		scale := fmt.Sprintf("%d(AX)", argScale)
		for j, z := range c.butterfly(x) {
			z = complexValue{c.mul(z.re, scale), c.mul(z.im, scale)}
			if swap {
				z = complexValue{z.im, z.re}
			}
			c.storePairs(z, fmt.Sprintf("%d(R11)(CX*1)", row/last*j), "")
			if !stream {
				c.ahead(fmt.Sprintf("%d(R15)(CX*1)", row/last*j))
			}
		}
	})
	b.begin(name, max(opening.stack, middle.stack, ending.stack), field{argX, "SI"}, field{argX, "R14"}, field{argY, "R11"},
		field{argY, "R15"}, field{argWork, "R9"}, field{argConst, "R13"}, field{argCount, "R8"})
	b.op("LEAQ %d(R9), R10", row)
	b.op("ADDQ %d(AX), R14", argFrom)
	b.op("ADDQ %d(AX), R15", argTo)
	b.op("XORQ R12, R12")
	b.WriteString("row:\n")
	b.op("TESTQ R8, R8")
	b.op("JEQ last")
	b.op("MOVQ %d(AX), DX", argRoots)
	b.op("MOVQ R9, DI")
	b.op("XORQ BX, BX")
	b.loop("opening", opening, open, func() {
		b.op("ADDQ $%d, DX", 2*v.bytes*(openRadix-1))
		b.op("ADDQ $%d, DI", 2*v.bytes*openRadix)
		b.op("ADDQ $%d, BX", 2*v.bytes)
		b.op("CMPQ BX, $%d", row/openRadix)
	})
	b.op("ADDQ %d(AX), SI", argNextIn)
	b.op("ADDQ %d(AX), R14", argNextIn)
	b.op("TESTQ R12, R12")
	b.op("JEQ middle")
	b.WriteString("last:\n")
	b.op("XORQ CX, CX")
	b.loop("ending", ending, end, func() {
		b.op("ADDQ $%d, CX", 2*v.bytes)
		b.op("CMPQ CX, $%d", row/last)
	})
	b.op("ADDQ %d(AX), R11", argNextOut)
	b.op("ADDQ %d(AX), R15", argNextOut)
	b.op("TESTQ R8, R8")
	b.op("JEQ done")
	b.WriteString("middle:\n")
	b.op("MOVQ %d(AX), DX", argTable)
	b.op("MOVQ R10, DI")
	b.op("MOVQ R9, BX")
	b.op("MOVQ $%d, CX", row/second/2/v.bytes)
	b.loop("seconds", middle, seconds, func() {
		b.op("ADDQ $%d, BX", 2*v.bytes)
		b.op("ADDQ $%d, DX", 2*v.bytes*(second-1))
		b.op("ADDQ $%d, DI", 2*v.bytes*second)
		b.op("DECQ CX")
	})
	b.op("MOVQ $1, R12")
	b.op("DECQ R8")
	b.op("JMP row")
	b.WriteString("done:\n")
	return name, b.end()
}

// piece is what assemble says of some code.
type piece struct {
	stack  int
	tables []string
}

// assembled is the text of what f writes, whose roots are vectors.
func assembled(v variant, t element, f func(c *code)) (p piece, lines string) {
	c := newCode(v, t)
	c.each = true
	f(c)
	list, stack, tables := assemble(v, c)
	return piece{stack, tables}, strings.Join(list, "\n") + "\n"
}

// loop writes lines that are repeated until next sets the flag of zero.
func (b *text) loop(label string, p piece, lines string, next func()) {
	for i, table := range p.tables {
		b.op("VMOVUPS %s<>(SB), %s%d", table, b.v.reg, b.v.regs-1-i)
	}
	b.WriteString(label + ":\n" + lines)
	next()
	b.op("JNE %s", label)
}

// bothParts stores the results of a second pass, times their roots: the two parts of a vector are of different p.
func (c *code) bothParts(y []complexValue) {
	for j, z := range y {
		if j > 0 {
			z = c.times(z, fmt.Sprintf("%d(DX)", 128*(j-1)), fmt.Sprintf("%d(DX)", 128*(j-1)+64))
		}
		at := j/2*128 + j%2*32
		for part, w := range []value{z.re, z.im} {
			near, far := fmt.Sprintf("%d(DI)", at+64*part), fmt.Sprintf("%d(DI)", at+64*part+64*len(y))
			c.emit(operation{name: "twoStores", a: w, b: -1, mem: near, far: far})
		}
	}
}
