package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
)

func (c check) pool() attr.Pool {
	return c.windows()
}

// windows checks the windows of a pooling.
func (c check) windows() attr.Pool {
	w := attrOf[attr.Pool](c)
	n := w.In.Len()
	c.must(n >= 1 && n <= 3 && w.Out.Len() == n, "over %d dims", n)
	c.within(w.In, 1)
	c.within(w.Out, 0)
	c.must(w.Count <= attr.CountPadded && w.Divisor >= -most && w.Divisor <= most, "%+v", w)
	if w.Adaptive {
		return w
	}
	c.must(w.Kernel.Len() == n && w.Stride.Len() == n && w.Pad.Len() == n && w.Dilation.Len() == n, "%+v", w)
	c.within(w.Kernel, 1)
	c.within(w.Stride, 1)
	c.within(w.Pad, 0)
	c.within(w.Dilation, 1)
	for d := range n {
		// A window that begins inside the padded input; one may reach past its end by less than a stride.
		last := (w.Out.At(d)-1)*w.Stride.At(d) - w.Pad.At(d)
		c.must(w.Out.At(d) == 0 || last < w.In.At(d)+w.Pad.At(d), "window %d begins at %d of %d", w.Out.At(d)-1, last, w.In.At(d))
		c.must(w.Kernel.At(d) <= w.In.At(d)+2*w.Pad.At(d)+w.Stride.At(d), "a window of %d over %d", w.Kernel.At(d), w.In.At(d))
	}
	return w
}

// sees asks every window to have some element of the input.
func (c check) sees(w attr.Pool) {
	for d := range w.In.Len() {
		c.must(!w.Blind(d), "a window without elements")
	}
}

// endsWith asks the shape of x to end with these sizes.
func (c check) endsWith(x *Node, sizes ...attr.Ints) {
	var want []int
	for _, s := range sizes {
		want = append(want, s.Slice()...)
	}
	d := x.Shape().Dims()
	c.must(len(d) >= len(want) && slices.Equal(d[len(d)-len(want):], want), "an operand of shape %v, which does not end with %v",
		x.Shape(), want)
}

func validateMatmul(c check) {
	c.sameDType(c.in)
	if c.a != nil {
		to := attrOf[attr.Cast](c).To
		c.must(to == dtype.Float32 && c.in[0].DType().IsHalf(), "of %v with a result of %v", c.in[0].DType(), to)
	}
	a, b := c.in[0].Shape().Dims(), c.in[1].Shape().Dims()
	r := len(a)
	c.must(r >= 2 && len(b) == r && slices.Equal(a[:r-2], b[:r-2]) && a[r-1] == b[r-2], "of shapes %v and %v", a, b)
}

func validateGatherMM(c check) {
	outs := attrOf[attr.GatherMM](c).Outs
	a, b := c.in[0], c.in[1]
	c.sameDType(c.in[:2])
	c.must(outs >= 0 && outs <= most && a.Rank() == 3 && b.Rank() == 3 && a.Dim(2) == b.Dim(1), "%d of shapes %v and %v", outs,
		a.Shape(), b.Shape())
	for _, p := range c.in[2:] {
		c.indices(p)
		c.must(p.Rank() == 1 && p.Shape().Equal(c.in[2].Shape()), "positions of shape %v", p.Shape())
	}
}

func validateConv(c check) {
	a, x, w := attrOf[attr.Conv](c), c.in[0], c.in[1]
	c.sameDType(c.in)
	c.must(!a.Sums || x.DType().IsHalf(), "sums of %v", x.DType())
	n := a.Stride.Len()
	c.must(n >= 1 && n <= 3 && x.Rank() == 2+n && w.Rank() == 2+n, "over %d dims of shapes %v and %v", n, x.Shape(), w.Shape())
	for _, v := range []attr.Ints{a.Low, a.High, a.KernelDilation, a.InputDilation} {
		c.must(v.Len() == n, "%+v", a)
	}
	c.within(a.Stride, 1)
	c.within(a.KernelDilation, 1)
	c.within(a.InputDilation, 1)
	c.within(a.Low, -most)
	c.within(a.High, -most)
	for d := range n {
		c.must(x.Dim(2+d) <= most && w.Dim(2+d) <= most, "of shapes %v and %v", x.Shape(), w.Shape())
	}
	c.must(a.Groups >= 1 && a.Groups <= most && w.Dim(0)%a.Groups == 0 && x.Dim(1)%a.Groups == 0 && x.Dim(1)/a.Groups == w.Dim(1),
		"%d groups of shapes %v and %v", a.Groups, x.Shape(), w.Shape())
}

func validatePoolMax(c check) {
	w := c.pool()
	c.sees(w)
	c.endsWith(c.in[0], w.In)
	c.real(c.in[0])
	c.number(c.in[0])
}

func validatePoolMaxT(c check) {
	w := c.windows()
	c.endsWith(c.in[0], w.Out)
	c.floating(c.in[0])
	c.must(c.in[1].DType() == dtype.Int64 && c.in[1].Shape().Equal(c.in[0].Shape()), "indices of %v %v", c.in[1].DType(), c.in[1].Shape())
}

func validatePoolMean(c check) {
	w := c.pool()
	c.endsWith(c.in[0], w.In)
	c.floating(c.in[0])
}

func validatePoolMeanT(c check) {
	w := c.pool()
	c.endsWith(c.in[0], w.Out)
	c.floating(c.in[0])
}

func validatePoolUnfold(c check) {
	w := c.pool()
	c.must(!w.Adaptive, "adaptive windows")
	c.endsWith(c.in[0], w.In)
}

func validatePoolFold(c check) {
	w := c.pool()
	c.must(!w.Adaptive, "adaptive windows")
	c.endsWith(c.in[0], w.Kernel, w.Out)
	c.number(c.in[0])
}
