package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/par"
)

// block runs the tiles of one block.
func (r *runState) block(b int) {
	var w workspace
	r.open(&w)
	r.tiles(&w, b*r.part, min((b+1)*r.part, r.n), nil)
	w.close()
	if r.stream {
		simd.Fence()
	}
}

// workspace is the scratch of one goroutine. It does not point at the run, which then may stay on the stack.
type workspace struct {
	buf   *[]uint64
	base  unsafe.Pointer
	small [16]unsafe.Pointer // registers
	large []unsafe.Pointer   // those of a program too large for small
	code  *readyCode         // nil: none is used
	held  [4]repeated        // by input: what its scratch tile holds
}

// repeated is n equal elements, those of run number run-1; 0: of none.
type repeated struct{ run, n int }

// holds reports whether the tile of an input has its next n elements, from at on, already: those of one run of equal ones.
// If not, it is about to.
func (w *workspace) holds(in int, o *operand, at, n int) bool {
	if in >= len(w.held) {
		return false
	}
	h, run := &w.held[in], at/o.flat
	if (at+n-1)/o.flat != run {
		*h = repeated{}
		return false
	}
	if h.run == run+1 && n <= h.n {
		return true
	}
	*h = repeated{run + 1, n}
	return false
}

// open takes scratch memory and fills in the operands that are one value.
func (r *runState) open(w *workspace) {
	w.buf = scratch.Get().(*[]uint64)
	growScratch(w.buf, (r.tile*r.unit+r.p.locals*4*chainMost+64+7)/8)
	w.base = unsafe.Pointer(unsafe.SliceData(*w.buf))
	w.base = unsafe.Add(w.base, -uintptr(w.base)&63) // a vector of a tile is in one cache line
	if len(r.p.size) > len(w.small) {
		w.large = make([]unsafe.Pointer, len(r.p.size))
	}
	reg := w.regs()
	for i := range r.in {
		if o := &r.in[i]; o.scalar {
			reg[i] = unsafe.Add(w.base, o.slot*r.unit)
			fill(reg[i], o.base, o.size, r.fill)
		}
	}
	if r.chained() {
		r.ready(w)
	}
}

func (w *workspace) close() {
	scratch.Put(w.buf)
	if w.code != nil {
		readyCodes.Put(w.code)
	}
}

func (w *workspace) regs() []unsafe.Pointer {
	if w.large != nil {
		return w.large
	}
	return w.small[:]
}

// made is a register that a run leaves in dst, from its start on.
type made struct {
	reg int
	dst unsafe.Pointer
}

// tiles computes elements lo to hi, and leaves those of some registers in dst. It must stay a function of
// its own: between tiles the collector can stop it.
//
//go:noinline
func (r *runState) tiles(w *workspace, lo, hi int, tails []made) {
	reg, base := w.regs(), w.base
	var pace par.Pace
	every := paceElems
	if hi-lo > tileElems && r.p.cost >= costlyInstr || hi-lo > every {
		pace = par.NewPace()
	}
	n, done := 0, 0
	for at := lo; at < hi; at += n {
		if at > lo && at-lo == n && r.p.cost >= costlyInstr && pace.Slow() {
			every = tileElems // how long a tile takes depends on the program
		}
		if done += n; done >= every {
			done = 0
			pace.Step()
		}
		n = min(r.long, hi-at)
		if r.flat > 0 {
			n = min(n, r.flat-at%r.flat)
		}
		if n > tileElems && r.chained() {
			n &^= r.width - 1 // scratch has room for the rest by itself
		}
		for i := range r.in {
			switch o := &r.in[i]; {
			case o.apart:
			case o.direct:
				reg[i] = unsafe.Add(o.base, (at-o.first)*o.size)
			case o.steady:
				reg[i] = unsafe.Add(base, o.slot*r.unit)
				if few := min(n, r.fill); !w.holds(i, o, at, few) {
					fill(reg[i], o.value(at), o.size, few)
				}
			case !o.scalar:
				if reg[i] = o.row(at, n); reg[i] == nil {
					reg[i] = unsafe.Add(base, o.slot*r.unit)
					if o.flat < shortFlat || !w.holds(i, o, at, n) {
						gatherTile(reg[i], o, at, n)
					}
				}
			}
		}
		for k := range r.p.code {
			d := r.p.code[k].dst
			reg[d] = unsafe.Add(base, r.p.slot[d]*r.unit)
		}
		for i := range r.out {
			if o := &r.out[i]; !o.staged {
				reg[o.reg] = unsafe.Add(o.base, (at-o.first)*o.size)
			}
		}
		for _, t := range tails {
			reg[t.reg] = unsafe.Add(t.dst, (at-lo)*r.p.size[t.reg])
		}
		if r.chained() {
			r.partsOf(w, reg, n)
		} else {
			r.plain(reg, 0, len(r.p.code), 0, n)
		}
		for i := range r.out {
			if o := &r.out[i]; o.staged {
				copyBytes(unsafe.Add(o.base, (at-o.first)*o.size), reg[o.reg], n*o.size)
			}
		}
	}
}

func copyBytes(dst, src unsafe.Pointer, n int) {
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
}
