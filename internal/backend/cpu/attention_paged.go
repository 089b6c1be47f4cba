package cpu

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Attention over keys and values in blocks of a pool is attention whose rows of keys and values are found by a table. Blocks that follow
// each other in the pool, as those of one text mostly do, are read as one; of others, values are brought together a tile at a time, since
// a sum that is cut rounds differently. So results have the bits of keys and values that are one behind the other.

// pages say where rows are.
type pages struct {
	table       []int64
	each, block int // entries of an example; rows of a block
}

// at is where a row is.
func (p *pages) at(batch, row int) int {
	return int(p.table[batch*p.each+row/p.block])*p.block + row%p.block
}

// together is how many of n rows, from row on, follow each other.
func (p *pages) together(batch, row, n int) int {
	list, b := p.table[batch*p.each:][:p.each], row/p.block
	got := p.block - row%p.block
	for got < n && list[b+1] == list[b]+1 {
		got += p.block
		b++
	}
	return min(got, n)
}

func pagedAttention(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	if out[1].Numel() == 0 {
		return nil
	}
	if in[0].DType == dtype.Float64 {
		return attendPages[float64](c, a.(attr.Paged), out, in)
	}
	return attendPages[float32](c, a.(attr.Paged), out, in)
}

func attendPages[T floats](c *backend.Ctx, a attr.Paged, out, in []backend.View) error {
	q, k, v, mask := in[0], in[1], in[2], in[4]
	d := q.Shape.Dims()
	table, err := checkedIndex(c, in[3], k.Shape.Dim(2)/a.Block)
	if err != nil {
		return err
	}
	r := &attended[T]{n: d[0], h: d[1], g: k.Shape.Dim(1), l: d[2], s: mask.Shape.Dim(3), e: d[3], f: v.Shape.Dim(3), scale: T(a.Scale)}
	r.bind()
	r.mask = newAttentionMask(mask)
	r.reached(mask)
	r.direct = r.l <= r.tiles.ColumnRows()
	r.pieces = r.parts()
	if r.q, err = matricesOf[T](c, q, false); err != nil {
		return err
	}
	for _, p := range []struct {
		to   *matrices[T]
		view backend.View
	}{{&r.k, k}, {&r.v, v}} {
		if *p.to, err = matricesOf[T](c, p.view, true); err != nil {
			return err
		}
		p.to.pages = &pages{table: table, each: in[3].Shape.Dim(1), block: a.Block}
	}
	defer r.done()
	return r.run(c, out)
}
