package cpu

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/backend/cpu/layout"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// A mix is a sum of rows times weights, for every output along a dimension: gemm.Direct with one row of weights. What lies behind
// that dimension are the columns. Where that is too little, the rows before it are: blocks of them are transposed for it,
// and back.

const (
	mixLanes   = gemm.DirectColumns
	mixRows    = 256        // most rows transposed at a time
	mixScratch = 64 << 10   // elements of both sides of such a block, about
	mixFew     = 8          // rows below which lanes would be empty
	mixWork    = blockElems // sums of a block, about
)

func init() {
	register(backend.Table{"mix": func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		if out[0].DType == dtype.Float64 {
			return mixOf[float64](c, a.(attr.Mix), out[0], in)
		}
		return mixOf[float32](c, a.(attr.Mix), out[0], in)
	}})
}

// mixJob is a mix while it runs: x is lead by n by inner, z lead by m by inner.
type mixJob[T gemm.Float] struct {
	x, z, w           []T
	starts, at        []int
	lead, n, m, inner int
}

func mixOf[T gemm.Float](c *backend.Ctx, a attr.Mix, out backend.View, in []backend.View) error {
	d := out.Shape.Rank() - 1 - a.Behind
	j := &mixJob[T]{lead: 1, n: in[0].Shape.Dims()[d], m: out.Shape.Dims()[d], inner: 1}
	for i, s := range out.Shape.Dims() {
		switch {
		case i < d:
			j.lead *= s
		case i > d:
			j.inner *= s
		}
	}
	base, err := dense(c, in[0])
	if err != nil {
		return err
	}
	j.x, j.z = elems[T](base, in[0].Numel()), backend.Slice[T](out)
	if err := j.matrix(c, in[1:4]); err != nil || len(j.z) == 0 {
		return err
	}
	each := max(1, mixWork/j.inner) // rows of a block
	overRows := func(f func(from, to int)) error {
		return c.For(ceil(j.lead*j.m, each), func(b int) { f(b*each, min((b+1)*each, j.lead*j.m)) })
	}
	switch {
	case j.picks():
		return overRows(j.pick)
	case j.inner >= mixLanes:
		return overRows(j.rows)
	case j.lead >= mixFew:
		lanes := min(mixRows, ceil(j.lead, mixLanes)*mixLanes)
		if chunks := j.chunks(mixScratch / (lanes * j.inner)); chunks != nil {
			return c.For(ceil(j.lead, lanes)*len(chunks), func(b int) {
				row := b / len(chunks) * lanes
				j.turned(row, min(row+lanes, j.lead), &chunks[b%len(chunks)])
			})
		}
	}
	return overRows(func(from, to int) {
		for r := from; r < to; r++ {
			j.single(r/j.m, r%j.m, 0)
		}
	})
}

// picks reports whether every output is one element as it is.
func (j *mixJob[T]) picks() bool {
	for o := range j.m {
		if j.starts[o+1] != j.starts[o]+1 || j.w[j.starts[o]] != 1 {
			return false
		}
	}
	return true
}

// pick copies elements.
func (j *mixJob[T]) pick(from, to int) {
	for r := from; r < to; {
		lead, o := r/j.m, r%j.m
		n := min(j.m-o, to-r)
		at, x, z := j.at[j.starts[o]:][:n], j.x[lead*j.n*j.inner:][:j.n*j.inner], j.z[r*j.inner:][:n*j.inner]
		if j.inner == 1 {
			for i, p := range at {
				z[i] = x[p]
			}
		} else {
			for i, p := range at {
				copy(z[i*j.inner:][:j.inner], x[p*j.inner:])
			}
		}
		r += n
	}
}

// mixChunk are outputs from o0 on, below o1, which see the elements from i0 on, below i1.
type mixChunk struct{ o0, o1, i0, i1 int }

// chunks cuts the outputs such that those of a chunk and what they see are at most so many; nil if it cannot.
func (j *mixJob[T]) chunks(most int) (all []mixChunk) {
	c := mixChunk{i0: j.n}
	for o := range j.m {
		next := mixChunk{c.o0, o + 1, c.i0, c.i1}
		for _, i := range j.at[j.starts[o]:j.starts[o+1]] {
			next.i0, next.i1 = min(next.i0, i), max(next.i1, i+1)
		}
		if next.size() > most {
			if c.o1 == c.o0 {
				return nil
			}
			all = append(all, c)
			next = mixChunk{o, o + 1, j.n, 0}
			for _, i := range j.at[j.starts[o]:j.starts[o+1]] {
				next.i0, next.i1 = min(next.i0, i), max(next.i1, i+1)
			}
			if next.size() > most {
				return nil
			}
		}
		c = next
	}
	return append(all, c)
}

func (c *mixChunk) size() int { return c.o1 - c.o0 + max(0, c.i1-c.i0) }

// matrix reads the matrix, which may hold anything.
func (j *mixJob[T]) matrix(c *backend.Ctx, in []backend.View) error {
	var list [2][]int
	for i := range list {
		base, err := dense(c, in[i])
		if err != nil {
			return err
		}
		for _, v := range elems[int64](base, in[i].Numel()) {
			list[i] = append(list[i], int(v))
		}
	}
	base, err := dense(c, in[2])
	if err != nil {
		return err
	}
	j.starts, j.at, j.w = list[0], list[1], elems[T](base, in[2].Numel())
	for o, s := range j.starts {
		if s < 0 || s > len(j.at) || o > 0 && s < j.starts[o-1] {
			return fault.New(fault.Value, "mix", "the terms of sum %d begin at %d of %d", o, s, len(j.at))
		}
	}
	for _, i := range j.at {
		if i < 0 || i >= j.n {
			return fault.New(fault.Index, "mix", "element %d of %d", i, j.n)
		}
	}
	return nil
}

// rows computes rows of columns that lie behind each other.
func (j *mixJob[T]) rows(from, to int) {
	whole := j.inner / mixLanes * mixLanes
	var off []int
	for r := from; r < to; r++ {
		lead, o := r/j.m, r%j.m
		lo, hi := j.starts[o], j.starts[o+1]
		z := j.z[r*j.inner:][:j.inner]
		if lo == hi {
			clear(z)
			continue
		}
		off = off[:0]
		for _, i := range j.at[lo:hi] {
			off = append(off, i*j.inner)
		}
		gemm.Direct(1, whole, j.w[lo:hi], off, j.x[lead*j.n*j.inner:], z, j.inner, false)
		j.single(lead, o, whole)
	}
}

// single computes an output from column q on.
func (j *mixJob[T]) single(lead, o, q int) {
	z, x := j.z[(lead*j.m+o)*j.inner:][:j.inner], j.x[lead*j.n*j.inner:]
	for ; q < j.inner; q++ {
		var s T
		for p := j.starts[o]; p < j.starts[o+1]; p++ {
			s += j.w[p] * x[j.at[p]*j.inner+q]
		}
		z[q] = s
	}
}

// turned computes some outputs of rows of few columns: they are the columns then.
func (j *mixJob[T]) turned(from, to int, c *mixChunk) {
	rows, n, m := to-from, max(0, c.i1-c.i0)*j.inner, (c.o1-c.o0)*j.inner
	lanes := ceil(rows, mixLanes) * mixLanes
	x, freeX := borrow[T](n * lanes)
	defer freeX()
	z, freeZ := borrow[T](m * lanes)
	defer freeZ()
	if n > 0 {
		layout.TransposeBlock(x, lanes, j.x[(from*j.n+c.i0)*j.inner:], j.n*j.inner, rows, n)
	}
	var off []int
	for o := c.o0; o < c.o1; o++ {
		lo, hi := j.starts[o], j.starts[o+1]
		to := z[(o-c.o0)*j.inner*lanes:][:j.inner*lanes]
		if lo == hi {
			clear(to)
			continue
		}
		off = off[:0]
		for _, i := range j.at[lo:hi] {
			off = append(off, (i-c.i0)*j.inner*lanes)
		}
		for q := range j.inner {
			gemm.Direct(1, lanes, j.w[lo:hi], off, x[q*lanes:], to[q*lanes:], lanes, false)
		}
	}
	layout.TransposeBlock(j.z[(from*j.m+c.o0)*j.inner:], j.m*j.inner, z, lanes, m, rows)
}
