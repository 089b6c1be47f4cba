package cpu

import (
	"runtime"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/par"
)

// Scatter. Updates of one element are combined in the order of the source, for any number of threads: blocks write disjoint
// elements. They differ in the outer dimensions, in a range of the slice's elements, or in a range of the axis; in the last case
// every block scans all positions for those in its range.

func init() { register(backend.Table{"put_slices": putSlices, "scatter": scatterKernel}) }

// writes are the operands of put and scatter, ready for blocks.
type writes struct {
	z, src       unsafe.Pointer // row-major
	idx          []int64
	size         int // bytes of an element
	outer, n     int // positions before the axis, and along it
	k            int // positions along the axis of the source
	inner        int // elements behind the axis
	combine      rowCombine
	elements     elementCombine  // nil: combine does it
	outerOf      func(o int) int // the outer position of z for one of the source; nil: the same
	innerOf      []int           // the index in z's slice of an element of the source's; nil: the same
	slices       bool            // one position for a whole slice, the same for all outer ones
	sourceInner  int             // elements behind the axis of the source
	sourceOuters int
	one          bool           // the source is one value: src has enough of it for a step
	whole        elementCombine // elements for those of one row, all of whose positions are in it; nil: elements does it
	fresh        unsafe.Pointer // what z begins with, if blocks bring it in and look at their positions themselves; z is new then
}

// rangeFrom is how many elements of a slice make up for looking at its position once for every range.
const rangeFrom = 16

// split cuts the work in blocks: outer positions, parts of a slice, parts of the axis. It depends on sizes alone.
func (w *writes) split() (outers, inners, ranges int) {
	const unit = 1 << 15
	want := max(1, w.sourceOuters*w.k*w.sourceInner/unit)
	if want == 1 {
		return 1, 1, 1
	}
	outers = min(w.sourceOuters, want)
	narrow := 512 // a slice is copied in long runs, single elements in lines of the cache
	if !w.slices {
		narrow = 16
	}
	inners = min(max(1, w.sourceInner/narrow), (want+outers-1)/outers)
	// Each range looks at all positions: for single elements that takes as long as writing them.
	if piece := w.sourceInner / inners; piece >= rangeFrom {
		ranges = min(max(1, w.n/16), piece/8, (want+outers*inners-1)/(outers*inners))
	}
	return outers, inners, max(1, ranges)
}

// part is the i-th of m parts of n, as even as can be.
func part(n, m, i int) (lo, hi int) { return n * i / m, n * (i + 1) / m }

func (w *writes) run(c *backend.Ctx) error {
	outers, inners, ranges := w.split()
	return eachChecked(c, outers*inners*ranges, func(b int) error {
		o0, o1 := part(w.sourceOuters, outers, b/(inners*ranges))
		if w.fresh != nil {
			each := w.n * w.inner * w.size
			copyBytes(unsafe.Add(w.z, o0*each), unsafe.Add(w.fresh, o0*each), (o1-o0)*each)
			if err := checkIndex(w.idx[o0*w.k*w.sourceInner:o1*w.k*w.sourceInner], w.n); err != nil {
				return err
			}
		}
		i0, i1 := part(w.sourceInner, inners, b/ranges%inners)
		r0, r1 := part(w.n, ranges, b%ranges)
		pace := par.NewPace() // one for all rows, which may be short
		for o := o0; o < o1; o++ {
			if w.slices {
				w.putRows(o, i0, i1, int64(r0), int64(r1), &pace)
			} else {
				w.scatterRows(o, i0, i1, int64(r0), int64(r1), &pace)
			}
		}
		return nil
	})
}

// from is where element i of the source begins.
func (w *writes) from(i int) unsafe.Pointer {
	if w.one {
		return w.src
	}
	return unsafe.Add(w.src, i*w.size)
}

// scatterElements writes elements of the source from i on to a row, some at a time.
func (w *writes) scatterElements(z unsafe.Pointer, i int, idx []int64, r0, r1 int64, pace *par.Pace) {
	write := w.elements
	if w.whole != nil && r0 == 0 && r1 == int64(w.n) {
		write = w.whole
	}
	for lo := 0; lo < len(idx); lo += foldChunk {
		write(z, w.from(i+lo), idx[lo:min(lo+foldChunk, len(idx))], 1, 0, r0, r1)
		pace.StepElems(min(foldChunk, len(idx)-lo))
	}
}

// putRows writes elements i0 to i1 of the slices whose position is in [r0, r1).
func (w *writes) putRows(o, i0, i1 int, r0, r1 int64, pace *par.Pace) {
	if w.elements != nil && w.inner == 1 {
		w.scatterElements(unsafe.Add(w.z, o*w.n*w.size), o*w.k, w.idx, r0, r1, pace)
		return
	}
	// This block's rows of the source are scattered: a few are found, then prefetched before they are used.
	var own [64]int
	for k := 0; k < len(w.idx); {
		n := 0
		for ; k < len(w.idx) && n < len(own); k++ {
			own[n] = k
			if uint64(w.idx[k]-r0) < uint64(r1-r0) {
				n++
			}
		}
		row := func(k int) unsafe.Pointer { return w.from((o*w.k+k)*w.inner + i0) }
		for i, k := range own[:n] {
			if bytes := (i1 - i0) * w.size; i+rowsAhead < n && bytes <= 1024 { // longer ones are left to the hardware prefetcher
				simd.Prefetch(row(own[i+rowsAhead]), bytes)
			}
			w.combine(unsafe.Add(w.z, ((o*w.n+int(w.idx[k]))*w.inner+i0)*w.size), row(k), i1-i0)
		}
		pace.Step()
	}
}

// scatterRows writes single elements, each with a position of its own.
func (w *writes) scatterRows(o, i0, i1 int, r0, r1 int64, pace *par.Pace) {
	zo := o
	if w.outerOf != nil {
		zo = w.outerOf(o)
	}
	z := unsafe.Add(w.z, zo*w.n*w.inner*w.size)
	if w.elements != nil && w.inner == 1 {
		w.scatterElements(z, o*w.k, w.idx[o*w.k:][:w.k], r0, r1, pace)
		return
	}
	for k := range w.k {
		row := (o*w.k+k)*w.sourceInner + i0
		idx, x := w.idx[row:row+i1-i0], w.from(row)
		if w.elements != nil && w.innerOf == nil {
			w.elements(unsafe.Add(z, i0*w.size), x, idx, w.inner, 1, r0, r1)
		} else {
			w.combineEach(z, x, idx, i0, r0, r1)
		}
		pace.StepElems(8 * len(idx))
	}
}

// combineEach is single for all types and shapes.
func (w *writes) combineEach(z, x unsafe.Pointer, idx []int64, i0 int, r0, r1 int64) {
	for i, p := range idx {
		if p < r0 || p >= r1 {
			continue
		}
		zi := i0 + i
		if w.innerOf != nil {
			zi = w.innerOf[zi]
		}
		w.combine(unsafe.Add(z, (int(p)*w.inner+zi)*w.size), unsafe.Add(x, i*w.size), 1)
	}
}

// prepareWrites brings operands in order. Half types are combined as float32: finish rounds them once at the end.
func prepareWrites(c *backend.Ctx, s attr.Scatter, slices bool, out, in []backend.View) (w *writes, finish func() error, err error) {
	d, n := out[0].DType, out[0].Shape.Dim(s.Axis)
	dims, xd := out[0].Shape.Dims(), in[1].Shape.Dims()
	w = &writes{z: stridedOf(out[0]).base, size: d.Size(), n: n, outer: volume(dims[:s.Axis]), inner: volume(dims[s.Axis+1:]),
		slices: slices}
	if slices {
		w.k, w.sourceInner, w.sourceOuters = in[1].Numel(), w.inner, w.outer
	} else {
		w.k, w.sourceOuters, w.sourceInner = xd[s.Axis], volume(xd[:s.Axis]), volume(xd[s.Axis+1:])
	}
	_, inners, ranges := w.split()
	if !slices && w.sourceOuters == w.outer && inners*ranges == 1 && in[1].Numel() > 0 && out[0].Numel() > 0 && out[0].Buf != in[0].Buf &&
		in[0].Contiguous() && !d.IsHalf() {
		w.fresh = stridedOf(in[0]).base
		p, err := dense(c, in[1])
		if err != nil {
			return nil, nil, err
		}
		w.idx = elems[int64](p, in[1].Numel())
	} else {
		if err := begin(c, out[0], in[0]); err != nil {
			return nil, nil, err
		}
		if w.idx, err = checkedIndex(c, in[1], n); err != nil {
			return nil, nil, err
		}
	}
	finish = func() error { return nil }
	if d.IsHalf() && s.Reduce != attr.ReduceSet {
		src, err := denseF32(c, in[2])
		if err != nil {
			return nil, nil, err
		}
		wide, err := denseF32(c, out[0])
		if err != nil {
			return nil, nil, err
		}
		w.src, w.z, w.size, d = unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(wide)), 4, dtype.Float32
		finish = func() error { return storeHalf(c, out[0], wide) }
	} else if w.one = isOne(in[2]); w.one {
		// Written out, it would be read and written as many times as there are positions.
		v := stridedOf(in[2])
		buf := newScratch[uint64]((max(w.inner, w.sourceInner, min(foldChunk, w.k))*w.size + 7) / 8)
		w.src = unsafe.Pointer(unsafe.SliceData(buf))
		fill(w.src, v.base, w.size, len(buf)*8/w.size)
	} else if w.src, err = dense(c, in[2]); err != nil {
		return nil, nil, err
	}
	w.combine, w.elements = combineOf(d, s.Reduce), elementCombineOf(d, s.Reduce)
	w.whole = rowCombineOf(d, s.Reduce)
	return w, finish, nil
}

// isOne reports whether a view shows one element again and again.
func isOne(v backend.View) bool {
	if v.Numel() < 2 {
		return false
	}
	for i, s := range v.Strides() {
		if s != 0 && v.Shape.Dim(i) != 1 {
			return false
		}
	}
	return true
}

func putSlices(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	w, finish, err := prepareWrites(c, a.(attr.Scatter), true, out, in)
	if err != nil || len(w.idx) == 0 || out[0].Numel() == 0 {
		return err
	}
	run := w.run
	if r := a.(attr.Scatter).Reduce; w.outer == 1 && w.inner == 1 && r == attr.ReduceAdd && w.elements != nil &&
		len(w.idx) >= 2*tallyChunk && w.n <= tallyChunk/4 {
		run = w.tally
	}
	if err := run(c); err != nil {
		return err
	}
	return finish()
}

func scatterKernel(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	s := a.(attr.Scatter)
	w, finish, err := prepareWrites(c, s, false, out, in)
	if err != nil || len(w.idx) == 0 || out[0].Numel() == 0 {
		return err
	}
	zd, xd := out[0].Shape.Dims(), in[1].Shape.Dims()
	if w.sourceOuters != w.outer {
		w.outerOf = func(o int) int { return within(o, xd[:s.Axis], zd[:s.Axis]) }
	}
	if w.sourceInner != w.inner {
		w.innerOf = newScratch[int](w.sourceInner)
		for i := range w.innerOf {
			w.innerOf[i] = within(i, xd[s.Axis+1:], zd[s.Axis+1:])
		}
	}
	if err := w.run(c); err != nil {
		return err
	}
	return finish()
}

// tallyChunk is how many single elements are added to a table of their own.
const tallyChunk = 1 << 16

// tally adds single elements to few indices by histograms: chunks of the source to tables of their own, then the tables to the
// result, in order.
func (w *writes) tally(c *backend.Ctx) error {
	chunks := (w.k + tallyChunk - 1) / tallyChunk
	bytes := (w.n*w.size + 127) &^ 63 // no cache line is shared by two tables
	tables := newScratch[uint64](chunks * bytes / 8)
	base := unsafe.Pointer(unsafe.SliceData(tables))
	err := c.For(chunks, func(b int) {
		lo, pace := b*tallyChunk, par.NewPace()
		w.scatterElements(unsafe.Add(base, b*bytes), lo, w.idx[lo:min(lo+tallyChunk, w.k)], 0, int64(w.n), &pace)
	})
	for b := range chunks {
		w.combine(w.z, unsafe.Add(base, b*bytes), w.n)
	}
	runtime.KeepAlive(tables)
	return err
}

// within is the row-major index in sizes zd of the i-th position of the smaller sizes xd.
func within(i int, xd, zd []int) int {
	at, step := 0, 1
	for d := len(xd) - 1; d >= 0; d-- {
		at += i % xd[d] * step
		i /= xd[d]
		step *= zd[d]
	}
	return at
}
