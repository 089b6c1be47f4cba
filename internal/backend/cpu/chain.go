package cpu

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Runs of cheap instructions on floats become chain code (see simd.Step): intermediate values stay in vector registers, where
// each instruction by itself would load and store a tile. The bits are the same. The elements of a tile beyond full vectors
// are computed instruction by instruction. Half types are float32 in registers, rounded after each instruction that rounds.

// segment is a part of a program: instructions from to to, compiled to chain code if that pays.
type segment struct {
	from, to int
	chain    *chainCode
}

// chainCode is chain code before the addresses of operands are known.
type chainCode struct {
	steps  []chainStep
	lane   int // bytes of a lane
	locals int // values spilled to memory between two steps
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
		"reciprocal": simd.ChainRecip, "rsqrt": simd.ChainRsqrt, "relu": simd.ChainRelu, "isnan": simd.ChainIsNaN,
		"floor": simd.ChainFloor, "ceil": simd.ChainCeil, "trunc": simd.ChainTrunc, "round": simd.ChainRound,
	}
	chainLogic  = map[string]simd.ChainOp{"logical_and": simd.ChainAnd, "logical_or": simd.ChainOr, "logical_xor": simd.ChainXor}
	chainBinary = map[string][2]simd.ChainOp{
		"add": {simd.ChainAdd, simd.ChainAddFrom}, "sub": {simd.ChainSub, simd.ChainSubFrom},
		"mul": {simd.ChainMul, simd.ChainMulFrom}, "div": {simd.ChainDiv, simd.ChainDivFrom},
		"maximum": {simd.ChainMax, simd.ChainMaxFrom}, "minimum": {simd.ChainMin, simd.ChainMinFrom},
		"clamp_min": {simd.ChainMaxFrom, simd.ChainMax}, "clamp_max": {simd.ChainMinFrom, simd.ChainMin}, // as in minmax.go
		"grad_mul": {simd.ChainGradMul, simd.ChainGradMulFrom},
		"lt":       {simd.ChainLt, simd.ChainGt}, "le": {simd.ChainLe, simd.ChainGe}, "gt": {simd.ChainGt, simd.ChainLt},
		"ge": {simd.ChainGe, simd.ChainLe}, "eq": {simd.ChainEq, simd.ChainEq}, "ne": {simd.ChainNe, simd.ChainNe},
	}
	// chainRounds are those whose result is rounded; on half types the others are exact.
	chainRounds = map[string]bool{"add": true, "sub": true, "mul": true, "div": true, "grad_mul": true, "square": true, "sqrt": true,
		"reciprocal": true, "rsqrt": true, "cast": true}
)

// anyLane is said of instructions on booleans, which are masks in lanes of any size.
const anyLane = -1

// laneOf is the bytes of a lane of chain code that computes with a dtype; 0: there is none.
func laneOf(d dtype.DType) int {
	switch d {
	case dtype.Float32, dtype.BFloat16, dtype.Float16:
		return 4
	case dtype.Float64:
		return 8
	}
	return 0
}

// chainLane is the bytes of a lane of chain code for the instruction, or anyLane; 0: it has none.
func chainLane(p *backend.Fused, ins *backend.Instr) int {
	of := func(k int) int { return laneOf(p.DTypes[ins.Src[k]]) }
	flag := func(k int) bool { return p.DTypes[ins.Src[k]] == dtype.Bool }
	if _, ok := chainUnary[ins.Op]; ok {
		return of(0)
	}
	if _, ok := chainBinary[ins.Op]; ok && of(0) == of(1) {
		return of(0)
	}
	if _, ok := chainLogic[ins.Op]; ok && flag(0) && flag(1) {
		return anyLane
	}
	switch ins.Op {
	case "where":
		if flag(0) && of(1) == of(2) {
			return of(1)
		}
	case "logical_not":
		if flag(0) {
			return anyLane
		}
	case "cast":
		if of(0) == 4 && laneOf(p.DTypes[ins.Dst]) == 4 {
			return 4
		}
	}
	return 0
}

// canChain reports whether chain code has the instruction.
func canChain(p *backend.Fused, ins *backend.Instr) bool { return chainLane(p, ins) != 0 }

// split cuts the program into parts. A single instruction gains only as a program of its own, by non-temporal stores, or if it
// is on a half type.
func (q *prepared) split(p *backend.Fused) {
	for k := 0; k < len(p.Instrs); {
		from, lane := k, chainLane(p, &p.Instrs[k])
		for k++; k < len(p.Instrs); k++ {
			next := chainLane(p, &p.Instrs[k])
			if (next == 0) != (lane == 0) || lane+next == 4+8 {
				break
			}
			lane = max(lane, next)
		}
		pt := segment{from: from, to: k}
		if lane > 0 && (k-from > 1 || len(p.Instrs) == 1 || p.DTypes[p.Instrs[from].Src[0]].Size() == 2) {
			pt.chain = chainOf(p, q, from, k, lane)
			q.locals, q.chains = max(q.locals, pt.chain.locals), true
		}
		q.parts = append(q.parts, pt)
	}
}

// scheduled is the program with masks made where they are wanted: a comparison read by one instruction alone moves in front of it, so
// that chain code has few masks to keep.
func scheduled(p *backend.Fused) *backend.Fused {
	uses := make([]int, len(p.DTypes))
	for _, ins := range p.Instrs {
		for _, s := range ins.Src {
			if s >= 0 {
				uses[s]++
			}
		}
	}
	for _, o := range p.Out {
		uses[o] += 2
	}
	for t := p.Reduction; t != nil; t = t.Next {
		uses[t.Src] += 2
	}
	q := *p
	q.Instrs = make([]backend.Instr, 0, len(p.Instrs))
	waiting := map[int]backend.Instr{}
	var put func(ins backend.Instr)
	put = func(ins backend.Instr) {
		for _, s := range ins.Src {
			if w, ok := waiting[s]; ok {
				delete(waiting, s)
				put(w) // as deep as comparisons of comparisons
			}
		}
		q.Instrs = append(q.Instrs, ins)
	}
	for _, ins := range p.Instrs {
		if p.DTypes[ins.Dst] == dtype.Bool && uses[ins.Dst] == 1 && canChain(p, &ins) {
			waiting[ins.Dst] = ins
		} else {
			put(ins)
		}
	}
	return &q
}
