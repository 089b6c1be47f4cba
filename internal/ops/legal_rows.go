package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/shape"
)

// reduction checks the dimensions of a reduction and returns how many elements it folds into one.
func (c claim) reduction(a any) int {
	c.inputs(1)
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

// rows asks for n operands of one shape and dtype; unlike elementwise ops, row-wise ones take no immediates for more.
func (c claim) rows(n int) {
	c.inputs(n)
	c.sameDType(c.in)
	for _, x := range c.in {
		c.must(x.Shape().Equal(c.in[0].Shape()), "operands of shapes %v and %v", c.in[0].Shape(), x.Shape())
	}
}

// scan checks a row-wise op of alike inputs.
func (c claim) scan(inputs int) {
	s := attrOf[attr.Scan](c)
	c.rows(inputs)
	c.axis(s.Axis, c.in[0])
}

// rowNorm checks layer_norm and rms_norm.
func (c claim) rowNorm(inputs int) {
	a := attrOf[attr.RowNorm](c)
	c.must(len(c.in) >= 1 && len(c.in) <= inputs, "%d inputs", len(c.in))
	c.sameDType(c.in)
	x := c.in[0]
	c.floating(x)
	c.must(a.Dims >= 1 && a.Dims <= x.Rank(), "over %d dims of shape %v", a.Dims, x.Shape())
	for _, w := range c.in[1:] {
		c.must(slices.Equal(w.Shape().Dims(), x.Shape().Dims()[x.Rank()-a.Dims:]), "a weight of shape %v for %v", w.Shape(), x.Shape())
	}
}

// channels asks for floats with channels, dimension 1.
func (c claim) channels(x *Node) {
	c.floating(x)
	c.must(x.Rank() >= 2, "of shape %v", x.Shape())
}

// rowNormGrad checks layer_norm_grad and rms_norm_grad, which have that many statistics: g, x, these, and perhaps a weight.
func (c claim) rowNormGrad(stats int) {
	a := attrOf[attr.RowNorm](c)
	c.must(len(c.in) == 2+stats || len(c.in) == 3+stats, "%d inputs", len(c.in))
	x, r := c.in[1], c.in[1].Rank()
	c.floating(x)
	c.must(a.Dims >= 1 && a.Dims <= r, "over %d dims of shape %v", a.Dims, x.Shape())
	c.must(c.in[0].DType() == x.DType() && c.in[0].Shape().Equal(x.Shape()), "a cotangent of %v %v", c.in[0].DType(), c.in[0].Shape())
	lead := append(x.Shape().Clone()[:r-a.Dims], ones(a.Dims)...)
	for _, s := range c.in[2 : 2+stats] {
		c.must(s.DType() == statDType(x.DType()) && slices.Equal(s.Shape().Clone(), lead), "a statistic of %v %v", s.DType(), s.Shape())
	}
	for _, w := range c.in[2+stats:] {
		c.must(w.DType() == x.DType() && slices.Equal(w.Shape().Dims(), x.Shape().Dims()[r-a.Dims:]), "a weight of %v %v", w.DType(), w.Shape())
	}
}

func init() {
	legalOps([]string{"sum", "prod", "any", "all", "count_nonzero"}, func(c claim) {
		c.reduction(attrOf[attr.Axes](c))
	})
	legalOps([]string{"mean", "logsumexp"}, func(c claim) {
		c.reduction(attrOf[attr.Axes](c))
		c.inexact(c.in[0])
	})
	legalOps([]string{"amax", "amin", "argmax", "argmin", "argmode", "median", "nanmedian"}, func(c claim) {
		n := c.reduction(attrOf[attr.Axes](c))
		c.real(c.in[0])
		axes, _ := folded(c.a)
		c.must(n > 0 || shape.Reduced(c.op, c.in[0].Shape(), axes.Slice(), true).Numel() == 0, "over no elements")
	})
	legal["var"] = func(c claim) {
		c.reduction(attrOf[attr.Var](c))
		c.inexact(c.in[0])
	}
	legal["vector_norm"] = func(c claim) {
		c.reduction(attrOf[attr.Norm](c))
		c.inexact(c.in[0])
	}
	legalOps([]string{"softmax", "log_softmax"}, func(c claim) {
		c.inputs(1)
		c.axis(attrOf[attr.Axis](c).Axis, c.in[0])
		c.floating(c.in[0])
	})
	legal["softmax_grad"] = func(c claim) {
		c.rows(2)
		c.axis(attrOf[attr.Axis](c).Axis, c.in[0])
		c.floating(c.in[0])
	}
	legal["layer_norm_grad"] = func(c claim) { c.rowNormGrad(2) }
	legal["rms_norm_grad"] = func(c claim) { c.rowNormGrad(1) }
	legalOps([]string{"cumsum", "cumprod", "logcumsumexp"}, func(c claim) { c.scan(1) })
	legalOps([]string{"argcummax", "argcummin"}, func(c claim) {
		c.scan(1)
		c.real(c.in[0])
	})
	legal["linear_scan"] = func(c claim) {
		c.scan(2)
		c.inexact(c.in[0])
	}
	legalOps([]string{"sort", "argsort"}, func(c claim) {
		c.inputs(1)
		c.axis(attrOf[attr.Sort](c).Axis, c.in[0])
		c.real(c.in[0])
	})
	legal["topk"] = func(c claim) {
		c.inputs(1)
		k := attrOf[attr.TopK](c)
		c.axis(k.Axis, c.in[0])
		c.real(c.in[0])
		c.must(k.K >= 0 && k.K <= c.in[0].Dim(k.Axis), "the first %d along dim %d of shape %v", k.K, k.Axis, c.in[0].Shape())
	}
	legal["argpartition"] = func(c claim) {
		c.inputs(1)
		k := attrOf[attr.TopK](c)
		c.axis(k.Axis, c.in[0])
		c.real(c.in[0])
		c.must(k.Smallest && k.K >= 0 && k.K < c.in[0].Dim(k.Axis), "around place %d along dim %d of shape %v", k.K, k.Axis, c.in[0].Shape())
	}
	legal["lexsort"] = func(c claim) {
		c.inputs(1)
		c.none()
		c.real(c.in[0])
		c.must(c.in[0].Rank() >= 2, "of shape %v", c.in[0].Shape())
	}
	legal["layer_norm"] = func(c claim) { c.rowNorm(3) }
	legal["channel_moments"] = func(c claim) {
		c.inputs(1)
		c.none()
		c.channels(c.in[0])
	}
	legal["channel_dots"] = func(c claim) {
		c.inputs(3)
		c.none()
		g, x, m := c.in[0], c.in[1], c.in[2]
		c.channels(x)
		c.must(g.DType() == x.DType() && g.Shape().Equal(x.Shape()), "a cotangent of %v %v", g.DType(), g.Shape())
		c.must(m.DType() == statDType(x.DType()) && m.Rank() == 1 && m.Dim(0) == x.Dim(1), "means of %v %v for %v", m.DType(), m.Shape(), x.Shape())
	}
	legal["rms_norm"] = func(c claim) { c.rowNorm(2) }
	legal["isin"] = func(c claim) {
		c.inputs(2)
		c.none()
		c.sameDType(c.in)
		c.must(!c.in[0].DType().IsHalf(), "has no meaning for %v", c.in[0].DType())
	}
	legal["searchsorted"] = func(c claim) {
		c.inputs(2)
		attrOf[attr.Search](c)
		c.sameDType(c.in)
		seq, v := c.in[0], c.in[1]
		c.real(seq)
		ok := seq.Rank() == 1 || seq.Rank() > 1 && v.Rank() == seq.Rank() && slices.Equal(seq.Shape().Dims()[:seq.Rank()-1], v.Shape().Dims()[:v.Rank()-1])
		c.must(ok, "values of shape %v in a sequence of shape %v", v.Shape(), seq.Shape())
	}
}
