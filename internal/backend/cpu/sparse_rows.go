package cpu

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/conv/kernel"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/backend/cpu/layout"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// The op "mix" is the product of a sparse matrix in CSR form with a dimension of x, such as an interpolation: each output is a
// weighted sum of a few rows (kernel.Direct with one row of weights). The columns are the elements behind that dimension. Where they
// are few, the elements before it are: blocks of them are transposed, and the result back.

const (
	sparseLanes     = kernel.DirectColumns
	sparseBlockRows = 256        // most rows transposed at a time
	sparseScratch   = 64 << 10   // elements of both sides of such a block, about
	sparseFewRows   = 8          // rows below which lanes would be empty
	sparseWork      = blockElems // sums of a block, about
)

func init() {
	mix := func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		if out[0].DType == dtype.Float64 {
			return sparseRowsOf[float64](c, a.(attr.Mix), out[0], in)
		}
		return sparseRowsOf[float32](c, a.(attr.Mix), out[0], in)
	}
	register(backend.Table{"mix": mix, "ragged_bag": func(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
		return mix(c, attr.Mix{Behind: 1}, out, in)
	}})
}

// sparseRows is a call: x is lead by n by inner, z lead by m by inner.
type sparseRows[T gemm.Float] struct {
	x, z, w           []T
	starts, at        []int
	lead, n, m, inner int
	plain             bool // all weights are 1
}

func sparseRowsOf[T gemm.Float](c *backend.Ctx, a attr.Mix, out backend.View, in []backend.View) error {
	d := out.Shape.Rank() - 1 - a.Behind
	j := &sparseRows[T]{lead: 1, n: in[0].Shape.Dims()[d], m: out.Shape.Dims()[d], inner: 1}
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
	each := max(1, sparseWork/j.inner) // rows of a block
	overRows := func(f func(from, to int)) error {
		return c.For(ceil(j.lead*j.m, each), func(b int) { f(b*each, min((b+1)*each, j.lead*j.m)) })
	}
	switch {
	case j.picks():
		return overRows(j.pick)
	case j.inner >= sparseLanes:
		return overRows(j.rows)
	case j.lead >= sparseFewRows:
		lanes := min(sparseBlockRows, ceil(j.lead, sparseLanes)*sparseLanes)
		if chunks := j.chunks(sparseScratch / (lanes * j.inner)); chunks != nil {
			return c.For(ceil(j.lead, lanes)*len(chunks), func(b int) {
				row := b / len(chunks) * lanes
				j.transposed(row, min(row+lanes, j.lead), &chunks[b%len(chunks)])
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
func (j *sparseRows[T]) picks() bool {
	for o := range j.m {
		if j.starts[o+1] != j.starts[o]+1 || j.w[j.starts[o]] != 1 {
			return false
		}
	}
	return true
}

// pick copies elements.
func (j *sparseRows[T]) pick(from, to int) {
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

// sparseChunk are outputs from o0 on, below o1, which see the elements from i0 on, below i1.
type sparseChunk struct{ o0, o1, i0, i1 int }

// chunks cuts the outputs such that those of a chunk and what they see are at most so many; nil if it cannot.
func (j *sparseRows[T]) chunks(most int) (all []sparseChunk) {
	c := sparseChunk{i0: j.n}
	for o := range j.m {
		next := sparseChunk{c.o0, o + 1, c.i0, c.i1}
		for _, i := range j.at[j.starts[o]:j.starts[o+1]] {
			next.i0, next.i1 = min(next.i0, i), max(next.i1, i+1)
		}
		if next.size() > most {
			if c.o1 == c.o0 {
				return nil
			}
			all = append(all, c)
			next = sparseChunk{o, o + 1, j.n, 0}
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

func (c *sparseChunk) size() int { return c.o1 - c.o0 + max(0, c.i1-c.i0) }

// matrix reads and checks the sparse matrix.
func (j *sparseRows[T]) matrix(c *backend.Ctx, in []backend.View) error {
	var list [2][]int
	for i := range list {
		base, err := dense(c, in[i])
		if err != nil {
			return err
		}
		list[i] = elems[int](base, in[i].Numel()) // of 64 bits on the architectures that there are
	}
	base, err := dense(c, in[2])
	if err != nil {
		return err
	}
	j.starts, j.at, j.w = list[0], list[1], elems[T](base, in[2].Numel())
	j.plain = allOnes(in[2], j.w)
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

// rows computes rows of contiguous columns.
func (j *sparseRows[T]) rows(from, to int) {
	vectorCols := j.inner / sparseLanes * sparseLanes
	var off []int
	for r := from; r < to; r++ {
		lead, o := r/j.m, r%j.m
		lo, hi := j.starts[o], j.starts[o+1]
		z := j.z[r*j.inner:][:j.inner]
		if lo == hi {
			clear(z)
			continue
		}
		if j.plain && addRowsOf(z, j.x[lead*j.n*j.inner:], j.at[lo:hi]) {
			continue
		}
		off = off[:0]
		for _, i := range j.at[lo:hi] {
			off = append(off, i*j.inner)
		}
		kernel.Direct(1, vectorCols, j.w[lo:hi], off, j.x[lead*j.n*j.inner:], z, j.inner, false)
		j.single(lead, o, vectorCols)
	}
}

// single computes an output from column q on.
func (j *sparseRows[T]) single(lead, o, q int) {
	z, x := j.z[(lead*j.m+o)*j.inner:][:j.inner], j.x[lead*j.n*j.inner:]
	for ; q < j.inner; q++ {
		var s T
		for p := j.starts[o]; p < j.starts[o+1]; p++ {
			s += j.w[p] * x[j.at[p]*j.inner+q]
		}
		z[q] = s
	}
}

// transposed computes some outputs of rows with few columns: the rows become the columns.
func (j *sparseRows[T]) transposed(from, to int, c *sparseChunk) {
	rows, n, m := to-from, max(0, c.i1-c.i0)*j.inner, (c.o1-c.o0)*j.inner
	lanes := ceil(rows, sparseLanes) * sparseLanes
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
			kernel.Direct(1, lanes, j.w[lo:hi], off, x[q*lanes:], to[q*lanes:], lanes, false)
		}
	}
	layout.TransposeBlock(j.z[(from*j.m+c.o0)*j.inner:], j.m*j.inner, z, lanes, m, rows)
}

// allOnes reports whether all weights are 1, by how the view is made: w are its elements.
func allOnes[T gemm.Float](v backend.View, w []T) bool { return isOne(v) && w[0] == 1 }

// addRowsOf sets z to the sum of rows of x, as long as z; not for float64, which has no kernel for it.
func addRowsOf[T gemm.Float](z, x []T, rows []int) bool {
	sum, ok := any(z).([]float32)
	if !ok {
		return false
	}
	from, n := any(x).([]float32), len(z)
	row := func(i int) []float32 { return from[rows[i]*n:][:n] }
	clear(sum)
	i := 0
	for ; i+8 <= len(rows); i += 8 {
		simd.SumRows8F32(sum, row(i), row(i+1), row(i+2), row(i+3), row(i+4), row(i+5), row(i+6), row(i+7))
	}
	if i+4 <= len(rows) {
		simd.SumRows4F32(sum, row(i), row(i+1), row(i+2), row(i+3))
		i += 4
	}
	for ; i < len(rows); i++ {
		simd.SumRowsF32(sum, row(i))
	}
	return true
}
