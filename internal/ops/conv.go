package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// One primitive carries every convolution. x is (N, C, spatial…), w is (O, C/groups, kernel…). Both gradients are
// convolutions again: the one to x dilates the cotangent by the stride and reverses the kernel; the one to w
// exchanges batch and channels.
//
// conv_last is the same, but the channels of its result are last, (N, spatial…, O): an input whose channels are last in
// memory is shown to it as (N, C, spatial…), and nothing has to be put in another order on the way through a network.
var opConv, opConvLast *graph.Op

func init() {
	opConv, opConvLast = registerConv("conv", conv, false), registerConv("conv_last", convLast, true)
}

// registerConv declares a convolution; again records one of the same kind.
func registerConv(name string, again func(c attr.Conv, x, w *Node) *Node, last bool) *graph.Op {
	return graph.Register(graph.Op{Name: name, Version: 1, Kind: graph.Contract, AMP: graph.AMPHalf,
		Inputs: graph.Exactly(2), Validate: rule(validateConv),
		SavesIn: 3, FLOPs: convFLOPs,
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			c, x, w := a.(attr.Conv), in[0], in[1]
			d := []int{x.Dim(0), w.Dim(0)}
			for i := range c.Stride.Len() {
				d = append(d, c.Size(i, x.Dim(2+i), w.Dim(2+i)))
			}
			if last {
				d = append(append(d[:1:1], d[2:]...), d[1])
			}
			of := x.DType()
			if c.Sums {
				of = dtype.Float32
			}
			return []graph.Spec{{Shape: shape.Of(name, d...), DType: of}}
		},
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			out := make([]*Node, 2)
			c, x, w := n.Attr().(attr.Conv), n.In(0), n.In(1)
			g := castBack(cot[0], x.DType())
			if last {
				g = channelsFirst(g)
			}
			if need[0] {
				out[0] = convInputGrad(c, g, conj(w), x.Shape().Dims(), last)
			}
			if need[1] {
				out[1] = convWeightGrad(c, conj(x), g, w.Shape().Dims())
			}
			return out
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			var sum *Node
			if tan[0] != nil {
				sum = again(n.Attr().(attr.Conv), tan[0], n.In(1))
			}
			if tan[1] != nil {
				sum = addMaybe(sum, again(n.Attr().(attr.Conv), n.In(0), tan[1]))
			}
			return []*Node{sum}
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			if batched[0] && batched[1] && size == 0 { // there would be no groups
				return []*Node{Cast(reshapeTo(in[0], batchShape(name, n.Shape(), 0)), n.DType())}
			}
			out := vmapConv(n, in, batched, size)
			if last {
				out[0] = moveAxis(out[0], 2, out[0].Rank()-1)
			}
			return out
		}})
}

func conv(c attr.Conv, x, w *Node) *Node     { return apply(opConv, c, x, w) }
func convLast(c attr.Conv, x, w *Node) *Node { return apply(opConvLast, c, x, w) }

// channelsFirst shows (N, spatial…, C) as (N, C, spatial…).
func channelsFirst(x *Node) *Node { return moveAxis(x, x.Rank()-1, 1) }

// convInputGrad is the cotangent of an input of sizes x; last says how it is laid out.
func convInputGrad(c attr.Conv, g, w *Node, x []int, last bool) *Node {
	if product(x) == 0 || g.Shape().Numel() == 0 || w.Shape().Numel() == 0 {
		return broadcastTo(constLike(g, 0), shape.Of("conv", x...))
	}
	rank := c.Stride.Len()
	low, high := make([]int, rank), make([]int, rank)
	for d := range rank {
		reach := (w.Dim(2+d) - 1) * c.KernelDilation.At(d)
		spread := (g.Dim(2+d)-1)*c.Stride.At(d) + 1
		low[d] = reach - c.Low.At(d)
		high[d] = c.Span(d, x[2+d]) + reach - spread - low[d]
	}
	t := attr.Conv{Stride: c.InputDilation, InputDilation: c.Stride, KernelDilation: c.KernelDilation,
		Low: attr.MakeInts(low...), High: attr.MakeInts(high...), Groups: c.Groups, Flip: !c.Flip, Winograd: c.Winograd}
	if last {
		return channelsFirst(convLast(t, g, swapInOut(w, c.Groups)))
	}
	return conv(t, g, swapInOut(w, c.Groups))
}

// swapInOut exchanges the two channel dimensions of a kernel, group by group.
func swapInOut(w *Node, groups int) *Node {
	o, i, k := w.Dim(0), w.Dim(1), w.Shape().Dims()[2:]
	if groups == 1 {
		return swapFirst(w)
	}
	y := moveAxis(Reshape(w, append([]int{groups, o / groups, i}, k...)...), 2, 1)
	return Reshape(y, append([]int{groups * i, o / groups}, k...)...)
}

// swapFirst exchanges the first two dimensions.
func swapFirst(x *Node) *Node { return moveAxis(x, 1, 0) }

// convWeightGrad is the cotangent of a kernel of sizes w: the input's channels become the batch, its batch the channels
// that are summed, and the cotangent is the kernel.
func convWeightGrad(c attr.Conv, x, g *Node, w []int) *Node {
	if product(w) == 0 || x.Shape().Numel() == 0 || g.Shape().Numel() == 0 {
		return broadcastTo(constLike(g, 0), shape.Of("conv", w...))
	}
	if isTransposed(c) {
		return convTransposedGrad(c, x, g, w)
	}
	rank, n := c.Stride.Len(), x.Dim(0)
	high := make([]int, rank)
	for d := range rank {
		high[d] = (w[2+d]-1)*c.KernelDilation.At(d) - c.Span(d, x.Dim(2+d)) + (g.Dim(2+d)-1)*c.Stride.At(d) + 1 - c.Low.At(d)
	}
	t := attr.Conv{Stride: c.KernelDilation, KernelDilation: c.Stride, InputDilation: c.InputDilation,
		Low: c.Low, High: attr.MakeInts(high...), Groups: c.Groups}
	// (N, C, …) to (C/groups, groups·N, …)
	xs := x.Shape().Dims()[2:]
	y := Reshape(x, append([]int{n, c.Groups, w[1]}, xs...)...)
	y = Reshape(moveAxis(swapFirst(y), 2, 0), append([]int{w[1], c.Groups * n}, xs...)...)
	r := swapFirst(conv(t, y, swapFirst(g)))
	if c.Flip {
		r = reverseTaps(r)
	}
	return r
}

// isTransposed reports whether zeros between the input's elements are all that spreads the result, as in a transposed
// convolution of one group.
func isTransposed(c attr.Conv) bool {
	spread := false
	for d := range c.Stride.Len() {
		if c.Stride.At(d) != 1 {
			return false
		}
		spread = spread || c.InputDilation.At(d) > 1
	}
	return spread && c.Groups == 1
}

// convTransposedGrad is convWeightGrad seen from the other side, so that there are no zeros between elements: the input is the
// kernel, spread, and slides over the cotangent, from the last tap to the first.
func convTransposedGrad(c attr.Conv, x, g *Node, w []int) *Node {
	rank := c.Stride.Len()
	low, high := make([]int, rank), make([]int, rank)
	for d := range rank {
		reach := (w[2+d] - 1) * c.KernelDilation.At(d)
		low[d] = reach - c.Low.At(d)
		high[d] = reach - g.Dim(2+d) + (x.Dim(2+d)-1)*c.InputDilation.At(d) + 1 - low[d]
	}
	t := attr.Conv{Stride: c.KernelDilation, KernelDilation: c.InputDilation, InputDilation: c.Stride,
		Low: attr.MakeInts(low...), High: attr.MakeInts(high...), Groups: 1}
	r := conv(t, swapFirst(g), swapFirst(x))
	if !c.Flip {
		r = reverseTaps(r)
	}
	return r
}

// reverseTaps reverses the order of a kernel's taps.
func reverseTaps(w *Node) *Node {
	for d := 2; d < w.Rank(); d++ {
		w = SliceDim(w, d, w.Dim(d)-1, w.Dim(d), -1)
	}
	return w
}

// vmapConv puts the extra axis into the batch, the output channels or the groups.
func vmapConv(n *Node, in []*Node, batched []bool, size int) []*Node {
	c, x, w := n.Attr().(attr.Conv), in[0], in[1]
	if !batched[1] {
		d := x.Shape().Dims()
		y := conv(c, Reshape(x, append([]int{size * d[1]}, d[2:]...)...), w)
		return []*Node{Reshape(y, append([]int{size, d[1]}, y.Shape().Dims()[1:]...)...)}
	}
	d := w.Shape().Dims() // size, O, C/groups, kernel…
	if batched[0] {
		// Every example is a set of groups of its own.
		e := x.Shape().Dims()
		c.Groups *= size
		y := conv(c, Reshape(swapFirst(x), append([]int{e[1], size * e[2]}, e[3:]...)...),
			Reshape(w, append([]int{size * d[1]}, d[2:]...)...))
		y = Reshape(y, slices.Concat([]int{e[1], size, d[1]}, y.Shape().Dims()[2:])...)
		return []*Node{swapFirst(y)}
	}
	// Every example adds output channels to each group.
	perGroup := d[1] / c.Groups
	w = Reshape(w, slices.Concat([]int{size, c.Groups, perGroup}, d[2:])...)
	y := conv(c, x, Reshape(swapFirst(w), append([]int{size * d[1]}, d[2:]...)...))
	rest := y.Shape().Dims()[2:]
	y = Reshape(y, slices.Concat([]int{y.Dim(0), c.Groups, size, perGroup}, rest)...)
	y = moveAxis(y, 2, 0)
	return []*Node{Reshape(y, slices.Concat([]int{size, y.Dim(1), d[1]}, rest)...)}
}
