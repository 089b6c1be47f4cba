package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
)

func validateClassNLL(c check) {
	axis := attrOf[attr.Axis](c).Axis
	c.axis(axis, c.in[0])
	c.floating(c.in[0])
	c.indices(c.in[1])
	d := c.in[0].Shape().Clone()
	d[axis] = 1
	c.must(slices.Equal(d, c.in[1].Shape().Clone()), "targets of shape %v for %v", c.in[1].Shape(), c.in[0].Shape())
}

func validateClassNLLGrad(c check) {
	axis := attrOf[attr.Axis](c).Axis
	x := c.in[0]
	c.axis(axis, x)
	c.floating(x)
	c.indices(c.in[2])
	d := x.Shape().Clone()
	d[axis] = 1
	for i, v := range c.in[1:] {
		c.must(i == 1 || v.DType() == x.DType(), "an operand of %v for %v", v.DType(), x.DType())
		c.must(slices.Equal(d, v.Shape().Clone()), "an operand of shape %v for %v", v.Shape(), x.Shape())
	}
}

func validateClassLoss(c check) {
	c.classLoss(c.in[0], c.in[1], c.in[2:])
}

// classLoss checks a loss at target classes; weights has those of the classes, or nothing.
func (c check) classLoss(x, target *Node, weights []*Node) (wide dtype.DType) {
	a := attrOf[attr.ClassLoss](c)
	c.axis(a.Axis, x)
	c.floating(x)
	c.indices(target)
	c.must(a.Fold <= attr.LossNone, "has no fold %d", a.Fold)
	c.must(!a.Logits || !x.DType().IsHalf(), "logits of %v", x.DType())
	d := x.Shape().Clone()
	c.must(slices.Equal(slices.Delete(d, a.Axis, a.Axis+1), target.Shape().Dims()),
		"targets of shape %v for %v", target.Shape(), x.Shape())
	wide = statDType(x.DType())
	c.must(len(weights) <= 1, "has %d weights", len(weights))
	for _, w := range weights {
		c.must(w.DType() == wide && w.Rank() == 1 && w.Dim(0) == x.Dim(a.Axis), "weights %v of shape %v for %v", w.DType(), w.Shape(),
			x.Shape())
	}
	return wide
}

func validateClassLossGrad(c check) {
	a, rest := attrOf[attr.ClassLoss](c), c.in[4:]
	g, target, x, total := c.in[0], c.in[1], c.in[2], c.in[3]
	var lse *Node
	if a.Logits {
		c.must(len(rest) > 0, "has no sums of exponentials")
		lse, rest = rest[0], rest[1:]
	}
	wide := c.classLoss(x, target, rest)
	c.must(g.DType() == x.DType() && (g.Rank() == 0 || a.Fold == attr.LossNone && g.Shape().Equal(target.Shape())),
		"a cotangent %v of shape %v for %v", g.DType(), g.Shape(), x.Shape())
	c.must(a.Fold != attr.LossNone || g.Shape().Equal(target.Shape()), "a cotangent of shape %v for targets of %v",
		g.Shape(), target.Shape())
	c.must(total.DType() == wide && total.Rank() == 0, "a sum of weights %v of shape %v", total.DType(), total.Shape())
	c.must(lse == nil || lse.DType() == wide && lse.Shape().Equal(target.Shape()), "sums of exponentials that do not fit %v", x.Shape())
}
