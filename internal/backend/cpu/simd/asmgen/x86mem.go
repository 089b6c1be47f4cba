package main

import "fmt"

// memSize is the size of an element in memory.
func memSize(v *val) int {
	switch v.mem {
	case "u8", "i8", "bool":
		return 1
	case "u16", "i16", "f16":
		return 2
	case "f32", "f64f32", "i64f32", "i32", "u32":
		return 4
	}
	return v.t.size()
}

var ptrRegs = []string{"DI", "SI", "R8", "R9", "R10", "R11", "R12", "R13", "BX"}

func (f *frame) addr(v *val) string {
	for i, s := range f.k.slices {
		if s.name == v.name {
			if off := f.copyNo * f.lanes() * memSize(v); off != 0 && !f.masked {
				return fmt.Sprintf("%d(%s)", off, ptrRegs[i])
			}
			return "(" + ptrRegs[i] + ")"
		}
	}
	panic(f.k.name + " has no slice " + v.name)
}

func (f *frame) lanes() int { return f.vl() / f.k.lane }

// load reads one vector. A plain load with one user goes into that user's operand.
func (f *frame) load(v *val, pos int) {
	m := f.addr(v)
	if v.mem == "" && !f.masked && v.uses == 1 {
		for _, u := range f.code[pos+1:] {
			switch u.op {
			case "add", "sub", "mul", "div", "min", "max", "and", "or", "xor":
				if u.args[1] == v && u.args[0] != v {
					f.mem[v] = m
					return
				}
			case "sqrt", "tof", "toi", "round":
				if u.args[0] == v {
					f.mem[v] = m
					return
				}
			}
		}
	}
	d := f.define(v)
	k, z := "", ""
	if f.masked && f.tgt == avx512 {
		k, z = "K7, ", ".Z"
	}
	if f.masked && f.tgt == avx2 {
		f.p("VMASKMOV%s %s, Y15, %s", map[int]string{4: "PS", 8: "PD"}[v.t.size()], m, f.reg(d))
		return
	}
	switch v.mem {
	case "":
		f.p("%s%s %s, %s%s", move(v.t), z, m, k, f.reg(d))
	case "u8", "i8", "u16", "i16", "u32", "i32":
		f.p("VPMOV%s%s%s%s %s, %s%s", map[byte]string{'u': "ZX", 'i': "SX"}[v.mem[0]], letters[memSize(v)], letters[v.t.size()],
			z, m, k, f.reg(d))
	case "f16":
		f.p("VCVTPH2PS%s %s, %s%s", z, m, k, f.reg(d))
	case "f64f32":
		f.p("VCVTPS2PD%s %s, %s%s", z, m, k, f.reg(d))
	case "bool":
		f.loadBool(v, d, m, k, z)
	default:
		panic("load " + v.mem)
	}
}

// letters name sizes of integers.
var letters = map[int]string{1: "B", 2: "W", 4: "D", 8: "Q"}

// move is the whole-vector move; under a mask it counts lanes, so the width matters.
func move(t typ) string {
	if t.size() == 8 {
		return "VMOVUPD"
	}
	return "VMOVUPS"
}

func (f *frame) loadBool(v *val, d int, m, k, z string) {
	t := f.alloc()
	if f.tgt == avx512 {
		if f.k.lane == 8 && !f.masked {
			f.p("VMOVQ %s, X%d", m, t)
		} else {
			f.p("VMOVDQU8%s %s, %sX%d", z, m, k, t)
		}
		f.p("VPTESTMB X%d, X%d, K%d", t, t, d)
	} else {
		w := map[int]string{4: "D", 8: "Q"}[f.k.lane]
		f.p("VPMOVZXB%s %s, Y%d", w, m, d)
		f.p("VPXOR Y%d, Y%d, Y%d", t, t, t)
		f.p("VPCMPGT%s Y%d, Y%d, Y%d", w, t, d, d)
	}
	f.free[t] = true
}

func (f *frame) store(v *val, pos int) {
	m := f.addr(v)
	k := ""
	if f.masked && f.tgt == avx512 {
		k = "K7, "
	}
	x, done := f.loc(v.args[0])
	defer func() {
		f.release(v, pos)
		done()
	}()
	if f.masked && f.tgt == avx2 {
		f.p("VMASKMOV%s %s, Y15, %s", map[int]string{4: "PS", 8: "PD"}[v.t.size()], f.reg(x), m)
		return
	}
	switch v.mem {
	case "":
		name := move(v.t)
		if f.k.cached != "" {
			name = map[int]string{4: "VMOVNTPS", 8: "VMOVNTPD"}[v.t.size()]
		}
		f.p("%s %s, %s%s", name, f.reg(x), k, m)
	case "f32", "i64f32":
		t := f.alloc()
		name := map[string]string{"f32": "VCVTPD2PS", "i64f32": "VCVTQQ2PS"}[v.mem]
		if f.tgt == avx512 {
			f.p("%s Z%d, Y%d", name, x, t)
			f.p("VMOVUPS Y%d, %s%s", t, k, m)
		} else {
			f.p("%sY Y%d, X%d", name, x, t)
			f.p("VMOVUPS X%d, %s", t, m)
		}
		f.free[t] = true
	case "f16":
		f.p("VCVTPS2PH $0, %s, %s%s", f.reg(x), k, m)
	case "u8", "u16", "i32":
		f.storeInt(v, x, k, m)
	case "bool":
		f.storeBool(v, x, k, m)
	default:
		panic("store " + v.mem)
	}
}

// storeInt writes lanes to narrower elements. Without AVX-512, values must fit elements of 8 and 16 bits.
func (f *frame) storeInt(v *val, x int, k, m string) {
	from, to := v.t.size(), memSize(v)
	if f.tgt == avx512 {
		f.p("VPMOV%s%s %s, %s%s", letters[from], letters[to], f.reg(x), k, m)
		return
	}
	t := f.alloc()
	f.p("VEXTRACTI128 $1, Y%d, X%d", x, t)
	switch from {
	case 8:
		f.p("VSHUFPS $0x88, X%d, X%d, X%d", t, x, t)
	case 4:
		f.p("VPACKUSDW X%d, X%d, X%d", t, x, t)
	case 2:
		f.p("VPACKUSWB X%d, X%d, X%d", t, x, t)
	}
	for have := from / 2; have > to; have /= 2 {
		f.p("%s X%d, X%d, X%d", map[int]string{4: "VPACKUSDW", 2: "VPACKUSWB"}[have], t, t, t)
	}
	f.p("%s X%d, %s", map[int]string{16: "VMOVDQU", 8: "VMOVQ", 4: "VMOVD"}[32/from*to], t, m)
	f.free[t] = true
}

// storeBool writes a mask as bytes 0 and 1; the second argument holds ones.
func (f *frame) storeBool(v *val, x int, k, m string) {
	one, done := f.loc(v.args[1])
	t := f.alloc()
	if f.tgt == avx512 {
		if v.imm == 1 {
			n := f.allocK()
			f.p("KNOT%s K%d, K%d", f.kbits(), x, n)
			f.freeK[n] = true
			x = n
		}
		r := map[int]string{1: "Z", 2: "Y", 4: "X", 8: "X"}[f.k.lane]
		f.p("VMOVDQU8.Z %s%d, K%d, %[1]s%[4]d", r, one, x, t)
		if f.k.lane < 4 {
			f.p("VMOVDQU8 %s%d, %s", r, t, m)
		} else if f.k.lane == 8 && !f.masked {
			f.p("VMOVQ X%d, %s", t, m)
		} else {
			f.p("VMOVDQU8 X%d, %s%s", t, k, m)
		}
	} else if f.k.lane == 1 {
		f.p("%s Y%d, Y%d, Y%d", map[int]string{0: "VPAND", 1: "VPANDN"}[v.imm], one, x, t)
		f.p("VMOVDQU Y%d, %s", t, m)
	} else if f.k.lane == 2 {
		f.p("VEXTRACTI128 $1, Y%d, X%d", x, t)
		f.p("VPACKSSWB X%d, X%d, X%d", t, x, t)
		f.p("%s X%d, X%d, X%d", map[int]string{0: "VPAND", 1: "VPANDN"}[v.imm], one, t, t)
		f.p("VMOVDQU X%d, %s", t, m)
	} else {
		f.p("VEXTRACTI128 $1, Y%d, X%d", x, t)
		f.p("VPACKSSDW X%d, X%d, X%d", t, x, t)
		if f.k.lane == 8 {
			f.p("VPACKSSDW X%d, X%d, X%d", t, t, t)
		}
		f.p("VPACKSSWB X%d, X%d, X%d", t, t, t)
		f.p("%s X%d, X%d, X%d", map[int]string{0: "VPAND", 1: "VPANDN"}[v.imm], one, t, t)
		f.p("%s X%d, %s", map[int]string{4: "VMOVQ", 8: "VMOVD"}[f.k.lane], t, m)
	}
	f.free[t] = true
	done()
}

// prefetch fetches what a later call will read into the L2 cache; it never faults. L1 has no room for one more row: a norm
// of rows of 4096 took a third longer.
func (f *frame) prefetch(v *val) { f.p("PREFETCHT1 %s", f.addr(v)) }

func (f *frame) stop(v *val, pos int) {
	m := f.at[v.args[0].root()]
	if f.tgt == avx512 {
		f.p("KORTESTW K%d, K%d", m, m)
	} else {
		f.p("VMOVMSKPS Y%d, AX", m)
		f.p("TESTL AX, AX")
	}
	f.p("JNZ %s", f.stopLbl)
	f.release(v, pos)
}

// acc folds a vector into an accumulator. Lanes beyond the end leave it as it was.
func (f *frame) acc(v *val, pos int) {
	x, done := f.loc(v.args[0])
	r, ok := f.fixed[fmt.Sprintf("%s.%d", v.name, f.copyNo)]
	if !ok {
		r = f.fixed[v.name+".0"]
	}
	k := ""
	if f.masked {
		switch {
		case f.tgt == avx512:
			k = "K7, "
		case v.op == "accadd":
			f.p("VPAND Y15, Y%d, Y%d", x, x)
		case v.op != "accimax":
			f.p("VBLENDVPS Y15, Y%d, Y%d, Y%d", x, r, x)
		}
	}
	switch v.op {
	case "accadd":
		f.p("VADDP%s %s, %s, %s%s", f.kind(), f.reg(x), f.reg(r), k, f.reg(r))
	case "accmax":
		f.p("VMAXPS %s, %s, %s%s", f.reg(r), f.reg(x), k, f.reg(r))
	case "accmin":
		f.p("VMINPS %s, %s, %s%s", f.reg(r), f.reg(x), k, f.reg(r))
	case "accimax":
		f.p("VPMAXSD %s, %s, %s%s", f.reg(x), f.reg(r), k, f.reg(r))
	}
	f.release(v, pos)
	done()
}
