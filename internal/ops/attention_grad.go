package ops

// attentionGrads are the values that the rules of attention_grad share.
type attentionGrads struct {
	*attended
	g, sums *Node
	dp, ds  *Node
}

func readAttentionGrad(n *Node) *attentionGrads {
	r := &attentionGrads{attended: readAttended(n.Attr(), n.In(1), n.In(2), n.In(3), n.In(4), optionalIn(n, 6)), sums: Unsqueeze(n.In(5), -1)}
	r.g = Cast(n.In(0), r.p.DType())
	r.dp = Sub(contract(r.g, swapLast(r.v)), r.sums)
	r.ds = Mul(r.p, r.dp)
	return r
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
		out[5] = Squeeze(Neg(sumLast(byDP)), -1)
	}
	if byP != nil {
		byS := Mul(byP, r.p)
		out[1] = addMaybe(out[1], Mul(contract(byS, r.k), scale))
		out[2] = addMaybe(out[2], Mul(contract(swapLast(byS), r.q), scale))
		out[4] = Squeeze(Neg(sumLast(byS)), -1)
		if r.mask != nil && need[6] && r.mask.DType().IsFloat() {
			out[6] = SumTo(byS, r.mask.Shape())
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
		if i >= len(tan) {
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
		tm = at(6)
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
	if t := at(5); t != nil {
		tdp = addMaybe(tdp, expandTo(Neg(Unsqueeze(t, -1)), r.p.Shape()))
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
