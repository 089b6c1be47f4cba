package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
)

// foldLane is one reduction over a plan, wherever its elements come from: its results, and partial ones where what is
// folded into an output is cut into chunks.
type foldLane[T, A, R any] struct {
	f    *folder[T, A, R]
	p    *foldPlan
	z    []R
	part []A
}

// parts makes room for partial results.
func (l *foldLane[T, A, R]) parts(n int) { l.part = newScratch[A](n) }

// end writes results from out on.
func (l *foldLane[T, A, R]) end(acc []A, out, step int) {
	if l.f.ends != nil && step == 1 {
		l.f.ends(l.z[out:out+len(acc)], acc, l.p.count)
		return
	}
	for j, a := range acc {
		l.z[out+j*step] = l.f.done(a, l.p.count)
	}
}

// joinRows makes the results of the chunks of each output.
func (l *foldLane[T, A, R]) joinRows(chunks int) {
	for i := range l.p.outputs {
		_, out := l.p.offsets(i)
		l.z[out] = l.f.done(joinTree(l.part[i*chunks:(i+1)*chunks], l.f.join), l.p.count)
	}
}

// joinColumns is joinRows for whole rows of results.
func (l *foldLane[T, A, R]) joinColumns(c *backend.Ctx, chunks int) error {
	const joined = 512 // columns
	p, cols := l.p, l.p.inner.size
	joins := (cols + joined - 1) / joined
	return each(c, p.outputs*joins, func(b int) {
		o, lo := b/joins, b%joins*joined
		_, out := p.offsets(o)
		n := min(joined, cols-lo)
		row := func(ch int) []A { return l.part[(o*chunks+ch)*cols+lo:][:n] }
		for m := chunks; m > 1; m = (m + 1) / 2 { // as joinTree, a row at a time
			for i := range m / 2 {
				l.f.joinAll(row(i), row(2*i), row(2*i+1))
			}
			if m%2 == 1 {
				copy(row(m/2), row(m-1))
			}
		}
		l.end(row(0), out+lo*p.inner.out, p.inner.out)
	})
}

// joinAll joins y to x, element by element; z may be x.
func (f *folder[T, A, R]) joinAll(z, x, y []A) {
	if f.joins != nil {
		f.joins(z, x, y)
		return
	}
	for j := range z {
		z[j] = f.join(x[j], y[j])
	}
}

// lane is a foldLane whose elements are handed to it.
type lane interface {
	parts(n int)
	open() laneBlock
	joinRows(chunks int)
	joinColumns(c *backend.Ctx, chunks int) error
}

// laneBlock is a lane as one block of work sees it.
type laneBlock interface {
	// begin sets n accumulators to zero: those of partial results from at on, or, if that is negative, its own.
	begin(at, n int)
	// run folds n elements into the first accumulator.
	run(x unsafe.Pointer, n int)
	// cols folds rows of w elements into the accumulators from at on.
	cols(at, w int, x unsafe.Pointer, stride, rows int)
	// finish writes results from out on.
	finish(out, step int)
	// rows folds whole rows of n elements to the results from out on.
	rows(out int, x unsafe.Pointer, rows, n int)
}

type openLane[T, A, R any] struct {
	l        *foldLane[T, A, R]
	acc, own []A
}

func (l *foldLane[T, A, R]) open() laneBlock { return &openLane[T, A, R]{l: l} }

func (o *openLane[T, A, R]) begin(at, n int) {
	switch {
	case at >= 0:
		o.acc = o.l.part[at : at+n]
	case len(o.own) < n:
		o.own = newScratch[A](n)
		fallthrough
	default:
		o.acc = o.own[:n]
	}
	for j := range o.acc {
		o.acc[j] = o.l.f.zero
	}
}

func (o *openLane[T, A, R]) run(x unsafe.Pointer, n int) {
	o.acc[0] = o.l.f.run(o.acc[0], unsafe.Slice((*T)(x), n))
}

func (o *openLane[T, A, R]) cols(at, w int, x unsafe.Pointer, stride, rows int) {
	o.l.f.cols(o.acc[at:at+w], x, stride, rows)
}

func (o *openLane[T, A, R]) finish(out, step int) { o.l.end(o.acc, out, step) }

func (o *openLane[T, A, R]) rows(out int, x unsafe.Pointer, rows, n int) {
	o.l.f.rows(unsafe.Pointer(&o.l.z[out]), x, rows, n)
}
