//go:build purego || (!amd64 && !arm64)

package simd

// SumF32 returns the sum of x, in the order of reduce.go; 0 if x is empty.
func SumF32(x []float32) float32 { return sumF32Generic(x) }

// SumSqF32 returns the sum of x[i]*x[i].
func SumSqF32(x []float32) float32 { return sumSqF32Generic(x) }

// DotF32 returns the sum of x[i]*y[i] over the length of x.
func DotF32(x, y []float32) float32 { return dotF32Generic(x, y) }

// MaxOfF32 returns the largest element, NaN if there is one, -Inf if x is empty.
func MaxOfF32(x []float32) float32 { return orNaN(maxOfF32Generic(x)) }

// MinOfF32 returns the smallest element, NaN if there is one, +Inf if x is empty.
func MinOfF32(x []float32) float32 { return orNaN(minOfF32Generic(x)) }

// The sums of whole groups of reduce_dot.go.
func sumF64(x []float64) float64 { return sumF64Generic(x) }

func sumBF16(x []uint16) float32 { return sumBF16Generic(x) }

func sumF16(x []uint16) float32 { return sumF16Generic(x) }

func dotF64(x, y []float64) float64 { return dotF64Generic(x, y) }

func dotBF16(x []uint16, y []float32) float32 { return dotBF16Generic(x, y) }

func dotF16(x []uint16, y []float32) float32 { return dotF16Generic(x, y) }
