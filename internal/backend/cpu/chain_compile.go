package cpu

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

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

	wanted func(r int) bool // reports whether a result must be in memory
}

func chainOf(p *backend.Fused, q *prepared, from, to, lane int) *chainCode {
	c := &chainer{p: p, wanted: func(r int) bool { return q.last[r] >= to || folded(p, r) }, out: &chainCode{lane: lane}, first: from,
		uses: map[int]int{}, banks: [3]int{-1, -1, -1}, local: map[int]int{}}
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
		c.instr(&p.Instrs[c.k])
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

// instr writes one instruction, which leaves its result in bank A, or a mask in bank C.
func (c *chainer) instr(ins *backend.Instr) {
	if c.justMask(ins) {
		c.mask(ins)
		return
	}
	if op, ok := chainUnary[ins.Op]; ok {
		c.unary(op, ins.Src[0])
	} else if op, ok := chainLogic[ins.Op]; ok {
		c.binary([2]simd.ChainOp{op, op}, ins.Src[0], ins.Src[1])
	} else if op, ok := chainBinary[ins.Op]; ok {
		c.binary(op, ins.Src[0], ins.Src[1])
	} else if ins.Op == "logical_not" {
		c.unary(simd.ChainNot, ins.Src[0])
	} else if ins.Op == "where" {
		c.where(ins)
	} else { // a cast: it is rounded afterwards
		c.take(ins.Src[0])
		c.keep()
	}
	c.banks[0] = ins.Dst
	c.result(ins.Dst)
}

// justMask reports whether an instruction makes a mask that is wanted as the condition of what follows alone, with bank C free for it
// until then.
func (c *chainer) justMask(ins *backend.Instr) bool {
	if c.p.DTypes[ins.Dst] != dtype.Bool || c.wanted(ins.Dst) || c.uses[ins.Dst] <= c.k || c.banks[2] >= 0 && c.uses[c.banks[2]] > c.k {
		return false
	}
	if _, ok := chainBinary[ins.Op]; !ok && ins.Op != "isnan" {
		return false
	}
	for _, next := range c.p.Instrs[c.k+1 : c.uses[ins.Dst]+1] {
		if next.Op == "where" && next.Src[0] != ins.Dst || next.Src[1] == ins.Dst || next.Op != "where" && next.Src[0] == ins.Dst {
			return false
		}
	}
	return true
}

// mask puts the result of a comparison into bank C; bank A keeps its value.
func (c *chainer) mask(ins *backend.Instr) {
	const toC = simd.ChainIfLt - simd.ChainLt
	x, y := ins.Src[0], ins.Src[1]
	switch op := chainBinary[ins.Op]; {
	case ins.Op == "isnan":
		c.take(x)
		c.emit(simd.ChainIfNaN, -1, -1)
	case c.banks[0] == y && x != y:
		c.with(op[1]+toC, x)
	default:
		if c.take(x); x == y && !c.elsewhere(x) {
			c.save()
		}
		c.with(op[0]+toC, y)
	}
	c.banks[2] = ins.Dst
}

// result rounds the value at hand as its dtype has it, and writes it to memory if it is wanted there.
func (c *chainer) result(r int) {
	rounds, store := simd.ChainOp(-1), simd.ChainStore
	switch c.p.DTypes[r] {
	case dtype.Bool:
		store = simd.ChainStoreBool
	case dtype.BFloat16:
		rounds, store = simd.ChainRoundBF16, simd.ChainStoreBF16
	case dtype.Float16:
		store = simd.ChainStoreF16
		if c.uses[r] > c.k { // else memory rounds it
			rounds = simd.ChainRoundF16
		}
	}
	if rounds >= 0 && chainRounds[c.p.Instrs[c.k].Op] {
		c.emit(rounds, -1, -1)
	}
	if c.wanted(r) {
		c.emit(store, r, -1)
	}
}

func (c *chainer) unary(op simd.ChainOp, x int) {
	c.take(x)
	c.keep()
	c.emit(op, -1, -1)
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

// elsewhere reports whether the value of a register is elsewhere than in bank A.
func (c *chainer) elsewhere(r int) bool {
	_, ok := c.local[r]
	return ok || c.banks[1] == r || c.banks[2] == r || !c.made(r)
}

// loadOf is the step that reads a register from memory.
func (c *chainer) loadOf(r int) simd.ChainOp {
	switch c.p.DTypes[r] {
	case dtype.Bool:
		return simd.ChainLoadBool
	case dtype.BFloat16:
		return simd.ChainLoadBF16
	case dtype.Float16:
		return simd.ChainLoadF16
	}
	return simd.ChainLoad
}

// inMemory reports whether the value of a register, which is not in bank A, is in the memory of its tile.
func (c *chainer) inMemory(r int) bool {
	_, ok := c.local[r]
	return !ok && c.banks[1] != r && c.banks[2] != r
}

// with writes an instruction whose operand is a register that is elsewhere.
func (c *chainer) with(op simd.ChainOp, r int) {
	if load := c.loadOf(r); load != simd.ChainLoad && c.inMemory(r) {
		if op == simd.ChainLoad {
			c.emit(load, r, -1)
			return
		}
		c.reach(load, r)
	}
	switch l, ok := c.local[r]; {
	case c.banks[1] == r:
		c.emit(op+1, -1, -1)
	case c.banks[2] == r:
		c.emit(op+2, -1, -1)
	case ok:
		c.emit(op, -1, l)
	default:
		c.emit(op, r, -1)
	}
}

// reach makes an operand of a value that is not in memory as lanes: in a bank, or else through bank A, whose value is restored.
func (c *chainer) reach(load simd.ChainOp, r int) {
	if b := c.freeBank(); b > 0 {
		c.banks[b] = r
		c.emit(load+simd.ChainOp(b), r, -1)
		return
	}
	held := c.banks[0]
	if !c.elsewhere(held) {
		c.saveLocal()
	}
	c.emit(load, r, -1)
	c.banks[0] = r
	c.saveLocal()
	c.banks[0] = held
	c.with(simd.ChainLoad, held)
}

// keep puts the value at hand elsewhere if a later instruction reads it.
func (c *chainer) keep() {
	if r := c.banks[0]; r >= 0 && c.uses[r] > c.k && !c.elsewhere(r) {
		c.save()
	}
}

// save puts the value at hand elsewhere.
func (c *chainer) save() {
	if b := c.freeBank(); b > 0 {
		c.banks[b] = c.banks[0]
		c.emit(simd.ChainStore+simd.ChainOp(b), -1, -1)
		return
	}
	c.saveLocal()
}

// freeBank is a bank whose value is not read any more; 0: there is none.
func (c *chainer) freeBank() int {
	last := 2
	if c.masks {
		last = 1
	}
	for b := 1; b <= last; b++ {
		if old := c.banks[b]; old < 0 || c.uses[old] < c.k {
			return b
		}
	}
	return 0
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
	if c.banks[2] != m && c.banks[0] != m && c.inMemory(m) {
		c.emit(simd.ChainLoadBool+2, m, -1)
		c.banks[2] = m
	}
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
