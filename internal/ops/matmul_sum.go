package ops

// SumOfProducts returns the sum of pending matrix products of the same sizes as one product, of the left factors next to
// each other and the right ones below each other; nil if the terms are no such products, or if they are so deep that
// copying the factors would cost more than adding the results.
func SumOfProducts(terms []*Node) *Node {
	const few = 3 // for one addition less nothing is copied
	if len(terms) < few {
		return nil
	}
	first, transposed := productOf(terms[0])
	if first == nil {
		return nil
	}
	m, k, n := first.In(0).Dim(0), first.In(0).Dim(1), first.In(1).Dim(1)
	if k*(m+n) > m*n {
		return nil
	}
	left, right := make([]*Node, len(terms)), make([]*Node, len(terms))
	for i, t := range terms {
		p, other := productOf(t)
		if p == nil || other != transposed || p.DType() != first.DType() || !p.In(0).Shape().Equal(first.In(0).Shape()) ||
			!p.In(1).Shape().Equal(first.In(1).Shape()) {
			return nil
		}
		left[i], right[i] = p.In(0), p.In(1)
	}
	y := contract(joinMatrices(left, 1), joinMatrices(right, 0))
	if transposed {
		y = swapLast(y)
	}
	return y
}

// productOf finds the product of matrices that x shows, perhaps transposed; nil if there is none that is pending.
func productOf(x *Node) (p *Node, transposed bool) {
	for !x.Stored() && x.Op() == opPermute && x.Rank() == 2 && isSwapped(x) {
		x, transposed = x.In(0), !transposed
	}
	if x.Stored() || x.Op() != opMatmul || x.Attr() != nil || x.Rank() != 2 {
		return nil, false
	}
	return x, transposed
}

// joinMatrices is Cat for matrices; those that are shown transposed are joined as they are stored.
func joinMatrices(list []*Node, dim int) *Node {
	for _, x := range list {
		if x.Stored() || !isSwapped(x) {
			return Cat(list, dim)
		}
	}
	bases := make([]*Node, len(list))
	for i, x := range list {
		bases[i] = x.In(0)
	}
	return swapLast(Cat(bases, 1-dim))
}
