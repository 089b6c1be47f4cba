package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// Channels are dimension 1. channel_moments gives their means and variances over all other dimensions, channel_dots the
// sums of g and of g·(x - mean): what batch normalisation and its gradient need of large arrays, each read once. Both
// are computed in the dtype of sums.
var opChannelMoments, opChannelDots *graph.Op

func init() {
	opChannelMoments = graph.Register(graph.Op{Name: "channel_moments", Version: 1, Kind: graph.Other, AMP: graph.AMPKeep, SavesIn: 1, SavesOut: true,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec { return channelSpecs(in[0]) },
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			x, m := n.In(0), graph.Item(n, 0)
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
			x, m := n.In(0), graph.Item(n, 0)
			count := float64(x.Shape().Numel() / max(1, x.Dim(1)))
			d := graph.Items(graph.New(opChannelDots, nil, Cast(tan[0], x.DType()), x, m))
			return []*Node{Div(d[0], count), Mul(d[1], 2/count)}
		},
		VMap: func(n *Node, in []*Node, _ []bool, size int) []*Node {
			return splitChannels(graph.Items(graph.New(n.Op(), nil, joinChannels(in[0]))), size)
		}})
	opChannelDots = graph.Register(graph.Op{Name: "channel_dots", Version: 1, Kind: graph.Other, AMP: graph.AMPKeep, SavesIn: 7, SavesOut: true,
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
				out[2] = Neg(Mul(cot[1], graph.Item(n, 0)))
			}
			return out
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			g, x, m := n.In(0), n.In(1), n.In(2)
			var sums, dots *Node
			if tan[0] != nil {
				d := graph.Items(graph.New(opChannelDots, nil, Cast(tan[0], g.DType()), x, m))
				sums, dots = d[0], d[1]
			}
			if tan[1] != nil { // Σ g·tx, by the same op around 0
				zero := zerosLike(m)
				dots = addMaybe(dots, graph.Items(graph.New(opChannelDots, nil, g, Cast(tan[1], x.DType()), zero))[1])
			}
			if tan[2] != nil {
				dots = addMaybe(dots, Neg(Mul(tan[2], graph.Item(n, 0))))
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
			return splitChannels(graph.Items(graph.New(n.Op(), nil, all...)), size)
		}})
}

func channelSpecs(x *Node) []graph.Spec {
	s := graph.Spec{Shape: shape.Of("channels", x.Dim(1)), DType: statDType(x.DType())}
	return []graph.Spec{s, s}
}

// centred is x less its channels' means, in their dtype.
func centred(x, mean *Node) *Node { return Sub(Cast(x, mean.DType()), perChannel(mean, x.Rank())) }

// joinChannels makes an axis in front part of the channels, and splitChannels takes it off results.
func joinChannels(x *Node) *Node {
	d := x.Shape().Dims()
	return Reshape(swapFirst(x), slices.Concat([]int{d[1], d[0] * d[2]}, d[3:])...)
}

func splitChannels(out []*Node, size int) []*Node {
	for i, x := range out {
		out[i] = Reshape(x, size, x.Dim(0)/max(1, size))
	}
	return out
}

// batchNormed is the normalisation of a batch by its own statistics, over large arrays: its gradient reads x and the
// cotangent once for both sums, and once more for the result.
func batchNormed(x, weight, bias, mean, variance *Node, eps float64) *Node {
	d := mean.DType()
	in := []*Node{x}
	for _, p := range []*Node{weight, bias} {
		if p != nil {
			in = append(in, p)
		}
	}
	scale := func(v *Node) *Node { return Rsqrt(Add(v, eps)) }
	of, r0 := x, scale(variance)
	s := r0
	if weight != nil {
		s = Mul(s, Cast(weight, d))
	}
	y := Cast(affineChannels("batch_norm", centred(x, mean), s, castMaybe(bias, d)), x.DType())
	read := func(in []*Node) (x, w, b, m, r *Node) {
		x = in[0]
		in = in[1:]
		if weight != nil {
			w, in = in[0], in[1:]
		}
		if bias != nil {
			b = in[0]
		}
		if x == of {
			return x, w, b, mean, r0
		}
		stats := graph.Items(graph.New(opChannelMoments, nil, x))
		return x, w, b, stats[0], scale(stats[1])
	}
	rules := &Rules{Name: "batch_norm", In: len(in), Same: true,
		VJP: func(in, _, cot []*Node, need []bool) []*Node {
			x, w, b, m, r := read(in)
			count := float64(x.Shape().Numel() / max(1, x.Dim(1)))
			sums := graph.Items(graph.New(opChannelDots, nil, Cast(cot[0], x.DType()), x, m))
			out := make([]*Node, len(in))
			if need[0] {
				// dx = s·(g - Σg/n - (x - m)·r²·Σg(x - m)/n)
				s := r
				if w != nil {
					s = Mul(s, Cast(w, d))
				}
				each := func(v *Node) *Node { return perChannel(v, x.Rank()) }
				slope := Mul(Mul(Square(r), sums[1]), -1/count)
				g := Add(Sub(Cast(cot[0], d), each(Div(sums[0], count))), Mul(centred(x, m), each(slope)))
				out[0] = Cast(Mul(g, each(s)), x.DType())
			}
			k := 1
			if w != nil {
				out[k] = castLike(Mul(sums[1], r), w)
				k++
			}
			if b != nil {
				out[k] = castLike(sums[0], b)
			}
			return out
		},
		JVP: func(in, tan []*Node) []*Node {
			x, w, b, m, r := read(in)
			each := func(v *Node) *Node { return perChannel(v, x.Rank()) }
			count := float64(x.Shape().Numel() / max(1, x.Dim(1)))
			t, hat := Cast(tan[0], d), Mul(centred(x, m), each(r))
			sums := graph.Items(graph.New(opChannelDots, nil, Cast(tan[0], x.DType()), x, m))
			slope := Mul(Mul(Square(r), sums[1]), -1/count)
			t = Mul(Add(Sub(t, each(Div(sums[0], count))), Mul(centred(x, m), each(slope))), each(r))
			k := 1
			if w != nil {
				t = Add(Mul(t, each(Cast(w, d))), Mul(hat, each(Cast(tan[k], d))))
				k++
			}
			if b != nil {
				t = Add(t, each(Cast(tan[k], d)))
			}
			return []*Node{Cast(t, x.DType())}
		}}
	return WithRules(rules, in, []*Node{y})[0]
}
