package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// GroupNorm normalises over groups of channels (dim 1) and all that is behind them, then applies weight and bias per channel.
//
//lucid:pkg nn/functional
//lucid:options GroupNormOptions
//lucid:optional weight bias
//lucid:amp float32
func GroupNorm(x *Node, numGroups int, weight, bias *Node, o EpsOptions) *Node {
	ampFloat32(&x)
	realFloat("group_norm", x)
	if x.Rank() < 2 || numGroups <= 0 || x.Dim(1)%numGroups != 0 {
		fault.Throw(fault.Shape, "group_norm", "the channels of %v do not make %d groups", x.Shape(), numGroups)
	}
	return normGroups("group_norm", x, numGroups, weight, bias, orElse(o.Eps, 1e-5))
}

// groupNorm is the normalisation of groups of channels of each example. Like that of a batch it reads x once for the
// statistics and once for the result, and its gradient x and the cotangent once for sums and once for the result: what is
// between them is small, a value for each channel of each example or for each group.
type groupNorm struct {
	d                 dtype.DType // of statistics
	eps               float64
	examples, groups  int
	channels, members int     // of an example, of a group
	count             float64 // elements of a group
	weighted, biased  bool
}

// normGroups normalises x by groups; weight and bias, one value a channel, may be nil.
func normGroups(op string, x *Node, groups int, weight, bias *Node, eps float64) *Node {
	g := groupNorm{d: statDType(x.DType()), eps: eps, examples: x.Dim(0), groups: groups, channels: x.Dim(1), members: x.Dim(1) / groups}
	in := []*Node{x}
	for _, w := range []*Node{weight, bias} {
		if w == nil {
			continue
		}
		if w.Rank() != 1 || w.Dim(0) != g.channels {
			fault.Throw(fault.Shape, op, "weight or bias has shape %v; want [%d], one per channel of %v", w.Shape(), g.channels, x.Shape())
		}
		in = append(in, w)
	}
	g.weighted, g.biased = weight != nil, bias != nil
	if x.Shape().Numel() == 0 {
		return g.ofNothing(x, weight, bias)
	}
	g.count = float64(x.Shape().Numel() / (g.examples * groups))
	mean, root := g.stats(x)
	y := Cast(g.affine(x, mean, g.scale(root, weight), bias), x.DType())
	stats := func(of *Node) (m, r *Node) {
		if of == x {
			return mean, root
		}
		return g.stats(of)
	}
	return WithRules(&Rules{Name: op, In: len(in), Same: true, VJP: g.vjp(stats), JVP: g.jvp(stats)}, in, []*Node{y})[0]
}

// ofNothing is the result of an empty x: gradients of weight and bias are zeros then.
func (g groupNorm) ofNothing(x, weight, bias *Node) *Node {
	y, each := x, slices.Repeat([]int{1}, x.Rank()-1)
	each[0] = -1
	if weight != nil {
		y = Mul(y, Reshape(weight, each...))
	}
	if bias != nil {
		y = Add(y, Reshape(bias, each...))
	}
	return Cast(y, x.DType())
}

// operands takes the inputs apart.
func (g groupNorm) operands(in []*Node) (x, weight, bias *Node) {
	return batchNorm{weighted: g.weighted, biased: g.biased}.operands(in)
}

// stats are the mean and the inverse deviation of each group, shown for each channel: (examples, channels).
func (g groupNorm) stats(x *Node) (mean, root *Node) {
	m := graph.TupleItems(graph.New(opChannelMoments, nil, Reshape(x, 1, g.examples*g.groups, -1)))
	return g.toChannels(m[0]), g.toChannels(Rsqrt(Add(m[1], g.eps)))
}

// toChannels shows a value of each group for each channel of it, and overGroups sums channels of a group and shows the
// sum for each.
func (g groupNorm) toChannels(v *Node) *Node {
	v = broadcastTo(Reshape(v, g.examples, g.groups, 1), shape.Of("group_norm", g.examples, g.groups, g.members))
	return Reshape(v, g.examples, g.channels)
}

func (g groupNorm) overGroups(v *Node) *Node {
	if g.members == 1 {
		return v
	}
	return g.toChannels(sumKeep(Reshape(v, g.examples, g.groups, g.members), []int{2}, false))
}

// spread lets a value of each channel, of each example or of all, broadcast to x.
func (g groupNorm) spread(v, x *Node) *Node {
	return Reshape(v, slices.Concat(v.Shape().Dims(), ones(x.Rank()-2))...)
}

// scale is what channels are multiplied by.
func (g groupNorm) scale(root, weight *Node) *Node {
	if weight == nil {
		return root
	}
	return Mul(root, Cast(weight, g.d))
}

// affine is (x - mean)·scale + bias; bias may be nil.
func (g groupNorm) affine(x, mean, scale, bias *Node) *Node {
	y := Mul(Sub(Cast(x, g.d), g.spread(mean, x)), g.spread(scale, x))
	if bias != nil {
		y = Add(y, g.spread(Cast(bias, g.d), x))
	}
	return y
}

// sums are those of c and of c·(x - mean) over the elements of each channel.
func (g groupNorm) sums(c, x, mean *Node) (sum, dot *Node) {
	planes := func(x *Node) *Node { return Reshape(x, 1, g.examples*g.channels, -1) }
	s := graph.TupleItems(graph.New(opChannelDots, nil, planes(Cast(c, x.DType())), planes(x), Reshape(mean, -1)))
	return Reshape(s[0], g.examples, g.channels), Reshape(s[1], g.examples, g.channels)
}

// project is c·scale less what of it the normalisation takes away, given the sums of c and of c·(x - mean) as groups see them.
func (g groupNorm) project(c, x, mean, root, scale, sum, dot *Node) *Node {
	slope := Mul(Mul(Mul(root, Square(root)), g.overGroups(dot)), 1/g.count)
	level := Mul(Mul(root, g.overGroups(sum)), 1/g.count)
	away := Sub(Mul(Sub(g.spread(mean, x), Cast(x, g.d)), g.spread(slope, x)), g.spread(level, x))
	return Add(Mul(Cast(c, g.d), g.spread(scale, x)), away)
}

func (g groupNorm) vjp(stats func(x *Node) (m, r *Node)) func(in, outs, cot []*Node, need []bool) []*Node {
	return func(in, _, cot []*Node, need []bool) []*Node {
		x, w, bias := g.operands(in)
		mean, root := stats(x)
		sum, dot := g.sums(cot[0], x, mean)
		out := []*Node{nil}
		if need[0] {
			dx := g.project(cot[0], x, mean, root, g.scale(root, w), g.scale(sum, w), g.scale(dot, w))
			out[0] = Cast(dx, x.DType())
		}
		if w != nil {
			out = append(out, castLike(sumKeep(Mul(dot, root), []int{0}, false), w))
		}
		if bias != nil {
			out = append(out, castLike(sumKeep(sum, []int{0}, false), bias))
		}
		return out
	}
}

func (g groupNorm) jvp(stats func(x *Node) (m, r *Node)) func(in, tan []*Node) []*Node {
	return func(in, tan []*Node) []*Node {
		x, w, bias := g.operands(in)
		mean, root := stats(x)
		tx, tw, tb := g.operands(tan)
		sum, dot := g.sums(tx, x, mean)
		t := g.project(tx, x, mean, root, root, sum, dot)
		if w != nil {
			t = Add(Mul(t, g.spread(Cast(w, g.d), x)), g.affine(x, mean, Mul(root, Cast(tw, g.d)), nil))
		}
		if bias != nil {
			t = Add(t, g.spread(Cast(tb, g.d), x))
		}
		return []*Node{Cast(t, x.DType())}
	}
}
