package cpu

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Runs of cheap float32 instructions become chain code (see simd.Step): they keep the value at hand in registers, where
// each by itself would load and store a tile. The bits are the same, and what is left of a tile that is not a whole
// number of vectors is done instruction by instruction.

// stretch is a piece of a program: instructions from to to, as chain code too if that pays.
type stretch struct {
	from, to int
	chain    *chainCode
}

// chainCode is chain code before it is known where operands lie.
type chainCode struct {
	steps  []chainStep
	locals int // values kept in memory between two steps
}

// chainStep has its operand in the tile of a register, in a local or, both being negative, in none.
type chainStep struct {
	op         simd.ChainOp
	reg, local int
}

// chainUnary, chainBinary and chainCompare are the instructions that can be in chain code. Of two numbers, the first is
// for x at hand, the second for y at hand.
var (
	chainUnary = map[string]simd.ChainOp{
		"neg": simd.ChainNeg, "abs": simd.ChainAbs, "sqrt": simd.ChainSqrt, "square": simd.ChainSquare,
		"reciprocal": simd.ChainRecip, "rsqrt": simd.ChainRsqrt, "relu": simd.ChainRelu,
	}
	chainBinary = map[string][2]simd.ChainOp{
		"add": {simd.ChainAdd, simd.ChainAddFrom}, "sub": {simd.ChainSub, simd.ChainSubFrom},
		"mul": {simd.ChainMul, simd.ChainMulFrom}, "div": {simd.ChainDiv, simd.ChainDivFrom},
		"maximum": {simd.ChainMax, simd.ChainMaxFrom}, "minimum": {simd.ChainMin, simd.ChainMinFrom},
		"clamp_min": {simd.ChainMax, simd.ChainMaxFrom}, "clamp_max": {simd.ChainMin, simd.ChainMinFrom},
		"grad_mul": {simd.ChainGradMul, simd.ChainGradMulFrom},
		"lt":       {simd.ChainLt, simd.ChainGt}, "le": {simd.ChainLe, simd.ChainGe}, "gt": {simd.ChainGt, simd.ChainLt},
		"ge": {simd.ChainGe, simd.ChainLe}, "eq": {simd.ChainEq, simd.ChainEq}, "ne": {simd.ChainNe, simd.ChainNe},
	}
)

// canChain reports whether chain code has the instruction.
func canChain(p *backend.Fused, ins *backend.Instr) bool {
	float := func(r int) bool { return r >= 0 && p.DTypes[r] == dtype.Float32 }
	if _, ok := chainUnary[ins.Op]; ok {
		return float(ins.Src[0]) && float(ins.Dst)
	}
	if _, ok := chainBinary[ins.Op]; ok {
		return float(ins.Src[0]) && float(ins.Src[1])
	}
	return ins.Op == "where" && float(ins.Src[1]) && float(ins.Src[2]) && p.DTypes[ins.Src[0]] == dtype.Bool
}

// split cuts the program into parts. A single instruction gains only as the whole of one, by going past the caches.
func (q *prepared) split(p *backend.Fused) {
	for k := 0; k < len(p.Instrs); {
		from, can := k, canChain(p, &p.Instrs[k])
		for k++; k < len(p.Instrs) && canChain(p, &p.Instrs[k]) == can; k++ {
		}
		pt := stretch{from: from, to: k}
		if can && (k-from > 1 || len(p.Instrs) == 1) {
			pt.chain = chainOf(p, q, from, k)
			q.locals, q.chains = max(q.locals, pt.chain.locals), true
		}
		q.parts = append(q.parts, pt)
	}
}

// chainer writes chain code. Instructions stay in order, so that memory is read when it would be.
type chainer struct {
	p     *backend.Fused
	out   *chainCode
	k     int         // the instruction at hand
	first int         // the first one
	uses  map[int]int // last instruction here that reads a register
	banks [3]int      // register whose value is in bank A, B, C; -1: none
	local map[int]int // register whose value is in a local
	free  []int
	masks bool // bank C is for masks
}

func chainOf(p *backend.Fused, q *prepared, from, to int) *chainCode {
	c := &chainer{p: p, out: &chainCode{}, first: from, uses: map[int]int{}, banks: [3]int{-1, -1, -1}, local: map[int]int{}}
	for k := from; k < to; k++ {
		ins := &p.Instrs[k]
		c.masks = c.masks || ins.Op == "where"
		for _, s := range ins.Src {
			if s >= 0 {
				c.uses[s] = k
			}
		}
	}
	for c.k = from; c.k < to; c.k++ {
		ins := &p.Instrs[c.k]
		if ins.Op == "where" {
			c.where(ins)
		} else if op, ok := chainUnary[ins.Op]; ok {
			c.take(ins.Src[0])
			c.keep()
			c.emit(op, -1, -1)
		} else {
			c.binary(chainBinary[ins.Op], ins.Src[0], ins.Src[1])
		}
		c.banks[0] = ins.Dst
		if q.last[ins.Dst] >= to || folded(p, ins.Dst) {
			if p.DTypes[ins.Dst] == dtype.Bool {
				c.emit(simd.ChainStoreBool, ins.Dst, -1)
			} else {
				c.emit(simd.ChainStore, ins.Dst, -1)
			}
		}
		for r, l := range c.local {
			if c.uses[r] <= c.k {
				delete(c.local, r)
				c.free = append(c.free, l)
			}
		}
	}
	c.emit(simd.ChainNext, -1, -1)
	return c.out
}

func (c *chainer) emit(op simd.ChainOp, reg, local int) {
	c.out.steps = append(c.out.steps, chainStep{op, reg, local})
}

// made reports whether instructions of this code compute the register.
func (c *chainer) made(r int) bool {
	for _, ins := range c.p.Instrs[c.first : c.k+1] {
		if ins.Dst == r {
			return true
		}
	}
	return false
}

// elsewhere reports whether the value of a register is in another place than bank A.
func (c *chainer) elsewhere(r int) bool {
	_, ok := c.local[r]
	return ok || c.banks[1] == r || c.banks[2] == r || !c.made(r)
}

// with writes an instruction whose operand is a register that is elsewhere.
func (c *chainer) with(op simd.ChainOp, r int) {
	switch l, ok := c.local[r]; {
	case c.banks[1] == r:
		c.emit(op+1, -1, -1)
	case c.banks[2] == r:
		c.emit(op+2, -1, -1)
	case ok:
		c.emit(op, -1, l)
	case c.p.DTypes[r] == dtype.Bool:
		c.emit(simd.ChainLoadBool, r, -1) // op is a load
	default:
		c.emit(op, r, -1)
	}
}

// keep puts the value at hand elsewhere if a later instruction reads it.
func (c *chainer) keep() {
	if r := c.banks[0]; r >= 0 && c.uses[r] > c.k && !c.elsewhere(r) {
		c.save()
	}
}

// save puts the value at hand elsewhere.
func (c *chainer) save() {
	last := 2
	if c.masks {
		last = 1
	}
	for b := 1; b <= last; b++ {
		if old := c.banks[b]; old < 0 || c.uses[old] < c.k {
			c.banks[b] = c.banks[0]
			c.emit(simd.ChainStore+simd.ChainOp(b), -1, -1)
			return
		}
	}
	c.saveLocal()
}

func (c *chainer) saveLocal() {
	l := c.out.locals
	if n := len(c.free); n > 0 {
		l, c.free = c.free[n-1], c.free[:n-1]
	} else {
		c.out.locals++
	}
	c.local[c.banks[0]] = l
	c.emit(simd.ChainStore, -1, l)
}

// take brings a register's value into bank A.
func (c *chainer) take(r int) {
	if c.banks[0] == r {
		return
	}
	if old := c.banks[0]; old >= 0 && c.uses[old] >= c.k && !c.elsewhere(old) {
		c.save()
	}
	c.with(simd.ChainLoad, r)
	c.banks[0] = r
}

func (c *chainer) binary(op [2]simd.ChainOp, x, y int) {
	if c.banks[0] == y && x != y {
		c.keep()
		c.with(op[1], x)
		return
	}
	c.take(x)
	if x == y && !c.elsewhere(x) {
		c.save()
	}
	c.keep()
	c.with(op[0], y)
}

// where needs the mask in bank C.
func (c *chainer) where(ins *backend.Instr) {
	m, x, y := ins.Src[0], ins.Src[1], ins.Src[2]
	if c.banks[2] != m {
		c.take(m)
		if _, ok := c.local[m]; !ok && c.uses[m] > c.k && c.made(m) {
			c.saveLocal() // another mask may take the bank before
		}
		c.emit(simd.ChainStore+2, -1, -1)
		c.banks[2] = m
	}
	if c.banks[0] == y && x != y {
		c.keep()
		c.with(simd.ChainWhereFrom, x)
		return
	}
	c.take(x)
	if x != y {
		c.keep()
		c.with(simd.ChainWhere, y)
	} else {
		c.keep()
	}
}
