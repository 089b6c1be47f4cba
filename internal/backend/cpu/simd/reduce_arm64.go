//go:build !purego

package simd

// SumF32 returns the sum of x, in the order of reduce.go; 0 if x is empty.
func SumF32(x []float32) float32 {
	if len(x) > 0 && useNEON {
		return sumF32NEON(&x[0], len(x))
	}
	return sumF32Generic(x)
}

// SumSqF32 returns the sum of x[i]*x[i].
func SumSqF32(x []float32) float32 {
	if len(x) > 0 && useNEON {
		return sumSqF32NEON(&x[0], len(x))
	}
	return sumSqF32Generic(x)
}

// DotF32 returns the sum of x[i]*y[i] over the length of x.
func DotF32(x, y []float32) float32 {
	y = y[:len(x)]
	if len(x) > 0 && useNEON {
		return dotF32NEON(&x[0], &y[0], len(x))
	}
	return dotF32Generic(x, y)
}

// MaxOfF32 returns the largest element, NaN if there is one, -Inf if x is empty.
func MaxOfF32(x []float32) float32 {
	if len(x) > 0 && useNEON {
		return orNaN(maxOfF32NEON(&x[0], len(x)))
	}
	return orNaN(maxOfF32Generic(x))
}

// MinOfF32 returns the smallest element, NaN if there is one, +Inf if x is empty.
func MinOfF32(x []float32) float32 {
	if len(x) > 0 && useNEON {
		return orNaN(minOfF32NEON(&x[0], len(x)))
	}
	return orNaN(minOfF32Generic(x))
}

// The sums of whole groups of reduce_dot.go.
func dotF64(x, y []float64) float64 {
	if useNEON {
		return dotF64NEON(&x[0], &y[0], len(x))
	}
	return dotF64Generic(x, y)
}

func sumF64(x []float64) float64 {
	if useNEON {
		return sumF64NEON(&x[0], len(x))
	}
	return sumF64Generic(x)
}

func sumBF16(x []uint16) float32 {
	if useNEON {
		return sumBF16NEON(&x[0], len(x))
	}
	return sumBF16Generic(x)
}

func sumF16(x []uint16) float32 {
	if useNEON {
		return sumF16NEON(&x[0], len(x))
	}
	return sumF16Generic(x)
}

func dotBF16(x []uint16, y []float32) float32 {
	if useNEON {
		return dotBF16NEON(&x[0], &y[0], len(x))
	}
	return dotBF16Generic(x, y)
}

func dotF16(x []uint16, y []float32) float32 {
	if useNEON {
		return dotF16NEON(&x[0], &y[0], len(x))
	}
	return dotF16Generic(x, y)
}
