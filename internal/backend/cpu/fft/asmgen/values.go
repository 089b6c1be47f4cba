package asmgen

import (
	"fmt"
	"strconv"
	"strings"
)

// value is the number of an operation's result.
type value int

// operation makes a value of others: a + b, a - b, a·m, c + a·m or c - a·m, m being a number in memory that fills all lanes.
type operation struct {
	name string // load, add, sub, mul, fma, fnma, store, or one of those that reorder numbers
	a, b value  // operands; of fma and fnma, b is c
	mem  string // m, or where load and store go
	far  string // where the second half of a vector is, if mem has the first
	each bool   // m is a vector, not a number that fills all lanes
	pre  string // an instruction before: moves a pointer
	by   string // of permute: the name of a table; of blocks: which parts of 128 bits
}

// code is a list of operations without branches.
type code struct {
	list []operation
	each bool // numbers in memory at DX, or R10 from a pointer, are vectors
	wide bool // vectors have 64 bytes
	// stream: storePairs goes around the cache.
	stream bool
	zeros  value // what nought made; of no value before
	t      element
}

// newCode is an empty list for a variant and a type.
func newCode(v variant, t element) *code { return &code{wide: v.reg == "Z", t: t, zeros: -1} }

// nought is a vector of zeros.
func (c *code) nought() value {
	if c.zeros < 0 {
		c.zeros = c.emit(operation{name: "zero", a: -1, b: -1})
	}
	return c.zeros
}

func (c *code) emit(o operation) value {
	c.list = append(c.list, o)
	return value(len(c.list) - 1)
}

func (c *code) load(mem, pre string) value {
	return c.emit(operation{name: "load", a: -1, b: -1, mem: mem, pre: pre})
}
func (c *code) store(a value, mem, pre string) {
	c.emit(operation{name: "store", a: a, b: -1, mem: mem, pre: pre})
}

// storeOut stores a vector of a tensor, around the cache if asked.
func (c *code) storeOut(a value, mem, pre string) {
	c.store(a, mem, pre)
	if c.stream {
		c.list[len(c.list)-1].name = "storeStream"
	}
}

func (c *code) add(a, b value) value { return c.emit(operation{name: "add", a: a, b: b}) }
func (c *code) sub(a, b value) value {
	if b == c.zeros { // a sum with zero is computed: it changes the sign of a zero
		return a
	}
	return c.emit(operation{name: "sub", a: a, b: b})
}
func (c *code) mul(a value, m string) value {
	return c.emit(operation{name: "mul", a: a, b: -1, mem: m, each: c.isVector(m)})
}
func (c *code) fma(x, a value, m string) value {
	return c.emit(operation{name: "fma", a: a, b: x, mem: m, each: c.isVector(m)})
}
func (c *code) fnma(x, a value, m string) value {
	return c.emit(operation{name: "fnma", a: a, b: x, mem: m, each: c.isVector(m)})
}

func (c *code) isVector(m string) bool {
	return c.each && (strings.HasSuffix(m, "(DX)") || strings.HasSuffix(m, "(R10*1)"))
}

// twoParts loads a vector of two parts of 128 bits that are not one behind the other; parts stores one so.
func (c *code) twoParts(mem, far, pre string) value {
	return c.emit(operation{name: "twoParts", a: -1, b: -1, mem: mem, far: far, pre: pre})
}
func (c *code) parts(a value, mem, far string) {
	c.emit(operation{name: "parts", a: a, b: -1, mem: mem, far: far})
}

// permute picks the numbers of a and b that a table of AVX-512 names.
func (c *code) permute(a, b value, table string) value {
	return c.emit(operation{name: "permute", a: a, b: b, by: table + c.t.name})
}

// blocks picks two parts of 128 bits of a, then two of b.
func (c *code) blocks(a, b value, which string) value {
	return c.emit(operation{name: "blocks", a: a, b: b, by: which})
}

// behind is an address with or without a distance, so many bytes further on.
func behind(mem string, bytes int) string {
	number, rest, _ := strings.Cut(mem, "(")
	at, _ := strconv.Atoi(number)
	return fmt.Sprintf("%d(%s", at+bytes, rest)
}

// loadPairs loads neighbouring complex numbers to the lanes of two vectors, in order: for AVX2 parts of 128 bits are loaded so that those
// of the shuffles are the first and the second half of the lanes.
func (c *code) loadPairs(mem, pre string) complexValue {
	if c.wide {
		a, b := c.load(mem, pre), c.load(behind(mem, 64), "")
		return complexValue{c.permute(a, b, "even"), c.permute(a, b, "odd")}
	}
	a, b := c.twoParts(mem, behind(mem, 32), pre), c.twoParts(behind(mem, 16), behind(mem, 48), "")
	return complexValue{c.emit(operation{name: "even", a: a, b: b}), c.emit(operation{name: "odd", a: a, b: b})}
}

// storePairs is the opposite of loadPairs.
func (c *code) storePairs(x complexValue, mem, pre string) {
	if c.wide {
		c.storeOut(c.permute(x.re, x.im, "low"), mem, pre)
		c.storeOut(c.permute(x.re, x.im, "high"), behind(mem, 64), "")
		return
	}
	a, b := c.emit(operation{name: "low", a: x.re, b: x.im, pre: pre}), c.emit(operation{name: "high", a: x.re, b: x.im})
	c.parts(a, mem, behind(mem, 32))
	c.parts(b, behind(mem, 16), behind(mem, 48))
}

// ahead asks for what is read or written soon, two vectors of it.
func (c *code) ahead(mem string) {
	c.emit(operation{name: "ahead", a: -1, b: -1, mem: mem})
	if c.wide {
		c.emit(operation{name: "ahead", a: -1, b: -1, mem: behind(mem, 64)})
	}
}

// loadBack is loadPairs with the lanes in the opposite order.
func (c *code) loadBack(mem, pre string) complexValue {
	if c.wide {
		a, b := c.load(mem, pre), c.load(behind(mem, 64), "")
		return complexValue{c.permute(a, b, "evenBack"), c.permute(a, b, "oddBack")}
	}
	a, b := c.twoParts(behind(mem, 32), mem, pre), c.twoParts(behind(mem, 48), behind(mem, 16), "")
	return complexValue{c.emit(operation{name: "evenBack", a: b, b: a}), c.emit(operation{name: "oddBack", a: b, b: a})}
}

// storeBack is the opposite of loadBack.
func (c *code) storeBack(x complexValue, mem string) {
	if c.wide {
		c.store(c.permute(x.re, x.im, "lowBack"), mem, "")
		c.store(c.permute(x.re, x.im, "highBack"), behind(mem, 64), "")
		return
	}
	a, b := c.emit(operation{name: "low", a: x.re, b: x.im}), c.emit(operation{name: "high", a: x.re, b: x.im})
	if c.t.size == 4 { // a half has two pairs
		a, b = c.emit(operation{name: "exchange", a: a, b: -1}), c.emit(operation{name: "exchange", a: b, b: -1})
	}
	c.parts(b, behind(mem, 32), mem)
	c.parts(a, behind(mem, 48), behind(mem, 16))
}

// complexValue is the two parts of an element.
type complexValue struct{ re, im value }

func (c *code) cadd(a, b complexValue) complexValue {
	return complexValue{c.add(a.re, b.re), c.add(a.im, b.im)}
}
func (c *code) csub(a, b complexValue) complexValue {
	return complexValue{c.sub(a.re, b.re), c.sub(a.im, b.im)}
}

// addMinusI is a - i·b, subMinusI is a + i·b.
func (c *code) addMinusI(a, b complexValue) complexValue {
	return complexValue{c.add(a.re, b.im), c.sub(a.im, b.re)}
}

func (c *code) subMinusI(a, b complexValue) complexValue {
	return complexValue{c.sub(a.re, b.im), c.add(a.im, b.re)}
}

// times multiplies by the pair at two addresses.
func (c *code) times(a complexValue, re, im string) complexValue {
	return complexValue{c.fnma(c.mul(a.re, re), a.im, im), c.fma(c.mul(a.re, im), a.im, re)}
}

// butterfly is the transform of a few elements. Constants are at the register constants.
func (c *code) butterfly(x []complexValue) []complexValue {
	switch len(x) {
	case 2:
		return []complexValue{c.cadd(x[0], x[1]), c.csub(x[0], x[1])}
	case 4:
		return c.four(x)
	case 8:
		return c.eight(x)
	}
	return c.odd(x)
}

func (c *code) four(x []complexValue) []complexValue {
	a, b := c.cadd(x[0], x[2]), c.csub(x[0], x[2])
	d, e := c.cadd(x[1], x[3]), c.csub(x[1], x[3])
	return []complexValue{c.cadd(a, d), c.addMinusI(b, e), c.csub(a, d), c.subMinusI(b, e)}
}

// eight is two butterflies of four, of the even and of the odd elements; the constant is √½.
func (c *code) eight(x []complexValue) []complexValue {
	o := c.four([]complexValue{x[1], x[3], x[5], x[7]})
	e := c.four([]complexValue{x[0], x[2], x[4], x[6]})
	const half = "(R13)"
	y := make([]complexValue, 8)
	y[0], y[4] = c.cadd(e[0], o[0]), c.csub(e[0], o[0])
	y[2], y[6] = c.addMinusI(e[2], o[2]), c.subMinusI(e[2], o[2])
	s, d := c.add(o[1].re, o[1].im), c.sub(o[1].im, o[1].re) // √2·(1-i)·o
	y[1] = complexValue{c.fma(e[1].re, s, half), c.fma(e[1].im, d, half)}
	y[5] = complexValue{c.fnma(e[1].re, s, half), c.fnma(e[1].im, d, half)}
	s, d = c.sub(o[3].im, o[3].re), c.add(o[3].re, o[3].im) // √2·(-1-i)·o
	y[3] = complexValue{c.fma(e[3].re, s, half), c.fnma(e[3].im, d, half)}
	y[7] = complexValue{c.fnma(e[3].re, s, half), c.fma(e[3].im, d, half)}
	return y
}

// odd is for primes; the constants are cos of 2πk/r for k < r, then sin.
func (c *code) odd(x []complexValue) []complexValue {
	r, size := len(x), c.t.size
	y := make([]complexValue, r)
	sum, diff := make([]complexValue, r), make([]complexValue, r)
	y[0] = x[0]
	for k := 1; 2*k < r; k++ {
		sum[k], diff[k] = c.cadd(x[k], x[r-k]), c.csub(x[k], x[r-k])
		y[0] = c.cadd(y[0], sum[k])
	}
	for j := 1; 2*j < r; j++ {
		a := x[0]
		var b complexValue
		for k := 1; 2*k < r; k++ {
			cos, sin := fmt.Sprintf("%d(R13)", size*(j*k%r)), fmt.Sprintf("%d(R13)", size*(r+j*k%r))
			a = complexValue{c.fma(a.re, sum[k].re, cos), c.fma(a.im, sum[k].im, cos)}
			if k == 1 {
				b = complexValue{c.mul(diff[k].re, sin), c.mul(diff[k].im, sin)}
			} else {
				b = complexValue{c.fma(b.re, diff[k].re, sin), c.fma(b.im, diff[k].im, sin)}
			}
		}
		y[j], y[r-j] = c.addMinusI(a, b), c.subMinusI(a, b)
	}
	return y
}
