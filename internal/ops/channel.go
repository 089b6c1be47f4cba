package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// Channels are dimension 1. channel_moments gives their means and variances over all other dimensions, channel_dots the
// sums of g and of g·(x - mean): what batch normalisation and its gradient need of large arrays, each read once. Both
// are computed in the dtype of sums.
var opChannelMoments, opChannelDots *graph.Op

func init() {
	opChannelMoments = graph.Register(graph.Op{Name: "channel_moments", Version: 1, Kind: graph.Other,
		Inputs: graph.Exactly(1), Validate: rule(validateChannelMoments),
		SavesIn: 1, SavesOut: true,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec { return channelSpecs(in[0]) },
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			x, m := n.In(0), graph.TupleItem(n, 0)
			count := float64(x.Shape().Numel() / max(1, x.Dim(1)))
			var sum *Node
			if cot[0] != nil {
				sum = expandTo(perChannel(Div(cot[0], count), x.Rank()), x.Shape())
			}
			if cot[1] != nil {
				sum = addMaybe(sum, Mul(centred(x, m), perChannel(Mul(cot[1], 2/count), x.Rank())))
			}
			return []*Node{castMaybe(sum, x.DType())}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			x, m := n.In(0), graph.TupleItem(n, 0)
			count := float64(x.Shape().Numel() / max(1, x.Dim(1)))
			d := graph.TupleItems(graph.New(opChannelDots, nil, Cast(tan[0], x.DType()), x, m))
			return []*Node{Div(d[0], count), Mul(d[1], 2/count)}
		},
		VMap: func(n *Node, in []*Node, _ []bool, size int) []*Node {
			return unfold(n, graph.New(n.Op(), nil, joinChannels(in[0])), size)
		}})
	opChannelDots = graph.Register(graph.Op{Name: "channel_dots", Version: 1, Kind: graph.Other,
		Inputs: graph.Exactly(3), Validate: rule(validateChannelDots),
		SavesIn: 7, SavesOut: true,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec { return channelSpecs(in[1]) },
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			g, x, m := n.In(0), n.In(1), n.In(2)
			out := make([]*Node, 3)
			if need[0] {
				if cot[0] != nil {
					out[0] = expandTo(perChannel(cot[0], x.Rank()), x.Shape())
				}
				if cot[1] != nil {
					out[0] = addMaybe(out[0], Mul(centred(x, m), perChannel(cot[1], x.Rank())))
				}
				out[0] = castMaybe(out[0], g.DType())
			}
			if need[1] && cot[1] != nil {
				out[1] = Cast(Mul(Cast(g, m.DType()), perChannel(cot[1], x.Rank())), x.DType())
			}
			if need[2] && cot[1] != nil {
				out[2] = Neg(Mul(cot[1], graph.TupleItem(n, 0)))
			}
			return out
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			g, x, m := n.In(0), n.In(1), n.In(2)
			var sums, dots *Node
			if tan[0] != nil {
				d := graph.TupleItems(graph.New(opChannelDots, nil, Cast(tan[0], g.DType()), x, m))
				sums, dots = d[0], d[1]
			}
			if tan[1] != nil { // Σ g·tx, by the same op around 0
				zero := zerosLike(m)
				dots = addMaybe(dots, graph.TupleItems(graph.New(opChannelDots, nil, g, Cast(tan[1], x.DType()), zero))[1])
			}
			if tan[2] != nil {
				dots = addMaybe(dots, Neg(Mul(tan[2], graph.TupleItem(n, 0))))
			}
			return []*Node{sums, dots}
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			all := slices.Clone(in)
			for i, x := range all {
				if !batched[i] {
					x = broadcastTo(x, batchShape("channel_dots", x.Shape(), size))
				}
				if all[i] = x; i < 2 {
					all[i] = joinChannels(x)
				} else {
					all[i] = Reshape(x, x.Shape().Numel())
				}
			}
			return unfold(n, graph.New(n.Op(), nil, all...), size)
		}})
}

// channelMoments are the means and variances of the channels; those of nothing are 0, so that gradients of parameters are.
func channelMoments(x *Node) (mean, variance *Node) {
	m := graph.TupleItems(graph.New(opChannelMoments, nil, x))
	if x.Shape().Numel() == 0 {
		return zerosLike(m[0]), zerosLike(m[1])
	}
	return m[0], m[1]
}

func channelSpecs(x *Node) []graph.Spec {
	s := graph.Spec{Shape: shape.Of("channels", x.Dim(1)), DType: statDType(x.DType())}
	return []graph.Spec{s, s}
}

// centred is x less its channels' means, in their dtype.
func centred(x, mean *Node) *Node { return Sub(Cast(x, mean.DType()), perChannel(mean, x.Rank())) }

// joinChannels makes an axis in front part of the channels.
func joinChannels(x *Node) *Node {
	d := x.Shape().Dims()
	return Reshape(swapFirst(x), slices.Concat([]int{d[1], d[0] * d[2]}, d[3:])...)
}

// channelled is an array as batch normalisation sees it: with its channels as dimension 1, or last.
type channelled struct {
	last bool
	d    dtype.DType // of statistics
}

// show shows an array with its channels as dimension 1.
func (c channelled) show(x *Node) *Node {
	if c.last {
		return channelsFirst(x)
	}
	return x
}

// spread gives one value a channel the shape that broadcasts to an array of that rank.
func (c channelled) spread(v *Node, rank int) *Node {
	if c.last {
		return v
	}
	return perChannel(v, rank)
}

// affine is (x - mean)·scale + bias in the dtype of statistics; bias may be nil.
func (c channelled) affine(x, mean, scale, bias *Node) *Node {
	y := Mul(Sub(Cast(x, c.d), c.spread(mean, x.Rank())), c.spread(scale, x.Rank()))
	if bias != nil {
		y = Add(y, c.spread(Cast(bias, c.d), x.Rank()))
	}
	return y
}

// batchNorm is the normalisation of a batch by its own statistics.
type batchNorm struct {
	channelled
	eps              float64
	weighted, biased bool
}

// operands takes the inputs apart.
func (b batchNorm) operands(in []*Node) (x, weight, bias *Node) {
	x, in = in[0], in[1:]
	if b.weighted {
		weight, in = in[0], in[1:]
	}
	if b.biased {
		bias = in[0]
	}
	return x, weight, bias
}

func (b batchNorm) moments(x *Node) (mean, variance *Node) {
	return channelMoments(b.show(x))
}

func (b batchNorm) root(variance *Node) *Node { return Rsqrt(Add(variance, b.eps)) }

// scale is what channels are multiplied by.
func (b batchNorm) scale(r, weight *Node) *Node {
	if weight == nil {
		return r
	}
	return Mul(r, Cast(weight, b.d))
}

// project is what of a change of x survives: s·(g - Σg/n + (m - x)·r²·Σg(x - m)/n), and the two sums. It is x's
// cotangent, and the tangent of the result. (x - m would be the one of the forward pass, and stored until here.)
func (b batchNorm) project(g, x, mean, r, s *Node) (dx *Node, sums []*Node) {
	count := float64(x.Shape().Numel() / max(1, mean.Dim(0)))
	sums = graph.TupleItems(graph.New(opChannelDots, nil, b.show(Cast(g, x.DType())), b.show(x), mean))
	each := func(v *Node) *Node { return b.spread(v, x.Rank()) }
	slope := Mul(Mul(Square(r), sums[1]), 1/count)
	dx = Add(Sub(Cast(g, b.d), each(Div(sums[0], count))), Mul(Sub(each(mean), Cast(x, b.d)), each(slope)))
	return Mul(dx, each(s)), sums
}

// result computes the batch normalisation of x by its mean and variance. Its gradient reads x and the cotangent once for
// both sums, and once more for the result.
func (b batchNorm) result(x, weight, bias, mean, variance *Node) *Node {
	in := []*Node{x}
	for _, p := range []*Node{weight, bias} {
		if p != nil {
			in = append(in, p)
		}
	}
	b.weighted, b.biased = weight != nil, bias != nil
	root := b.root(variance)
	y := Cast(b.affine(x, mean, b.scale(root, weight), bias), x.DType())
	stats := func(of *Node) (m, r *Node) {
		if of == x {
			return mean, root
		}
		m, v := b.moments(of)
		return m, b.root(v)
	}
	rules := &Rules{Name: "batch_norm", In: len(in), Same: true,
		VJP: func(in, _, cot []*Node, need []bool) []*Node {
			x, w, bias := b.operands(in)
			m, r := stats(x)
			dx, sums := b.project(cot[0], x, m, r, b.scale(r, w))
			out := []*Node{nil}
			if need[0] {
				out[0] = Cast(dx, x.DType())
			}
			if w != nil {
				out = append(out, castLike(Mul(sums[1], r), w))
			}
			if bias != nil {
				out = append(out, castLike(sums[0], bias))
			}
			return out
		},
		JVP: func(in, tan []*Node) []*Node {
			x, w, bias := b.operands(in)
			m, r := stats(x)
			tx, tw, tb := b.operands(tan)
			t, _ := b.project(tx, x, m, r, b.scale(r, w))
			if w != nil {
				t = Add(t, b.affine(x, m, Mul(r, Cast(tw, b.d)), nil))
			}
			if bias != nil {
				t = Add(t, b.spread(Cast(tb, b.d), x.Rank()))
			}
			return []*Node{Cast(t, x.DType())}
		}}
	return WithRules(rules, in, []*Node{y})[0]
}
