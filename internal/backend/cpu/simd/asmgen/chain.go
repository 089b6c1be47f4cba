package main

import (
	"fmt"
	"strings"
)

// Chain code is direct-threaded code for chains of elementwise operations: each instruction is the address of a short
// routine, which ends with a jump to the next one. The routines work on banks of vector registers: A is the accumulator, B and C
// hold other values; the rest is in memory. So a chain of cheap operations runs without a load and a store for each of them.

// sourceBroadcast is the source of an operand that is one number in memory, broadcast to all elements.
const sourceBroadcast = 3

// chainOp is one kind of instruction. With sources it has a routine for each source of its operand: memory, B, C, broadcast.
type chainOp struct {
	name    string
	sources int
	mem     string // what the operand in memory is, if not lanes: bool, bf16 or f16
	doc     string
	emit    func(c *chain, src int)
}

// only32 reports whether an instruction is for lanes of 32 bits only.
func (o chainOp) only32() bool { return strings.HasSuffix(o.name, "F16") }

// chain writes the routines of one instruction set.
type chain struct {
	*asm
	n    int // registers of a bank
	lane int // bytes of a lane
	m    chainMachine
}

// kind is the name of the code for lanes of a size.
func (c *chain) kind() string {
	if c.lane == 8 {
		return "chain64"
	}
	return "chain"
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
	in(src, i int) string            // the same in a register; temporaries are used in turn
	arith(op string, x, y, d string) // d = x op y: ADD, SUB, MUL or DIV
	extremum(op string, x, y, d string)
	gradMul(x, y, d string)
	compare(pred int, x, y, d string) // d is a register of lanes
	choose(m, x, y, d string)         // d, which is x or y, = m ? x : y
	sqrt(x, d string)
	sign(op string, i int, t string) // Neg or Abs of vector i; t is what begin gave
	relu(i int, t string)
	begin(op string) string // a register that the vectors of Neg, Abs, Not, Recip, Rsqrt, Relu and RoundBF16 share
	logic(op string, x, y, d string)
	not(i int, t string)
	round(mode int, x, d string)
	loadAs(mem string, d string, i int) // one of bool, bf16 or f16
	storeBool()
	roundBF16(i int, t string) // t is what begin gave
	roundF16(i int)
	storeBF16(i int)
	storeF16(i int)
	load(src, i int)
	store(src, i int)
	stream(i int)
	next()
	operand(mem string) // puts the address of the operand in memory into a register
	leave()             // goes to the next instruction
	constants() string  // what routines read
	entry() string      // the functions that Go calls
}

// pairOf gives an operation of two operands in both orders: A op s, and s op A. The first may take s from memory if plain.
func pairOf(name, doc string, plain bool, op func(c *chain, x, y, d string)) []chainOp {
	return []chainOp{
		{name, 4, "", "A = A " + doc + " s", func(c *chain, src int) {
			c.each(func(i int) {
				if plain {
					op(c, c.a(i), c.m.from(src, i), c.a(i))
				} else {
					op(c, c.a(i), c.m.in(src, i), c.a(i))
				}
			})
		}},
		{name + "From", 4, "", "A = s " + doc + " A", func(c *chain, src int) {
			c.each(func(i int) { op(c, c.m.in(src, i), c.a(i), c.a(i)) })
		}},
	}
}

func chainUnary(name, doc string, f func(c *chain, i int, t string)) chainOp {
	if !strings.Contains(doc, " = ") {
		doc = "A = " + doc
	}
	return chainOp{name, 0, "", doc, func(c *chain, _ int) {
		t := c.m.begin(name)
		c.each(func(i int) { f(c, i, t) })
	}}
}

func chainOps() []chainOp {
	var ops []chainOp
	for _, o := range []struct{ name, sign, op string }{{"Add", "+", "ADD"}, {"Sub", "-", "SUB"}, {"Mul", "*", "MUL"},
		{"Div", "/", "DIV"}} {
		ops = append(ops, pairOf(o.name, o.sign, true, func(c *chain, x, y, d string) { c.m.arith(o.op, x, y, d) })...)
	}
	ops = append(ops, pairOf("Max", "max", false, func(c *chain, x, y, d string) { c.m.extremum("MAX", x, y, d) })...)
	ops = append(ops, pairOf("Min", "min", false, func(c *chain, x, y, d string) { c.m.extremum("MIN", x, y, d) })...)
	ops = append(ops, pairOf("GradMul", "grad_mul", false, func(c *chain, x, y, d string) { c.m.gradMul(x, y, d) })...)
	for _, p := range []struct {
		name, sign string
		pred       int
	}{{"Lt", "<", 17}, {"Le", "<=", 18}, {"Eq", "==", 0}, {"Ne", "!=", 4}, {"Gt", ">", 30}, {"Ge", ">=", 29}} {
		ops = append(ops, chainOp{p.name, 4, "", "A = A " + p.sign + " s, all bits or none", func(c *chain, src int) {
			c.each(func(i int) { c.m.compare(p.pred, c.a(i), c.m.from(src, i), c.a(i)) })
		}}, chainOp{"If" + p.name, 4, "", "C = A " + p.sign + " s, all bits or none", func(c *chain, src int) {
			c.each(func(i int) { c.m.compare(p.pred, c.a(i), c.m.from(src, i), c.bank(2, i)) })
		}})
	}
	for _, o := range []struct{ name, sign, op string }{{"And", "and", "AND"}, {"Or", "or", "OR"}, {"Xor", "xor", "XOR"}} {
		ops = append(ops, chainOp{o.name, 3, "", "A = A " + o.sign + " s, bit by bit", func(c *chain, src int) {
			c.each(func(i int) { c.m.logic(o.op, c.a(i), c.m.from(src, i), c.a(i)) })
		}})
	}
	for mode, name := range []string{"Round", "Floor", "Ceil", "Trunc"} {
		ops = append(ops, chainUnary(name, strings.ToLower(name)+"(A)",
			func(c *chain, i int, _ string) { c.m.round(mode, c.a(i), c.a(i)) }))
	}
	return append(append(ops,
		chainUnary("IsNaN", "A != A, all bits or none", func(c *chain, i int, _ string) { c.m.compare(3, c.a(i), c.a(i), c.a(i)) }),
		chainUnary("IfNaN", "C = A != A, all bits or none", func(c *chain, i int, _ string) {
			c.m.compare(3, c.a(i), c.a(i), c.bank(2, i))
		}),
		chainUnary("Not", "not A, bit by bit", func(c *chain, i int, t string) { c.m.not(i, t) }),
		chainUnary("RoundBF16", "A rounded to bfloat16", func(c *chain, i int, t string) { c.m.roundBF16(i, t) }),
		chainUnary("RoundF16", "A rounded to float16", func(c *chain, i int, t string) { c.m.roundF16(i) }),
		chainOp{"Where", 4, "", "A = C ? A : s", func(c *chain, src int) {
			c.each(func(i int) { c.m.choose(c.bank(2, i), c.a(i), c.m.in(src, i), c.a(i)) })
		}},
		chainOp{"WhereFrom", 4, "", "A = C ? s : A", func(c *chain, src int) {
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
		{"Load", 4, "", "A = s", func(c *chain, src int) { c.each(func(i int) { c.m.load(src, i) }) }},
		{"Store", 3, "", "s = A", func(c *chain, src int) { c.each(func(i int) { c.m.store(src, i) }) }},
		{"Stream", 1, "", "memory = A by non-temporal stores; the address is vector-aligned", func(c *chain, _ int) { c.each(c.m.stream) }},
		{"LoadBool", 3, "bool", "A (B, C) = bytes of memory != 0, all bits or none", loadAs("bool")},
		{"LoadBF16", 3, "bf16", "A (B, C) = bfloat16 numbers of memory", loadAs("bf16")},
		{"LoadF16", 3, "f16", "A (B, C) = float16 numbers of memory", loadAs("f16")},
		{"StoreBool", 1, "bool", "bytes of memory = A, 0 or 1", func(c *chain, _ int) { c.m.storeBool() }},
		{"StoreBF16", 1, "bf16", "memory = A, which is rounded already", func(c *chain, _ int) { c.each(c.m.storeBF16) }},
		{"StoreF16", 1, "f16", "memory = A, rounded", func(c *chain, _ int) { c.each(c.m.storeF16) }},
		{"Next", 0, "", "goes on with the elements that follow", func(c *chain, _ int) { c.m.next() }},
	}
}

func loadAs(mem string) func(c *chain, to int) {
	return func(c *chain, to int) { c.each(func(i int) { c.m.loadAs(mem, c.bank(to, i), i) }) }
}

// routines lists the names of the routines by number: those of the sources follow each other.
func (o chainOp) routines() []string {
	names := []string{o.name}
	for _, bank := range "BC1"[:max(0, o.sources-1)] {
		names = append(names, o.name+string(bank))
	}
	return names
}

// chainSource writes the routines for one instruction set and lanes of a size.
func chainSource(t target, lane int) []byte {
	c := &chain{asm: &asm{tgt: t}, n: 8, lane: lane}
	switch t {
	case avx2:
		c.n = 4
		c.m = x86Chain{c}
	case avx512:
		c.m = x86Chain{c}
	case neon:
		c.m = neonChain{c}
	}
	isa, kind := c.isa(), c.kind()
	var table []string
	for _, o := range chainOps() {
		for src, name := range o.routines() {
			if lane == 8 && o.only32() {
				table = append(table, "Next") // never used
				continue
			}
			table = append(table, name)
			fmt.Fprintf(&c.out, "\n// %s\nTEXT %s%s%s<>(SB), NOSPLIT|NOFRAME, $0-0\n", o.doc, kind, name, isa)
			if o.sources > 0 && (src == 0 || src == sourceBroadcast || o.mem != "") {
				c.m.operand(o.mem)
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
		fmt.Fprintf(&b, "DATA %s%sTable<>+%d(SB)/8, $%s%s%s<>(SB)\n", kind, isa, 8*i, kind, name, isa)
	}
	fmt.Fprintf(&b, "GLOBL %s%sTable<>(SB), NOPTR, $%d\n\n", kind, isa, 8*len(table))
	b.WriteString(c.m.entry())
	b.WriteString(c.out.String())
	return []byte(b.String())
}

// chainNames writes the numbers of the routines.
func chainNames() []byte {
	var b strings.Builder
	b.WriteString(
		"// Instructions of chain code. Those with an operand s take it from memory; plus 1 or 2, from bank B or C (loads: into\n// " +
			"them); plus 3, one number from memory for all elements.\nconst (\n")
	n := 0
	for _, o := range chainOps() {
		fmt.Fprintf(&b, "\tChain%s ChainOp = %d // %s", o.name, n, o.doc)
		b.WriteString("\n")
		n += len(o.routines())
	}
	fmt.Fprintf(&b, ")\n\nconst chainRoutines = %d\n", n)
	return prolog("", b.String())
}
