package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/graph"
)

// layer_norm_grad and rms_norm_grad give the cotangent of a normalisation's input in one pass:
//
//	rstd·(h - mean(h) - xhat·mean(h·xhat)),  h = g·weight,  xhat = (x - mean)·rstd
//
// mean(h) is left out where nothing was centred. Inputs are g, x, the mean if centred, rstd, and perhaps the weight.
var opLayerNormGrad, opRMSNormGrad *graph.Op

func init() {
	opLayerNormGrad = normGradOp("layer_norm_grad", true)
	opRMSNormGrad = normGradOp("rms_norm_grad", false)
}

// normGrad records the op for a normalisation as readNormed found it; w nil is no weight.
func (r normed) normGrad(g, w *Node) *Node {
	op, in := opRMSNormGrad, []*Node{g, r.x, r.rstd}
	if r.centred {
		op, in = opLayerNormGrad, []*Node{g, r.x, r.mean1, r.rstd}
	}
	if w != nil {
		in = append(in, w)
	}
	return graph.New(op, r.attr, in...)
}

// readNormGrad brings the inputs of such a node into the form of readNormed.
func readNormGrad(n *Node, centred bool) (r normed, w *Node) {
	r = normed{attr: n.Attr().(attr.RowNorm), x: n.In(1), centred: centred}
	at := 2
	if centred {
		r.mean1 = n.In(2)
		at++
	}
	r.rstd = n.In(at)
	if n.NumIn() > at+1 {
		w = n.In(at + 1)
	}
	r.split()
	return r, w
}

func normGradOp(name string, centred bool) *graph.Op {
	stat := 2 // the input that rstd is
	if centred {
		stat++
	}
	stats := stat - 1
	return graph.Register(graph.Op{Name: name, Version: 1, Kind: graph.RowWise, AMP: graph.AMPFloat32,
		Inputs: graph.Between(2+stats, 3+stats), Validate: rule(func(c check) { c.rowNormGrad(stats) }),
		SavesIn: 31, SavesOut: true,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[1].Shape(), DType: in[1].DType()}}
		},
		VJP: func(n *Node, cot []*Node, need []bool) []*Node { return normGradVJP(n, cot[0], need, centred, stat) },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{normGradJVP(n, tan, centred, stat)} },
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			b := allBatched(n, in[:stat+1], batched[:stat+1], size)
			if len(in) > stat+1 {
				w := in[stat+1]
				if batched[stat+1] {
					dims := n.Attr().(attr.RowNorm).Dims
					d := append([]int{size}, ones(b[0].Rank()-1-dims)...)
					b[0] = Mul(b[0], Reshape(w, append(d, w.Shape().Dims()[1:]...)...))
				} else {
					b = append(b, w)
				}
			}
			return []*Node{graph.New(n.Op(), n.Attr(), b...)}
		}})
}

func normGradVJP(n, c *Node, need []bool, centred bool, stat int) []*Node {
	r, w := readNormGrad(n, centred)
	out := make([]*Node, n.NumIn())
	d := r.rstd.DType()
	// By h the op is its own transpose.
	back := Cast(r.normGrad(c, nil), d)
	c, g := Cast(c, d), Cast(n.In(0), d)
	h := g
	out[0] = back
	if w != nil {
		h = Mul(g, Cast(w, d))
		out[0] = Mul(back, Cast(w, d))
		if need[stat+1] {
			out[stat+1] = r.overLead(Mul(g, back))
		}
	}
	if !need[1] && !need[2] && !need[stat] {
		return out
	}
	xhat := r.xhat()
	byHat := Neg(Mul(r.rstd, Add(Mul(c, r.mean(Mul(h, xhat))), Mul(h, r.mean(Mul(c, xhat))))))
	byX := Mul(byHat, r.rstd)
	out[1] = byX
	if centred {
		out[2] = Neg(sumKeep(byX, r.axes, true))
	}
	out[stat] = Div(sumKeep(Add(Mul(byHat, xhat), Mul(c, Cast(n, d))), r.axes, true), r.rstd)
	return out
}

func normGradJVP(n *Node, tan []*Node, centred bool, stat int) *Node {
	r, w := readNormGrad(n, centred)
	d := r.rstd.DType()
	var sum *Node
	if tan[0] != nil {
		sum = Cast(r.normGrad(tan[0], w), d)
	}
	if len(tan) > stat+1 && tan[stat+1] != nil {
		sum = addMaybe(sum, Cast(r.normGrad(n.In(0), tan[stat+1]), d))
	}
	xhat := r.xhat()
	var hat *Node // the tangent of xhat
	if tan[1] != nil {
		hat = Mul(Cast(tan[1], d), r.rstd)
	}
	if centred && tan[2] != nil {
		hat = addMaybe(hat, broadcastTo(Neg(Mul(tan[2], r.rstd)), xhat.Shape()))
	}
	if t := tan[stat]; t != nil {
		t = Div(t, r.rstd)
		hat = addMaybe(hat, Mul(xhat, t))
		sum = addMaybe(sum, Mul(Cast(n, d), t))
	}
	if hat != nil {
		h := Cast(n.In(0), d)
		if w != nil {
			h = Mul(h, Cast(w, d))
		}
		part := Add(Mul(hat, r.mean(Mul(h, xhat))), Mul(xhat, r.mean(Mul(h, hat))))
		sum = addMaybe(sum, Neg(Mul(r.rstd, part)))
	}
	if sum == nil {
		return nil
	}
	return Cast(sum, n.DType())
}
