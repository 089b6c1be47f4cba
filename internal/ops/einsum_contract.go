package ops

import "slices"

// term is an operand of an einsum with a label for each dimension.
type term struct {
	x      *Node
	labels []label
}

// simplify takes diagonals and drops dimensions of size 1.
func simplify(x *Node, labels []label) term {
	labels = slices.Clone(labels)
	for i, j := repeated(labels); i >= 0; i, j = repeated(labels) {
		// The pair goes to the end and becomes one dimension, the diagonal.
		x = diagonalOf(moveLast(moveLast(x, i), j-1))
		l := labels[i]
		labels = append(slices.Delete(slices.Delete(labels, j, j+1), i, i+1), l)
	}
	var keep []label
	var dims []int
	for i, l := range labels {
		if x.Dim(i) != 1 {
			keep, dims = append(keep, l), append(dims, x.Dim(i))
		}
	}
	return term{Reshape(x, dims...), keep}
}

// repeated finds two dimensions with one label; -1 if there are none.
func repeated(labels []label) (int, int) {
	for i, l := range labels {
		if j := slices.Index(labels[i+1:], l); j >= 0 {
			return i, i + 1 + j
		}
	}
	return -1, -1
}

// contractTerms brings the terms to one whose labels are all in the output.
func contractTerms(terms []term, s *spec) term {
	labels := make([][]label, len(terms))
	for i, t := range terms {
		labels[i] = t.labels
	}
	for i := range terms {
		terms[i] = sumAlone(terms[i], func(l label) bool { return needed(l, labels, s.out, i, i) })
	}
	for _, p := range greedyPath(terms, s) {
		i, j := p[0], p[1]
		for k, t := range terms {
			labels[k] = t.labels
		}
		y := contractPair(terms[i], terms[j], s.out, func(l label) bool { return needed(l, labels[:len(terms)], s.out, i, j) })
		terms = append(slices.Delete(slices.Delete(terms, j, j+1), i, i+1), y)
	}
	return terms[0]
}

// needed reports whether the output, or a term other than i and j, has the label.
func needed(l label, labels [][]label, out []label, i, j int) bool {
	if slices.Contains(out, l) {
		return true
	}
	for k, ls := range labels {
		if k != i && k != j && slices.Contains(ls, l) {
			return true
		}
	}
	return false
}

// sumAlone sums the dimensions that neither the result nor another term needs.
func sumAlone(t term, needed func(label) bool) term {
	var axes []int
	var keep []label
	for i, l := range t.labels {
		if needed(l) {
			keep = append(keep, l)
		} else {
			axes = append(axes, i)
		}
	}
	if axes == nil {
		return t
	}
	return term{sumKeep(t.x, axes, false), keep}
}

// contractPair multiplies two terms and sums over the labels both have and no other term needs.
func contractPair(a, b term, out []label, needed func(label) bool) term {
	if n := len(out); n > 0 && len(a.labels) > 0 && slices.Contains(a.labels, out[n-1]) && !slices.Contains(b.labels, out[n-1]) {
		a, b = b, a // the output's last dimension is best the product's last
	}
	var both, sum, onlyA, onlyB []label
	from := a.labels // sum in the order of the larger operand: it can then be shown without a copy
	if b.x.Shape().Numel() > a.x.Shape().Numel() {
		from = b.labels
	}
	for _, l := range from {
		shared := slices.Contains(a.labels, l) && slices.Contains(b.labels, l)
		switch {
		case shared && needed(l):
			both = append(both, l)
		case shared:
			sum = append(sum, l)
		}
	}
	for _, l := range a.labels {
		if !slices.Contains(b.labels, l) {
			onlyA = append(onlyA, l)
		}
	}
	for _, l := range b.labels {
		if !slices.Contains(a.labels, l) {
			onlyB = append(onlyB, l)
		}
	}
	res := slices.Concat(both, onlyA, onlyB)
	batch, da, db := a.sizes(both), a.sizes(onlyA), b.sizes(onlyB)
	if len(sum) == 0 {
		x := Reshape(a.ordered(both, onlyA), slices.Concat(batch, da, ones(len(db)))...)
		y := Reshape(b.ordered(both, onlyB), slices.Concat(batch, ones(len(da)), db)...)
		return term{Mul(x, y), res}
	}
	k := product(a.sizes(sum))
	x := Reshape(a.ordered(both, onlyA, sum), append(slices.Clone(batch), product(da), k)...)
	y := Reshape(b.ordered(both, sum, onlyB), append(slices.Clone(batch), k, product(db))...)
	return term{Reshape(contract(x, y), slices.Concat(batch, da, db)...), res}
}

func (t term) sizes(ls []label) []int {
	out := make([]int, len(ls))
	for i, l := range ls {
		out[i] = t.x.Dim(slices.Index(t.labels, l))
	}
	return out
}

// ordered shows the term with its dimensions in the order of the labels.
func (t term) ordered(groups ...[]label) *Node {
	var order []int
	for _, g := range groups {
		for _, l := range g {
			order = append(order, slices.Index(t.labels, l))
		}
	}
	return permute(t.x, order)
}
