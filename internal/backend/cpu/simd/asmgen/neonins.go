package main

import (
	"fmt"
	"math"
	"strings"
)

// ins writes one operation.
func (a *neonAsm) ins(v *val, pos int) {
	switch v.op {
	case "load":
		d := a.alloc()
		a.load(v, d)
		a.set(v, d)
		return
	case "prefetch":
		if a.copyNo%4 == 0 { // a line has four vectors
			r, off := a.addr(v)
			a.p("PRFM %d(R%d), PLDL1KEEP", off, r)
		}
		return
	case "fma", "fnma", "fms":
		a.fma(v, pos)
		return
	case "sel":
		a.sel(v, pos)
		return
	}
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
	switch v.op {
	case "store":
		a.store(v, r)
		end()
		return
	case "stop":
		a.word("UMAXV", 0, r[0], r[0], -1) // the mask is not needed any more
		a.p("FMOVS F%d, R10", r[0])
		a.p("CBNZW R10, %s", a.stopAt)
		end()
		return
	case "accadd", "accmax", "accmin", "accimax":
		a.acc(v, r[0])
		end()
		return
	}
	a.compute(v, r, end)
}

// compute writes an operation that gives a value, from the registers r, which end gives back.
func (a *neonAsm) compute(v *val, r [3]int, end func()) {
	size, float := a.k.lane, v.args[0].t == f32 || v.args[0].t == f64
	one := func(f func(d int)) { // a single instruction may write over what it reads
		end()
		d := a.alloc()
		f(d)
		a.set(v, d)
	}
	switch v.op {
	case "add", "sub", "mul", "div":
		name := strings.ToUpper(v.op)
		if v.t == f32 || v.t == f64 {
			name = "F" + name
		}
		one(func(d int) { a.word(name, size, d, r[0], r[1]) })
	case "and", "or", "xor":
		one(func(d int) {
			a.word(map[string]string{"and": "AND", "or": "ORR", "xor": "EOR"}[v.op], 0, d, r[0], r[1])
		})
	case "fmax", "fmin":
		one(func(d int) { a.word(strings.ToUpper(v.op), size, d, r[0], r[1]) })
	case "sqrt":
		one(func(d int) { a.word("FSQRT", size, d, r[0], -1) })
	case "tof":
		one(func(d int) { a.word("SCVTF", size, d, r[0], -1) })
	case "toi":
		one(func(d int) { a.word("FCVTZS", size, d, r[0], -1) })
	case "round":
		one(func(d int) {
			a.word(map[int]string{toNearest: "FRINTN", down: "FRINTM", up: "FRINTP", toZero: "FRINTZ"}[v.imm], size, d, r[0], -1)
		})
	case "shl", "srl", "sra":
		one(func(d int) {
			a.shift(map[string]string{"shl": "SHL", "srl": "USHR", "sra": "SSHR"}[v.op], size, d, r[0], v.imm)
		})
	case "lookup":
		a.pick(v.tab)
		one(func(d int) { a.word("TBL4", 0, d, 28, r[0]) })
	case "min", "max":
		if v.t.narrow() {
			one(func(d int) {
				a.word(map[bool]string{true: "U", false: "S"}[v.t == u8 || v.t == u16]+strings.ToUpper(v.op), size, d, r[0], r[1])
			})
			return
		}
		if plainBound(v.args[0]) { // no zeros to tell apart, and NaN wins as it does here
			one(func(d int) { a.word(map[string]string{"min": "FMIN", "max": "FMAX"}[v.op], size, d, r[0], r[1]) })
			return
		}
		d := a.alloc()
		if v.op == "min" {
			a.word("FCMGT", size, d, r[1], r[0])
		} else {
			a.word("FCMGT", size, d, r[0], r[1])
		}
		a.word("BSL", 0, d, r[0], r[1])
		end()
		a.set(v, d)
	case "cmp":
		d := a.alloc()
		a.compare(v.imm, size, d, r[0], r[1], float)
		end()
		a.set(v, d)
	default:
		panic("neon: " + v.op)
	}
}

// plainBound reports whether x is a constant other than zero and NaN.
func plainBound(x *val) bool {
	c := x.root()
	if c.op != "const" {
		return false
	}
	f := float64(math.Float32frombits(uint32(c.bits)))
	if c.t.size() == 8 {
		f = math.Float64frombits(c.bits)
	}
	return f == f && f != 0
}

// fma adds into the register of an addend that is not needed any more, else into a copy.
func (a *neonAsm) fma(v *val, pos int) {
	x, y, w := v.args[0], v.args[1], v.args[2]
	var d int
	if a.dies(w, pos) && w.root() != x.root() && w.root() != y.root() {
		d, _ = a.reg(w)
	} else {
		d = a.alloc()
		if n, ok := a.cregs[ckey(w.root())]; w.root().op == "const" && !ok {
			a.constant(w.root(), d)
		} else {
			if w.root().op != "const" {
				n, _ = a.loc(w)
			}
			a.word("ORR", 0, d, n, n)
		}
	}
	if v.op == "fms" {
		a.word("FNEG", a.k.lane, d, d, -1)
	}
	rx, d1 := a.loc(x)
	ry, d2 := a.loc(y)
	a.word(map[string]string{"fma": "FMLA", "fms": "FMLA", "fnma": "FMLS"}[v.op], a.k.lane, d, rx, ry)
	d1()
	d2()
	a.release(v, pos)
	a.free[d] = false
	a.set(v, d)
}

// sel chooses into a register that is not needed any more.
func (a *neonAsm) sel(v *val, pos int) {
	m, d0 := a.loc(v.args[0])
	x, d1 := a.loc(v.args[1])
	y, d2 := a.loc(v.args[2])
	var d int
	switch {
	case a.dies(v.args[2], pos) && y != x:
		d = y
		a.word("BIT", 0, d, x, m)
	case a.dies(v.args[1], pos) && y != x:
		d = x
		a.word("BIF", 0, d, y, m)
	case a.dies(v.args[0], pos):
		d = m
		a.word("BSL", 0, d, x, y)
	default:
		d = a.alloc()
		a.word("ORR", 0, d, m, m)
		a.word("BSL", 0, d, x, y)
	}
	d0()
	d1()
	d2()
	a.release(v, pos)
	a.free[d] = false
	a.set(v, d)
}

// pick brings the row of a lookup into V28 to V31.
func (a *neonAsm) pick(row []float32) {
	if key := fmt.Sprint(row); a.row != key {
		a.p("ADD $%d, R11, R10", a.tab.offset(row))
		a.p("VLD1 (R10), [V28.B16, V29.B16, V30.B16, V31.B16]")
		a.row = key
	}
}

// acc folds a vector into an accumulator. Lanes beyond the end leave it as it was.
func (a *neonAsm) acc(v *val, x int) {
	r, ok := a.fixed[fmt.Sprintf("%s.%d", v.name, a.copyNo)]
	if !ok {
		r = a.fixed[v.name+".0"]
	}
	t := a.alloc()
	switch op := strings.TrimPrefix(v.op, "acc"); {
	case op == "add" && a.masked:
		a.word("AND", 0, t, x, a.fixed["mask"])
		a.word("FADD", 4, r, r, t)
	case op == "add":
		a.word("FADD", a.k.lane, r, r, x)
	case op == "imax": // lanes beyond the end are zero
		a.word("SMAX", 4, r, r, x)
	default:
		a.greater(op, r, x, t)
	}
	a.free[t] = true
}

// greater lets x stand in r where it is greater than that, or less if op is min; lanes beyond the end do not count.
func (a *neonAsm) greater(op string, r, x, t int) {
	if op == "max" {
		a.word("FCMGT", 4, t, x, r)
	} else {
		a.word("FCMGT", 4, t, r, x)
	}
	if a.masked {
		a.word("AND", 0, t, t, a.fixed["mask"])
	}
	a.word("BIT", 0, r, x, t)
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
	case 29, 25:
		a.word("FCMGE", size, d, x, y)
	case 0, 4:
		a.word("FCMEQ", size, d, x, y)
	case 3: // x or y is NaN
		a.word("FCMEQ", size, d, x, x)
		if x != y {
			t := a.alloc()
			a.word("FCMEQ", size, t, y, y)
			a.word("AND", 0, d, d, t)
			a.free[t] = true
		}
	}
	if pred == 4 || pred == 3 || pred == 25 {
		a.word("NOT", 0, d, d, -1)
	}
}
