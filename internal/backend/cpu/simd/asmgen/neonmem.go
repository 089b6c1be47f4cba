package main

import "fmt"

// addr is the address of the current vector of the slice of v.
func (a *neonAsm) addr(v *val) (reg, off int) {
	for i, s := range a.k.slices {
		if s.name == v.name {
			if a.masked {
				return i, 0
			}
			return i, a.copyNo * 16 / a.k.lane * memSize(v)
		}
	}
	panic(a.k.name + " has no slice " + v.name)
}

// neonMoves are the moves of as many bytes as lanes of a vector take in memory.
var neonMoves = map[int]string{4: "FMOVS", 8: "FMOVD", 16: "FMOVQ"}

func (a *neonAsm) load(v *val, d int) {
	r, off := a.addr(v)
	if a.masked {
		a.partial(r, func() { a.p("FMOVQ (R%d), F%d", r, d) }, func(lane int) {
			if lane == 0 {
				a.p("%s (R%d), F%d // the other lanes become zero", neonMoves[a.k.lane], r, d)
			} else {
				a.p("VLD1 (R10), V%d.S[%d]", d, lane)
			}
		})
		return
	}
	if n := 16 / a.k.lane * memSize(v); n == 2 {
		a.p("MOVHU %d(R%d), R10", off, r)
		a.p("FMOVS R10, F%d", d)
	} else {
		a.p("%s %d(R%d), F%d", neonMoves[n], off, r, d)
	}
	switch v.mem {
	case "f16":
		a.word("FCVTL16", 0, d, d, -1)
	case "f64f32":
		a.word("FCVTL32", 0, d, d, -1)
	case "bool":
		a.word("UXTL8", 0, d, d, -1)
		a.word("UXTL16", 0, d, d, -1)
	case "u8", "i8", "u16", "i16", "u32", "i32":
		for n := memSize(v); n < v.t.size(); n *= 2 {
			a.word(fmt.Sprintf("%sXTL%d", map[byte]string{'u': "U", 'i': "S"}[v.mem[0]], 8*n), 0, d, d, -1)
		}
	}
	if v.mem == "bool" {
		if a.k.lane == 8 {
			a.word("UXTL32", 0, d, d, -1)
		}
		a.word("CMEQ0", a.k.lane, d, d, -1)
		a.word("NOT", 0, d, d, -1)
	}
}

// partial does the R9 lanes that are left one by one, or all of them at once: only sums come here with a whole vector.
func (a *neonAsm) partial(r int, whole func(), each func(lane int)) {
	if a.k.lane == 8 {
		each(0)
		return
	}
	part, end := a.fresh("part"), a.fresh("end")
	if len(a.k.accs) > 0 {
		a.p("CMP $4, R9")
		a.p("BLT %s", part)
		whole()
		a.p("JMP %s", end)
		a.label(part)
	}
	each(0)
	a.p("CMP $2, R9")
	a.p("BLT %s", end)
	a.p("ADD $4, R%d, R10", r)
	each(1)
	a.p("BEQ %s", end)
	a.p("ADD $4, R10")
	each(2)
	a.label(end)
}

func (a *neonAsm) store(v *val, at [3]int) {
	x := at[0]
	r, off := a.addr(v)
	if a.masked {
		a.partial(r, func() { a.p("FMOVQ F%d, (R%d)", x, r) }, func(lane int) {
			if lane == 0 {
				a.p("%s F%d, (R%d)", neonMoves[a.k.lane], x, r)
			} else {
				a.p("VST1 V%d.S[%d], (R10)", x, lane)
			}
		})
		return
	}
	if v.mem != "" {
		t := a.alloc()
		switch v.mem {
		case "f16":
			a.word("FCVTN16", 0, t, x, -1)
			x = t
		case "f32":
			a.word("FCVTN32", 0, t, x, -1)
			x = t
		default:
			for n := a.k.lane / 2; n >= memSize(v); n /= 2 {
				a.word(fmt.Sprintf("XTN%d", 8*n), 0, t, x, -1)
				x = t
			}
		}
		if v.mem == "bool" {
			if v.imm == 1 {
				a.word("NOT", 0, t, x, -1)
				x = t
			}
			a.word("AND", 0, t, x, at[1])
			x = t
		}
		a.free[t] = true
	}
	n := 16 / a.k.lane * memSize(v)
	if n == 2 {
		a.p("FMOVS F%d, R10", x)
		a.p("MOVH R10, %d(R%d)", off, r)
		return
	}
	a.p("%s F%d, %d(R%d)", neonMoves[n], x, off, r)
}
