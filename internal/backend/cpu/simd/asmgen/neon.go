package main

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

// neonAsm writes block kernels for arm64. The assembler of Go has few vector instructions, so those it lacks are written as
// words, each with a comment that names it: see neonWords.
//
// Registers: R0 to R8 the slices, R9 elements left, R10 at hand, R11 constants and rows.
type neonAsm struct {
	k      *kernel
	out    strings.Builder
	tab    *neonTable
	free   [32]bool
	at     map[neonVal]int
	fixed  map[string]int
	cregs  map[string]int
	row    string // the row of a lookup that V28 to V31 hold
	keep   bool   // they hold it all the time
	group  int    // vectors that are computed side by side, so that rows serve them all
	copyNo int
	masked bool // at most a vector is left
	failed bool
	labels int
	stopAt string
	rare   []rareVector
}

// neonVal is a value of one of the vectors that are computed side by side.
type neonVal struct {
	v *val
	n int
}

// neonTable is what kernels of a file read: constants, a vector each, and rows that lookups pick from.
type neonTable struct {
	file string
	text strings.Builder
	at   map[string]int
	size int
}

// put returns the offset of words of a size in bytes.
func (t *neonTable) put(key string, size int, words ...uint64) int {
	if off, ok := t.at[key]; ok {
		return off
	}
	off := t.size
	for i, w := range words {
		fmt.Fprintf(&t.text, "DATA %sNEON<>+%d(SB)/%d, $0x%x\n", t.file, off+size*i, size, w)
	}
	t.at[key], t.size = off, off+size*len(words)
	return off
}

func (t *neonTable) offset(row []float32) int {
	words := make([]uint64, len(row))
	for i, v := range row {
		words[i] = uint64(math.Float32bits(v))
	}
	return t.put(fmt.Sprint(row), 4, words...)
}

func (t *neonTable) constant(c *val) int {
	switch c.t.size() {
	case 8:
		return t.put(ckey(c), 8, c.bits, c.bits)
	case 1, 2:
		words := make([]uint64, 16/c.t.size())
		for i := range words {
			words[i] = c.bits
		}
		return t.put(ckey(c), c.t.size(), words...)
	}
	return t.put(ckey(c), 4, c.bits, c.bits, c.bits, c.bits)
}

// masks are all ones, then zeros: a load that many elements before the middle has ones for them.
func (t *neonTable) masks() int {
	const ones = 0xffffffff
	return t.put("masks", 4, ones, ones, ones, ones, 0, 0, 0, 0) + 16
}

func (a *neonAsm) p(format string, args ...any) { fmt.Fprintf(&a.out, "\t"+format+"\n", args...) }

func (a *neonAsm) label(name string) { fmt.Fprintf(&a.out, "%s:\n", name) }

// fresh is an unused label.
func (a *neonAsm) fresh(name string) string {
	a.labels++
	return fmt.Sprintf("%s%d", name, a.labels)
}

// word writes an instruction of lanes of a size, 0 where that does not matter; m is negative if there is one operand.
func (a *neonAsm) word(name string, size, d, n, m int) { a.p("%s", neonWord(name, size, d, n, m)) }

func (a *neonAsm) shift(name string, size, d, n, count int) {
	a.p("%s", neonShift(name, size, d, n, count))
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

func (a *neonAsm) reg(v *val) (int, bool) {
	n, ok := a.at[neonVal{v.root(), a.copyNo % a.group}]
	return n, ok
}

func (a *neonAsm) set(v *val, n int) { a.at[neonVal{v, a.copyNo % a.group}] = n }

// loc is the register of x; a constant that has none is brought into a temporary, which done frees.
func (a *neonAsm) loc(x *val) (int, func()) {
	r := x.root()
	if n, ok := a.reg(r); ok {
		return n, func() {}
	}
	if r.op == "scalar" {
		return a.fixed[r.name], func() {}
	}
	if r.op != "const" {
		panic("no register for " + r.op + " in " + a.k.name)
	}
	if n, ok := a.cregs[ckey(r)]; ok {
		return n, func() {}
	}
	n := a.alloc()
	a.constant(r, n)
	return n, func() { a.free[n] = true }
}

func (a *neonAsm) constant(c *val, n int) {
	a.p("FMOVQ %d(R11), F%d // %s", a.tab.constant(c), n, strings.TrimPrefix(goConst(c), "math."))
}

// dies says whether x lives in a register of its own that is not needed after pos.
func (a *neonAsm) dies(x *val, pos int) bool {
	_, ok := a.reg(x)
	return ok && x.root().last == pos
}

func (a *neonAsm) release(v *val, pos int) {
	for _, x := range v.args {
		if n, ok := a.reg(x); ok && x.root().last == pos {
			a.free[n] = true
			delete(a.at, neonVal{x.root(), a.copyNo % a.group})
		}
	}
}

// neonCan reports whether there is a kernel of vectors. Converting and multiplying integers of 64 bits has no instruction for
// vectors that rounds once, and there is no non-temporal store: the machine detects full-line writes by itself.
func neonCan(k *kernel) bool {
	if k.cached != "" {
		return false
	}
	b := &B{tgt: neon}
	k.body(b)
	b.prune()
	for _, v := range b.code {
		switch {
		case v.mem == "i64f32", v.op == "timesc", strings.HasSuffix(v.op, "by"),
			v.op == "mul" && v.t == i64, v.t != mask && v.t.size() != k.lane:
			return false
		}
	}
	return true
}

// body writes copies of the loop body from first on, side by side as many as a group has.
func (a *neonAsm) body(b *B, first, copies int) {
	for from := first; from < first+copies; from += a.group {
		n := min(a.group, first+copies-from)
		if !a.keep {
			a.row = ""
		}
		if a.k.rare != nil {
			a.stopAt = fmt.Sprintf("rare%d", len(a.rare))
		}
		for pos, v := range b.code {
			for i := range n {
				a.copyNo = from + i
				a.ins(v, pos)
			}
		}
		if a.k.rare != nil {
			a.label(fmt.Sprintf("back%d", len(a.rare)))
			a.rare = append(a.rare, rareVector{from, n, a.masked})
		}
	}
}

// rareVectors writes what the copies leave to kernel.rare.
func (a *neonAsm) rareVectors() {
	list, group, keep := a.rare, a.group, a.keep
	for n, v := range list {
		a.group, a.masked = 1, v.masked
		a.out.WriteString("\n")
		a.label(fmt.Sprintf("rare%d", n))
		b := a.k.rarely(neon)
		for i := range v.copies {
			if a.copyNo = v.copyNo + i; !keep {
				a.row = ""
			}
			for pos, v := range b.code {
				a.ins(v, pos)
			}
		}
		a.p("JMP back%d", n)
	}
	a.rare, a.group, a.masked = nil, group, false
}

// rows lists the rows that a body looks up.
func rowsOf(b *B) map[string]bool {
	rows := map[string]bool{}
	for _, v := range b.code {
		if v.op == "lookup" {
			rows[fmt.Sprint(v.tab)] = true
		}
	}
	return rows
}

// reset begins with no value in any register but scalars and sums.
func (a *neonAsm) reset(b *B) {
	a.at, a.fixed, a.cregs, a.failed, a.rare = map[neonVal]int{}, map[string]int{}, map[string]int{}, false, nil
	rows := rowsOf(b)
	if a.k.rare != nil {
		for r := range rowsOf(a.k.rarely(neon)) {
			rows[r] = true
		}
	}
	for i := range a.free {
		a.free[i] = i < 28 || len(rows) == 0
	}
	if a.keep = len(rows) == 1; a.keep {
		for r := range rows {
			a.row = r
		}
	}
	for _, s := range a.k.scalars {
		a.fixed[s.name] = a.alloc()
	}
	for _, c := range a.k.accs {
		n := 1
		if c.lanes {
			n = a.k.group() * a.k.lane / 16
		}
		for i := range n {
			a.fixed[fmt.Sprintf("%s.%d", c.name, i)] = a.alloc()
		}
	}
	if len(a.k.accs) > 0 {
		a.fixed["mask"] = a.alloc()
	}
}

// plan chooses the constants that stay in registers, those used most first, as many as fit in addition to the values of group
// vectors. It fails if even none do.
func (a *neonAsm) plan(b *B, group int) bool {
	uses := map[string]int{}
	var order []*val
	for _, v := range b.code {
		for i, x := range v.args {
			// An addend that is read from memory is read to where the sum will be.
			if r := x.root(); r.op == "const" && (i < 2 || v.op == "sel") {
				if uses[ckey(r)] == 0 {
					order = append(order, r)
				}
				uses[ckey(r)]++
			}
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return uses[ckey(order[i])] > uses[ckey(order[j])] })
	tab := a.tab
	defer func() {
		a.tab, a.labels, a.copyNo, a.masked = tab, 0, 0, false
		a.out.Reset()
	}()
	for n := len(order); n >= 0; n-- {
		a.tab = &neonTable{at: map[string]int{}}
		a.reset(b)
		for _, c := range order[:n] {
			a.cregs[ckey(c)] = a.alloc()
		}
		a.group = group
		a.body(b, 0, group)
		a.masked = true
		a.group = 1
		a.body(b, 0, 1)
		a.rareVectors()
		a.group, a.masked = group, false
		if !a.failed {
			return true
		}
	}
	return false
}
