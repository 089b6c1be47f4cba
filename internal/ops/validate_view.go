package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/shape"
)

// slice checks that a slice stays inside x.
func (c check) slice(s attr.Slice, x *Node) {
	r := x.Rank()
	c.must(s.Start.Len() == r && s.Size.Len() == r && s.Step.Len() == r, "a slice of %d dims of shape %v", s.Size.Len(), x.Shape())
	for i := range r {
		n, start, size, step := x.Dim(i), s.Start.At(i), s.Size.At(i), s.Step.At(i)
		ok := size >= 0 && size <= n && step >= -most && step <= most
		if ok && size > 0 {
			last := float64(start) + float64(size-1)*float64(step)
			ok = start >= 0 && start < n && last >= 0 && last < float64(n)
		}
		c.must(ok, "%d elements from %d on by %d, of a dim of size %d", size, start, step, n)
	}
}

func validatePlain(c check) {
	c.none()
}

func validateDepends(c check) {
	c.none()
}

func validateAlias(c check) {
	if c.a != nil {
		attrOf[*barrierAttr](c)
	}
}

func validateReshape(c check) {
	d := attrOf[attr.Shape](c).Dims
	c.must(shape.Of(c.op, d.Slice()...).Numel() == c.in[0].Shape().Numel(), "of %v to %v", c.in[0].Shape(), d)
}

func validatePermute(c check) {
	p := attrOf[attr.Perm](c).Order.Slice()
	slices.Sort(p)
	ok := len(p) == c.in[0].Rank()
	for i, v := range p {
		ok = ok && v == i
	}
	c.must(ok, "%v of shape %v", c.a, c.in[0].Shape())
}

func validateBroadcastTo(c check) {
	d := attrOf[attr.Shape](c).Dims
	c.must(shape.BroadcastsTo(c.in[0].Shape(), shape.Of(c.op, d.Slice()...)), "of %v to %v", c.in[0].Shape(), d)
}

func validateSlice(c check) {
	c.slice(attrOf[attr.Slice](c), c.in[0])
}

func validateSliceUpdate(c check) {
	s := attrOf[attr.Slice](c)
	c.slice(s, c.in[0])
	c.sameDType(c.in)
	c.must(slices.Equal(s.Size.Slice(), c.in[1].Shape().Clone()), "a part of shape %v for %v", c.in[1].Shape(), s.Size)
}

func validateAsStrided(c check) {
	s := attrOf[attr.Strided](c)
	c.must(s.Dims.Len() == s.Strides.Len() && s.Dims.Len() <= shape.MaxRank, "%d sizes and %d strides", s.Dims.Len(), s.Strides.Len())
	out := shape.Of(c.op, s.Dims.Slice()...)
	_, hi, ok := reach(out.Dims(), s.Strides.Slice(), s.Offset)
	c.must(s.Offset >= 0 && ok && (out.Numel() == 0 || hi < c.in[0].Shape().Numel()), "%+v of %d elements", s, c.in[0].Shape().Numel())
}

func validateUnfold(c check) {
	u := attrOf[attr.Unfold](c)
	c.axis(u.Axis, c.in[0])
	c.must(u.Size >= 0 && u.Size <= c.in[0].Dim(u.Axis) && u.Step >= 1, "%+v of shape %v", u, c.in[0].Shape())
}

func validateBitcast(c check) {
	b, x := attrOf[attr.Bitcast](c), c.in[0]
	c.must(b.From == x.DType() && b.To.Valid(), "%v as %v", x.DType(), b.To)
	if x.Rank() == 0 {
		c.must(b.From.Size() == b.To.Size(), "%v as %v", b.From, b.To)
	} else {
		c.must(float64(x.Dim(-1))*float64(b.From.Size()) < 1<<53 && x.Dim(-1)*b.From.Size()%b.To.Size() == 0, "%v of shape %v as %v",
			b.From, x.Shape(), b.To)
	}
}

func validateDiagonal(c check) {
	g := attrOf[attr.Diagonal](c)
	c.axis(g.Dim1, c.in[0])
	c.axis(g.Dim2, c.in[0])
	c.must(g.Dim1 != g.Dim2 && g.Offset >= -most && g.Offset <= most, "%+v", g)
}
