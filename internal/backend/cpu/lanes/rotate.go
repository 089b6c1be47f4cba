package lanes

import "math"

// Rotate applies rotations to neighbouring rows of z, which are ld elements apart with cols used: the i-th to row from+i·step and the one
// step behind it, x and y, which become s·y + c·x and c·y - s·x.
func Rotate(z []float64, ld, cols, from, step int, c, s []float64) {
	if len(c) == 0 || cols == 0 {
		return
	}
	s = s[:len(c)]
	last := from + len(c)*step
	_, _ = z[last*ld+cols-1], z[from*ld+cols-1] // the kernel checks nothing
	if rotate(z, ld, cols, from, step, c, s) {
		return
	}
	for i, cs := range c {
		at := from + i*step
		x, y := z[at*ld:][:cols], z[(at+step)*ld:][:cols]
		for k, a := range x {
			b := y[k]
			x[k], y[k] = math.FMA(cs, a, s[i]*b), math.FMA(cs, b, -(s[i]*a))
		}
	}
}
