package main

import "fmt"

// shiftBy shifts every lane by its own count.
func (f *frame) shiftBy(v *val, pos int) {
	name := map[string]string{"shlby": "VPSLLV", "sraby": "VPSRAV", "srlby": "VPSRLV"}[v.op] + isuf[v.t]
	x, d1 := f.loc(v.args[0])
	n, d2 := f.loc(v.args[1])
	f.release(v, pos)
	d1()
	d2()
	d := f.define(v)
	if f.tgt == avx2 && v.op == "sraby" && v.t == i64 { // of a number without its sign, which is put back
		t, s := f.alloc(), f.alloc()
		f.p("VPXOR Y%d, Y%d, Y%d", s, s, s)
		f.p("VPCMPGTQ Y%d, Y%d, Y%d", x, s, s)
		f.p("VPXOR Y%d, Y%d, Y%d", s, x, t)
		f.p("VPSRLVQ Y%d, Y%d, Y%d", n, t, t)
		f.p("VPXOR Y%d, Y%d, Y%d", s, t, d)
		f.free[t], f.free[s] = true, true
		return
	}
	f.p("%s %s, %s, %s", name, f.reg(n), f.reg(x), f.reg(d))
}

// timesC multiplies complex numbers, whose parts are in neighbouring lanes.
func (f *frame) timesC(v *val, pos int) {
	x, _ := f.loc(v.args[0])
	y, _ := f.loc(v.args[1])
	t, d := f.alloc(), f.alloc()
	f.p("VMOVSHDUP %s, %s", f.reg(x), f.reg(d))
	f.p("VPERMILPS $0xb1, %s, %s", f.reg(y), f.reg(t))
	f.p("VMULPS %s, %s, %s", f.reg(t), f.reg(d), f.reg(t))
	f.p("VMOVSLDUP %s, %s", f.reg(x), f.reg(d))
	f.p("VMULPS %s, %s, %s", f.reg(y), f.reg(d), f.reg(d))
	if f.tgt == avx512 {
		one, done := f.loc(v.args[2])
		f.p("VFMADDSUB213PS %s, %s, %s", f.reg(t), f.reg(one), f.reg(d))
		done()
	} else {
		f.p("VADDSUBPS %s, %s, %s", f.reg(t), f.reg(d), f.reg(d))
	}
	f.release(v, pos)
	f.free[t] = true
	f.at[v] = d
}

// rareVector is a copy of the loop body that kernel.rare stands in for, or some computed side by side.
type rareVector struct {
	copyNo, copies int
	masked         bool
}

// rarely is the body for vectors that the kernel's own cannot do.
func (k *kernel) rarely(t target) *B {
	b := &B{tgt: t}
	k.rare(b)
	b.prune()
	return b
}

// vector writes one copy of the loop body, with a way out and back for a vector that it cannot do.
func (f *frame) vector(b *B) {
	if f.k.rare == nil {
		f.body(b)
		return
	}
	n := len(f.rare)
	f.rare = append(f.rare, rareVector{f.copyNo, 1, f.masked})
	f.stopLbl = fmt.Sprintf("rare%d", n)
	f.body(b)
	f.label("back%d", n)
}

// rareVectors writes what the copies leave to kernel.rare.
func (f *frame) rareVectors() {
	for n, v := range f.rare {
		f.copyNo, f.masked = v.copyNo, v.masked
		f.out.WriteString("\n")
		f.label("rare%d", n)
		f.body(f.k.rarely(f.tgt))
		f.p("JMP back%d", n)
	}
}
