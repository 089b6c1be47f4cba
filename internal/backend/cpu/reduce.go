package cpu

import (
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/shape"
)

// A reduction first puts the dimensions in the order of memory and collapses contiguous ones. If the innermost one is
// reduced, runs of it are reduced one after the other (rows); if not, whole runs are accumulated at once (columns).
// Either way the work is cut into blocks by the sizes alone: outputs into groups, and the elements of one output into chunks
// whose results are joined in order. So the bits depend on nothing else.

const (
	foldChunk = 1 << 15 // elements folded by one block
	foldCols  = 4096    // columns of a tile: long runs, since memory is read in the order of its pages
)

// folder is a reduction of T through accumulators A to R.
type folder[T, A, R any] struct {
	zero A
	// run folds contiguous elements into a.
	run func(a A, x []T) A
	// cols folds rows of contiguous elements into acc, column by column; row r begins at p + r·stride elements.
	cols func(acc []A, p unsafe.Pointer, stride, rows int)
	// join puts b, folded from later elements, behind a.
	join func(a, b A) A
	// joins, if it is there, is join for many: z[i] = join(x[i], y[i]).
	joins func(z, x, y []A)
	// done gives the result of n elements.
	done func(a A, n int) R
	// ends, if it is there, is done for many.
	ends func(z []R, a []A, n int)
	// dense, if it is there, folds rows of n elements, at most tileElems unless they may be long, that follow each other, to their
	// results.
	dense func(z, x unsafe.Pointer, rows, n int)
	long  bool
	// quick says that memory is slower than folding.
	quick bool
}

// foldDim is a dimension with its strides in elements.
type foldDim struct{ size, in, out int }

// foldPlan is a reduction in the order of memory.
type foldPlan struct {
	outDims, folded []foldDim
	inner           foldDim // the innermost dimension, in neither list
	rows            bool    // the innermost dimension is folded
	count           int     // elements folded into one output
	outputs         int     // of outDims
}

// planFold orders and joins the dimensions of x.
func planFold(x backend.View, axes attr.Ints) foldPlan {
	type dim struct {
		foldDim
		folded bool
	}
	var room [shape.MaxRank]dim
	dims := room[:0]
	out := 1
	count := 1
	dense := 1 // stride of elements in row-major order
	for i := x.Shape.Rank() - 1; i >= 0; i-- {
		d := dim{foldDim{x.Shape.Dim(i), dense, 0}, axes.Contains(i)}
		dense *= d.size
		if x.Lay != nil {
			d.in = x.Lay.Strides[i]
		}
		if d.folded {
			count *= d.size
		} else {
			d.out = out
			out *= d.size
		}
		if d.size != 1 {
			dims = append(dims, d)
		}
	}
	slices.Reverse(dims)
	key := func(d dim) int { // repeated elements go outermost, whatever their stride
		if d.in == 0 {
			return 1 << 62
		}
		return max(d.in, -d.in)
	}
	slices.SortStableFunc(dims, func(a, b dim) int { return key(b) - key(a) })
	joined := dims[:0]
	for _, d := range dims {
		if n := len(joined); n > 0 {
			p := &joined[n-1]
			if p.folded == d.folded && p.in == d.in*d.size && p.out == d.out*d.size {
				*p = dim{foldDim{p.size * d.size, d.in, d.out}, d.folded}
				continue
			}
		}
		joined = append(joined, d)
	}
	p := foldPlan{count: count, outputs: 1, rows: true, inner: foldDim{1, 1, 0}}
	if n := len(joined); n > 0 {
		p.inner, p.rows = joined[n-1].foldDim, joined[n-1].folded
		joined = joined[:n-1]
	}
	list := make([]foldDim, len(joined)) // of those that are folded, and behind them the others
	folded := 0
	for _, d := range joined {
		if d.folded {
			folded++
		}
	}
	p.folded, p.outDims = list[:0:folded], list[folded:folded]
	for _, d := range joined {
		if d.folded {
			p.folded = append(p.folded, d.foldDim)
		} else {
			p.outDims = append(p.outDims, d.foldDim)
			p.outputs *= d.size
		}
	}
	return p
}

// offsets gives the offsets of output i.
func (p *foldPlan) offsets(i int) (in, out int) {
	for d := len(p.outDims) - 1; d >= 0; d-- {
		k := p.outDims[d]
		r := i % k.size
		i /= k.size
		in += r * k.in
		out += r * k.out
	}
	return in, out
}

// walk calls f for the runs of the flat range [lo, hi) over dims: the offset of a run's first element, its length and
// its stride.
func walk(dims []foldDim, lo, hi int, f func(off, n, stride int)) {
	if len(dims) == 0 {
		f(0, 1, 0)
		return
	}
	last := len(dims) - 1
	var at [shape.MaxRank]int
	off, rest := 0, lo
	for d := last; d >= 0; d-- {
		at[d] = rest % dims[d].size
		rest /= dims[d].size
		off += at[d] * dims[d].in
	}
	for lo < hi {
		n := min(dims[last].size-at[last], hi-lo)
		f(off, n, dims[last].in)
		lo += n
		at[last] += n
		off += n * dims[last].in
		for d := last; d > 0 && at[d] == dims[d].size; d-- {
			off += dims[d-1].in - dims[d].size*dims[d].in
			at[d] = 0
			at[d-1]++
		}
	}
}

// runs calls f for the runs of the innermost dimension, which is folded, that make up the flat range [lo, hi) of what belongs
// to the output at off: whole ones, and parts of one at both ends.
func (p *foldPlan) runs(off, lo, hi int, f func(off, n int)) {
	n := p.inner.size
	if len(p.folded) == 0 {
		f(off+lo*p.inner.in, hi-lo)
		return
	}
	for lo < hi {
		i, j := lo/n, lo%n
		m := min(n-j, hi-lo)
		if j == 0 && hi-lo >= n {
			k := (hi - lo) / n
			walk(p.folded, i, i+k, func(o, c, s int) {
				for ; c > 0; c-- {
					f(off+o, n)
					o += s
				}
			})
			lo += k * n
			continue
		}
		walk(p.folded, i, i+1, func(o, _, _ int) { f(off+o+j*p.inner.in, m) })
		lo += m
	}
}

// kernel makes a kernel of a folder; axes come from the attribute.
func (f *folder[T, A, R]) kernel(c *backend.Ctx, axes attr.Ints, out, x backend.View) error {
	if out.Numel() == 0 {
		return nil
	}
	if x.Numel() == 0 {
		f.nothing(out)
		return nil
	}
	var t T
	p := planFold(x, axes)
	r := &foldRun[T, A, R]{foldLane: foldLane[T, A, R]{f: f, p: &p, z: backend.Slice[R](out)}, size: int(unsafe.Sizeof(t)),
		base: unsafe.Add(x.Base(), x.Offset()*x.DType.Size())}
	if p.rows {
		return r.rowwise(c)
	}
	return r.columnwise(c)
}

// foldRun is a reduction of elements in memory.
type foldRun[T, A, R any] struct {
	foldLane[T, A, R]
	base unsafe.Pointer
	size int
}

func (r *foldRun[T, A, R]) at(off int) unsafe.Pointer { return unsafe.Add(r.base, off*r.size) }

// fold folds the flat range [lo, hi) of what belongs to one output, which is at off.
func (r *foldRun[T, A, R]) fold(off, lo, hi int, tile *[]T) A {
	a := r.f.zero
	r.p.runs(off, lo, hi, func(o, n int) { a = r.run(a, o, n, tile) })
	return a
}

// run folds n elements of the innermost dimension from off on.
func (r *foldRun[T, A, R]) run(a A, off, n int, tile *[]T) A {
	s := r.p.inner.in
	if s == 1 {
		return r.f.run(a, unsafe.Slice((*T)(r.at(off)), n))
	}
	if *tile == nil {
		*tile = make([]T, tileElems)
	}
	for n > 0 {
		m := min(n, tileElems)
		t := (*tile)[:m]
		for i := range t {
			t[i] = *(*T)(r.at(off + i*s))
		}
		a = r.f.run(a, t)
		off += m * s
		n -= m
	}
	return a
}

func (r *foldRun[T, A, R]) rowwise(c *backend.Ctx) error {
	p := r.p
	chunks := (p.count + foldChunk - 1) / foldChunk
	if p.inner.in == 0 {
		r.one(chunks)
		return nil
	}
	if chunks == 1 {
		group := max(1, foldChunk/p.count)
		blocks := (p.outputs + group - 1) / group
		return r.blocks(c, blocks, func(b int) {
			var tile []T
			lo, hi := b*group, min((b+1)*group, p.outputs)
			if p.dense() {
				r.f.rows(unsafe.Pointer(&r.z[lo]), r.at(lo*p.count), hi-lo, p.count)
				return
			}
			for i := lo; i < hi; i++ {
				in, out := p.offsets(i)
				r.z[out] = r.f.done(r.fold(in, 0, p.count, &tile), p.count)
			}
		})
	}
	r.parts(p.outputs * chunks)
	err := r.blocks(c, len(r.part), func(b int) {
		var tile []T
		in, _ := p.offsets(b / chunks)
		lo := b % chunks * foldChunk
		r.part[b] = r.fold(in, lo, min(lo+foldChunk, p.count), &tile)
	})
	if err == nil {
		r.joinRows(chunks)
	}
	return err
}

// blocks runs blocks, several at a time where there are many that wait for memory: longer runs are read sooner, by a twentieth.
func (r *foldRun[T, A, R]) blocks(c *backend.Ctx, n int, f func(block int)) error {
	const most, many = 4, 64
	if !r.f.quick || n < many {
		return each(c, n, f)
	}
	return c.For((n+most-1)/most, func(b int) {
		for i := b * most; i < min((b+1)*most, n); i++ {
			f(i)
		}
	})
}

// dense reports whether the rows follow each other, as do their results.
func (p *foldPlan) dense() bool {
	return len(p.folded) == 0 && p.inner.in == 1 && len(p.outDims) == 1 && p.outDims[0].in == p.inner.size && p.outDims[0].out == 1
}

// joinTree joins neighbours, then neighbours of those, until one is left.
func joinTree[A any](a []A, join func(a, b A) A) A {
	for len(a) > 1 {
		h := (len(a) + 1) / 2
		for i := range len(a) / 2 {
			a[i] = join(a[2*i], a[2*i+1])
		}
		if len(a)%2 == 1 {
			a[h-1] = a[len(a)-1]
		}
		a = a[:h]
	}
	return a[0]
}

// one folds elements that are all the same: so are chunks, and what is joined of them, so that each is made once.
func (r *foldRun[T, A, R]) one(chunks int) {
	var tile []T
	n := r.p.count
	same, last := r.f.zero, r.fold(0, 0, n-(chunks-1)*foldChunk, &tile)
	if chunks > 1 {
		same = r.fold(0, 0, foldChunk, &tile)
	}
	for ; chunks > 1; chunks = (chunks + 1) / 2 { // as joinTree
		if chunks%2 == 0 {
			last = r.f.join(same, last)
		}
		same = r.f.join(same, same)
	}
	v := r.f.done(last, n)
	for i := range r.z {
		r.z[i] = v
	}
}

// each runs blocks, one alone without the cost of sharing.
func each(c *backend.Ctx, n int, f func(block int)) error {
	if n == 1 {
		f(0)
		return nil
	}
	return c.For(n, f)
}

func foldedAxes(a attr.Attr) attr.Ints {
	switch a := a.(type) {
	case attr.Var:
		return a.Axes
	case attr.Norm:
		return a.Axes
	}
	return a.(attr.Axes).Axes
}
