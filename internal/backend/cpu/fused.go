package cpu

import (
	"math/bits"
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/par"
)

// A fused program runs in one pass over memory. The iteration is cut in blocks for the workers and each block in
// tiles that fit the first-level cache; every instruction runs over a whole tile before the next one starts. An
// operand whose elements are contiguous is used in place, any other is first gathered into a tile of scratch.

const (
	tileElems   = 1024
	narrowTile  = 4 * tileElems // where all elements are integers of at most 16 bits: between tiles takes as long for them as for others
	blockElems  = 64 * tileElems
	costlyInstr = 8             // cost of an instruction that is no chain code, such as exp
	paceElems   = 8 * tileElems // after so many a block looks at the clock
	shortFlat   = tileElems / 2 // less equal elements are gathered with those that follow
)

// Block computes n elements: z[i] = op(x[i], y[i], w[i]).
type Block func(n int, z, x, y, w unsafe.Pointer, a attr.Attr)

// prepared is a program made ready for this device, independent of the addresses of its operands.
type prepared struct {
	code []code
	last []int // last instruction that reads a register
	slot []int // scratch tile of a register made by an instruction
	size []int // bytes of an element, by register
	tile int   // number of scratch tiles for results

	madeBy []int // instruction that makes a register
	widest int   // bytes of the largest element
	cost   int   // of one element, where a cheap instruction is 1

	parts  []segment
	chains bool // one of the parts at least is chain code
	length int  // elements of a tile
	locals int  // values that chain code keeps in memory
}

type code struct {
	f   Block
	a   attr.Attr
	dst int
	src [3]int
}

func canFuse(op string, out dtype.DType, in []dtype.DType) bool { return blockFor(op, out, in) != nil }

func prepare(p *backend.Fused) *prepared {
	p = scheduled(p)
	q := &prepared{last: make([]int, len(p.DTypes)), slot: make([]int, len(p.DTypes)), size: make([]int, len(p.DTypes))}
	q.madeBy = make([]int, len(p.DTypes))
	q.length = narrowTile
	for i, d := range p.DTypes {
		q.size[i] = d.Size()
		q.widest = max(q.widest, d.Size())
		if d.Size() > 2 || d.IsInexact() {
			q.length = tileElems
		}
	}
	q.code = make([]code, 0, len(p.Instrs))
	var in [3]dtype.DType
	for k, ins := range p.Instrs {
		n := 0
		for _, s := range ins.Src {
			if s >= 0 {
				in[n] = p.DTypes[s]
				q.last[s] = k
				n++
			}
		}
		q.madeBy[ins.Dst] = k
		if canChain(p, &ins) {
			q.cost++
		} else {
			q.cost += costlyInstr
		}
		q.code = append(q.code, code{blockFor(ins.Op, p.DTypes[ins.Dst], in[:n]), ins.Attr, ins.Dst, ins.Src})
	}
	for _, o := range p.Out {
		q.last[o] = len(p.Instrs) // stays until the tile is done
	}
	// A scratch tile serves one register after another. A result may not take the tile of its own operands: block
	// kernels of several passes read them to the end. Nor do elements of two sizes share one: chain code may be done with
	// some of the first when others are still to be read.
	var free [17][]int // by bytes of an element
	for k, c := range q.code {
		if f := free[q.size[c.dst]]; len(f) > 0 {
			q.slot[c.dst], free[q.size[c.dst]] = f[len(f)-1], f[:len(f)-1]
		} else {
			q.slot[c.dst] = q.tile
			q.tile++
		}
		for i, s := range c.src {
			if s >= p.In && q.last[s] == k && (i == 0 || s != c.src[0]) && (i < 2 || s != c.src[1]) {
				free[q.size[s]] = append(free[q.size[s]], q.slot[s])
			}
		}
	}
	q.split(p)
	if p.Producer != nil {
		p.Producer.Unwritten = staysApart(p)
	}
	return q
}

// operand is an input as a run finds it.
type operand struct {
	base    unsafe.Pointer
	size    int
	direct  bool // element i is at base + (i-first)·size
	first   int
	scalar  bool // one value for all elements
	dims    []int
	strides []int
	slot    int  // scratch tile, if not direct
	flat    int  // so many elements of a row-major walk are one and the same
	steady  bool // one value in every tile: chain code reads a few copies of it again and again
	apart   bool // it has no memory: the caller of tiles gives the address of each
}

type runState struct {
	p    *prepared
	n    int
	part int // elements of a block
	in   []operand
	out  []outOperand
	tile int // scratch tiles in all
	unit int // bytes of a scratch tile

	width  int  // elements that chain code takes at a time; 0: it is not used
	long   int  // elements of a tile
	fill   int  // elements for which scalars are repeated
	stream bool // an output has non-temporal stores
	flat   int  // where tiles end, so that an input is one value in each; 0: nowhere
}

type outOperand struct {
	reg    int
	base   unsafe.Pointer // of element first
	first  int
	size   int
	staged bool // an input in the same memory is read later: write at the end of the tile
	fresh  bool // no input is in the same memory
	stream bool // by non-temporal stores
}

var scratch = sync.Pool{New: func() any { return new([]uint64) }}

// growScratch makes room for some words. It doubles: programs of many sizes use the same scratch.
func growScratch(buf *[]uint64, words int) {
	if len(*buf) < words {
		*buf = make([]uint64, max(minScratch, 1<<bits.Len(uint(words-1))))
	}
}

const minScratch = 1 << 10 // words

func runFused(c *backend.Ctx, p *backend.Fused, out, in []backend.View) error {
	if c.LaunchCache != nil {
		if k, ok := (*c.LaunchCache).(*cachedRun); ok && k.run(c, p, out, in) {
			return k.err
		}
	}
	if p.Producer != nil && p.Producer.Op == "block_matmul" {
		one := [1]backend.GroupMember{{Fused: p, Outs: len(out), Ins: len(in)}}
		return runGroup(c, one[:], out, in)
	}
	q := p.Prep.(*prepared)
	var head backend.View
	var operands []backend.View
	if p.Producer != nil {
		head, out, operands, in = out[0], out[1:], in[p.In:], in[:p.In]
	}
	var n int
	if p.Reduction != nil {
		n = p.Shape.Numel()
	} else if n = out[0].Numel(); n == 0 {
		return nil
	}
	r := runState{p: q, n: n, tile: q.tile, unit: min(q.length, (n+7)&^7) * q.widest}
	var inBuf [4]operand // for small programs, on the stack
	var outBuf [2]outOperand
	if len(in) <= len(inBuf) && len(p.Out) <= len(outBuf) {
		r.in, r.out = inBuf[:len(in)], outBuf[:len(p.Out)]
	} else {
		room := runStates.Get().(*runState)
		defer room.end()
		room.in, room.out = resized(room.in, len(in)), resized(room.out, len(p.Out))
		r.in, r.out = room.in, room.out
	}
	r.bind(p, out, in)
	if p.Reduction != nil {
		return runTail(c, p, &r, out[len(p.Out):])
	}
	if p.Producer != nil && (p.Producer.Unwritten || !isPlain(p.Producer, operands)) {
		s := r.share(q)
		defer s.end()
		return runHead(c, s, p.Producer, p.In, head, operands)
	}
	if p.Producer != nil {
		if err := matmulThen(c, head, operands, ending{}); err != nil {
			return err
		}
	}
	r.cut()
	blocks := (n + r.part - 1) / r.part
	if blocks == 1 {
		r.block(0)
		if c.LaunchCache != nil {
			*c.LaunchCache = r.keep(q)
		}
		return nil
	}
	// Workers share a copy on the heap; the small case stays on the stack.
	s := r.share(q)
	defer s.end()
	return c.For(blocks, s.block)
}

// bind sets the addresses of operands; the state has room for them.
func (r *runState) bind(p *backend.Fused, out, in []backend.View) {
	for i := range in {
		r.bindInput(&r.in[i], &in[i])
	}
	for i := range p.Out {
		v := &out[i]
		o := outOperand{reg: p.Out[i], base: v.Base(), size: v.DType.Size(), fresh: true}
		o.staged = folded(p, o.reg) // a reduction reads it from its own scratch
		for j := range in {
			if in[j].Buf == v.Buf {
				o.fresh = false
				o.staged = o.staged || r.p.last[j] > r.p.madeBy[o.reg]
			}
		}
		r.out[i] = o
	}
	r.chains(p)
}

// folded reports whether a reduction at the program's end reads the register.
func folded(p *backend.Fused, reg int) bool {
	for t := p.Reduction; t != nil; t = t.Next {
		if t.Src == reg {
			return true
		}
	}
	return false
}

// cut says how many elements a block has. What would be one block is two, or four, if its elements take long, and more
// where there are more processors: no element depends on another.
func (r *runState) cut() {
	const halfCost = 2 * blockElems
	r.part = blockElems
	tiles := (r.n + tileElems - 1) / tileElems
	switch cost := r.n * r.p.cost; {
	case r.n > blockElems || cost < 2*halfCost:
	case cost < 8*halfCost:
		r.part = (tiles + 1) / 2 * tileElems
	default:
		r.part = (tiles + 3) / 4 * tileElems
	}
	if wide := par.Threads(); wide > 2 {
		wide = max(1, min(wide, r.n*r.p.cost/halfCost))
		r.part = min(r.part, (tiles+wide-1)/wide*tileElems)
	}
}

var runStates = sync.Pool{New: func() any { return new(runState) }}

// share copies the state to the heap, until end; the program is handed in so that the original can stay on the stack.
func (r *runState) share(p *prepared) *runState {
	s := runStates.Get().(*runState)
	r.copyTo(s, p)
	return s
}

// copyTo makes s the same run with operands of its own. Fields are copied one by one: copied as a whole, the operands of every
// small run would escape to the heap.
func (r *runState) copyTo(s *runState, p *prepared) {
	in, out := append(s.in[:0], r.in...), append(s.out[:0], r.out...)
	*s = runState{p: p, n: r.n, part: r.part, tile: r.tile, unit: r.unit, width: r.width, long: r.long, fill: r.fill, stream: r.stream,
		flat: r.flat, in: in, out: out}
}

// resized gives a list another length; its entries are zero.
func resized[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	return list[:n]
}

// end lets other runs have the space of a shared state.
func (r *runState) end() {
	clear(r.in)
	clear(r.out)
	r.p = nil
	runStates.Put(r)
}

// chains decides whether chain code is used, and with which tiles. A program that is one chain takes longer tiles, since only what
// it reads and writes in the end goes through memory.
func (r *runState) chains(p *backend.Fused) {
	r.long, r.fill = r.p.length, min(r.p.length, r.n)
	w := simd.ChainWidth(4)
	if w == 0 || r.n < w || !r.p.chains {
		if len(r.p.code) == 1 && r.inPlace() {
			r.long = paceElems
			if r.p.cost >= costlyInstr {
				r.long = r.p.length
			}
		}
		return
	}
	r.width = w
	alone := len(r.p.parts) == 1
	if alone {
		r.fill = min(chainMost, r.n)
	}
	one := alone
	for i := range r.in {
		o := &r.in[i]
		o.steady = alone && r.flat > 0 && o.flat > 0 && o.flat%r.flat == 0
		one = one && (o.direct || o.scalar || o.steady)
	}
	for i := range r.out {
		o := &r.out[i]
		one = one && !o.staged
		o.stream = o.fresh && p.Producer == nil && p.Reduction == nil && o.size*r.n >= StreamFrom && uintptr(o.base)%64 == 0 &&
			o.lineAligned(r.flat)
		r.stream = r.stream || o.stream
	}
	if one {
		r.long = paceElems
	}
}

// lineAligned reports whether every every-th element begins a cache line, as tiles with non-temporal stores must.
func (o *outOperand) lineAligned(every int) bool { return every*o.size%64 == 0 }

// inPlace reports whether no operand goes through scratch.
func (r *runState) inPlace() bool {
	for i := range r.in {
		if !r.in[i].direct {
			return false
		}
	}
	for i := range r.out {
		if r.out[i].staged {
			return false
		}
	}
	return len(r.out) == 1
}

// bindInput says how the run finds an input.
func (r *runState) bindInput(o *operand, v *backend.View) {
	*o = operand{size: v.DType.Size(), base: unsafe.Add(v.Base(), v.Offset()*v.DType.Size())}
	if v.Lay == nil || v.Contiguous() {
		o.direct = true
		return
	}
	o.scalar = true
	for i, s := range v.Lay.Strides {
		if s != 0 && v.Shape.Dim(i) != 1 {
			o.scalar = false
		}
	}
	o.slot = r.tile
	r.tile++
	if !o.scalar {
		o.dims, o.strides = collapse(*v)
		if last := len(o.dims) - 1; o.strides[last] == 0 {
			if o.flat = o.dims[last]; o.flat >= shortFlat && r.flat == 0 {
				r.flat = o.flat
			}
		}
	}
}

// operandOf is bindInput for kernels that read an input tile by tile on their own.
func operandOf(v backend.View) operand {
	var r runState
	var o operand
	r.bindInput(&o, &v)
	return o
}
