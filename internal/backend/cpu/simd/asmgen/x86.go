package main

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// asm writes kernels for one instruction set into one file.
type asm struct {
	tgt  target
	file string // prefix of the constant table's name
	out  strings.Builder
	data map[string]int // constants in the table: offset by key
	size int
	tab  strings.Builder
}

// vl is the length of a vector in bytes.
func (a *asm) vl() int { return map[target]int{avx2: 32, avx512: 64, neon: 16}[a.tgt] }

func (a *asm) isa() string {
	return map[target]string{avx2: "AVX2", avx512: "AVX512", neon: "NEON"}[a.tgt]
}

func (a *asm) reg(n int) string {
	return map[target]string{avx2: "Y", avx512: "Z", neon: "V"}[a.tgt] + strconv.Itoa(n)
}

func (a *asm) p(format string, args ...any) { fmt.Fprintf(&a.out, "\t"+format+"\n", args...) }

func (a *asm) label(format string, args ...any) { fmt.Fprintf(&a.out, format+":\n", args...) }

// constOffset puts a constant into the table: once for AVX-512, which broadcasts
// from memory in any operand, and as a whole vector for AVX2, which cannot.
func (a *asm) constOffset(c *val) int {
	key := fmt.Sprintf("%d:%x", c.t.size(), c.bits)
	if off, ok := a.data[key]; ok {
		return off
	}
	n := 1
	if a.tgt == avx2 {
		n = 32 / c.t.size()
	}
	for a.size%c.t.size() != 0 {
		a.size++
	}
	off := a.size
	for i := range n {
		fmt.Fprintf(&a.tab, "DATA %sConst<>+%d(SB)/%d, $0x%x\n", a.file, off+i*c.t.size(), c.t.size(), c.bits)
	}
	a.size += n * c.t.size()
	a.data[key] = off
	return off
}

// tableOffset puts a row of a lookup into the table of constants.
func (a *asm) tableOffset(row []float32) int {
	key := fmt.Sprint("row", row)
	if off, ok := a.data[key]; ok {
		return off
	}
	off := (a.size + 63) &^ 63
	for i, v := range row {
		fmt.Fprintf(&a.tab, "DATA %sConst<>+%d(SB)/4, $0x%x\n", a.file, off+4*i, math.Float32bits(v))
	}
	a.size = off + 4*len(row)
	a.data[key] = off
	return off
}

func (a *asm) constMem(c *val) string {
	return fmt.Sprintf("%sConst<>+%d(SB)", a.file, a.constOffset(c))
}

// frame is the state of register allocation in one kernel.
type frame struct {
	*asm
	k       *kernel
	free    []bool
	freeK   []bool
	at      map[*val]int    // register of a live value
	fixed   map[string]int  // scalars and accumulators
	cregs   map[string]int  // constants held in registers
	mem     map[*val]string // loads folded into their user
	masked  bool
	copyNo  int
	failed  bool
	stopLbl string
	rare    []rareVector // copies of the body that have another for rare vectors
	code    []*val
}

func ckey(c *val) string { return fmt.Sprintf("%d:%x", c.t.size(), c.bits) }

func (f *frame) alloc() int {
	for i, ok := range f.free {
		if ok {
			f.free[i] = false
			return i
		}
	}
	f.failed = true
	return 0
}

func (f *frame) allocK() int {
	for i := 1; i < 7; i++ {
		if f.freeK[i] {
			f.freeK[i] = false
			return i
		}
	}
	f.failed = true
	return 1
}

// release frees the registers of arguments that die at position pos.
func (f *frame) release(v *val, pos int) {
	for _, x := range v.args {
		r := x.root()
		if n, ok := f.at[r]; ok && r.last == pos {
			if r.t == mask && f.tgt == avx512 {
				f.freeK[n] = true
			} else {
				f.free[n] = true
			}
			delete(f.at, r)
		}
	}
}

// dies says whether x lives in a register of its own that is not needed after pos.
func (f *frame) dies(x *val, pos int) bool {
	r := x.root()
	_, ok := f.at[r]
	return ok && r.last == pos
}

// loc returns the register number of x, loading a constant into a temporary if need be.
// The temporary is freed by the caller through the returned function.
func (f *frame) loc(x *val) (int, func()) {
	none := func() {}
	r := x.root()
	if n, ok := f.at[r]; ok {
		return n, none
	}
	switch r.op {
	case "scalar":
		return f.fixed[r.name], none
	case "const":
		if n, ok := f.cregs[ckey(r)]; ok {
			return n, none
		}
		n := f.alloc()
		f.loadConst(r, n)
		return n, func() { f.free[n] = true }
	case "load":
		if m, ok := f.mem[r]; ok {
			n := f.alloc()
			f.p("VMOVUPS %s, %s", m, f.reg(n))
			return n, func() { f.free[n] = true }
		}
	}
	panic("no register for " + r.op + " in " + f.k.name)
}

func (f *frame) loadConst(c *val, n int) {
	switch {
	case f.tgt == avx2:
		f.p("VMOVUPS %s, %s", f.constMem(c), f.reg(n))
	case c.t.narrow():
		f.p("VPBROADCAST%s %s, %s", isuf[c.t], f.constMem(c), f.reg(n))
	case c.t.size() == 8:
		f.p("VBROADCASTSD %s, %s", f.constMem(c), f.reg(n))
	default:
		f.p("VBROADCASTSS %s, %s", f.constMem(c), f.reg(n))
	}
}

// source is an operand that may be in memory; bcst is the opcode suffix it needs.
func (f *frame) source(x *val) (s, bcst string, done func()) {
	r := x.root()
	if m, ok := f.mem[r]; ok {
		return m, "", func() {}
	}
	if r.op == "const" {
		if _, ok := f.cregs[ckey(r)]; !ok {
			switch {
			case f.tgt == avx512 && r.t.narrow(): // only lanes of 4 and 8 bytes are repeated from memory
				n, done := f.loc(x)
				return f.reg(n), "", done
			case f.tgt == avx512:
				return f.constMem(r), ".BCST", func() {}
			}
			return f.constMem(r), "", func() {}
		}
	}
	n, done := f.loc(x)
	return f.reg(n), "", done
}

func (f *frame) inMemory(x *val) bool {
	r := x.root()
	if _, ok := f.mem[r]; ok {
		return true
	}
	if r.op != "const" {
		return false
	}
	_, ok := f.cregs[ckey(r)]
	return !ok
}

// body writes one copy of the kernel's loop body.
func (f *frame) body(b *B) {
	f.mem = map[*val]string{}
	f.code = b.code
	for pos, v := range b.code {
		f.ins(v, pos)
	}
}

// plan allocates registers with as many constants held in registers as will fit.
func (a *asm) plan(k *kernel, b *B) map[string]int {
	uses := map[string]int{}
	var order []*val
	for _, v := range b.code {
		for _, x := range v.args {
			if r := x.root(); r.op == "const" {
				if uses[ckey(r)] == 0 {
					order = append(order, r)
				}
				uses[ckey(r)]++
				// A constant where no memory operand is allowed counts double.
				if v.op == "min" || v.op == "max" || v.op == "sub" || v.op == "div" {
					if v.args[0] == x {
						uses[ckey(r)]++
					}
				}
			}
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return uses[ckey(order[i])] > uses[ckey(order[j])] })
	for n := len(order); n >= 0; n-- {
		trial := &asm{tgt: a.tgt, file: a.file, data: map[string]int{}}
		f := trial.newFrame(k)
		for _, c := range order[:n] {
			f.cregs[ckey(c)] = f.alloc()
		}
		for _, masked := range []bool{false, true} {
			f.masked = masked
			f.copyNo = 0
			f.body(b)
			if k.rare != nil {
				f.body(k.rarely(a.tgt))
			}
		}
		if !f.failed {
			out := map[string]int{}
			for _, c := range order[:n] {
				out[ckey(c)] = f.cregs[ckey(c)]
			}
			return out
		}
	}
	panic(k.name + ": too many registers needed")
}

func (a *asm) newFrame(k *kernel) *frame {
	f := &frame{asm: a, k: k, at: map[*val]int{}, fixed: map[string]int{}, cregs: map[string]int{}, freeK: make([]bool, 8)}
	n := 16
	if a.tgt == avx512 {
		n = 32
	}
	f.free = make([]bool, n)
	for i := range f.free {
		f.free[i] = true
	}
	for i := range f.freeK {
		f.freeK[i] = i > 0 && i < 7 // K7 masks the tail
	}
	if a.tgt == avx2 {
		f.free[15] = false // masks the tail
	}
	for _, s := range k.scalars {
		f.fixed[s.name] = f.alloc()
	}
	for _, c := range k.accs {
		n := 1
		if c.lanes {
			n = k.group() / (a.vl() / k.lane)
		}
		for i := range n {
			f.fixed[fmt.Sprintf("%s.%d", c.name, i)] = f.alloc()
		}
	}
	return f
}
