package cpu

import (
	"math"
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/par"
)

// longRow is the length from which a row is sorted by several workers, one row after the other.
const longRow = 1 << 17

// sorter holds the scratch of one worker.
type sorter struct {
	d     dtype.DType
	falls bool
	a, b  []uint64 // key<<32 | index
	wide  []uint64 // whole keys of elements of 64 bits
	heap  []keyed
	few   []uint64
	run   runner
}

// room makes the scratch to sort n elements, once.
func (s *sorter) room(n int) {
	if len(s.a) < n {
		s.a, s.b = newScratch[uint64](n), newScratch[uint64](n)
	}
	if s.d.Size() == 8 && len(s.wide) < n {
		s.wide = newScratch[uint64](n)
	}
}

// order writes the indices of n elements at p, in order, to at[0], at[as], …; only the first k of them.
func (s *sorter) order(p unsafe.Pointer, stride, n, k int, at []int64, as int) error {
	s.room(n)
	var a []uint64
	var err error
	if s.d.Size() == 8 {
		if a, err = s.load64(p, stride, n); err == nil {
			a, err = s.sort64(a)
		}
	} else {
		a = s.a[:n]
		err = split(s.run, n, func(lo, hi int) { s.keys(a[lo:hi], p, stride, lo) })
		if err == nil {
			a, err = sort32(s.run, a, s.b[:n], keyBits(s.d))
		}
	}
	if err != nil {
		return err
	}
	return split(s.run, k, func(lo, hi int) {
		for i, v := range a[lo:hi] {
			at[(lo+i)*as] = int64(uint32(v))
		}
	})
}

// keys makes keys of elements of at most 32 bits from number lo on.
func (s *sorter) keys(a []uint64, p unsafe.Pointer, stride, lo int) {
	invert := uint32(0)
	if s.falls {
		invert = math.MaxUint32
	}
	keys32(a, unsafe.Add(p, lo*stride*s.d.Size()), stride, s.d, invert)
	if lo > 0 {
		for i := range a {
			a[i] += uint64(lo)
		}
	}
}

// sortRows orders every row along an axis and writes the first k indices of each to idx and the elements to val, which
// may have no buffer.
func sortRows(c *backend.Ctx, op string, x backend.View, val, idx *backend.View, axis, k int, falls bool) error {
	r, err := rowsAlong(c, x, axis)
	if err != nil || r.count() == 0 || k == 0 {
		return err
	}
	if r.n > math.MaxUint32 {
		return fault.New(fault.NotImplemented, op, "a row of %d elements is too long; at most %d can be sorted", r.n, math.MaxUint32)
	}
	at, size := backend.Slice[int64](*idx), x.DType.Size()
	var z unsafe.Pointer
	if val != nil {
		z = unsafe.Add(val.Base(), val.Offset()*size)
	}
	if r.inner == 1 && r.n <= rankedRow {
		s := &shortRows{d: x.DType, falls: falls, n: r.n, k: k, x: r.base, z: z, at: at}
		return s.run(c, &r)
	}
	one := func(s *sorter, i int) error {
		from, to := r.start(i, r.n), r.start(i, k)
		p, indices := unsafe.Add(r.base, from*size), at[to:to+(k-1)*r.inner+1]
		if err := s.first(p, r.inner, r.n, k, indices); err != nil {
			return err
		}
		if z == nil {
			return nil
		}
		return split(s.run, k, func(lo, hi int) {
			gatherAt(unsafe.Add(z, (to+lo*r.inner)*size), r.inner, p, r.inner, size, indices[lo*r.inner:(hi-1)*r.inner+1], r.inner)
		})
	}
	if r.n >= longRow {
		s := &sorter{d: x.DType, falls: falls, run: c.For}
		for i := range r.count() {
			if err := one(s, i); err != nil {
				return err
			}
		}
		return nil
	}
	return r.groups(c, 1<<14, func(lo, hi int) {
		s := &sorter{d: x.DType, falls: falls, run: serially}
		pace := par.NewPace()
		for i, done := lo, 0; i < hi; i++ {
			_ = one(s, i)                       // serial work has no error to give
			if done += r.n; done >= tileElems { // looking at the clock takes as long as a short row
				pace.Step()
				done = 0
			}
		}
	})
}

// split cuts n into fixed parts.
func split(run runner, n int, f func(lo, hi int)) error {
	return run((n+radixChunk-1)/radixChunk, func(b int) { f(b*radixChunk, min((b+1)*radixChunk, n)) })
}

// first finds the first k indices in order: all by sorting, few by selection.
func (s *sorter) first(p unsafe.Pointer, stride, n, k int, indices []int64) error {
	switch {
	case k*2 > n || n <= rankedRow:
		return s.order(p, stride, n, k, indices, stride)
	case s.d.Size() == 8 && (k > 1024 || k*8 > n):
		return s.part64(p, stride, n, k, indices)
	case s.d.Size() == 8:
		return s.best64(p, stride, n, k, indices)
	case k > 1024 || k*8 > n:
		return s.part(p, stride, n, k, indices)
	}
	// The k smallest of each chunk, then of those.
	best := [][]uint64{s.few[:0]}
	if n > radixChunk {
		best = make([][]uint64, (n+radixChunk-1)/radixChunk)
	}
	err := split(s.run, n, func(lo, hi int) {
		var tile [tileElems]uint64
		h := best[lo/radixChunk]
		for ; lo < hi; lo += tileElems {
			a := tile[:min(tileElems, hi-lo)]
			s.keys(a, p, stride, lo)
			h = smallest(h, a, k)
		}
		best[(hi-1)/radixChunk] = h
	})
	if err != nil {
		return err
	}
	all := best[0]
	for _, h := range best[1:] {
		all = smallest(all, h, k)
	}
	slices.Sort(all)
	for i, v := range all {
		indices[i*stride] = int64(uint32(v))
	}
	s.few = all
	return nil
}

// part finds the key of index k-1; those up to it, all different and in the order of their indices, are sorted alone.
func (s *sorter) part(p unsafe.Pointer, stride, n, k int, indices []int64) error {
	s.room(n)
	a := s.a[:n]
	err := split(s.run, n, func(lo, hi int) { s.keys(a[lo:hi], p, stride, lo) })
	if err != nil {
		return err
	}
	last, _, _ := keyAt(a, k-1, 64, s.b[:0])
	few := a[:0]
	for _, v := range a {
		if v <= last {
			few = append(few, v)
		}
	}
	if a, err = sort32(s.run, few, s.b[:k], keyBits(s.d)); err != nil {
		return err
	}
	for i, v := range a {
		indices[i*stride] = int64(uint32(v))
	}
	return nil
}

// smallest keeps in h the k smallest of it and of a, all different: once full, it is a heap with the largest on top.
func smallest(h, a []uint64, k int) []uint64 {
	for len(h) < k && len(a) > 0 {
		h, a = append(h, a[0]), a[1:]
		if len(h) == k {
			for i := k/2 - 1; i >= 0; i-- {
				siftDown(h, i)
			}
		}
	}
	if len(a) == 0 {
		return h
	}
	top := h[0]
	for _, v := range a {
		if v < top {
			h[0] = v
			siftDown(h, 0)
			top = h[0]
		}
	}
	return h
}

func siftDown(h []uint64, i int) {
	v := h[i]
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && h[c+1] > h[c] {
			c++
		}
		if h[c] <= v {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = v
}

func init() {
	register(backend.Table{
		"argsort": func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
			s := a.(attr.Sort)
			return sortRows(c, "argsort", in[0], nil, &out[0], s.Axis, in[0].Shape.Dim(s.Axis), s.Descending)
		},
		"sort": func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
			s := a.(attr.Sort)
			return sortRows(c, "sort", in[0], &out[0], &out[1], s.Axis, in[0].Shape.Dim(s.Axis), s.Descending)
		},
		"topk": func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
			t := a.(attr.TopK)
			return sortRows(c, "topk", in[0], &out[0], &out[1], t.Axis, t.K, !t.Smallest)
		},
	})
}
