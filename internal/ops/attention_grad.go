package ops

import "github.com/lucid-go/lucid/internal/attr"

// attentionGrads are the values that the rules of attention_grad share.
type attentionGrads struct {
	*attended
	g, y, dp, ds *Node
	shiftAt      int // the input that is the cotangent of the logarithms, -1: none
	maskAt       int // the input that is the mask, if there is one
}

// attentionGradMask is which input attention_grad's mask is.
func attentionGradMask(a attr.Attr) int {
	if a.(attr.Attention).Shifted {
		return 7
	}
	return 6
}

func readAttentionGrad(n *Node) *attentionGrads {
	r := &attentionGrads{shiftAt: -1, maskAt: attentionGradMask(n.Attr())}
	r.attended = readAttended(n.Attr(), n.In(1), n.In(2), n.In(3), n.In(4), optionalIn(n, r.maskAt))
	var shift *Node
	if r.a.Shifted {
		r.shiftAt = 6
		shift = n.In(6)
	}
	r.g, r.y = Cast(n.In(0), r.p.DType()), Cast(n.In(5), r.p.DType())
	r.dp = Sub(contract(r.g, swapLast(r.v)), rowSums(r.g, r.y, shift))
	r.ds = Mul(r.p, r.dp)
	return r
}

// sumsTangent is the tangent of the sums over rows.
func (r *attentionGrads) sumsTangent(tg, ty, tshift *Node) (t *Node) {
	if tg != nil {
		t = Mul(tg, r.y)
	}
	if ty != nil {
		t = addMaybe(t, Mul(r.g, ty))
	}
	if t != nil {
		t = sumLast(t)
	}
	if tshift != nil {
		t = addMaybe(t, Neg(Unsqueeze(tshift, -1)))
	}
	return t
}

func attentionGradVJP(n *Node, cot []*Node, need []bool) []*Node {
	r := readAttentionGrad(n)
	d, scale := r.p.DType(), r.a.Scale
	cq, ck, cv := castMaybe(cot[0], d), castMaybe(cot[1], d), castMaybe(cot[2], d)
	out := make([]*Node, n.NumIn())
	var byDS, byP *Node
	if cq != nil { // dq = scale·ds·k
		byDS = contract(cq, swapLast(r.k))
		out[2] = Mul(contract(swapLast(r.ds), cq), scale)
	}
	if ck != nil { // dk = scale·dsᵀ·q
		ck = r.repeat(ck)
		byDS = addMaybe(byDS, contract(r.q, swapLast(ck)))
		out[1] = Mul(contract(r.ds, ck), scale)
	}
	if cv != nil { // dv = pᵀ·g
		cv = r.repeat(cv)
		byP = contract(r.g, swapLast(cv))
		out[0] = contract(r.p, cv)
	}
	if byDS != nil {
		byDS = Mul(byDS, scale)
		byP = addMaybe(byP, Mul(byDS, r.dp))
		byDP := Mul(byDS, r.p)
		out[0] = addMaybe(out[0], contract(byDP, r.v))
		out[3] = contract(swapLast(byDP), r.g)
		by := sumLast(byDP) // less of the sums over rows
		out[0] = Sub(out[0], Mul(by, r.y))
		out[5] = Neg(Mul(by, r.g))
		if r.shiftAt >= 0 {
			out[r.shiftAt] = Squeeze(by, -1)
		}
	}
	if byP != nil {
		byS := Mul(byP, r.p)
		out[1] = addMaybe(out[1], Mul(contract(byS, r.k), scale))
		out[2] = addMaybe(out[2], Mul(contract(swapLast(byS), r.q), scale))
		out[4] = Squeeze(Neg(sumLast(byS)), -1)
		if r.mask != nil && need[r.maskAt] && r.mask.DType().IsFloat() {
			out[r.maskAt] = SumTo(byS, r.mask.Shape())
		}
	}
	for i, x := range out {
		if x != nil && (i == 2 || i == 3) {
			x = r.gather(x)
		}
		out[i] = castLike(x, n.In(i))
	}
	return out
}

func attentionGradJVP(n *Node, tan []*Node) []*Node {
	r := readAttentionGrad(n)
	d, scale := r.p.DType(), r.a.Scale
	at := func(i int) *Node {
		if i < 0 || i >= len(tan) {
			return nil
		}
		return castMaybe(tan[i], d)
	}
	tg, tq, tk, tv := at(0), at(1), at(2), at(3)
	if tk != nil {
		tk = r.repeat(tk)
	}
	if tv != nil {
		tv = r.repeat(tv)
	}
	var tm *Node
	if r.mask != nil && r.mask.DType().IsFloat() {
		tm = at(r.maskAt)
	}
	ts := r.scores(at(1), at(2), tm)
	if t := at(4); t != nil {
		ts = addMaybe(ts, expandTo(Neg(Unsqueeze(t, -1)), r.p.Shape()))
	}
	var tp, tdp, tds *Node
	if ts != nil {
		tp = Mul(r.p, ts)
		tds = Mul(tp, r.dp)
	}
	if tg != nil {
		tdp = contract(tg, swapLast(r.v))
	}
	if tv != nil {
		tdp = addMaybe(tdp, contract(r.g, swapLast(tv)))
	}
	if t := r.sumsTangent(tg, at(5), at(r.shiftAt)); t != nil {
		tdp = addMaybe(tdp, expandTo(Neg(t), r.p.Shape()))
	}
	if tdp != nil {
		tds = addMaybe(tds, Mul(r.p, tdp))
	}
	out := make([]*Node, 3)
	if tds != nil {
		out[0], out[1] = contract(tds, r.k), contract(swapLast(tds), r.q)
	}
	if tk != nil {
		out[0] = addMaybe(out[0], contract(r.ds, tk))
	}
	if tq != nil {
		out[1] = addMaybe(out[1], contract(swapLast(r.ds), tq))
	}
	if tp != nil {
		out[2] = contract(swapLast(tp), r.g)
	}
	if tg != nil {
		out[2] = addMaybe(out[2], contract(swapLast(r.p), tg))
	}
	for i := range out {
		if out[i] == nil {
			continue
		}
		if i < 2 {
			out[i] = Mul(out[i], scale)
		}
		if i > 0 {
			out[i] = r.gather(out[i])
		}
		out[i] = castLike(out[i], n.In(1+i))
	}
	return out
}
