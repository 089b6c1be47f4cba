package main

import (
	"fmt"
	"strings"
)

// Chain code is a program whose instructions are addresses of short routines, each of which jumps to the next one. The
// routines work on banks of registers: A holds the value at hand, B and C keep others; the rest is in memory. So a chain
// of cheap operations is computed without a load and a store for each.

// chainOp is one kind of instruction. With sources it takes an operand from memory, from B or from C, as three routines.
type chainOp struct {
	name    string
	sources int
	bytes   bool // the operand in memory is bytes
	doc     string
	emit    func(c *chain, src int)
}

// chain writes the routines of one instruction set.
type chain struct {
	*asm
	n int // registers of a bank
}

func (c *chain) bank(k, i int) string { return c.reg(k*c.n + i) }
func (c *chain) a(i int) string       { return c.bank(0, i) }
func (c *chain) temp(i int) string    { return c.bank(3, i) }

// mem is vector i of the operand in memory.
func (c *chain) mem(i int) string {
	if i == 0 {
		return "(AX)"
	}
	return fmt.Sprintf("%d(AX)", i*c.vl())
}

// from is vector i of the operand, which may be memory.
func (c *chain) from(src, i int) string {
	if src == 0 {
		return c.mem(i)
	}
	return c.bank(src, i)
}

// in is vector i of the operand in a register; temporaries serve in turn.
func (c *chain) in(src, i int) string {
	if src > 0 {
		return c.bank(src, i)
	}
	t := c.temp(i % (c.n / 2))
	c.p("VMOVUPS %s, %s", c.mem(i), t)
	return t
}

// spare is a temporary that in does not use.
func (c *chain) spare(i int) string { return c.temp(c.n/2 + i%(c.n/2)) }

func (c *chain) each(f func(i int)) {
	for i := range c.n {
		f(i)
	}
}

// all broadcasts 32 bits into the last temporary.
func (c *chain) all(bits uint32) string {
	t := c.temp(c.n - 1)
	c.p("VBROADCASTSS chain%sConst<>+%d(SB), %s", c.isa(), chainConst(bits), t)
	return t
}

// chainConsts are what routines need: the sign, its complement, one.
var chainConsts = []uint32{0x80000000, 0x7fffffff, 0x3f800000, 0x01010101}

func chainConst(bits uint32) int {
	for i, b := range chainConsts {
		if b == bits {
			return 4 * i
		}
	}
	panic("no such constant")
}

func (c *chain) logic(op string) string {
	if c.tgt == avx512 {
		return "VP" + op + "D"
	}
	return "VP" + op
}

// choose is K1 (or mask m) ? x : y.
func (c *chain) choose(m, x, y, d string) {
	if c.tgt == avx512 {
		c.p("VBLENDMPS %s, %s, K1, %s", x, y, d)
	} else {
		c.p("VBLENDVPS %s, %s, %s, %s", m, x, y, d)
	}
}

// compare puts the mask into K1, or into register m.
func (c *chain) compare(pred int, y, x, m string) {
	if c.tgt == avx512 {
		m = "K1"
	}
	c.p("VCMPPS $%d, %s, %s, %s", pred, y, x, m)
}

// pairOf gives an operation of two operands in both orders: A op s, and s op A.
func pairOf(name, doc string, op func(c *chain, x, y, d string, i int), fold string) []chainOp {
	return []chainOp{
		{name, 3, false, "A = A " + doc + " s", func(c *chain, src int) {
			c.each(func(i int) {
				if fold != "" {
					c.p("%s %s, %s, %s", fold, c.from(src, i), c.a(i), c.a(i))
				} else {
					op(c, c.a(i), c.in(src, i), c.a(i), i)
				}
			})
		}},
		{name + "From", 3, false, "A = s " + doc + " A", func(c *chain, src int) {
			c.each(func(i int) {
				if fold != "" {
					c.p("%s %s, %s, %s", fold, c.a(i), c.in(src, i), c.a(i))
				} else {
					op(c, c.in(src, i), c.a(i), c.a(i), i)
				}
			})
		}},
	}
}

// extremum is Max or Min as the block kernels have them: NaN wins.
func extremum(ins string) func(c *chain, x, y, d string, i int) {
	return func(c *chain, x, y, d string, i int) {
		t, m := c.spare(0), c.spare(1)
		c.p("%s %s, %s, %s", ins, y, x, t)
		c.compare(3, x, x, m)
		c.choose(m, x, t, d)
	}
}

// gradMul is x == 0 ? 0 : x*y.
func gradMul(c *chain, x, y, d string, i int) {
	m, zero := c.spare(0), c.spare(1)
	c.p("%s %s, %s, %s", c.logic("XOR"), zero, zero, zero)
	c.compare(4, zero, x, m)
	if c.tgt == avx512 {
		c.p("VMULPS.Z %s, %s, K1, %s", y, x, d)
		return
	}
	c.p("VMULPS %s, %s, %s", y, x, d)
	c.p("VANDPS %s, %s, %s", m, d, d)
}

func chainUnary(name, doc string, f func(c *chain)) chainOp {
	return chainOp{name, 0, false, "A = " + doc, func(c *chain, _ int) { f(c) }}
}

func chainOps() []chainOp {
	var ops []chainOp
	ops = append(ops, pairOf("Add", "+", nil, "VADDPS")...)
	ops = append(ops, pairOf("Sub", "-", nil, "VSUBPS")...)
	ops = append(ops, pairOf("Mul", "*", nil, "VMULPS")...)
	ops = append(ops, pairOf("Div", "/", nil, "VDIVPS")...)
	ops = append(ops, pairOf("Max", "max", extremum("VMAXPS"), "")...)
	ops = append(ops, pairOf("Min", "min", extremum("VMINPS"), "")...)
	ops = append(ops, pairOf("GradMul", "grad_mul", gradMul, "")...)
	for _, p := range []struct {
		name, sign string
		pred       int
	}{{"Lt", "<", 17}, {"Le", "<=", 18}, {"Eq", "==", 0}, {"Ne", "!=", 4}, {"Gt", ">", 30}, {"Ge", ">=", 29}} {
		ops = append(ops, chainOp{p.name, 3, false, "A = A " + p.sign + " s, all bits or none", func(c *chain, src int) {
			c.each(func(i int) {
				c.compare(p.pred, c.from(src, i), c.a(i), c.a(i))
				if c.tgt == avx512 {
					c.p("VPMOVM2D K1, %s", c.a(i))
				}
			})
		}})
	}
	sel := func(keep bool) func(c *chain, src int) {
		return func(c *chain, src int) {
			c.each(func(i int) {
				x, y := c.a(i), c.in(src, i)
				if !keep {
					x, y = y, x
				}
				if c.tgt == avx512 {
					c.p("VPMOVD2M %s, K1", c.bank(2, i))
				}
				c.choose(c.bank(2, i), x, y, c.a(i))
			})
		}
	}
	ops = append(ops,
		chainOp{"Where", 2, false, "A = C ? A : s", sel(true)},
		chainOp{"WhereFrom", 2, false, "A = C ? s : A", sel(false)},
		chainUnary("Neg", "-A", func(c *chain) {
			t := c.all(0x80000000)
			c.each(func(i int) { c.p("%s %s, %s, %s", c.logic("XOR"), t, c.a(i), c.a(i)) })
		}),
		chainUnary("Abs", "|A|", func(c *chain) {
			t := c.all(0x7fffffff)
			c.each(func(i int) { c.p("%s %s, %s, %s", c.logic("AND"), t, c.a(i), c.a(i)) })
		}),
		chainUnary("Sqrt", "√A", func(c *chain) { c.each(func(i int) { c.p("VSQRTPS %s, %s", c.a(i), c.a(i)) }) }),
		chainUnary("Square", "A A", func(c *chain) { c.each(func(i int) { c.p("VMULPS %s, %s, %s", c.a(i), c.a(i), c.a(i)) }) }),
		chainUnary("Recip", "1 / A", func(c *chain) {
			t := c.all(0x3f800000)
			c.each(func(i int) { c.p("VDIVPS %s, %s, %s", c.a(i), t, c.a(i)) })
		}),
		chainUnary("Rsqrt", "1 / √A", func(c *chain) {
			t := c.all(0x3f800000)
			c.each(func(i int) {
				c.p("VSQRTPS %s, %s", c.a(i), c.a(i))
				c.p("VDIVPS %s, %s, %s", c.a(i), t, c.a(i))
			})
		}),
		chainUnary("Relu", "max(0, A), so NaN stays", func(c *chain) {
			t := c.temp(0)
			c.p("%s %s, %s, %s", c.logic("XOR"), t, t, t)
			c.each(func(i int) { c.p("VMAXPS %s, %s, %s", c.a(i), t, c.a(i)) })
		}))
	return append(ops, chainMoves()...)
}

// chainMoves are the instructions that compute nothing.
func chainMoves() []chainOp {
	return []chainOp{
		{"Load", 3, false, "A = s", func(c *chain, src int) { c.each(func(i int) { c.p("VMOVUPS %s, %s", c.from(src, i), c.a(i)) }) }},
		{"Store", 3, false, "s = A", func(c *chain, src int) { c.each(func(i int) { c.p("VMOVUPS %s, %s", c.a(i), c.from(src, i)) }) }},
		{"Stream", 1, false, "memory = A past the caches; it begins at a vector", func(c *chain, _ int) {
			c.each(func(i int) { c.p("VMOVNTPS %s, %s", c.a(i), c.mem(i)) })
		}},
		{"LoadBool", 1, true, "A = bytes of memory != 0, all bits or none", func(c *chain, _ int) {
			c.each(func(i int) {
				c.p("VPMOVZXBD %d(AX), %s", i*c.vl()/4, c.a(i))
				if c.tgt == avx512 {
					c.p("VPTESTMD %s, %s, K1", c.a(i), c.a(i))
					c.p("VPMOVM2D K1, %s", c.a(i))
				} else {
					c.p("VPXOR Y12, Y12, Y12")
					c.p("VPCMPGTD Y12, %s, %s", c.a(i), c.a(i))
				}
			})
		}},
		{"StoreBool", 1, true, "bytes of memory = A, 0 or 1", func(c *chain, _ int) {
			ones := strings.NewReplacer("Z", "X", "Y", "X").Replace(c.all(0x01010101))
			t := strings.NewReplacer("Z", "X", "Y", "X").Replace(c.temp(0))
			c.each(func(i int) {
				if c.tgt == avx512 {
					c.p("VPMOVD2M %s, K1", c.a(i))
					c.p("VMOVDQU8.Z %s, K1, %s", ones, t)
					c.p("VMOVDQU8 %s, %d(AX)", t, i*c.vl()/4)
					return
				}
				x := strings.Replace(c.a(i), "Y", "X", 1)
				c.p("VEXTRACTI128 $1, %s, %s", c.a(i), t)
				c.p("VPACKSSDW %s, %s, %s", t, x, t)
				c.p("VPACKSSWB %s, %s, %s", t, t, t)
				c.p("VPAND %s, %s, %s", ones, t, t)
				c.p("VMOVQ %s, %d(AX)", t, i*c.vl()/4)
			})
		}},
		{"Next", 0, false, "goes on with the elements that follow", func(c *chain, _ int) {
			c.p("ADDQ $%d, DX", c.n*c.vl())
			c.p("CMPQ DX, R9")
			c.p("JGE done")
			c.p("MOVQ R8, BX")
			c.p("JMP (BX)")
			c.label("done")
			c.p("VZEROUPPER")
			c.p("RET")
		}},
	}
}

// routines lists the names of the routines by number: those of the sources follow each other.
func (o chainOp) routines() []string {
	names := []string{o.name}
	for _, bank := range "BC"[:max(0, o.sources-1)] {
		names = append(names, o.name+string(bank))
	}
	return names
}

// chainSource writes the routines for one instruction set.
func chainSource(t target) []byte {
	c := &chain{asm: &asm{tgt: t}, n: 8}
	if t == avx2 {
		c.n = 4
	}
	isa := c.isa()
	var table []string
	for _, o := range chainOps() {
		for src, name := range o.routines() {
			table = append(table, name)
			fmt.Fprintf(&c.out, "\n// %s\nTEXT chain%s%s<>(SB), NOSPLIT|NOFRAME, $0-0\n", o.doc, name, isa)
			if o.sources > 0 && src == 0 {
				c.p("MOVQ 16(BX), CX")
				c.p("MOVQ 8(BX), AX")
				c.p("ANDQ DX, CX")
				if o.bytes {
					c.p("SHRQ $2, CX")
				}
				c.p("ADDQ CX, AX")
			}
			o.emit(c, src)
			if o.name != "Next" {
				c.p("ADDQ $24, BX")
				c.p("JMP (BX)")
			}
		}
	}
	var b strings.Builder
	b.WriteString(header + "//go:build !purego\n\n#include \"textflag.h\"\n\n")
	for i, v := range chainConsts {
		fmt.Fprintf(&b, "DATA chain%sConst<>+%d(SB)/4, $0x%x\n", isa, 4*i, v)
	}
	fmt.Fprintf(&b, "GLOBL chain%sConst<>(SB), RODATA|NOPTR, $%d\n\n", isa, 4*len(chainConsts))
	for i, name := range table {
		fmt.Fprintf(&b, "DATA chain%sTable<>+%d(SB)/8, $chain%s%s<>(SB)\n", isa, 8*i, name, isa)
	}
	fmt.Fprintf(&b, "GLOBL chain%sTable<>(SB), NOPTR, $%d\n\n", isa, 8*len(table))
	fmt.Fprintf(&b, "// func chainTable%s() *[chainRoutines]uintptr\nTEXT ·chainTable%s(SB), NOSPLIT, $0-8\n\tLEAQ chain%sTable<>(SB), AX\n\tMOVQ AX, ret+0(FP)\n\tRET\n\n", isa, isa, isa)
	fmt.Fprintf(&b, "// func chainRun%s(code *Step, from, to int)\n// BX is the instruction, R8 the first one, DX the place in bytes, R9 its end.\nTEXT ·chainRun%s(SB), NOSPLIT, $0-24\n", isa, isa)
	b.WriteString("\tMOVQ code+0(FP), R8\n\tMOVQ from+8(FP), DX\n\tMOVQ to+16(FP), R9\n\tMOVQ R8, BX\n\tJMP (BX)\n")
	b.WriteString(c.out.String())
	return []byte(b.String())
}

// chainNames writes the numbers of the routines.
func chainNames() []byte {
	var b strings.Builder
	b.WriteString("// Instructions of chain code. Those with an operand s take it from memory; one or two more than their number, from\n// bank B or C.\nconst (\n")
	n := 0
	for _, o := range chainOps() {
		fmt.Fprintf(&b, "\tChain%s ChainOp = %d // %s", o.name, n, o.doc)
		if o.sources > 0 && o.sources < 3 {
			fmt.Fprintf(&b, "; s is memory")
			if o.sources == 2 {
				b.WriteString(" or B")
			}
		}
		b.WriteString("\n")
		n += len(o.routines())
	}
	fmt.Fprintf(&b, ")\n\nconst chainRoutines = %d\n", n)
	return prolog("", b.String())
}
