package asmgen

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// variant is a set of instructions.
type variant struct {
	name  string // in the names of kernels
	reg   string // letter of its registers
	regs  int    // that values may have
	bytes int    // of a vector
}

var variants = []variant{{"AVX512", "Z", 32, 64}, {"AVX2", "Y", 15, 32}}

// number is the register that AVX2 fills with a number of memory; AVX-512 needs none.
const number = "Y15"

// allocator assigns the vector registers to values; one that is needed last goes to the stack when there are too many.
type allocator struct {
	v      variant
	c      *code
	suffix string  // PS or PD
	uses   [][]int // by value: the operations that read it
	reg    []int   // by value: its register, -1
	slot   []int   // by value: its position on the stack, -1
	owner  []value
	slots  int
	lines  []string
	tables []string // of permutations; the last registers have them
}

func (a *allocator) op(format string, args ...any) {
	a.lines = append(a.lines, "\t"+fmt.Sprintf(format, args...))
}

// next is the first use of a value from operation i on.
func (a *allocator) next(v value, i int) int {
	for _, u := range a.uses[v] {
		if u >= i {
			return u
		}
	}
	return math.MaxInt
}

// free returns a register, taking one from the value whose next use is last; locked values keep theirs.
func (a *allocator) free(i int, locked ...value) int {
	best, far := -1, -1
	for r, v := range a.owner {
		if v < 0 || a.reg[v] != r || a.next(v, i) == math.MaxInt && !slices.Contains(locked, v) {
			return r
		}
		if n := a.next(v, i); !slices.Contains(locked, v) && n > far {
			best, far = r, n
		}
	}
	v := a.owner[best]
	if a.slot[v] < 0 {
		a.slot[v] = a.slots
		a.slots++
		a.op("VMOVUP%s %s%d, %d(SP)", a.suffix[1:], a.v.reg, best, a.v.bytes*a.slot[v])
	}
	a.reg[v] = -1
	return best
}

func (a *allocator) give(v value, r int) {
	if old := a.owner[r]; old >= 0 && a.reg[old] == r {
		a.reg[old] = -1
	}
	a.owner[r], a.reg[v] = v, r
}

// in brings a value to a register.
func (a *allocator) in(v value, i int, locked ...value) int {
	if a.reg[v] < 0 {
		r := a.free(i, locked...)
		a.op("VMOVUP%s %d(SP), %s%d", a.suffix[1:], a.v.bytes*a.slot[v], a.v.reg, r)
		a.give(v, r)
	}
	return a.reg[v]
}

// operand is the number or the vector in memory as an operand of an instruction, and the suffix of the instruction's name.
func (a *allocator) operand(o operation) (mem, dot string) {
	switch {
	case o.each:
		return o.mem, ""
	case a.v.reg == "Z":
		return o.mem, ".BCST"
	}
	a.op("VBROADCAST%s %s, %s", map[string]string{"PS": "SS", "PD": "SD"}[a.suffix], o.mem, number)
	return number, ""
}

// assemble returns the instructions of the code, how many bytes of stack they use, and the tables which registers from the last down have.
func assemble(v variant, c *code) (lines []string, stack int, tables []string) {
	n := len(c.list)
	a := &allocator{v: v, c: c, suffix: c.t.suffix, uses: make([][]int, n), reg: make([]int, n), slot: make([]int, n)}
	for _, o := range c.list {
		if o.name == "permute" && !slices.Contains(a.tables, o.by) {
			a.tables = append(a.tables, o.by)
		}
	}
	a.owner = make([]value, v.regs-len(a.tables))
	for r := range a.owner {
		a.owner[r] = -1
	}
	needed := make([]bool, n) // not those whose results are not read
	for i := n - 1; i >= 0; i-- {
		o := c.list[i]
		if slices.Contains([]string{"store", "storeStream", "twoStores", "parts", "ahead"}, o.name) {
			needed[i] = true
		}
		for _, v := range []value{o.a, o.b} {
			if v >= 0 && needed[i] {
				needed[v] = true
			}
		}
	}
	for i, o := range c.list {
		a.reg[i], a.slot[i] = -1, -1
		for _, v := range []value{o.a, o.b} {
			if v >= 0 && needed[i] {
				a.uses[v] = append(a.uses[v], i)
			}
		}
	}
	for i, o := range c.list {
		if needed[i] {
			a.emit(i, o)
		}
	}
	return a.lines, v.bytes * a.slots, a.tables
}

// binary is an instruction of two operands, without its first letter.
func binary(name, suffix string) string {
	single := map[string]string{"even": "SHUFPS $0x88,", "odd": "SHUFPS $0xdd,", "evenBack": "SHUFPS $0x22,", "oddBack": "SHUFPS $0x77,"}
	switch {
	case suffix == "PS" && single[name] != "":
		return single[name]
	case name == "add" || name == "sub":
		return strings.ToUpper(name) + suffix
	case name == "lowPairs":
		return "UNPCKLPD"
	case name == "highPairs":
		return "UNPCKHPD"
	case name == "even" || name == "evenBack" || name == "low":
		return "UNPCKL" + suffix
	}
	return "UNPCKH" + suffix
}

func (a *allocator) emit(i int, o operation) {
	if o.pre != "" {
		a.op("%s", o.pre)
	}
	v, reg, suffix := value(i), a.v.reg, a.suffix
	switch o.name {
	case "load":
		r := a.free(i)
		a.op("VMOVUP%s %s, %s%d", suffix[1:], o.mem, reg, r)
		a.give(v, r)
	case "store":
		a.op("VMOVUP%s %s%d, %s", suffix[1:], reg, a.in(o.a, i), o.mem)
	case "storeStream":
		a.op("VMOVNTP%s %s%d, %s", suffix[1:], reg, a.in(o.a, i), o.mem)
	case "twoParts":
		r := a.free(i)
		a.op("VMOVUP%s %s, X%d", suffix[1:], o.mem, r)
		a.op("VINSERTF128 $1, %s, Y%d, Y%d", o.far, r, r)
		a.give(v, r)
	case "parts":
		r := a.in(o.a, i)
		a.op("VMOVUP%s X%d, %s", suffix[1:], r, o.mem)
		a.op("VEXTRACTF128 $1, Y%d, %s", r, o.far)
	case "ahead":
		a.op("PREFETCHT0 %s", o.mem)
	case "exchange":
		x := a.in(o.a, i)
		r := x
		if a.next(o.a, i+1) != math.MaxInt {
			r = a.free(i+1, o.a)
		}
		a.op("VPERMILPD $5, Y%d, Y%d", x, r)
		a.give(v, r)
	case "zero":
		r := a.free(i)
		a.op("V%s %s%d, %s%d, %s%d", map[string]string{"Z": "PXORQ", "Y": "XORPS"}[reg], reg, r, reg, r, reg, r)
		a.give(v, r)
	case "permute":
		x, y := a.in(o.a, i, o.b), a.in(o.b, i, o.a)
		if a.next(o.a, i+1) != math.MaxInt {
			r := a.free(i+1, o.a, o.b)
			a.op("VMOVAP%s Z%d, Z%d", suffix[1:], x, r)
			x = r
		}
		a.op("VPERMT2%s Z%d, Z%d, Z%d", suffix, y, a.v.regs-1-slices.Index(a.tables, o.by), x)
		a.give(v, x)
	case "twoStores":
		r := a.in(o.a, i)
		a.op("VMOVUP%s Y%d, %s", suffix[1:], r, o.mem)
		a.op("VEXTRACTF64X4 $1, Z%d, %s", r, o.far)
	case "blocks", "add", "sub", "even", "odd", "evenBack", "oddBack", "low", "high", "lowPairs", "highPairs":
		x := a.in(o.a, i, o.b)
		y := a.in(o.b, i, o.a)
		r := x
		switch math.MaxInt {
		case a.next(o.a, i+1):
		case a.next(o.b, i+1):
			r = y
		default:
			r = a.free(i+1, o.a, o.b)
		}
		name := binary(o.name, suffix)
		if o.name == "blocks" {
			name = "SHUFF64X2 " + o.by + ","
		}
		a.op("V%s %s%d, %s%d, %s%d", name, reg, y, reg, x, reg, r)
		a.give(v, r)
	case "mul":
		x := a.in(o.a, i)
		r := x
		if a.next(o.a, i+1) != math.MaxInt {
			r = a.free(i+1, o.a)
		}
		mem, dot := a.operand(o)
		a.op("VMUL%s%s %s, %s%d, %s%d", suffix, dot, mem, reg, x, reg, r)
		a.give(v, r)
	default:
		x := a.in(o.a, i, o.b)
		z := a.in(o.b, i, o.a)
		if a.next(o.b, i+1) != math.MaxInt {
			r := a.free(i+1, o.a, o.b)
			a.op("VMOVAP%s %s%d, %s%d", suffix[1:], reg, z, reg, r)
			z = r
		}
		mem, dot := a.operand(o)
		a.op("V%s%s%s %s, %s%d, %s%d", map[string]string{"fma": "FMADD231", "fnma": "FNMADD231"}[o.name], suffix, dot, mem, reg, x, reg, z)
		a.give(v, z)
	}
}
