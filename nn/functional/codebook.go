package functional

import "github.com/lucid-go/lucid"

// TwoHot spreads each value over the two nearest of bins, a rising vector, so that the mean of the bins by these
// weights is the value; values outside go to the last bin on their side. The result has one more dimension.
func TwoHot(values, bins *lucid.Tensor) *lucid.Tensor {
	if bins.Dim() != 1 || bins.Size(0) < 2 {
		refuse(lucid.ErrShapeMismatch, "two_hot", "bins have shape %v; want a vector of at least 2", bins.Shape())
	}
	n := bins.Size(0)
	v := lucid.Clamp(values, bins.At(0), bins.At(n-1))
	high := lucid.SearchSorted(bins, v.Detach()).Clamp(1, n-1)
	low := high.Sub(1)
	a, b := bins.At(low), bins.At(high)
	w := v.Sub(a).Div(b.Sub(a)).Unsqueeze(-1)
	hot := func(at *lucid.Tensor) *lucid.Tensor {
		return OneHot(at, OneHotOptions{NumClasses: n}).To(w.DType())
	}
	return hot(low).Mul(w.Rsub(1)).Add(hot(high).Mul(w))
}

// NearestCodebook returns, for every vector of x, (..., D), the number of the nearest row of codebook, (K, D).
func NearestCodebook(x, codebook *lucid.Tensor) *lucid.Tensor {
	s := x.Shape()
	if codebook.Dim() != 2 || len(s) == 0 || s[len(s)-1] != codebook.Size(1) {
		refuse(lucid.ErrShapeMismatch, "nearest_codebook", "vectors of shape %v and a codebook of %v; want (..., D) and (K, D)", s,
			codebook.Shape())
	}
	flat := x.Detach().Reshape(-1, s[len(s)-1])
	return own(lucid.Cdist(flat, codebook.Detach()).ArgMin(-1).Reshape(s[:len(s)-1]...))
}

// VectorQuantize replaces every vector of x by the nearest row of codebook, and returns the numbers of the rows too.
// The gradient of the result goes to x as it is (van den Oord et al.).
func VectorQuantize(x, codebook *lucid.Tensor) (y, codes *lucid.Tensor) {
	codes = NearestCodebook(x, codebook)
	return StraightThrough(Embedding(codes, codebook), x), codes
}
