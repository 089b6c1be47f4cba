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
	m chainMachine
}

func (c *chain) bank(k, i int) string { return c.reg(k*c.n + i) }
func (c *chain) a(i int) string       { return c.bank(0, i) }
func (c *chain) temp(i int) string    { return c.bank(3, i) }

// spare is a temporary that in does not use.
func (c *chain) spare(i int) string { return c.temp(c.n/2 + i%(c.n/2)) }

func (c *chain) each(f func(i int)) {
	for i := range c.n {
		f(i)
	}
}

// chainMachine writes what instruction sets have different instructions for. Operands are registers; from gives one of
// arith and compare that may be memory.
type chainMachine interface {
	from(src, i int) string          // vector i of the operand
	in(src, i int) string            // the same in a register; temporaries serve in turn
	arith(op string, x, y, d string) // d = x op y: ADD, SUB, MUL or DIV
	extremum(op string, x, y, d string)
	gradMul(x, y, d string)
	compare(pred int, x, y, d string)
	choose(m, x, y, d string) // d, which is x or y, = m ? x : y
	sqrt(x, d string)
	sign(op string, i int, t string) // Neg or Abs of vector i; t is what begin gave
	relu(i int, t string)
	begin(op string) string // a register that the vectors of Neg, Abs, Recip, Rsqrt and Relu share
	loadBool(i int)
	storeBool()
	load(src, i int)
	store(src, i int)
	stream(i int)
	next()
	operand(bytes bool) // puts the address of the operand in memory into a register
	leave()             // goes to the next instruction
	constants() string  // what routines read
	entry() string      // the functions that Go calls
}

// pairOf gives an operation of two operands in both orders: A op s, and s op A. The first may take s from memory if plain.
func pairOf(name, doc string, plain bool, op func(c *chain, x, y, d string)) []chainOp {
	return []chainOp{
		{name, 3, false, "A = A " + doc + " s", func(c *chain, src int) {
			c.each(func(i int) {
				if plain {
					op(c, c.a(i), c.m.from(src, i), c.a(i))
				} else {
					op(c, c.a(i), c.m.in(src, i), c.a(i))
				}
			})
		}},
		{name + "From", 3, false, "A = s " + doc + " A", func(c *chain, src int) {
			c.each(func(i int) { op(c, c.m.in(src, i), c.a(i), c.a(i)) })
		}},
	}
}

func chainUnary(name, doc string, f func(c *chain, i int, t string)) chainOp {
	return chainOp{name, 0, false, "A = " + doc, func(c *chain, _ int) {
		t := c.m.begin(name)
		c.each(func(i int) { f(c, i, t) })
	}}
}

func chainOps() []chainOp {
	var ops []chainOp
	for _, o := range []struct{ name, sign, op string }{{"Add", "+", "ADD"}, {"Sub", "-", "SUB"}, {"Mul", "*", "MUL"}, {"Div", "/", "DIV"}} {
		ops = append(ops, pairOf(o.name, o.sign, true, func(c *chain, x, y, d string) { c.m.arith(o.op, x, y, d) })...)
	}
	ops = append(ops, pairOf("Max", "max", false, func(c *chain, x, y, d string) { c.m.extremum("MAX", x, y, d) })...)
	ops = append(ops, pairOf("Min", "min", false, func(c *chain, x, y, d string) { c.m.extremum("MIN", x, y, d) })...)
	ops = append(ops, pairOf("GradMul", "grad_mul", false, func(c *chain, x, y, d string) { c.m.gradMul(x, y, d) })...)
	for _, p := range []struct {
		name, sign string
		pred       int
	}{{"Lt", "<", 17}, {"Le", "<=", 18}, {"Eq", "==", 0}, {"Ne", "!=", 4}, {"Gt", ">", 30}, {"Ge", ">=", 29}} {
		ops = append(ops, chainOp{p.name, 3, false, "A = A " + p.sign + " s, all bits or none", func(c *chain, src int) {
			c.each(func(i int) { c.m.compare(p.pred, c.a(i), c.m.from(src, i), c.a(i)) })
		}})
	}
	return append(append(ops,
		chainOp{"Where", 2, false, "A = C ? A : s", func(c *chain, src int) {
			c.each(func(i int) { c.m.choose(c.bank(2, i), c.a(i), c.m.in(src, i), c.a(i)) })
		}},
		chainOp{"WhereFrom", 2, false, "A = C ? s : A", func(c *chain, src int) {
			c.each(func(i int) { c.m.choose(c.bank(2, i), c.m.in(src, i), c.a(i), c.a(i)) })
		}},
		chainUnary("Neg", "-A", func(c *chain, i int, t string) { c.m.sign("Neg", i, t) }),
		chainUnary("Abs", "|A|", func(c *chain, i int, t string) { c.m.sign("Abs", i, t) }),
		chainUnary("Sqrt", "√A", func(c *chain, i int, _ string) { c.m.sqrt(c.a(i), c.a(i)) }),
		chainUnary("Square", "A A", func(c *chain, i int, _ string) { c.m.arith("MUL", c.a(i), c.a(i), c.a(i)) }),
		chainUnary("Recip", "1 / A", func(c *chain, i int, t string) { c.m.arith("DIV", t, c.a(i), c.a(i)) }),
		chainUnary("Rsqrt", "1 / √A", func(c *chain, i int, t string) {
			c.m.sqrt(c.a(i), c.a(i))
			c.m.arith("DIV", t, c.a(i), c.a(i))
		}),
		chainUnary("Relu", "max(0, A), so NaN stays", func(c *chain, i int, t string) { c.m.relu(i, t) })),
		chainMoves()...)
}

// chainMoves are the instructions that compute nothing.
func chainMoves() []chainOp {
	return []chainOp{
		{"Load", 3, false, "A = s", func(c *chain, src int) { c.each(func(i int) { c.m.load(src, i) }) }},
		{"Store", 3, false, "s = A", func(c *chain, src int) { c.each(func(i int) { c.m.store(src, i) }) }},
		{"Stream", 1, false, "memory = A past the caches; it begins at a vector", func(c *chain, _ int) { c.each(c.m.stream) }},
		{"LoadBool", 1, true, "A = bytes of memory != 0, all bits or none", func(c *chain, _ int) { c.each(c.m.loadBool) }},
		{"StoreBool", 1, true, "bytes of memory = A, 0 or 1", func(c *chain, _ int) { c.m.storeBool() }},
		{"Next", 0, false, "goes on with the elements that follow", func(c *chain, _ int) { c.m.next() }},
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
	switch t {
	case avx2:
		c.n = 4
		c.m = x86Chain{c}
	case avx512:
		c.m = x86Chain{c}
	case neon:
		c.m = neonChain{c}
	}
	isa := c.isa()
	var table []string
	for _, o := range chainOps() {
		for src, name := range o.routines() {
			table = append(table, name)
			fmt.Fprintf(&c.out, "\n// %s\nTEXT chain%s%s<>(SB), NOSPLIT|NOFRAME, $0-0\n", o.doc, name, isa)
			if o.sources > 0 && src == 0 {
				c.m.operand(o.bytes)
			}
			o.emit(c, src)
			if o.name != "Next" {
				c.m.leave()
			}
		}
	}
	var b strings.Builder
	b.WriteString(header + "//go:build !purego\n\n#include \"textflag.h\"\n\n")
	b.WriteString(c.m.constants())
	for i, name := range table {
		fmt.Fprintf(&b, "DATA chain%sTable<>+%d(SB)/8, $chain%s%s<>(SB)\n", isa, 8*i, name, isa)
	}
	fmt.Fprintf(&b, "GLOBL chain%sTable<>(SB), NOPTR, $%d\n\n", isa, 8*len(table))
	b.WriteString(c.m.entry())
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
