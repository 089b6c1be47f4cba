package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/par"
)

// Writing to places given by positions. Every place sees its values in the order of the positions, whatever the number
// of threads: blocks share no place. They differ in the outer dimensions, in a range of the slice's elements, or in a
// range of the axis, which all blocks of such a kind search the positions for.

func init() { register(backend.Table{"put_slices": putSlices, "scatter": scatterKernel}) }

// writes are the operands of put and scatter, ready for blocks.
type writes struct {
	z, src       unsafe.Pointer // row-major
	idx          []int64
	size         int // bytes of an element of z
	srcSize      int
	widen        func(z []float32, x unsafe.Pointer) // of src's elements, if z holds them wider
	outer, n     int                                 // positions before the axis, and along it
	k            int                                 // positions along the axis of the source
	inner        int                                 // elements behind the axis
	meet         rowMeet
	single       func(z, x unsafe.Pointer, idx []int64, r0, r1 int64) // for slices of one element; nil: meet does it
	outerOf      func(o int) int                                      // the outer position of z for one of the source; nil: the same
	innerOf      []int                                                // the place in z's slice of an element of the source's; nil: the same
	slices       bool                                                 // one position for a whole slice, the same for all outer ones
	sourceInner  int                                                  // elements behind the axis of the source
	sourceOuters int
}

// split cuts the work in blocks: outer positions, parts of a slice, parts of the axis. It depends on sizes alone.
func (w *writes) split() (outers, inners, ranges int) {
	const unit = 1 << 16
	want := max(1, w.sourceOuters*w.k*w.sourceInner/unit)
	if want == 1 {
		return 1, 1, 1
	}
	outers = min(w.sourceOuters, want)
	inners = min(max(1, w.sourceInner/512), (want+outers-1)/outers)
	// Each range looks at all positions: that must stay small beside moving the elements.
	piece := w.sourceInner / inners
	ranges = min(max(1, w.n/16), 8+piece/8, (want+outers*inners-1)/(outers*inners))
	return outers, inners, ranges
}

// part is the i-th of m parts of n, as even as can be.
func part(n, m, i int) (lo, hi int) { return n * i / m, n * (i + 1) / m }

func (w *writes) run(c *backend.Ctx) error {
	outers, inners, ranges := w.split()
	return each(c, outers*inners*ranges, func(b int) {
		o0, o1 := part(w.sourceOuters, outers, b/(inners*ranges))
		i0, i1 := part(w.sourceInner, inners, b/ranges%inners)
		r0, r1 := part(w.n, ranges, b%ranges)
		for o := o0; o < o1; o++ {
			if w.slices {
				w.putRows(o, i0, i1, int64(r0), int64(r1))
			} else {
				w.scatterRows(o, i0, i1, int64(r0), int64(r1))
			}
		}
	})
}

// singles writes slices of one element, some at a time.
func (w *writes) singles(z, x unsafe.Pointer, idx []int64, r0, r1 int64) {
	pace := par.NewPace()
	for lo := 0; lo < len(idx); lo += foldChunk {
		w.single(z, unsafe.Add(x, lo*w.srcSize), idx[lo:min(lo+foldChunk, len(idx))], r0, r1)
		pace.Step()
	}
}

// putRows writes elements i0 to i1 of the slices whose position lies in [r0, r1).
func (w *writes) putRows(o, i0, i1 int, r0, r1 int64) {
	if w.single != nil && w.inner == 1 {
		w.singles(unsafe.Add(w.z, o*w.n*w.size), unsafe.Add(w.src, o*w.k*w.srcSize), w.idx, r0, r1)
		return
	}
	var buf [256]float32
	n := i1 - i0
	pace := par.NewPace()
	for k, p := range w.idx {
		if k%tileElems == tileElems-1 {
			pace.Step()
		}
		if p < r0 || p >= r1 {
			continue
		}
		z := unsafe.Add(w.z, ((o*w.n+int(p))*w.inner+i0)*w.size)
		x := unsafe.Add(w.src, ((o*w.k+k)*w.inner+i0)*w.srcSize)
		if w.widen == nil {
			w.meet(z, x, n)
			continue
		}
		for at := 0; at < n; at += len(buf) {
			m := min(len(buf), n-at)
			w.widen(buf[:m], unsafe.Add(x, at*w.srcSize))
			w.meet(unsafe.Add(z, at*w.size), unsafe.Pointer(&buf), m)
		}
	}
}

// scatterRows writes single elements, each with a position of its own.
func (w *writes) scatterRows(o, i0, i1 int, r0, r1 int64) {
	zo := o
	if w.outerOf != nil {
		zo = w.outerOf(o)
	}
	if w.single != nil && w.inner == 1 {
		w.singles(unsafe.Add(w.z, zo*w.n*w.size), unsafe.Add(w.src, o*w.k*w.srcSize), w.idx[o*w.k:][:w.k], r0, r1)
		return
	}
	var one [1]float32
	pace := par.NewPace()
	for k := range w.k {
		if k%scanPace == scanPace-1 {
			pace.Step()
		}
		row := (o*w.k + k) * w.sourceInner
		for i := i0; i < i1; i++ {
			p := w.idx[row+i]
			if p < r0 || p >= r1 {
				continue
			}
			zi := i
			if w.innerOf != nil {
				zi = w.innerOf[i]
			}
			z, x := unsafe.Add(w.z, ((zo*w.n+int(p))*w.inner+zi)*w.size), unsafe.Add(w.src, (row+i)*w.srcSize)
			if w.widen != nil {
				w.widen(one[:], x)
				x = unsafe.Pointer(&one)
			}
			w.meet(z, x, 1)
		}
	}
}

// prepareWrites brings operands in order. Half types are combined as float32: finish rounds them once at the end.
func prepareWrites(c *backend.Ctx, s attr.Scatter, out, in []backend.View) (w *writes, finish func() error, err error) {
	d := out[0].DType
	if err := begin(c, out[0], in[0]); err != nil {
		return nil, nil, err
	}
	w = &writes{z: stridedOf(out[0]).base, size: d.Size(), srcSize: d.Size(), n: out[0].Shape.Dim(s.Axis)}
	if w.idx, err = checkedIndex(c, in[1], w.n); err != nil {
		return nil, nil, err
	}
	if w.src, err = dense(c, in[2]); err != nil {
		return nil, nil, err
	}
	dims := out[0].Shape.Dims()
	w.outer, w.inner = volume(dims[:s.Axis]), volume(dims[s.Axis+1:])
	finish = func() error { return nil }
	if d.IsHalf() && s.Reduce != attr.ReduceSet {
		widen, narrow := widenF16, narrowF16
		if d == dtype.BFloat16 {
			widen, narrow = widenBF16, narrowBF16
		}
		half, n := w.z, out[0].Numel()
		wide := make([]float32, n)
		convert := func(f func(at, n int)) error {
			return each(c, (n+blockElems-1)/blockElems, func(b int) { f(b*blockElems, min(blockElems, n-b*blockElems)) })
		}
		if err := convert(func(at, n int) { widen(wide[at:at+n], unsafe.Add(half, 2*at)) }); err != nil {
			return nil, nil, err
		}
		w.z, w.size, w.widen = unsafe.Pointer(unsafe.SliceData(wide)), 4, widen
		finish = func() error {
			return convert(func(at, n int) { narrow(unsafe.Add(half, 2*at), wide[at:at+n]) })
		}
		d = dtype.Float32
	}
	w.meet = meetOf(d, s.Reduce)
	if w.widen == nil {
		w.single = singleOf(d, s.Reduce)
	}
	return w, finish, nil
}

func putSlices(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	w, finish, err := prepareWrites(c, a.(attr.Scatter), out, in)
	if err != nil || len(w.idx) == 0 || out[0].Numel() == 0 {
		return err
	}
	w.slices, w.k, w.sourceInner, w.sourceOuters = true, len(w.idx), w.inner, w.outer
	if err := w.run(c); err != nil {
		return err
	}
	return finish()
}

func scatterKernel(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	s := a.(attr.Scatter)
	w, finish, err := prepareWrites(c, s, out, in)
	if err != nil || len(w.idx) == 0 || out[0].Numel() == 0 {
		return err
	}
	zd, xd := out[0].Shape.Dims(), in[1].Shape.Dims()
	w.k = xd[s.Axis]
	w.sourceOuters, w.sourceInner = volume(xd[:s.Axis]), volume(xd[s.Axis+1:])
	if w.sourceOuters != w.outer {
		w.outerOf = func(o int) int { return within(o, xd[:s.Axis], zd[:s.Axis]) }
	}
	if w.sourceInner != w.inner {
		w.innerOf = make([]int, w.sourceInner)
		for i := range w.innerOf {
			w.innerOf[i] = within(i, xd[s.Axis+1:], zd[s.Axis+1:])
		}
	}
	if err := w.run(c); err != nil {
		return err
	}
	return finish()
}

// within is the row-major place in sizes zd of the i-th position of the smaller sizes xd.
func within(i int, xd, zd []int) int {
	at, step := 0, 1
	for d := len(xd) - 1; d >= 0; d-- {
		at += i % xd[d] * step
		i /= xd[d]
		step *= zd[d]
	}
	return at
}
