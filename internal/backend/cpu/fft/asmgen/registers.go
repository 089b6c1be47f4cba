package asmgen

import (
	"fmt"
	"math"
)

// allocator assigns the 32 vector registers to values; one that is needed last goes to the stack when there are too many.
type allocator struct {
	c      *code
	suffix string  // PS or PD
	uses   [][]int // by value: the operations that read it
	reg    []int   // by value: its register, -1
	slot   []int   // by value: its position on the stack, -1
	owner  [32]value
	slots  int
	lines  []string
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
		if v < 0 || a.reg[v] != r || a.next(v, i) == math.MaxInt && !contains(locked, v) {
			return r
		}
		if n := a.next(v, i); !contains(locked, v) && n > far {
			best, far = r, n
		}
	}
	v := a.owner[best]
	if a.slot[v] < 0 {
		a.slot[v] = a.slots
		a.slots++
		a.op("VMOVUP%s Z%d, %d(SP)", a.suffix[1:], best, 64*a.slot[v])
	}
	a.reg[v] = -1
	return best
}

func contains(list []value, v value) bool {
	for _, w := range list {
		if w == v {
			return true
		}
	}
	return false
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
		a.op("VMOVUP%s %d(SP), Z%d", a.suffix[1:], 64*a.slot[v], r)
		a.give(v, r)
	}
	return a.reg[v]
}

// assemble returns the instructions of the code and how many bytes of stack they use.
func assemble(c *code, suffix string) (lines []string, stack int) {
	a := &allocator{c: c, suffix: suffix, uses: make([][]int, len(c.list)), reg: make([]int, len(c.list)), slot: make([]int, len(c.list))}
	for r := range a.owner {
		a.owner[r] = -1
	}
	for i, o := range c.list {
		a.reg[i], a.slot[i] = -1, -1
		for _, v := range []value{o.a, o.b} {
			if v >= 0 {
				a.uses[v] = append(a.uses[v], i)
			}
		}
	}
	for i, o := range c.list {
		if o.pre != "" {
			a.op("%s", o.pre)
		}
		v := value(i)
		switch o.name {
		case "load":
			r := a.free(i)
			a.op("VMOVUP%s %s, Z%d", suffix[1:], o.mem, r)
			a.give(v, r)
		case "store":
			a.op("VMOVUP%s Z%d, %s", suffix[1:], a.in(o.a, i), o.mem)
		case "add", "sub":
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
			a.op("V%s%s Z%d, Z%d, Z%d", map[string]string{"add": "ADD", "sub": "SUB"}[o.name], suffix, y, x, r)
			a.give(v, r)
		case "mul":
			x := a.in(o.a, i)
			r := x
			if a.next(o.a, i+1) != math.MaxInt {
				r = a.free(i+1, o.a)
			}
			a.op("VMUL%s.BCST %s, Z%d, Z%d", suffix, o.mem, x, r)
			a.give(v, r)
		default:
			x := a.in(o.a, i, o.b)
			z := a.in(o.b, i, o.a)
			if a.next(o.b, i+1) != math.MaxInt {
				r := a.free(i+1, o.a, o.b)
				a.op("VMOVAP%s Z%d, Z%d", suffix[1:], z, r)
				z = r
			}
			a.op("V%s%s.BCST %s, Z%d, Z%d", map[string]string{"fma": "FMADD231", "fnma": "FNMADD231"}[o.name], suffix, o.mem, x, z)
			a.give(v, z)
		}
	}
	return a.lines, 64 * a.slots
}
