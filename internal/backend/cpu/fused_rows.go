package cpu

import (
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// A row-fusion group is several programs over the same rows, such as a norm or a softmax that was written out. Each worker
// takes a few rows through all of them before it goes on, so that memory is read once. An element does not depend on the tile
// it is computed in, and a row is folded by the code that folds it alone, so the bits are those of the programs done one
// after the other.

const (
	rowsElems = 16 << 10 // elements of the rows a worker takes at a time
	foldElems = 4 << 10  // of those that are computed before they are folded
)

// rowFold reduces dense rows of n elements to one each.
type rowFold func(z, x unsafe.Pointer, rows, n int)

// rowFoldOf returns the code of a reduction, nil if there is none.
func rowFoldOf(op string, a attr.Attr, d dtype.DType) rowFold {
	t := folds[op]
	switch op {
	case "var", "std":
		t = varianceOf(a, d, op == "std")
	case "vector_norm":
		t = vectorNormOf(a, d)
	case "logsumexp":
		t = logsumexps
	}
	if t == nil {
		return nil
	}
	return t[d].rows
}

func foldsRows(op string, a attr.Attr, in dtype.DType, n int) bool {
	return n <= foldChunk && rowFoldOf(op, a, in) != nil
}

// rowPart is a program with its operands.
type rowPart struct {
	r       *runState
	long    int
	out, in []int // locals
	tails   []rowTail
	locals  bool
	runs    bool // there is something to compute in addition to its reductions
}

type rowTail struct {
	src  int
	fold rowFold
	z    unsafe.Pointer
	size int // bytes of a result
}

// rowsRun is one run.
type rowsRun struct {
	parts  []rowPart
	locals []int
	count  int // rows
	each   int // rows of a block
	stream bool
}

func runRows(c *backend.Ctx, p *backend.RowFusion, out, in []backend.View) error {
	x := &rowsRun{locals: p.Locals, count: p.Count, parts: make([]rowPart, len(p.Parts))}
	long := 1
	for i := range p.Parts {
		b := &p.Parts[i]
		x.parts[i].bind(b, out[:len(b.Out)], in[:len(b.In)])
		out, in = out[len(b.Out):], in[len(b.In):]
		long = max(long, b.Len)
		for j := range x.parts[i].r.out {
			o := &x.parts[i].r.out[j]
			o.stream = o.stream && b.Out[j] < 0 && o.lineAligned(b.Len) && !readBehind(p.Parts[i+1:], in, o.base)
			x.stream = x.stream || o.stream
		}
	}
	x.each = max(1, rowsElems/long)
	return each(c, (x.count+x.each-1)/x.each, x.block)
}

// readBehind reports whether later parts read the memory at base.
func readBehind(parts []backend.RowFusionPart, in []backend.View, base unsafe.Pointer) bool {
	for _, b := range parts {
		for j, v := range in[:len(b.In)] {
			if b.In[j] < 0 && v.Base() == base {
				return true
			}
		}
		in = in[len(b.In):]
	}
	return false
}

func (q *rowPart) bind(b *backend.RowFusionPart, out, in []backend.View) {
	prep := b.Prep.(*prepared)
	n := b.Shape.Numel()
	q.r = &runState{p: prep, n: n, tile: prep.tile, unit: min(prep.length, (n+7)&^7) * prep.widest, in: make([]operand, len(in)),
		out: make([]outOperand, len(b.Fused.Out))}
	q.r.bind(b.Fused, out, in)
	for i := range q.r.out {
		if o := &q.r.out[i]; o.fresh {
			o.staged = false // what is folded too is read from there
		}
	}
	q.long, q.out, q.in, q.runs = b.Len, b.Out, b.In, len(b.Instrs) > 0
	for _, l := range b.In {
		q.locals = q.locals || l >= 0
	}
	for _, l := range b.Out {
		q.locals = q.locals || l >= 0
	}
	out = out[len(b.Fused.Out):]
	for t := b.Reduction; t != nil; t = t.Next {
		q.tails = append(q.tails, rowTail{t.Src, rowFoldOf(t.Op, t.Attr, b.DTypes[t.Src]),
			unsafe.Add(out[0].Base(), out[0].Offset()*out[0].DType.Size()), out[0].DType.Size()})
		out = out[1:]
	}
}

// block takes some rows through all parts.
func (x *rowsRun) block(b int) {
	lo := b * x.each
	hi := min(lo+x.each, x.count)
	room := 0
	for _, l := range x.locals {
		room += (l*(hi-lo) + 63) &^ 63
	}
	buf := scratch.Get().(*[]uint64)
	defer scratch.Put(buf)
	growScratch(buf, (room+64)/8)
	base := unsafe.Pointer(unsafe.SliceData(*buf))
	base = unsafe.Add(base, -uintptr(base)&63)
	for i := range x.parts {
		x.part(&x.parts[i], lo, hi, base)
	}
	if x.stream {
		simd.Fence()
	}
}

// part runs one program on rows lo to hi; locals are at base.
func (x *rowsRun) part(q *rowPart, lo, hi int, base unsafe.Pointer) {
	r := q.r
	if q.locals {
		r = r.share(r.p)
		defer r.end()
		for i, l := range q.in {
			if l >= 0 {
				r.in[i].base, r.in[i].first = unsafe.Add(base, x.localAt(l, hi-lo)), lo*q.long
			}
		}
		for i := range r.out {
			if l := q.out[i]; l >= 0 {
				r.out[i].base, r.out[i].first = unsafe.Add(base, x.localAt(l, hi-lo)), lo*q.long
			}
		}
	}
	var w workspace
	if q.runs {
		r.open(&w)
		defer w.close()
	}
	if len(q.tails) == 0 {
		r.tiles(&w, lo*q.long, hi*q.long, nil)
		return
	}
	q.fold(r, &w, lo, hi)
}

// stored is where a register goes as it is made, nil if nowhere.
func (r *runState) stored(reg int) *outOperand {
	for i := range r.out {
		if o := &r.out[i]; o.reg == reg && !o.staged {
			return o
		}
	}
	return nil
}

// localAt is where a local begins, in bytes, if there are that many rows.
func (x *rowsRun) localAt(l, rows int) (at int) {
	for _, b := range x.locals[:l] {
		at += (b*rows + 63) &^ 63
	}
	return at
}

// fold runs the program on a few rows at a time, and folds them.
func (q *rowPart) fold(r *runState, w *workspace, lo, hi int) {
	step := max(1, foldElems/q.long)
	buf := scratch.Get().(*[]uint64)
	defer scratch.Put(buf)
	each := (step*q.long*r.p.widest + 63) &^ 63
	growScratch(buf, (len(q.tails)*each+64)/8)
	base := unsafe.Pointer(unsafe.SliceData(*buf))
	base = unsafe.Add(base, -uintptr(base)&63)
	to, from := make([]made, 0, len(q.tails)), make([]unsafe.Pointer, 0, len(q.tails))
	for row := lo; row < hi; row += step {
		n := min(step, hi-row)
		to, from = to[:0], from[:0]
		for i, t := range q.tails {
			at, dst := row*q.long, unsafe.Add(base, i*each)
			if t.src < len(r.in) { // before the program runs, which may write over it
				x := q.input(&r.in[t.src], dst, at, n*q.long)
				t.fold(unsafe.Add(t.z, row*t.size), x, n, q.long)
			} else if j := slices.IndexFunc(q.tails[:i], func(u rowTail) bool { return u.src == t.src }); j >= 0 {
				dst = from[j]
			} else if o := r.stored(t.src); o != nil {
				dst = unsafe.Add(o.base, (at-o.first)*o.size)
			} else {
				to = append(to, made{t.src, dst})
			}
			from = append(from, dst)
		}
		if !q.runs {
			continue
		}
		r.tiles(w, row*q.long, (row+n)*q.long, to)
		for i, t := range q.tails {
			if t.src >= len(r.in) {
				t.fold(unsafe.Add(t.z, row*t.size), from[i], n, q.long)
			}
		}
	}
}

// input returns n elements of an input from at on, in dst if they are not contiguous.
func (q *rowPart) input(o *operand, dst unsafe.Pointer, at, n int) unsafe.Pointer {
	switch {
	case o.direct:
		return unsafe.Add(o.base, (at-o.first)*o.size)
	case o.scalar:
		fill(dst, o.base, o.size, n)
	default:
		gatherTile(dst, o, at, n)
	}
	return dst
}
