package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// layer_norm and rms_norm are tuple nodes: the result, and the statistics that their rules need, which are small. Their
// inputs are x, and perhaps a weight, and perhaps a bias, both of the shape of the last Dims dimensions.
var opLayerNorm, opRMSNorm *graph.Op

func init() {
	opLayerNorm = normOp("layer_norm", true, graph.Between(1, 3))
	opRMSNorm = normOp("rms_norm", false, graph.Between(1, 2))
}

// statDType is the dtype of sums: that of the input, but float32 for half types.
func statDType(d dtype.DType) dtype.DType {
	if d.IsHalf() {
		return dtype.Float32
	}
	return d
}

// normed is a normalisation as rules see it; they compute in the dtype of the statistics.
type normed struct {
	attr    attr.RowNorm
	x       *Node
	centred bool
	axes    []int // the normalised ones
	lead    []int
	mean1   *Node // nil if not centred
	rstd    *Node
}

func readNormed(n *Node, centred bool) normed {
	r := normed{attr: n.Attr().(attr.RowNorm), x: n.In(0), centred: centred, rstd: graph.TupleItem(n, n.NumOut()-1)}
	if centred {
		r.mean1 = graph.TupleItem(n, 1)
	}
	r.split()
	return r
}

// split tells the normalised dimensions from the others.
func (r *normed) split() {
	for i := range r.x.Rank() {
		if i < r.x.Rank()-r.attr.Dims {
			r.lead = append(r.lead, i)
		} else {
			r.axes = append(r.axes, i)
		}
	}
}

// xhat is (x - mean)·rstd.
func (r normed) xhat() *Node {
	x := Cast(r.x, r.rstd.DType())
	if r.centred {
		x = Sub(x, r.mean1)
	}
	return Mul(x, r.rstd)
}

func (r normed) mean(x *Node) *Node { return Mean(x, ReduceOptions{Dim: r.axes, KeepDim: true}) }

// overLead sums over the dimensions that are not normalised.
func (r normed) overLead(x *Node) *Node {
	if len(r.lead) == 0 {
		return x
	}
	return sumKeep(x, r.lead, false)
}

func (r normed) vjp(n *Node, cot []*Node, need []bool) []*Node {
	out := make([]*Node, n.NumIn())
	var dx, w *Node
	if len(out) > 1 {
		w = n.In(1)
	}
	if g := cot[0]; g != nil {
		wide := Cast(g, r.rstd.DType())
		if len(out) > 2 && need[2] {
			out[2] = r.overLead(wide)
		}
		if len(out) > 1 && need[1] {
			out[1] = r.overLead(Mul(wide, r.xhat()))
		}
		if need[0] {
			dx = r.normGrad(g, w)
		}
	}
	if need[0] {
		count := 1.0
		for _, a := range r.axes {
			count *= float64(r.x.Dim(a))
		}
		if g := cot[len(cot)-1]; len(cot) > 1 && g != nil { // of rstd
			dx = addMaybe(dx, Mul(r.xhat(), Mul(Mul(g, Square(r.rstd)), -1/count)))
		}
		if r.centred && len(cot) > 1 && cot[1] != nil { // of the mean
			dx = addMaybe(dx, expandTo(Mul(cot[1], 1/count), r.x.Shape()))
		}
		out[0] = dx
	}
	return out
}

func (r normed) jvp(n *Node, tan []*Node) []*Node {
	d, xhat := r.rstd.DType(), r.xhat()
	outs := make([]*Node, n.NumOut())
	var ty *Node
	if t := tan[0]; t != nil {
		t = Cast(t, d)
		m := r.mean(t)
		if r.centred {
			outs[1] = m
		}
		proj := r.mean(Mul(xhat, t))
		outs[len(outs)-1] = Neg(Mul(Square(r.rstd), proj))
		if r.centred {
			t = Sub(t, m)
		}
		ty = Mul(r.rstd, Sub(t, Mul(xhat, proj)))
		if n.NumIn() > 1 {
			ty = Mul(ty, Cast(n.In(1), d))
		}
	}
	if len(tan) > 1 && tan[1] != nil {
		ty = addMaybe(ty, Mul(xhat, Cast(tan[1], d)))
	}
	if len(tan) > 2 && tan[2] != nil {
		ty = addMaybe(ty, expandTo(Cast(tan[2], d), n.Shape()))
	}
	if ty != nil {
		outs[0] = Cast(ty, r.x.DType())
	}
	return outs
}

func normOp(name string, centred bool, inputs graph.Arity) *graph.Op {
	var op *graph.Op
	op = graph.Register(graph.Op{Name: name, Version: 1, Kind: graph.RowWise, Cheap: true, AMP: graph.AMPFloat32,
		Inputs: inputs, Validate: rule(validateRowNorm),
		SavesIn: 3, SavesOut: true,
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
		VJP: func(n *Node, cot []*Node, need []bool) []*Node { return readNormed(n, centred).vjp(n, cot, need) },
		JVP: func(n *Node, tan []*Node) []*Node { return readNormed(n, centred).jvp(n, tan) },
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
				return graph.TupleItems(graph.New(op, a, append([]*Node{x}, in[1:]...)...))
			}
			// Weights that vary by example stand behind the first axis and before the normalised ones.
			out := graph.TupleItems(graph.New(op, a, x))
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
