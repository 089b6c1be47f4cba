package cpu

import (
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/par"
)

// A fused program runs in one pass over memory. The iteration is cut in blocks for the workers and each block in
// tiles that fit the first-level cache; every instruction runs over a whole tile before the next one starts. What
// lies in memory as the tile needs it is used in place, anything else is first gathered into a tile of scratch.

const (
	tileElems  = 1024
	blockElems = 64 * tileElems
	paceElems  = 8 * tileElems // after so many a block looks at the clock
)

// Block computes n elements: z[i] = op(x[i], y[i], w[i]).
type Block func(n int, z, x, y, w unsafe.Pointer, a attr.Attr)

// prepared is a program made ready for this device, independent of where its operands lie.
type prepared struct {
	code []code
	last []int // last instruction that reads a register
	slot []int // scratch tile of a register made by an instruction
	size []int // bytes of an element, by register
	tile int   // number of scratch tiles for results

	madeBy []int // instruction that makes a register
	widest int   // bytes of the largest element
}

type code struct {
	f   Block
	a   attr.Attr
	dst int
	src [3]int
}

func canFuse(op string, out dtype.DType, in []dtype.DType) bool { return blockFor(op, out, in) != nil }

func prepare(p *backend.Fused) *prepared {
	q := &prepared{last: make([]int, len(p.DTypes)), slot: make([]int, len(p.DTypes)), size: make([]int, len(p.DTypes))}
	q.madeBy = make([]int, len(p.DTypes))
	for i, d := range p.DTypes {
		q.size[i] = d.Size()
		q.widest = max(q.widest, d.Size())
	}
	for k, ins := range p.Instrs {
		var in [3]dtype.DType
		n := 0
		for _, s := range ins.Src {
			if s >= 0 {
				in[n] = p.DTypes[s]
				q.last[s] = k
				n++
			}
		}
		q.madeBy[ins.Dst] = k
		q.code = append(q.code, code{blockFor(ins.Op, p.DTypes[ins.Dst], in[:n]), ins.Attr, ins.Dst, ins.Src})
	}
	for _, o := range p.Out {
		q.last[o] = len(p.Instrs) // stays until the tile is done
	}
	// A scratch tile serves one register after another. A result may not take the tile of its own operands: block
	// kernels of several passes read them to the end.
	var free []int
	for k, c := range q.code {
		if len(free) > 0 {
			q.slot[c.dst], free = free[len(free)-1], free[:len(free)-1]
		} else {
			q.slot[c.dst] = q.tile
			q.tile++
		}
		for i, s := range c.src {
			if s >= p.In && q.last[s] == k && (i == 0 || s != c.src[0]) && (i < 2 || s != c.src[1]) {
				free = append(free, q.slot[s])
			}
		}
	}
	return q
}

// operand is an input as a run finds it.
type operand struct {
	base    unsafe.Pointer
	size    int
	direct  bool // element i lies at base + i·size
	scalar  bool // one value for all elements
	dims    []int
	strides []int
	slot    int // scratch tile, if not direct
}

type runState struct {
	p    *prepared
	n    int
	in   []operand
	out  []outPlace
	tile int // scratch tiles in all
	unit int // bytes of a scratch tile
}

type outPlace struct {
	reg    int
	base   unsafe.Pointer
	size   int
	staged bool // an input in the same memory is read later: write at the end of the tile
}

var scratch = sync.Pool{New: func() any { return new([]uint64) }}

func runFused(c *backend.Ctx, p *backend.Fused, out, in []backend.View) error {
	q := p.Prep.(*prepared)
	var head backend.View
	var operands []backend.View
	if p.Head != nil {
		head, out, operands, in = out[0], out[1:], in[p.In:], in[:p.In]
	}
	var n int
	if p.Tail != nil {
		n = p.Shape.Numel()
	} else if n = out[0].Numel(); n == 0 {
		return nil
	}
	r := runState{p: q, n: n, tile: q.tile, unit: min(tileElems, (n+7)&^7) * q.widest}
	var inBuf [4]operand // space for small programs, on the stack
	var outBuf [2]outPlace
	if len(in) <= len(inBuf) && len(p.Out) <= len(outBuf) {
		r.in, r.out = inBuf[:len(in)], outBuf[:len(p.Out)]
	} else {
		r.in, r.out = make([]operand, len(in)), make([]outPlace, len(p.Out))
	}
	for i := range in {
		r.place(&r.in[i], &in[i])
	}
	for i := range p.Out {
		v := &out[i]
		o := outPlace{reg: p.Out[i], base: v.Base(), size: v.DType.Size()}
		o.staged = p.Tail != nil && p.Tail.Src == o.reg // the reduction reads it from its own scratch
		for j := range in {
			if in[j].Buf == v.Buf && q.last[j] > q.madeBy[o.reg] {
				o.staged = true
			}
		}
		r.out[i] = o
	}
	if p.Tail != nil {
		return runTail(c, p, &r, out[len(p.Out)])
	}
	if p.Head != nil {
		return runHead(c, r.share(q), p.Head, head, operands)
	}
	blocks := (n + blockElems - 1) / blockElems
	if blocks == 1 {
		r.block(0)
		return nil
	}
	// Workers share a copy on the heap; the small case stays on the stack.
	return c.For(blocks, r.share(q).block)
}

// share copies the state to the heap; the program is handed in so that the original can stay on the stack.
func (r *runState) share(p *prepared) *runState {
	return &runState{p: p, n: r.n, tile: r.tile, unit: r.unit, in: append([]operand(nil), r.in...), out: append([]outPlace(nil), r.out...)}
}

// place says how the run finds an input.
func (r *runState) place(o *operand, v *backend.View) {
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
	}
}

// operandOf is place for kernels that read an input tile by tile on their own.
func operandOf(v backend.View) operand {
	var r runState
	var o operand
	r.place(&o, &v)
	return o
}

// block runs the tiles of one block.
func (r *runState) block(b int) {
	var w workspace
	r.open(&w)
	r.tiles(&w, b*blockElems, min((b+1)*blockElems, r.n), -1, nil)
	w.close()
}

// workspace is where one goroutine runs tiles. It does not point at the run, which then may stay on the stack.
type workspace struct {
	buf   *[]uint64
	base  unsafe.Pointer
	small [16]unsafe.Pointer // registers
	large []unsafe.Pointer   // those of a program too large for small
}

// open takes scratch memory and fills in the operands that are one value.
func (r *runState) open(w *workspace) {
	w.buf = scratch.Get().(*[]uint64)
	if need := (r.tile*r.unit + 7) / 8; len(*w.buf) < need {
		*w.buf = make([]uint64, need)
	}
	w.base = unsafe.Pointer(unsafe.SliceData(*w.buf))
	if len(r.p.size) > len(w.small) {
		w.large = make([]unsafe.Pointer, len(r.p.size))
	}
	reg := w.regs()
	for i := range r.in {
		if o := &r.in[i]; o.scalar {
			reg[i] = unsafe.Add(w.base, o.slot*r.unit)
			fill(reg[i], o.base, o.size, min(tileElems, r.n))
		}
	}
}

func (w *workspace) close() { scratch.Put(w.buf) }

func (w *workspace) regs() []unsafe.Pointer {
	if w.large != nil {
		return w.large
	}
	return w.small[:]
}

// tiles computes elements lo to hi. Register tail, if not negative, is left in dst, from its start on. It must stay a
// function of its own: between tiles the collector can stop it.
//
//go:noinline
func (r *runState) tiles(w *workspace, lo, hi, tail int, dst unsafe.Pointer) {
	reg, base := w.regs(), w.base
	var pace par.Pace
	if hi-lo > paceElems {
		pace = par.NewPace()
	}
	for at := lo; at < hi; at += tileElems {
		if at-lo >= paceElems && (at-lo)%paceElems == 0 {
			pace.Step() // how long a tile takes depends on the program
		}
		n := min(tileElems, hi-at)
		for i := range r.in {
			switch o := &r.in[i]; {
			case o.direct:
				reg[i] = unsafe.Add(o.base, at*o.size)
			case !o.scalar:
				if reg[i] = o.row(at, n); reg[i] == nil {
					reg[i] = unsafe.Add(base, o.slot*r.unit)
					gatherTile(reg[i], o, at, n)
				}
			}
		}
		for k := range r.p.code {
			d := r.p.code[k].dst
			reg[d] = unsafe.Add(base, r.p.slot[d]*r.unit)
		}
		for i := range r.out {
			if o := &r.out[i]; !o.staged {
				reg[o.reg] = unsafe.Add(o.base, at*o.size)
			}
		}
		if tail >= 0 {
			reg[tail] = unsafe.Add(dst, (at-lo)*r.p.size[tail])
		}
		for k := range r.p.code {
			c := &r.p.code[k]
			var x, y, w unsafe.Pointer
			x = reg[c.src[0]]
			if c.src[1] >= 0 {
				y = reg[c.src[1]]
			}
			if c.src[2] >= 0 {
				w = reg[c.src[2]]
			}
			c.f(n, reg[c.dst], x, y, w, c.a)
		}
		for i := range r.out {
			if o := &r.out[i]; o.staged {
				copyBytes(unsafe.Add(o.base, at*o.size), reg[o.reg], n*o.size)
			}
		}
	}
}

func copyBytes(dst, src unsafe.Pointer, n int) {
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
}
