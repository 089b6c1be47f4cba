// Package special holds the special functions of one number that the host devices share: float64 in, float64 out,
// by series and recurrences rather than fitted tables. Poles, NaN and infinities give what PyTorch gives.
package special
