package main

import (
	"fmt"
	"slices"
	"strings"
)

// suffix of the packed instruction for a lane type.
var fsuf = map[typ]string{f32: "PS", f64: "PD"}
var isuf = map[typ]string{i32: "D", i64: "Q", u8: "B", i8: "B", u16: "W", i16: "W"}

func (f *frame) opcode(v *val) string {
	isInt := v.t == i32 || v.t == i64 || v.t.narrow()
	switch v.op {
	case "add", "sub", "mul", "div", "min", "max":
		name := map[string]string{"add": "ADD", "sub": "SUB", "mul": "MUL", "div": "DIV", "min": "MIN", "max": "MAX"}[v.op]
		if !isInt {
			return "V" + name + fsuf[v.t]
		}
		switch {
		case v.op == "mul":
			name = "MULL"
		case v.op == "min" || v.op == "max":
			name += map[bool]string{true: "U", false: "S"}[v.t == u8 || v.t == u16]
		}
		return "VP" + name + isuf[v.t]
	case "and", "or", "xor":
		name := map[string]string{"and": "VPAND", "or": "VPOR", "xor": "VPXOR"}[v.op]
		if f.tgt == avx512 {
			name += map[bool]string{true: "Q", false: "D"}[v.t.size() == 8]
		}
		return name
	}
	panic("opcode of " + v.op)
}

var commutes = map[string]bool{"add": true, "mul": true, "and": true, "or": true, "xor": true}

// ins writes one operation.
func (f *frame) ins(v *val, pos int) {
	switch v.op {
	case "load":
		f.load(v, pos)
		return
	case "store":
		f.store(v, pos)
		return
	case "prefetch":
		f.prefetch(v)
		return
	case "stop":
		f.stop(v, pos)
		return
	case "accadd", "accmax", "accmin", "accimax":
		f.acc(v, pos)
		return
	case "cmp":
		f.cmp(v, pos)
		return
	case "sel":
		f.sel(v, pos)
		return
	case "fma", "fnma", "fms":
		f.fma(v, pos)
		return
	}
	switch v.op {
	case "add", "sub", "mul", "div", "min", "max", "and", "or", "xor":
		if v.t == mask && f.tgt == avx512 {
			x, y := f.at[v.args[0].root()], f.at[v.args[1].root()]
			f.release(v, pos)
			f.p("K%s%s K%d, K%d, K%d", strings.ToUpper(v.op), f.kbits(), y, x, f.define(v))
			return
		}
		x, y := v.args[0], v.args[1]
		if commutes[v.op] && f.inMemory(x) && !f.inMemory(y) {
			x, y = y, x
		}
		rx, d1 := f.loc(x)
		sy, bc, d2 := f.source(y)
		f.release(v, pos)
		d1()
		d2()
		d := f.define(v)
		f.p("%s%s %s, %s, %s", f.opcode(v), bc, sy, f.reg(rx), f.reg(d))
	case "sqrt", "tof", "toi", "round", "getexp", "getmant":
		name := map[string]string{"sqrt": "VSQRT" + fsuf[v.t], "tof": "VCVTDQ2PS", "toi": "VCVTTPS2DQ", "round": "VROUND" + fsuf[v.t],
			"getexp": "VGETEXPPS", "getmant": "VGETMANTPS"}[v.op]
		if v.op == "round" && f.tgt == avx512 {
			name = "VRNDSCALE" + fsuf[v.t]
		}
		s, bc, done := f.source(v.args[0])
		f.release(v, pos)
		done()
		imm := ""
		if v.op == "getmant" || v.op == "round" {
			imm = fmt.Sprintf("$%d, ", v.imm)
		}
		d := f.define(v)
		f.p("%s%s %s%s, %s", name, bc, imm, s, f.reg(d))
	case "shl", "sra", "srl":
		name := map[string]string{"shl": "VPSLL", "sra": "VPSRA", "srl": "VPSRL"}[v.op] + map[int]string{4: "D", 8: "Q"}[v.t.size()]
		x, done := f.loc(v.args[0])
		f.release(v, pos)
		done()
		d := f.define(v)
		f.p("%s $%d, %s, %s", name, v.imm, f.reg(x), f.reg(d))
	case "shlby", "sraby", "srlby":
		f.shiftBy(v, pos)
	case "timesc":
		f.timesC(v, pos)
	case "scalef":
		x, d1 := f.loc(v.args[0])
		y, d2 := f.loc(v.args[1])
		f.release(v, pos)
		d1()
		d2()
		f.p("VSCALEFPS %s, %s, %s", f.reg(y), f.reg(x), f.reg(f.define(v)))
	case "lookup":
		f.lookup(v, pos)
	case "muludq":
		x, d1 := f.loc(v.args[0])
		y, d2 := f.loc(v.args[1])
		f.release(v, pos)
		d1()
		d2()
		f.p("VPMULUDQ %s, %s, %s", f.reg(y), f.reg(x), f.reg(f.define(v)))
	default:
		panic("x86: " + v.op)
	}
}

// define gives v a register. An unused value is an error in the kernel.
func (f *frame) define(v *val) int {
	if v.t == mask && f.tgt == avx512 {
		n := f.allocK()
		f.at[v] = n
		return n
	}
	n := f.alloc()
	f.at[v] = n
	return n
}

// fma picks the form whose destination is a dying operand:
// 213 and 132 overwrite a factor, 231 the addend.
func (f *frame) fma(v *val, pos int) {
	base := map[string]string{"fma": "VFMADD", "fnma": "VFNMADD", "fms": "VFMSUB"}[v.op]
	suf := fsuf[v.t]
	x, y, w := v.args[0], v.args[1], v.args[2]
	if f.dies(y, pos) && !f.dies(x, pos) || f.inMemory(x) {
		x, y = y, x // the product commutes
	}
	take := func(r int) { // v takes over register r
		f.release(v, pos)
		f.free[r] = false
		f.at[v] = r
	}
	if f.dies(w, pos) && w.root() != x.root() && w.root() != y.root() {
		rw, _ := f.loc(w)
		rx, d1 := f.loc(x)
		sy, bc, d2 := f.source(y)
		d1()
		d2()
		take(rw)
		f.p("%s231%s%s %s, %s, %s", base, suf, bc, sy, f.reg(rx), f.reg(rw))
		return
	}
	if f.dies(x, pos) && x.root() != y.root() && x.root() != w.root() {
		rx, _ := f.loc(x)
		if f.inMemory(y) && !f.inMemory(w) {
			rw, d1 := f.loc(w)
			sy, bc, d2 := f.source(y)
			d1()
			d2()
			take(rx)
			f.p("%s132%s%s %s, %s, %s", base, suf, bc, sy, f.reg(rw), f.reg(rx))
			return
		}
		ry, d1 := f.loc(y)
		sw, bc, d2 := f.source(w)
		d1()
		d2()
		take(rx)
		f.p("%s213%s%s %s, %s, %s", base, suf, bc, sw, f.reg(ry), f.reg(rx))
		return
	}
	// Nothing dies: copy the addend.
	d := f.alloc()
	if f.inMemory(w) && w.root().op == "const" {
		f.loadConst(w.root(), d)
	} else {
		rw, d0 := f.loc(w)
		f.p("VMOVAPS %s, %s", f.reg(rw), f.reg(d))
		d0()
	}
	rx, d1 := f.loc(x)
	sy, bc, d2 := f.source(y)
	d1()
	d2()
	f.release(v, pos)
	f.free[d] = false
	f.at[v] = d
	f.p("%s231%s%s %s, %s, %s", base, suf, bc, sy, f.reg(rx), f.reg(d))
}

func (f *frame) cmp(v *val, pos int) {
	x, d1 := f.loc(v.args[0])
	s, bc, d2 := f.source(v.args[1])
	t := v.args[0].t
	f.release(v, pos)
	d1()
	d2()
	d := f.define(v)
	switch {
	case t == i32 || t == i64 || t.narrow():
		name := map[int]string{30: "VPCMPGT", 0: "VPCMPEQ"}[v.imm] + isuf[t]
		f.p("%s%s %s, %s, %s", name, bc, s, f.reg(x), f.maskReg(d))
	default:
		f.p("VCMP%s%s $%d, %s, %s, %s", fsuf[t], bc, v.imm, s, f.reg(x), f.maskReg(d))
	}
}

// kbits is the ending of instructions on masks with as many bits as there are lanes; words serve fewer too.
func (f *frame) kbits() string {
	return map[int]string{1: "Q", 2: "D", 4: "W", 8: "W"}[f.k.lane]
}

func (f *frame) maskReg(n int) string {
	if f.tgt == avx512 {
		return fmt.Sprintf("K%d", n)
	}
	return f.reg(n)
}

// sel is m ? x : y.
func (f *frame) sel(v *val, pos int) {
	m := f.at[v.args[0].root()]
	y, d1 := f.loc(v.args[2])
	s, bc, d2 := f.source(v.args[1])
	f.release(v, pos)
	d1()
	d2()
	d := f.define(v)
	suf := map[int]string{4: "PS", 8: "PD"}[v.t.size()]
	switch {
	case v.t.narrow() && f.tgt == avx512:
		f.p("VPBLENDM%s %s, %s, K%d, %s", isuf[v.t], s, f.reg(y), m, f.reg(d))
	case v.t.narrow():
		f.p("VPBLENDVB %s, %s, %s, %s", f.reg(m), s, f.reg(y), f.reg(d))
	case f.tgt == avx512:
		f.p("VBLENDM%s%s %s, %s, K%d, %s", suf, bc, s, f.reg(y), m, f.reg(d))
	default:
		f.p("VBLENDV%s %s, %s, %s, %s", suf, f.reg(m), s, f.reg(y), f.reg(d))
	}
}

// lookup permutes a row of 16 by the low bits of the index; AVX2 does it in two parts, unless they are the same.
func (f *frame) lookup(v *val, pos int) {
	idx, _ := f.loc(v.args[0])
	off := f.tableOffset(v.tab)
	if f.tgt == avx512 {
		f.release(v, pos)
		f.p("VPERMPS %sConst<>+%d(SB), %s, %s", f.file, off, f.reg(idx), f.reg(f.define(v)))
		return
	}
	if slices.Equal(v.tab[:8], v.tab[8:]) {
		f.release(v, pos)
		f.p("VPERMPS %sConst<>+%d(SB), Y%d, Y%d", f.file, off, idx, f.define(v))
		return
	}
	high, _ := f.loc(v.args[1])
	d, t := f.define(v), f.alloc()
	f.p("VPERMPS %sConst<>+%d(SB), Y%d, Y%d", f.file, off, idx, d)
	f.p("VPERMPS %sConst<>+%d(SB), Y%d, Y%d", f.file, off+32, idx, t)
	f.p("VBLENDVPS Y%d, Y%d, Y%d, Y%d", high, t, d, d)
	f.free[t] = true
	f.release(v, pos)
}
