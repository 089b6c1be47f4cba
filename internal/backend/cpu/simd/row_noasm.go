//go:build purego || (!amd64 && !arm64)

package simd

// ExpSubSumNextF32 is ExpSubSumF32.
func ExpSubSumNextF32(z, x, _ []float32, a float32) float32 { return expSubSumF32Generic(z, x, a) }

// SumSqSubF32 returns the sum of (x[i]-a)².
func SumSqSubF32(x, _ []float32, a float32) float32 { return sumSqSubF32Generic(x, a) }

// DotNormF32 returns the sum of (x[i]-a) r g[i] w[i]; w nil is ones.
func DotNormF32(x, g, w []float32, a, r float32) float32 { return dotNormF32Generic(x, g, w, a, r) }

// Fence has nothing to do here: there are no non-temporal stores.
func Fence() {}
