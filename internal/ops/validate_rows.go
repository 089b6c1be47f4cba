package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/shape"
)

// reduction checks the dimensions of a reduction and returns how many elements it folds into one.
func (c check) reduction(a any) int {
	axes, _ := folded(a)
	n, last := 1, -1
	for _, v := range axes.Slice() {
		c.axis(v, c.in[0])
		c.must(v > last, "dims %v are not in order", axes)
		last = v
		n *= c.in[0].Dim(v)
	}
	return n
}

// sameRows asks for operands of one shape and dtype; unlike elementwise ops, row-wise ones take no immediates.
func (c check) sameRows() {
	c.sameDType(c.in)
	for _, x := range c.in {
		c.must(x.Shape().Equal(c.in[0].Shape()), "operands of shapes %v and %v", c.in[0].Shape(), x.Shape())
	}
}

// scan checks a scan over operands of one shape.
func (c check) scan() {
	s := attrOf[attr.Scan](c)
	c.sameRows()
	c.axis(s.Axis, c.in[0])
}

// validateRowNorm checks layer_norm and rms_norm.
func validateRowNorm(c check) {
	a := attrOf[attr.RowNorm](c)
	c.sameDType(c.in)
	x := c.in[0]
	c.floating(x)
	c.must(a.Dims >= 1 && a.Dims <= x.Rank(), "over %d dims of shape %v", a.Dims, x.Shape())
	for _, w := range c.in[1:] {
		c.must(slices.Equal(w.Shape().Dims(), x.Shape().Dims()[x.Rank()-a.Dims:]), "a weight of shape %v for %v", w.Shape(), x.Shape())
	}
}

// channels asks for floats with channels, dimension 1.
func (c check) channels(x *Node) {
	c.floating(x)
	c.must(x.Rank() >= 2, "of shape %v", x.Shape())
}

// rowNormGrad checks layer_norm_grad and rms_norm_grad, which have that many statistics: g, x, these, and perhaps a weight.
func (c check) rowNormGrad(stats int) {
	a := attrOf[attr.RowNorm](c)
	x, r := c.in[1], c.in[1].Rank()
	c.floating(x)
	c.must(a.Dims >= 1 && a.Dims <= r, "over %d dims of shape %v", a.Dims, x.Shape())
	c.must(c.in[0].DType() == x.DType() && c.in[0].Shape().Equal(x.Shape()), "a cotangent of %v %v", c.in[0].DType(), c.in[0].Shape())
	lead := append(x.Shape().Clone()[:r-a.Dims], ones(a.Dims)...)
	for _, s := range c.in[2 : 2+stats] {
		c.must(s.DType() == statDType(x.DType()) && slices.Equal(s.Shape().Clone(), lead), "a statistic of %v %v", s.DType(), s.Shape())
	}
	for _, w := range c.in[2+stats:] {
		c.must(w.DType() == x.DType() && slices.Equal(w.Shape().Dims(), x.Shape().Dims()[r-a.Dims:]), "a weight of %v %v",
			w.DType(), w.Shape())
	}
}

func validateReduce(c check) {
	c.reduction(attrOf[attr.Axes](c))
}

func validateReduceInexact(c check) {
	c.reduction(attrOf[attr.Axes](c))
	c.inexact(c.in[0])
}

func validateReduceOrdered(c check) {
	n := c.reduction(attrOf[attr.Axes](c))
	c.real(c.in[0])
	axes, _ := folded(c.a)
	c.must(n > 0 || shape.Reduced(c.op, c.in[0].Shape(), axes.Slice(), true).Numel() == 0, "over no elements")
}

func validateVar(c check) {
	c.reduction(attrOf[attr.Var](c))
	c.inexact(c.in[0])
}

func validateVectorNorm(c check) {
	c.reduction(attrOf[attr.Norm](c))
	c.inexact(c.in[0])
}

func validateSoftmax(c check) {
	c.axis(attrOf[attr.Axis](c).Axis, c.in[0])
	c.floating(c.in[0])
}

func validateSoftmaxGrad(c check) {
	c.sameRows()
	c.axis(attrOf[attr.Axis](c).Axis, c.in[0])
	c.floating(c.in[0])
}

func validateScan(c check) { c.scan() }

func validateScanOrdered(c check) {
	c.scan()
	c.real(c.in[0])
}

func validateLinearScan(c check) {
	c.scan()
	c.inexact(c.in[0])
}

func validateSort(c check) {
	c.axis(attrOf[attr.Sort](c).Axis, c.in[0])
	c.real(c.in[0])
}

func validateTopK(c check) {
	k := attrOf[attr.TopK](c)
	c.axis(k.Axis, c.in[0])
	c.real(c.in[0])
	c.must(k.K >= 0 && k.K <= c.in[0].Dim(k.Axis), "the first %d along dim %d of shape %v", k.K, k.Axis, c.in[0].Shape())
}

func validateArgpartition(c check) {
	k := attrOf[attr.TopK](c)
	c.axis(k.Axis, c.in[0])
	c.real(c.in[0])
	c.must(k.Smallest && k.K >= 0 && k.K < c.in[0].Dim(k.Axis), "around index %d along dim %d of shape %v", k.K, k.Axis, c.in[0].Shape())
}

func validateLexsort(c check) {
	c.none()
	c.real(c.in[0])
	c.must(c.in[0].Rank() >= 2, "of shape %v", c.in[0].Shape())
}

func validateChannelMoments(c check) {
	c.none()
	c.channels(c.in[0])
}

func validateChannelDots(c check) {
	c.none()
	g, x, m := c.in[0], c.in[1], c.in[2]
	c.channels(x)
	c.must(g.DType() == x.DType() && g.Shape().Equal(x.Shape()), "a cotangent of %v %v", g.DType(), g.Shape())
	c.must(m.DType() == statDType(x.DType()) && m.Rank() == 1 && m.Dim(0) == x.Dim(1), "means of %v %v for %v", m.DType(),
		m.Shape(), x.Shape())
}

func validateIsin(c check) {
	c.none()
	c.sameDType(c.in)
	c.must(!c.in[0].DType().IsHalf(), "has no meaning for %v", c.in[0].DType())
}

func validateSearchsorted(c check) {
	attrOf[attr.Search](c)
	c.sameDType(c.in)
	seq, v := c.in[0], c.in[1]
	c.real(seq)
	ok := seq.Rank() == 1 || seq.Rank() > 1 && v.Rank() == seq.Rank() &&
		slices.Equal(seq.Shape().Dims()[:seq.Rank()-1], v.Shape().Dims()[:v.Rank()-1])
	c.must(ok, "values of shape %v in a sequence of shape %v", v.Shape(), seq.Shape())
}
