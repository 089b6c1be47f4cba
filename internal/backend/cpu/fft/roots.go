package fft

import "math"

// floats are the element types; a complex number is two of them.
type floats interface{ float32 | float64 }

// root is exp(-2πi·k/n). The angle is reduced to an eighth of the circle in integers, so its error is a rounding of float64.
func root(k, n int) (re, im float64) {
	k %= n
	oct := 8 * k / n
	part := 8*k - oct*n // of n
	if oct%2 == 1 {
		part = n - part
	}
	s, c := math.Sincos(math.Pi * float64(part) / float64(4*n))
	switch oct {
	case 0:
		return c, -s
	case 1:
		return s, -c
	case 2:
		return -s, -c
	case 3:
		return -c, -s
	case 4:
		return -c, s
	case 5:
		return -s, c
	case 6:
		return s, c
	}
	return c, s
}
