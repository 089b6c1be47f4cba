package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// target is what a kernel body is built for. One body gives three programs that
// perform the same roundings in the same order, so their results have the same bits.
type target int

const (
	goTwin target = iota
	avx2
	avx512
	neon
)

// typ is the type of a lane.
type typ int

const (
	f32 typ = iota
	i32
	f64
	i64
	mask
	c64 // a complex number, its parts being float32
	u8
	i8
	u16
	i16
)

func (t typ) size() int {
	switch t {
	case f64, i64, c64:
		return 8
	case u16, i16:
		return 2
	case u8, i8:
		return 1
	}
	return 4
}

// narrow says that a lane has 8 or 16 bits.
func (t typ) narrow() bool { return t >= u8 }

// val is one operation of a kernel body, and its result.
type val struct {
	op   string
	t    typ
	args []*val
	imm  int       // shift count, comparison predicate
	bits uint64    // of a constant
	name string    // of the slice, scalar or accumulator
	mem  string    // element type in memory of a load or store
	of   *val      // a bitcast shares the register of this value
	tab  []float32 // of a lookup
	last int       // position of the last use
	uses int
}

// root follows bitcasts to the value that owns the register.
func (v *val) root() *val {
	for v.of != nil {
		v = v.of
	}
	return v
}

// B collects a kernel body.
type B struct {
	tgt    target
	code   []*val
	consts []*val // in order of first use
}

func (b *B) emit(v *val) *val {
	for _, a := range v.args {
		a.root().last = len(b.code)
		a.root().uses++
	}
	v.last = len(b.code)
	b.code = append(b.code, v)
	return v
}

// prune drops what nothing uses, so that it takes no register.
func (b *B) prune() {
	used := map[*val]bool{}
	var live []*val
	for _, v := range slices.Backward(b.code) {
		switch {
		case used[v], v.op == "store", v.op == "stop", v.op == "prefetch", strings.HasPrefix(v.op, "acc"):
			live = append(live, v)
			for _, a := range v.args {
				used[a.root()] = true
			}
		}
	}
	if len(live) == len(b.code) {
		return
	}
	slices.Reverse(live)
	b.code = nil
	for _, v := range live {
		v.uses = 0
	}
	for _, v := range live {
		b.emit(v)
	}
}

func (b *B) constant(t typ, bits uint64) *val {
	for _, c := range b.consts {
		if c.bits == bits && c.t.size() == t.size() {
			if c.t == t {
				return c
			}
			return &val{op: "const", t: t, bits: bits, of: c}
		}
	}
	c := &val{op: "const", t: t, bits: bits}
	b.consts = append(b.consts, c)
	return c
}

// C is a float32 constant.
func (b *B) C(f float32) *val { return b.constant(f32, uint64(math.Float32bits(f))) }

// I is an int32 constant.
func (b *B) I(i int32) *val { return b.constant(i32, uint64(uint32(i))) }

// D is a float64 constant.
func (b *B) D(f float64) *val { return b.constant(f64, math.Float64bits(f)) }

// L is an int64 constant.
func (b *B) L(i int64) *val { return b.constant(i64, uint64(i)) }

// N is a constant of a narrow type.
func (b *B) N(t typ, i int) *val { return b.constant(t, uint64(i)&(1<<(8*t.size())-1)) }

// Load reads a lane of the slice; mem is the element type in memory ("" for the type itself).
func (b *B) Load(name string, t typ, mem string) *val {
	return b.emit(&val{op: "load", t: t, name: name, mem: mem})
}

// X is the usual float32 load.
func (b *B) X(name string) *val { return b.Load(name, f32, "") }

// Scalar is an argument, the same in all lanes.
func (b *B) Scalar(name string, t typ) *val {
	v := &val{op: "scalar", t: t, name: name}
	return v
}

// Store writes a lane.
func (b *B) Store(name string, v *val, mem string) {
	b.emit(&val{op: "store", t: v.t, args: []*val{v}, name: name, mem: mem})
}

// Z is the usual store of the result.
func (b *B) Z(v *val) { b.Store("z", v, "") }

// Ahead prefetches the elements of a slice.
func (b *B) Ahead(name string) {
	if b.tgt != goTwin {
		b.emit(&val{op: "prefetch", t: f32, name: name})
	}
}

// Acc folds v into the named accumulator with op add, max, min or imax; see kernel.accs.
func (b *B) Acc(name, op string, v *val) {
	b.emit(&val{op: "acc" + op, t: v.t, args: []*val{v}, name: name})
}

// Stop ends the kernel before this vector if any lane is set.
func (b *B) Stop(m *val) { b.emit(&val{op: "stop", t: mask, args: []*val{m}}) }

func (b *B) op2(op string, x, y *val) *val {
	if x.t.size() != y.t.size() {
		panic(fmt.Sprintf("%s of %v and %v", op, x.t, y.t))
	}
	return b.emit(&val{op: op, t: x.t, args: []*val{x, y}})
}

func (b *B) Add(x, y *val) *val { return b.op2("add", x, y) }
func (b *B) Sub(x, y *val) *val { return b.op2("sub", x, y) }
func (b *B) Mul(x, y *val) *val { return b.op2("mul", x, y) }
func (b *B) Div(x, y *val) *val { return b.op2("div", x, y) }
func (b *B) And(x, y *val) *val { return b.op2("and", x, y) }
func (b *B) Or(x, y *val) *val  { return b.op2("or", x, y) }
func (b *B) Xor(x, y *val) *val { return b.op2("xor", x, y) }

// Min is x < y ? x : y, hence y where either is NaN, as the machine computes it.
func (b *B) Min(x, y *val) *val { return b.op2("min", x, y) }

// Max is x > y ? x : y.
func (b *B) Max(x, y *val) *val { return b.op2("max", x, y) }

// ShlBy, SraBy and SrlBy shift by counts of their own, taken without a sign: one that is too large leaves nothing but the sign.
func (b *B) ShlBy(x, n *val) *val { return b.op2("shlby", x, n) }
func (b *B) SraBy(x, n *val) *val { return b.op2("sraby", x, n) }
func (b *B) SrlBy(x, n *val) *val { return b.op2("srlby", x, n) }

// TimesC is the product of complex numbers, every product of parts being rounded.
func (b *B) TimesC(x, y *val) *val {
	v := &val{op: "timesc", t: c64, args: []*val{x, y}}
	if b.tgt == avx512 { // where only a fused operation subtracts every other lane
		v.args = append(v.args, b.L(0x3f8000003f800000))
	}
	return b.emit(v)
}

func (b *B) op1(op string, t typ, imm int, x *val) *val {
	return b.emit(&val{op: op, t: t, imm: imm, args: []*val{x}})
}

func (b *B) Sqrt(x *val) *val       { return b.op1("sqrt", x.t, 0, x) }
func (b *B) Shl(x *val, n int) *val { return b.op1("shl", x.t, n, x) }
func (b *B) Sra(x *val, n int) *val { return b.op1("sra", x.t, n, x) }
func (b *B) Srl(x *val, n int) *val { return b.op1("srl", x.t, n, x) }
func (b *B) ToF(x *val) *val        { return b.op1("tof", f32, 0, x) }

// ToI is x towards zero, for |x| < 2^31.
func (b *B) ToI(x *val) *val { return b.op1("toi", i32, 0, x) }

// Rounding modes, as x86 numbers them.
const (
	toNearest = iota
	down
	up
	toZero
)

// Round is x rounded to an integer, in the same type.
func (b *B) Round(x *val, way int) *val { return b.op1("round", x.t, way, x) }
func (b *B) Fma(x, y, w *val) *val      { return b.op3("fma", x, y, w) }
func (b *B) Fnma(x, y, w *val) *val     { return b.op3("fnma", x, y, w) }
func (b *B) Fms(x, y, w *val) *val      { return b.op3("fms", x, y, w) }
func (b *B) Lt(x, y *val) *val          { return b.cmp(17, x, y) }
func (b *B) Le(x, y *val) *val          { return b.cmp(18, x, y) }
func (b *B) Eq(x, y *val) *val          { return b.cmp(0, x, y) }
func (b *B) Ne(x, y *val) *val          { return b.cmp(4, x, y) }
func (b *B) Gt(x, y *val) *val          { return b.cmp(30, x, y) }
func (b *B) Ge(x, y *val) *val          { return b.cmp(29, x, y) }
func (b *B) NotGe(x, y *val) *val       { return b.cmp(25, x, y) }
func (b *B) Unord(x, y *val) *val       { return b.cmp(3, x, y) }
func (b *B) cmp(pred int, x, y *val) *val {
	return b.emit(&val{op: "cmp", t: mask, imm: pred, args: []*val{x, y}})
}

// op3 is x*y+w, -x*y+w or x*y-w rounded once.
func (b *B) op3(op string, x, y, w *val) *val {
	return b.emit(&val{op: op, t: x.t, args: []*val{x, y, w}})
}

// Sel is m ? x : y.
func (b *B) Sel(m, x, y *val) *val {
	return b.emit(&val{op: "sel", t: x.t, args: []*val{m, x, y}})
}

// Bits reinterprets floats as integers, Float the other way.
func (b *B) Bits(x *val) *val {
	return &val{op: "bitcast", t: map[typ]typ{f32: i32, f64: i64}[x.t], of: x}
}

func (b *B) Float(x *val) *val {
	return &val{op: "bitcast", t: map[typ]typ{i32: f32, i64: f64}[x.t], of: x}
}

// Abs clears the sign.
func (b *B) Abs(x *val) *val { return b.Float(b.And(b.Bits(x), b.I(math.MaxInt32))) }

// Sign is the sign bit alone.
func (b *B) Sign(x *val) *val { return b.And(b.Bits(x), b.I(math.MinInt32)) }

// Horner is the polynomial c[0] + c[1] x + ... .
func (b *B) Horner(x *val, c []float32) *val {
	p := b.C(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		p = b.Fma(p, x, b.C(c[i]))
	}
	return p
}

// Lookup16 returns a function that picks row[i&15], where i comes from the integers idx.
func (b *B) Lookup16(idx *val) func(row []float32) *val {
	args := []*val{idx}
	if b.tgt == neon { // by bytes
		args = []*val{b.Add(b.Mul(b.And(idx, b.I(15)), b.I(0x04040404)), b.I(0x03020100))}
	}
	return func(row []float32) *val {
		if b.tgt == avx2 && len(args) == 1 && !slices.Equal(row[:8], row[8:]) {
			args = append(args, b.Shl(idx, 28)) // bit 3 says which half of the row; it becomes the sign
		}
		return b.emit(&val{op: "lookup", t: f32, args: args, tab: row})
	}
}
