package ops

import "slices"

// EinsumStep is one step of a path: the operands at these two positions are replaced by their product, which goes to the end.
type EinsumStep struct {
	Pair [2]int
	Cost float64 // multiplications
}

// EinsumPath returns the order in which Einsum contracts its operands: at each step the pair whose product adds the
// fewest elements, and among those the one with the fewest multiplications.
func EinsumPath(equation string, dims ...[]int) []EinsumStep {
	s := parseEinsum(equation, dims)
	labels := make([][]label, len(s.in))
	for i, ls := range s.in {
		for k, l := range ls {
			if dims[i][k] != 1 && !slices.Contains(labels[i], l) {
				labels[i] = append(labels[i], l)
			}
		}
	}
	for i := range labels {
		labels[i] = slices.DeleteFunc(slices.Clone(labels[i]), func(l label) bool { return !needed(l, labels, s.out, i, i) })
	}
	return greedy(labels, &s)
}

// greedyPath is the path for terms in their simple form.
func greedyPath(terms []term, s *spec) [][2]int {
	labels := make([][]label, len(terms))
	for i, t := range terms {
		labels[i] = t.labels
	}
	var path [][2]int
	for _, st := range greedy(labels, s) {
		path = append(path, st.Pair)
	}
	return path
}

func greedy(labels [][]label, s *spec) []EinsumStep {
	var path []EinsumStep
	volume := func(ls []label) float64 {
		v := 1.0
		for _, l := range ls {
			v *= float64(s.size[l])
		}
		return v
	}
	for len(labels) > 1 {
		var best EinsumStep
		var bestOut []label
		var bestGrowth float64
		for i := range labels {
			for j := i + 1; j < len(labels); j++ {
				all := slices.Clone(labels[i])
				for _, l := range labels[j] {
					if !slices.Contains(all, l) {
						all = append(all, l)
					}
				}
				var out []label
				for _, l := range all {
					if needed(l, labels, s.out, i, j) {
						out = append(out, l)
					}
				}
				growth, cost := volume(out)-volume(labels[i])-volume(labels[j]), volume(all)
				first := i == 0 && j == 1
				if first || growth < bestGrowth || growth == bestGrowth && cost < best.Cost {
					best, bestOut, bestGrowth = EinsumStep{[2]int{i, j}, cost}, out, growth
				}
			}
		}
		path = append(path, best)
		i, j := best.Pair[0], best.Pair[1]
		labels = append(slices.Delete(slices.Delete(slices.Clone(labels), j, j+1), i, i+1), bestOut)
	}
	return path
}
