package cpu

import (
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// Reductions at the end of a fused program fold elements while they are in the cache, several over the same dimensions in
// one pass. They are cut into the very blocks they would have over memory, and each is folded by the same code from
// scratch that the program filled first; so the bits are those of one after the other.

const (
	maxTails = 4
	madeCols = 512 // columns that are computed at once
	madeRows = 64  // rows likewise: a multiple of those a column fold takes at once, so that it starts anew where it would
	madeRun  = 256 // runs under which a call for each costs more than the memory it saves
)

// folds are the reductions that can end a program, by op. Those that look at their elements twice cannot.
var folds = map[string]*byType{}

func registerFold(op string, t *byType) {
	register(backend.Table{op: t.kernel()})
	folds[op] = t
}

func canFold(op string, a attr.Attr, in dtype.DType, s *shape.Shape) bool {
	t := folds[op]
	if t == nil || t[in].over == nil {
		return false
	}
	p := planFold(backend.View{DType: in, Shape: s}, foldedAxes(a))
	switch {
	case !p.rows: // columns: whole rows in one piece, or strips of them
		return p.inner.size >= madeRun || len(p.folded) == 1 && p.folded[0].in == p.inner.size
	case len(p.folded) > 0:
		return p.inner.size >= madeRun
	}
	return p.count >= madeRun || len(p.outDims) <= 1
}

// tailRun is the reductions at the end of one run of a program.
type tailRun struct {
	p     foldPlan
	r     *runState
	lanes []lane
	regs  []int // what each lane reads

	laneRoom [maxTails]lane
	regRoom  [maxTails]int
}

func runTail(c *backend.Ctx, p *backend.Fused, r *runState, out []backend.View) error {
	t := &tailRun{p: planFold(backend.View{DType: p.DTypes[p.Reduction.Src], Shape: p.Shape}, foldedAxes(p.Reduction.Attr))}
	t.lanes, t.regs = t.laneRoom[:0], t.regRoom[:0]
	empty := p.Shape.Numel() == 0
	for l := p.Reduction; l != nil; l = l.Next {
		f, z := &folds[l.Op][p.DTypes[l.Src]], out[len(t.regs)]
		switch t.regs = append(t.regs, l.Src); {
		case z.Numel() == 0:
		case empty:
			f.nothing(z)
		default:
			t.lanes = append(t.lanes, f.lane(&t.p, z))
		}
	}
	if len(t.lanes) == 0 {
		return nil
	}
	t.r = r.share(p.Prep.(*prepared))
	defer t.r.end()
	if t.p.rows {
		return t.rowwise(c)
	}
	return t.columnwise(c)
}

func (t *tailRun) rowwise(c *backend.Ctx) error {
	p := &t.p
	chunks := (p.count + foldChunk - 1) / foldChunk
	if chunks == 1 {
		group := max(1, foldChunk/p.count)
		return each(c, (p.outputs+group-1)/group, func(b int) {
			s := openTail(t)
			defer s.close()
			lo, hi := b*group, min((b+1)*group, p.outputs)
			if p.dense() {
				s.make(lo*p.count, 1, (hi-lo)*p.count, 0, func(l laneBlock, x unsafe.Pointer, _ int) { l.rows(lo, x, hi-lo, p.count) })
				return
			}
			for i := lo; i < hi; i++ {
				in, out := p.offsets(i)
				s.fold(in, 0, p.count, -1)
				for _, l := range s.lanes {
					l.finish(out, 0)
				}
			}
		})
	}
	for _, l := range t.lanes {
		l.parts(p.outputs * chunks)
	}
	err := each(c, p.outputs*chunks, func(b int) {
		s := openTail(t)
		defer s.close()
		in, _ := p.offsets(b / chunks)
		lo := b % chunks * foldChunk
		s.fold(in, lo, min(lo+foldChunk, p.count), b)
	})
	if err == nil {
		for _, l := range t.lanes {
			l.joinRows(chunks)
		}
	}
	return err
}

func (t *tailRun) columnwise(c *backend.Ctx) error {
	p, q := &t.p, t.p.columns()
	if q.chunks > 1 {
		for _, l := range t.lanes {
			l.parts(p.outputs * q.chunks * p.inner.size)
		}
	}
	err := each(c, q.blocks(), func(b int) {
		s := openTail(t)
		defer s.close()
		q.block(p, b, func(o, ch, lo, n int) {
			in, out := p.offsets(o)
			at := -1
			if q.chunks > 1 {
				at = (o*q.chunks+ch)*p.inner.size + lo
			}
			s.columns(in+lo*p.inner.in, ch*q.perChunk, min((ch+1)*q.perChunk, p.count), at, n)
			if q.chunks == 1 {
				for _, l := range s.lanes {
					l.finish(out+lo*p.inner.out, p.inner.out)
				}
			}
		})
	})
	for _, l := range t.lanes {
		if err == nil && q.chunks > 1 {
			err = l.joinColumns(c, q.chunks)
		}
	}
	return err
}

// tailBlock is what one block of work computes and folds in.
type tailBlock struct {
	t     *tailRun
	lanes []laneBlock
	w     workspace
	buf   *[]uint64
	to    [maxTails]made
}

var tailBlocks = sync.Pool{New: func() any { return new(tailBlock) }}

func openTail(t *tailRun) *tailBlock {
	s := tailBlocks.Get().(*tailBlock)
	s.t = t
	for _, l := range t.lanes {
		s.lanes = append(s.lanes, l.open())
	}
	t.r.open(&s.w)
	s.buf = scratch.Get().(*[]uint64)
	return s
}

func (s *tailBlock) close() {
	s.w.close()
	scratch.Put(s.buf)
	clear(s.lanes)
	*s = tailBlock{lanes: s.lanes[:0]}
	tailBlocks.Put(s)
}

// fold folds the flat range [lo, hi) of what belongs to the output at off to partial result number part, -1: to no such.
func (s *tailBlock) fold(off, lo, hi, part int) {
	for _, l := range s.lanes {
		l.begin(part, 1)
	}
	s.t.p.runs(off, lo, hi, func(o, n int) {
		s.make(o, 1, n, 0, func(l laneBlock, x unsafe.Pointer, _ int) { l.run(x, n) })
	})
}

// columns folds rows lo to hi of cols columns that begin at off, some rows of a strip at a time.
func (s *tailBlock) columns(off, lo, hi, part, cols int) {
	for _, l := range s.lanes {
		l.begin(part, cols)
	}
	for at := 0; at < cols; at += madeCols {
		w := min(madeCols, cols-at)
		walk(s.t.p.folded, lo, hi, func(o, rows, stride int) {
			for rows > 0 {
				m := min(madeRows, rows)
				s.make(off+at+o, m, w, stride, func(l laneBlock, x unsafe.Pointer, step int) { l.cols(at, w, x, step, m) })
				o += m * stride
				rows -= m
			}
		})
	}
}

// make computes rows of n elements, the first at off, and hands them to the lanes, with the distance of rows there. A lane that
// reads an input gets it before the program runs, which may write over it.
func (s *tailBlock) make(off, rows, n, stride int, use func(l laneBlock, x unsafe.Pointer, stride int)) {
	r, p := s.t.r, s.t.r.p
	total := rows * n
	unit := (total*p.widest + 63) &^ 63
	growScratch(s.buf, (len(s.lanes)*unit+64)/8)
	base := unsafe.Pointer(unsafe.SliceData(*s.buf))
	base = unsafe.Add(base, -uintptr(base)&63)
	var from [maxTails]unsafe.Pointer
	to := s.to[:0]
	for i, reg := range s.t.regs[:len(s.lanes)] {
		from[i] = unsafe.Add(base, i*unit)
		if reg < len(r.in) {
			s.input(i, &r.in[reg], from[i], off, rows, n, stride, use)
			continue
		}
		for j := range i {
			if s.t.regs[j] == reg {
				from[i] = from[j]
			}
		}
		if from[i] == unsafe.Add(base, i*unit) {
			to = append(to, made{reg, from[i]})
		}
	}
	if rows == 1 || stride == n {
		r.tiles(&s.w, off, off+total, to)
	} else {
		for i := range rows {
			r.tiles(&s.w, off+i*stride, off+i*stride+n, to)
			for k := range to {
				to[k].dst = unsafe.Add(to[k].dst, n*p.size[to[k].reg])
			}
		}
	}
	for i, reg := range s.t.regs[:len(s.lanes)] {
		if reg >= len(r.in) {
			use(s.lanes[i], from[i], n)
		}
	}
}

// input hands a lane the elements of an input.
func (s *tailBlock) input(i int, o *operand, dst unsafe.Pointer, off, rows, n, stride int,
	use func(l laneBlock, x unsafe.Pointer, stride int)) {
	switch {
	case o.direct:
		use(s.lanes[i], unsafe.Add(o.base, (off-o.first)*o.size), stride)
		return
	case o.scalar:
		fill(dst, o.base, o.size, rows*n)
	default:
		for k := range rows {
			gatherTile(unsafe.Add(dst, k*n*o.size), o, off+k*stride, n)
		}
	}
	use(s.lanes[i], dst, n)
}
