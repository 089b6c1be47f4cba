package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
)

// attended checks q, k, v and perhaps a mask.
func (c check) attended(q, k, v *Node, masks []*Node) {
	attrOf[attr.Attention](c)
	c.floating(q)
	c.sameDType([]*Node{q, k, v})
	c.must(q.Rank() == 4 && k.Rank() == 4 && v.Rank() == 4, "operands of shapes %v, %v and %v", q.Shape(), k.Shape(), v.Shape())
	dq, dk, dv := q.Shape().Dims(), k.Shape().Dims(), v.Shape().Dims()
	c.must(dq[0] == dk[0] && dq[3] == dk[3] && slices.Equal(dk[:3], dv[:3]), "operands of shapes %v, %v and %v", q.Shape(),
		k.Shape(), v.Shape())
	c.must(dq[1] == dk[1] || dk[1] > 0 && dq[1]%dk[1] == 0, "%d heads for %d", dk[1], dq[1])
	for _, m := range masks {
		c.must(m.DType() == dtype.Bool || m.DType() == q.DType() || m.DType() == statDType(q.DType()), "a mask of %v for %v",
			m.DType(), q.DType())
		c.must(m.Rank() == 4, "a mask of shape %v", m.Shape())
		for i, d := range []int{dq[0], dq[1], dq[2], dk[2]} {
			c.must(m.Dim(i) == 1 || m.Dim(i) == d, "a mask of shape %v for %v and %v", m.Shape(), q.Shape(), k.Shape())
		}
	}
}

func validateAttention(c check) {
	c.attended(c.in[0], c.in[1], c.in[2], c.in[3:])
	c.must(!attrOf[attr.Attention](c).Shifted, "a cotangent of logarithms, which only a gradient has")
}

func validateAttentionGrad(c check) {
	a := attrOf[attr.Attention](c)
	at := attentionGradMask(a)
	c.must(len(c.in) == at || len(c.in) == at+1, "%d inputs", len(c.in))
	g, q, v, y := c.in[0], c.in[1], c.in[3], c.in[5]
	c.attended(q, c.in[2], v, c.in[at:])
	d := append(q.Shape().Clone()[:3], v.Dim(3))
	for _, x := range []*Node{g, y} {
		c.must(x.DType() == q.DType() && slices.Equal(x.Shape().Dims(), d), "a result or cotangent of %v %v", x.DType(), x.Shape())
	}
	rows := []*Node{c.in[4]}
	if a.Shifted {
		rows = append(rows, c.in[6])
	}
	for _, s := range rows {
		c.must(s.DType() == statDType(q.DType()) && slices.Equal(s.Shape().Dims(), d[:3]), "logarithms or cotangents of %v %v",
			s.DType(), s.Shape())
	}
}
