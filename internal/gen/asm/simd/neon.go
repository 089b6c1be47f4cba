package main

import (
	"fmt"
	"math"
	"strings"
)

// neonAsm writes block kernels for arm64: whole vectors of four or two lanes; what is left goes to the twin. The assembler
// of Go has few vector instructions, so those it lacks are written as words, with their meaning beside them.
type neonAsm struct {
	k      *kernel
	out    strings.Builder
	tab    *neonTable
	free   [28]bool // V28 to V31 hold the row of a lookup
	at     map[*val]int
	fixed  map[string]int
	cregs  map[string]int
	copyNo int
	failed bool
}

// neonTable is the rows that lookups of a file pick from.
type neonTable struct {
	file string
	text strings.Builder
	rows map[string]int
	size int
}

func (t *neonTable) offset(row []float32) int {
	key := fmt.Sprint(row)
	if off, ok := t.rows[key]; ok {
		return off
	}
	off := t.size
	for i, v := range row {
		fmt.Fprintf(&t.text, "DATA %sNEONRows<>+%d(SB)/4, $0x%x\n", t.file, off+4*i, math.Float32bits(v))
	}
	t.rows[key], t.size = off, off+4*len(row)
	return off
}

// neonWords are the encodings, for four lanes of 32 bits, less the registers: bits 0 to 4 are the result, 5 to 9 the first
// operand, 16 to 20 the second.
var neonWords = map[string]uint32{
	"FADD": 0x4E20D400, "FSUB": 0x4EA0D400, "FMUL": 0x6E20DC00, "FDIV": 0x6E20FC00, "FMLA": 0x4E20CC00, "FMLS": 0x4EA0CC00,
	"FCMEQ": 0x4E20E400, "FCMGE": 0x6E20E400, "FCMGT": 0x6EA0E400, "FSQRT": 0x6EA1F800, "FNEG": 0x6EA0F800, "SCVTF": 0x4E21D800, "FCVTZS": 0x4EA1B800,
	"FRINTN": 0x4E218800, "FRINTM": 0x4E219800, "FRINTP": 0x4EA18800, "FRINTZ": 0x4EA19800,
	"ADD": 0x4EA08400, "SUB": 0x6EA08400, "MUL": 0x4EA09C00, "CMEQ": 0x6EA08C00, "CMGT": 0x4EA03400,
	// These do not look at lanes.
	"AND": 0x4E201C00, "ORR": 0x4EA01C00, "EOR": 0x6E201C00, "BSL": 0x6E601C00, "NOT": 0x6E205800, "TBL4": 0x4E006000,
	// Wider from narrower and back, by two: bytes, halves, floats. The number is the bits of the narrower.
	"UXTL8": 0x2F08A400, "UXTL16": 0x2F10A400, "XTN8": 0x0E212800, "XTN16": 0x0E612800, "XTN32": 0x0EA12800,
	"FCVTL16": 0x0E217800, "FCVTL32": 0x0E617800, "FCVTN16": 0x0E216800, "FCVTN32": 0x0E616800, "CMEQ0": 0x4EA09800,
	// These have a count in bits 16 to 22.
	"SHL": 0x4F005400, "USHR": 0x6F000400, "SSHR": 0x4F000400,
}

func (a *neonAsm) p(format string, args ...any) { fmt.Fprintf(&a.out, "\t"+format+"\n", args...) }

// word writes an instruction of lanes of a size, 0 where that does not matter; m is negative if there is one operand.
func (a *neonAsm) word(name string, size, d, n, m int) {
	w := neonWords[name] | uint32(d) | uint32(n)<<5
	note := fmt.Sprintf("%s V%d, V%d", name, d, n)
	if m >= 0 {
		w |= uint32(m) << 16
		note += fmt.Sprintf(", V%d", m)
	}
	if size == 8 {
		w |= 1 << 22
		note += ", 64 bits"
	}
	a.p("WORD $0x%08x // %s", w, note)
}

func (a *neonAsm) shift(name string, size, d, n, count int) {
	field := 8*size + count
	if name != "SHL" {
		field = 16*size - count
	}
	a.p("WORD $0x%08x // %s V%d, V%d, %d", neonWords[name]|uint32(field)<<16|uint32(n)<<5|uint32(d), name, d, n, count)
}

func (a *neonAsm) alloc() int {
	for i, ok := range a.free {
		if ok {
			a.free[i] = false
			return i
		}
	}
	a.failed = true
	return 0
}

// loc is the register of x; a constant that has none is brought into a temporary, which done frees.
func (a *neonAsm) loc(x *val) (int, func()) {
	r := x.root()
	if n, ok := a.at[r]; ok {
		return n, func() {}
	}
	if r.op == "scalar" {
		return a.fixed[r.name], func() {}
	}
	if r.op != "const" {
		panic("no place for " + r.op + " in " + a.k.name)
	}
	if n, ok := a.cregs[ckey(r)]; ok {
		return n, func() {}
	}
	n := a.alloc()
	a.constant(r, n)
	return n, func() { a.free[n] = true }
}

func (a *neonAsm) constant(c *val, n int) {
	a.p("MOVD $0x%x, R10", c.bits)
	a.p("VDUP R10, V%d.%s", n, map[int]string{4: "S4", 8: "D2"}[c.t.size()])
}

func (a *neonAsm) release(v *val, pos int) {
	for _, x := range v.args {
		r := x.root()
		if n, ok := a.at[r]; ok && r.last == pos {
			a.free[n] = true
			delete(a.at, r)
		}
	}
}

// neonCan reports whether the kernel is one of vectors alone.
func neonCan(k *kernel) bool {
	if k.own || k.plain != "" || k.stops || len(k.accs) > 0 {
		return false
	}
	b := &B{tgt: neon}
	k.body(b)
	for _, v := range b.code {
		switch {
		case v.mem == "i64f32", v.mem == "bool" && k.lane == 8, v.op == "prefetch", v.op == "mul" && v.t == i64, v.t != mask && v.t.size() != k.lane:
			return false
		}
	}
	return true
}

func (a *neonAsm) body(b *B) {
	for pos, v := range b.code {
		a.ins(v, pos)
	}
}

func (a *neonAsm) addr(v *val) string {
	for i, s := range a.k.slices {
		if s.name == v.name {
			return fmt.Sprintf("%d(R%d)", a.copyNo*16/a.k.lane*memSize(v), i)
		}
	}
	panic(a.k.name + " has no slice " + v.name)
}

// ins writes one operation.
func (a *neonAsm) ins(v *val, pos int) {
	var r [3]int
	var done [3]func()
	for i, x := range v.args {
		r[i], done[i] = a.loc(x)
	}
	end := func() {
		for i := range v.args {
			done[i]()
		}
		a.release(v, pos)
	}
	if v.op == "store" {
		a.store(v, r)
		end()
		return
	}
	d := a.alloc() // never one of the operands, so that they can be read after it was begun
	size, float := a.k.lane, len(v.args) == 0 || v.args[0].t == f32 || v.args[0].t == f64
	switch v.op {
	case "load":
		a.load(v, d)
	case "add", "sub", "mul", "div":
		name := strings.ToUpper(v.op)
		if v.t == f32 || v.t == f64 {
			name = "F" + name
		}
		a.word(name, size, d, r[0], r[1])
	case "and", "or", "xor":
		a.word(map[string]string{"and": "AND", "or": "ORR", "xor": "EOR"}[v.op], 0, d, r[0], r[1])
	case "min":
		a.word("FCMGT", size, d, r[1], r[0])
		a.word("BSL", 0, d, r[0], r[1])
	case "max":
		a.word("FCMGT", size, d, r[0], r[1])
		a.word("BSL", 0, d, r[0], r[1])
	case "sqrt":
		a.word("FSQRT", size, d, r[0], -1)
	case "tof":
		a.word("SCVTF", size, d, r[0], -1)
	case "toi":
		a.word("FCVTZS", size, d, r[0], -1)
	case "round":
		a.word(map[int]string{toNearest: "FRINTN", down: "FRINTM", up: "FRINTP", toZero: "FRINTZ"}[v.imm], size, d, r[0], -1)
	case "shl", "srl", "sra":
		a.shift(map[string]string{"shl": "SHL", "srl": "USHR", "sra": "SSHR"}[v.op], size, d, r[0], v.imm)
	case "fma", "fnma":
		a.word("ORR", 0, d, r[2], r[2])
		a.word(map[string]string{"fma": "FMLA", "fnma": "FMLS"}[v.op], size, d, r[0], r[1])
	case "fms":
		a.word("FNEG", size, d, r[2], -1)
		a.word("FMLA", size, d, r[0], r[1])
	case "cmp":
		a.compare(v.imm, size, d, r[0], r[1], float)
	case "sel":
		a.word("ORR", 0, d, r[0], r[0])
		a.word("BSL", 0, d, r[1], r[2])
	case "lookup":
		a.p("MOVD $%sNEONRows<>+%d(SB), R10", a.tab.file, a.tab.offset(v.tab))
		a.p("VLD1 (R10), [V28.B16, V29.B16, V30.B16, V31.B16]")
		a.word("TBL4", 0, d, 28, r[0])
	default:
		panic("neon: " + v.op)
	}
	end()
	a.at[v] = d
}

// neonMoves are the moves of as many bytes as lanes of a vector take in memory.
var neonMoves = map[int]string{4: "FMOVS", 8: "FMOVD", 16: "FMOVQ"}

func (a *neonAsm) load(v *val, d int) {
	a.p("%s %s, F%d", neonMoves[16/a.k.lane*memSize(v)], a.addr(v), d)
	widen := map[string][]string{"u8": {"UXTL8", "UXTL16"}, "bool": {"UXTL8", "UXTL16", "CMEQ0", "NOT"}, "u16": {"UXTL16"}, "f16": {"FCVTL16"}, "f64f32": {"FCVTL32"}}
	for _, name := range widen[v.mem] {
		a.word(name, 0, d, d, -1)
	}
}

func (a *neonAsm) store(v *val, r [3]int) {
	x := r[0]
	narrow := map[string][]string{"u8": {"XTN16", "XTN8"}, "bool": {"XTN16", "XTN8"}, "u16": {"XTN16"}, "f16": {"FCVTN16"}, "f32": {"FCVTN32"}, "i32": {"XTN32"}}
	if v.mem != "" {
		t := a.alloc()
		for _, name := range narrow[v.mem] {
			a.word(name, 0, t, x, -1)
			x = t
		}
		if v.mem == "bool" {
			if v.imm == 1 {
				a.word("NOT", 0, t, t, -1)
			}
			a.word("AND", 0, t, t, r[1])
		}
		a.free[t] = true
	}
	a.p("%s F%d, %s", neonMoves[16/a.k.lane*memSize(v)], x, a.addr(v))
}

// compare sets all bits of the lanes for which it holds.
func (a *neonAsm) compare(pred, size, d, x, y int, float bool) {
	if !float {
		a.word(map[int]string{30: "CMGT", 0: "CMEQ"}[pred], size, d, x, y)
		return
	}
	switch pred {
	case 17: // x < y
		a.word("FCMGT", size, d, y, x)
	case 18:
		a.word("FCMGE", size, d, y, x)
	case 30:
		a.word("FCMGT", size, d, x, y)
	case 29:
		a.word("FCMGE", size, d, x, y)
	case 0, 4:
		a.word("FCMEQ", size, d, x, y)
	case 3: // x or y is NaN
		t := a.alloc()
		a.word("FCMEQ", size, d, x, x)
		a.word("FCMEQ", size, t, y, y)
		a.word("AND", 0, d, d, t)
		a.free[t] = true
	}
	if pred == 4 || pred == 3 {
		a.word("NOT", 0, d, d, -1)
	}
}

func (a *neonAsm) reset() {
	a.at, a.fixed, a.cregs, a.failed = map[*val]int{}, map[string]int{}, map[string]int{}, false
	for i := range a.free {
		a.free[i] = true
	}
	for _, s := range a.k.scalars {
		a.fixed[s.name] = a.alloc()
	}
}

// neonKernel writes one TEXT: a loop of two vectors a turn, then one by one.
func neonKernel(k *kernel, tab *neonTable) string {
	b := &B{tgt: neon}
	k.body(b)
	a := &neonAsm{k: k, tab: tab}
	for n := len(b.consts); ; n-- { // as many constants in registers as will fit
		a.reset()
		for _, c := range b.consts[:n] {
			a.cregs[ckey(c)] = a.alloc()
		}
		a.out.Reset()
		if a.body(b); !a.failed {
			break
		}
	}
	a.out.Reset()
	size := 8*len(k.slices) + 8
	for _, s := range k.scalars {
		size += s.size()
	}
	fmt.Fprintf(&a.out, "\n// %s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", k.asmDecl("NEON"), k.asmName("NEON"), size)
	for i, s := range k.slices {
		a.p("MOVD %s+%d(FP), R%d", s.name, 8*i, i)
	}
	off := 8 * len(k.slices)
	a.p("MOVD n+%d(FP), R9", off)
	for _, s := range k.scalars {
		off += 8
		a.p("%s %s+%d(FP), R10", map[int]string{4: "MOVWU", 8: "MOVD"}[s.size()], s.name, off)
		a.p("VDUP R10, V%d.%s", a.fixed[s.name], map[int]string{4: "S4", 8: "D2"}[s.size()])
		off += s.size() - 8
	}
	for _, c := range b.consts {
		if n, ok := a.cregs[ckey(c)]; ok {
			a.constant(c, n)
		}
	}
	lanes := 16 / k.lane
	turn := func(label string, copies int) {
		fmt.Fprintf(&a.out, "\n%s:\n", label)
		for a.copyNo = range copies {
			a.body(b)
		}
		for i, s := range k.slices {
			a.p("ADD $%d, R%d", copies*lanes*s.size(), i)
		}
	}
	a.p("SUBS $%d, R9", 2*lanes)
	a.p("BLT tail")
	turn("loop", 2)
	a.p("SUBS $%d, R9", 2*lanes)
	a.p("BGE loop")
	fmt.Fprintf(&a.out, "\ntail:\n")
	a.p("ADDS $%d, R9", 2*lanes)
	a.p("BEQ done")
	turn("one", 1)
	fmt.Fprintf(&a.out, "\ndone:\n")
	a.p("RET")
	return a.out.String()
}

// neonFiles writes the assembly of a family and the exported functions on arm64; assembly is nil if there is none.
func (f family) neonFiles() (assembly, dispatch []byte) {
	tab := &neonTable{file: f.file, rows: map[string]int{}}
	var text, decl strings.Builder
	for _, k := range f.kernels {
		switch do := k.twinName(); {
		case neonCan(k):
			text.WriteString(neonKernel(k, tab))
			fmt.Fprintf(&decl, "%sfunc %s(%s) {\n%s\tn := 0\n\tif useNEON {\n\t\tif n = len(z) &^ %d; n > 0 {\n\t\t\t%s(%s)\n\t\t}\n\t}\n\t%s(%s)\n}\n\n",
				k.comment(), k.name, k.params(), k.reslice(), 16/k.lane-1, k.asmName("NEON"), k.pointers("n"), do, k.names("", "[n:]"))
			fmt.Fprintf(&decl, "//go:noescape\n%s\n\n", k.asmDecl("NEON"))
		default:
			if k.plain != "" {
				do = k.plain
			}
			fmt.Fprintf(&decl, "%sfunc %s(%s) { %s(%s) }\n\n", k.comment(), k.name, k.params(), do, k.namesOf(k.plainSlices(), "", ""))
		}
	}
	if text.Len() == 0 {
		return nil, prolog("!purego", decl.String())
	}
	head := header + "//go:build !purego\n\n#include \"textflag.h\"\n"
	if tab.size > 0 {
		head += fmt.Sprintf("\n%sGLOBL %sNEONRows<>(SB), RODATA|NOPTR, $%d\n", tab.text.String(), tab.file, tab.size)
	}
	return []byte(head + text.String()), prolog("!purego", decl.String())
}
