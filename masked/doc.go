// Package masked has reductions and normalisations of the elements that a mask selects: sums, means, extremes, norms, softmax of some
// elements as if the others were not there.
//
//	mean := masked.Over(x, positions.Lt(lengths.Unsqueeze(1))).Mean(lucid.ReduceOptions{Dim: []int{1}})
//
// A mask is a bool tensor that broadcasts to x, true where an element takes part. Names, options and what nothing gives are those of
// torch.masked: a sum of nothing is 0, a product 1, a maximum minus infinity, a mean NaN. Gradients of elements that take no part are 0.
package masked
