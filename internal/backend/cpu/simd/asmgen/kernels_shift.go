package main

import (
	"fmt"
)

// widerElem is a type of integers whose kernels have wider lanes, and how its elements are stored.
type widerElem struct {
	suffix, goType, out string
	bits, lane          int
}

var integerElems = []widerElem{{"U8", "uint8", "uint8", 8, 4}, {"I8", "int8", "uint8", 8, 4}, {"U16", "uint16", "uint16", 16, 4},
	{"I16", "int16", "uint16", 16, 4}, {"U32", "int32", "int32", 32, 4}, {"I32", "int32", "int32", 32, 4}, {"U64", "int64", "int64", 64, 8},
	{"I64", "int64", "int64", 64, 8}}

// signed says whether numbers have a sign.
func (e widerElem) signed() bool { return e.suffix[0] == 'I' }

// mem is the element in memory, "" if it is as wide as a lane.
func (e widerElem) mem() string {
	if e.bits == 8*e.lane {
		return ""
	}
	return fmt.Sprintf("%c%d", e.suffix[0]|0x20, e.bits)
}

// store writes the low bits of lanes.
func (e widerElem) store(b *B, v *val) {
	if e.mem() == "" {
		b.Z(v)
		return
	}
	if e.bits < 32 {
		v = b.And(v, b.I(1<<e.bits-1))
	}
	b.Store("z", v, map[int]string{8: "u8", 16: "u16", 32: "i32"}[e.bits])
}

// shifts are by a count for every element. One that is negative or too large leaves nothing but the sign.
func shifts() []*kernel {
	var ks []*kernel
	for _, e := range integerElems {
		t := map[int]typ{4: i32, 8: i64}[e.lane]
		add := func(name, doc string, op func(b *B, x, n *val) *val) {
			ks = append(ks, &kernel{name: name + e.suffix, lane: e.lane, slices: []param{{"z", e.out}, {"x", e.goType}, {"y", e.goType}},
				doc: name + e.suffix + " sets z[i] = x[i] " + doc + " y[i]; a count out of range leaves the sign alone.",
				body: func(b *B) {
					x := b.Load("x", t, e.mem())
					e.store(b, op(b, x, b.Load("y", t, e.mem())))
				}})
		}
		if e.signed() || e.bits < 32 { // of 32 and 64 bits, numbers with and without a sign have the same bits
			add("Shl", "<<", (*B).ShlBy)
		}
		if e.signed() {
			add("Shr", ">>", (*B).SraBy)
		} else {
			add("Shr", ">>", (*B).SrlBy)
		}
	}
	return ks
}

// magicBits are those of 1.5·2^52.
const magicBits = 0x4338000000000000

// quotients are divisions of integers by way of floats that hold both numbers, and so near the quotient that rounding it down is
// exact. No divisor is zero. Products of complex numbers are here, too.
func quotients() []*kernel {
	var ks []*kernel
	for _, e := range integerElems {
		if e.bits == 64 || e.suffix == "U32" {
			continue
		}
		add := func(name, doc string, op func(b *B, x, y, q *val) *val) {
			k := &kernel{name: name + e.suffix, lane: 4, slices: []param{{"z", e.out}, {"x", e.goType}, {"y", e.goType}},
				doc: name + e.suffix + " sets z[i] = " + doc + ", y[i] not being 0.",
				body: func(b *B) {
					x, y := b.Load("x", i32, e.mem()), b.Load("y", i32, e.mem())
					q := b.ToI(b.Round(b.Div(b.ToF(x), b.ToF(y)), down))
					e.store(b, op(b, x, y, q))
				}}
			if e.bits == 32 {
				wide := e
				wide.lane, k.lane = 8, 8
				k.body = func(b *B) {
					read := func(name string) *val { // added to the bits of 1.5·2^52, whose unit in the last digit is 1
						return b.Sub(b.Float(b.Add(b.Load(name, i64, "i32"), b.L(magicBits))), b.D(magic64))
					}
					x, y := read("x"), read("y")
					q := b.Round(b.Div(x, y), down)
					if name == "Mod" {
						q = b.Sub(x, b.Mul(q, y)) // exact: less than 2^53
					}
					wide.store(b, b.Bits(b.Add(q, b.D(magic64)))) // the low bits are the integer's
				}
			}
			ks = append(ks, k)
		}
		add("FloorDiv", "x[i] / y[i] rounded down", func(b *B, _, _, q *val) *val { return q })
		add("Mod", "the remainder of x[i] / y[i] rounded down", func(b *B, x, y, q *val) *val { return b.Sub(x, b.Mul(q, y)) })
	}
	return append(ks, &kernel{name: "MulC64", lane: 8, slices: slices3("complex64"), doc: "MulC64 sets z[i] = x[i] * y[i].",
		body: func(b *B) { x := b.Load("x", c64, ""); b.Z(b.TimesC(x, b.Load("y", c64, ""))) }})
}
