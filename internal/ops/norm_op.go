package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// layer_norm and rms_norm are bundles: the result, and the statistics that their rules need, which are small. Their
// inputs are x, and perhaps a weight, and perhaps a bias, both of the shape of the last Dims dimensions.
var opLayerNorm, opRMSNorm *graph.Op

func init() {
	opLayerNorm = normOp("layer_norm", true)
	opRMSNorm = normOp("rms_norm", false)
}

// statDType is the dtype of sums: that of the input, but float32 for halves.
func statDType(d dtype.DType) dtype.DType {
	if d.IsHalf() {
		return dtype.Float32
	}
	return d
}

// normed is a normalisation as its rules see it: everything in the dtype of the statistics.
type normed struct {
	n       *Node
	centred bool
	axes    []int // the normalised ones
	lead    []int
	xhat    *Node // (x - mean)·rstd
	rstd    *Node
	weight  *Node // nil if there is none
}

func readNormed(n *Node, centred bool) normed {
	a, x := n.Attr().(attr.RowNorm), n.In(0)
	r := normed{n: n, centred: centred, rstd: graph.Item(n, n.NumOut()-1)}
	for i := range x.Rank() {
		if i < x.Rank()-a.Dims {
			r.lead = append(r.lead, i)
		} else {
			r.axes = append(r.axes, i)
		}
	}
	d := r.rstd.DType()
	x = Cast(x, d)
	if centred {
		x = Sub(x, graph.Item(n, 1))
	}
	r.xhat = Mul(x, r.rstd)
	if n.NumIn() > 1 {
		r.weight = Cast(n.In(1), d)
	}
	return r
}

func (r normed) mean(x *Node) *Node { return Mean(x, ReduceOptions{Dim: r.axes, KeepDim: true}) }

// overLead sums over the dimensions that are not normalised.
func (r normed) overLead(x *Node) *Node {
	if len(r.lead) == 0 {
		return x
	}
	return sumKeep(x, r.lead, false)
}

func (r normed) vjp(cot []*Node, need []bool) []*Node {
	out := make([]*Node, r.n.NumIn())
	var dx *Node
	if g := cot[0]; g != nil {
		g = Cast(g, r.rstd.DType())
		if len(out) > 2 && need[2] {
			out[2] = r.overLead(g)
		}
		if len(out) > 1 && need[1] {
			out[1] = r.overLead(Mul(g, r.xhat))
		}
		if r.weight != nil {
			g = Mul(g, r.weight)
		}
		if need[0] {
			dx = Sub(g, Mul(r.xhat, r.mean(Mul(g, r.xhat))))
			if r.centred {
				dx = Sub(dx, r.mean(g))
			}
			dx = Mul(dx, r.rstd)
		}
	}
	if need[0] {
		count := 1.0
		for _, a := range r.axes {
			count *= float64(r.n.In(0).Dim(a))
		}
		if g := cot[len(cot)-1]; len(cot) > 1 && g != nil { // of rstd
			dx = addMaybe(dx, Mul(r.xhat, Mul(Mul(g, Square(r.rstd)), -1/count)))
		}
		if r.centred && len(cot) > 1 && cot[1] != nil { // of the mean
			dx = addMaybe(dx, expandTo(Mul(cot[1], 1/count), r.n.In(0).Shape()))
		}
		out[0] = dx
	}
	return out
}

func (r normed) jvp(tan []*Node) []*Node {
	d := r.rstd.DType()
	outs := make([]*Node, r.n.NumOut())
	var ty *Node
	if t := tan[0]; t != nil {
		t = Cast(t, d)
		m := r.mean(t)
		if r.centred {
			outs[1] = m
		}
		proj := r.mean(Mul(r.xhat, t))
		outs[len(outs)-1] = Neg(Mul(Square(r.rstd), proj))
		if r.centred {
			t = Sub(t, m)
		}
		ty = Mul(r.rstd, Sub(t, Mul(r.xhat, proj)))
		if r.weight != nil {
			ty = Mul(ty, r.weight)
		}
	}
	if len(tan) > 1 && tan[1] != nil {
		ty = addMaybe(ty, Mul(r.xhat, Cast(tan[1], d)))
	}
	if len(tan) > 2 && tan[2] != nil {
		ty = addMaybe(ty, expandTo(Cast(tan[2], d), r.n.Shape()))
	}
	if ty != nil {
		outs[0] = Cast(ty, r.n.In(0).DType())
	}
	return outs
}

func normOp(name string, centred bool) *graph.Op {
	var op *graph.Op
	op = graph.Register(graph.Op{Name: name, Version: 1, Kind: graph.RowWise, AMP: graph.AMPFloat32, SavesIn: 3, SavesOut: true,
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			x := in[0]
			d := x.Shape().Clone()
			for i := len(d) - a.(attr.RowNorm).Dims; i < len(d); i++ {
				d[i] = 1
			}
			stat := graph.Spec{Shape: shape.Of(name, d...), DType: statDType(x.DType())}
			out := []graph.Spec{{Shape: x.Shape(), DType: x.DType()}, stat}
			if centred {
				out = append(out, stat)
			}
			return out
		},
		VJP: func(n *Node, cot []*Node, need []bool) []*Node { return readNormed(n, centred).vjp(cot, need) },
		JVP: func(n *Node, tan []*Node) []*Node { return readNormed(n, centred).jvp(tan) },
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			a := n.Attr().(attr.RowNorm)
			x := in[0]
			if !batched[0] {
				x = broadcastTo(x, batchShape(name, x.Shape(), size))
			}
			affine := false
			for _, b := range batched[1:] {
				affine = affine || b
			}
			if !affine {
				return graph.Items(graph.New(op, a, append([]*Node{x}, in[1:]...)...))
			}
			// Weights that vary by example stand behind the first axis and before the normalised ones.
			out := graph.Items(graph.New(op, a, x))
			for i, w := range in[1:] {
				if batched[1+i] {
					d := append([]int{size}, ones(x.Rank()-1-a.Dims)...)
					w = Reshape(w, append(d, w.Shape().Dims()[1:]...)...)
				}
				if i == 0 {
					out[0] = Mul(out[0], w)
				} else {
					out[0] = Add(out[0], w)
				}
			}
			return out
		}})
	return op
}
