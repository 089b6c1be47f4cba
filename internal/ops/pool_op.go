package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// Pooling works over the last dimensions; any number of others stand before them, so that an extra axis needs no rule
// of its own. pool_max gives the values and their indices in the plane. pool_mean and pool_mean_t are linear and each
// other's transpose; so are pool_unfold, which lays every window out, and pool_fold, which sums them up again.
// pool_max_t gives every element what the windows that took it were given: it is the transpose of reading them.
var opPoolMax, opPoolMaxT, opPoolMean, opPoolMeanT, opPoolUnfold, opPoolFold *graph.Op

// poolShape is the shape before the windows, followed by the sizes given.
func poolShape(x *Node, drop int, sizes ...attr.Ints) *shape.Shape {
	d := slices.Clone(x.Shape().Dims()[:x.Rank()-drop])
	for _, s := range sizes {
		d = append(d, s.Slice()...)
	}
	return shape.Of("pool", d...)
}

func init() {
	again := func(n *Node, in []*Node, _ []bool, _ int) []*Node {
		return graph.TupleItems(graph.New(n.Op(), n.Attr(), in[0]))
	}
	opPoolMax = graph.Register(graph.Op{Name: "pool_max", Version: 1, Kind: graph.Other,
		Inputs: graph.Exactly(1), Validate: rule(validatePoolMax),
		SavesOut: true, VMap: again,
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			w := a.(attr.Pool)
			s := poolShape(in[0], w.In.Len(), w.Out)
			return []graph.Spec{{Shape: s, DType: in[0].DType()}, {Shape: s, DType: dtype.Int64}}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			if cot[0] == nil {
				return []*Node{nil}
			}
			return []*Node{graph.New(opPoolMaxT, n.Attr(), cot[0], graph.TupleItem(n, 1))}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			return []*Node{takeIndices(n.Attr().(attr.Pool), tan[0], graph.TupleItem(n, 1)), nil}
		}})
	opPoolMaxT = graph.Register(graph.Op{Name: "pool_max_t", Version: 1, Kind: graph.Other,
		Inputs: graph.Exactly(2), Validate: rule(validatePoolMaxT),
		SavesIn: 2,
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			w := a.(attr.Pool)
			return []graph.Spec{{Shape: poolShape(in[0], w.In.Len(), w.In), DType: in[0].DType()}}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			return []*Node{takeIndices(n.Attr().(attr.Pool), cot[0], n.In(1)), nil}
		},
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{graph.New(n.Op(), n.Attr(), tan[0], n.In(1))} },
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			all := slices.Clone(in)
			for i, x := range all {
				if !batched[i] {
					all[i] = broadcastTo(x, batchShape("pool_max_t", x.Shape(), size))
				}
			}
			return []*Node{graph.New(n.Op(), n.Attr(), all...)}
		}})
	linear := func(name string, valid func(c check), infer func(w attr.Pool, x *Node) *shape.Shape, other **graph.Op) *graph.Op {
		return graph.Register(graph.Op{Name: name, Version: 1, Kind: graph.Other,
			Inputs: graph.Exactly(1), Validate: rule(valid),
			VMap: again,
			Infer: func(a attr.Attr, in []*Node) []graph.Spec {
				return []graph.Spec{{Shape: infer(a.(attr.Pool), in[0]), DType: in[0].DType()}}
			},
			VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{graph.New(*other, n.Attr(), cot[0])} },
			JVP: func(n *Node, tan []*Node) []*Node { return []*Node{graph.New(n.Op(), n.Attr(), tan[0])} }})
	}
	opPoolMean = linear("pool_mean", validatePoolMean, func(w attr.Pool, x *Node) *shape.Shape {
		return poolShape(x, w.In.Len(), w.Out)
	}, &opPoolMeanT)
	opPoolMeanT = linear("pool_mean_t", validatePoolMeanT, func(w attr.Pool, x *Node) *shape.Shape {
		return poolShape(x, w.In.Len(), w.In)
	}, &opPoolMean)
	opPoolUnfold = linear("pool_unfold", validatePoolUnfold, func(w attr.Pool, x *Node) *shape.Shape {
		return poolShape(x, w.In.Len(), w.Kernel, w.Out)
	}, &opPoolFold)
	opPoolFold = linear("pool_fold", validatePoolFold, func(w attr.Pool, x *Node) *shape.Shape {
		return poolShape(x, 2*w.In.Len(), w.In)
	}, &opPoolUnfold)
}

// takeIndices reads the indices of windows in x, which is as large as what was pooled.
func takeIndices(w attr.Pool, x, indices *Node) *Node {
	lead := x.Rank() - w.In.Len()
	flat := func(x *Node, s attr.Ints) *Node {
		return Reshape(x, append(slices.Clone(x.Shape().Dims()[:lead]), product(s.Slice()))...)
	}
	return reshapeTo(gather(flat(x, w.In), flat(indices, w.Out), lead), indices.Shape())
}
