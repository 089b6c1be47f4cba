package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// A reduction at the end of a fused program folds elements while they are in the cache. It is cut into the very blocks
// it would have over memory, and each is folded by the same code from scratch that the program filled first; so the
// bits are those of the two done one after the other.

const (
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
	return p.count >= madeRun || len(p.kept) <= 1
}

// producer makes the elements a reduction reads.
type producer struct {
	r   *runState
	reg int
}

func runTail(c *backend.Ctx, p *backend.Fused, r *runState, out backend.View) error {
	t := p.Tail
	d := p.DTypes[t.Src]
	s := r.share(p.Prep.(*prepared))
	defer s.end()
	from := &producer{s, t.Src}
	return folds[t.Op][d].over(c, t.Attr, out, backend.View{DType: d, Shape: p.Shape}, from)
}

// foldScratch is what one block of a reduction works in.
type foldScratch[T any] struct {
	t    []T       // elements brought together
	buf  *[]uint64 // where the computed ones lie
	from *producer
	w    workspace
	to   [1]made
}

func (s *foldScratch[T]) start(from *producer) {
	if s.from = from; from != nil {
		from.r.open(&s.w)
		s.buf = scratch.Get().(*[]uint64)
	}
}

func (s *foldScratch[T]) stop() {
	if s.from != nil {
		s.w.close()
		scratch.Put(s.buf)
	}
}

// room makes place for n elements.
func (s *foldScratch[T]) room(n int) []T {
	var t T
	if need := (n*int(unsafe.Sizeof(t)) + 7) / 8; len(*s.buf) < need {
		*s.buf = make([]uint64, need)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(*s.buf))), n)
}

// tiles computes n elements from off on to t.
func (s *foldScratch[T]) tiles(off, n int, t []T) {
	s.to[0] = made{s.from.reg, unsafe.Pointer(unsafe.SliceData(t))}
	s.from.r.tiles(&s.w, off, off+n, s.to[:])
}

// make computes n elements from off on.
func (s *foldScratch[T]) make(off, n int) []T {
	t := s.room(n)
	s.tiles(off, n, t)
	return t
}

// columnMade is column over elements that are computed first, some rows of a strip at a time.
func (r *foldRun[T, A, R]) columnMade(acc []A, off, lo, hi int, s *foldScratch[T]) {
	whole := len(acc) == r.p.inner.size
	for at := 0; at < len(acc); at += madeCols {
		w := min(madeCols, len(acc)-at)
		walk(r.p.folded, lo, hi, func(o, rows, stride int) {
			for rows > 0 {
				m := min(madeRows, rows)
				first := off + at + o
				var t []T
				if whole && w == len(acc) && stride == w {
					t = s.make(first, m*w)
				} else {
					t = s.room(m * w)
					for i := range m {
						k := first + i*stride
						s.tiles(k, w, t[i*w:])
					}
				}
				r.f.cols(acc[at:at+w], unsafe.Pointer(unsafe.SliceData(t)), w, m)
				o += m * stride
				rows -= m
			}
		})
	}
}
