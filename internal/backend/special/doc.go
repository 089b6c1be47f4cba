// Package special holds the special functions of one number that the host devices share: float64 in, float64 out,
// without tables that would have to be believed. Edges are PyTorch's: poles, NaN and infinities answer as there.
package special
