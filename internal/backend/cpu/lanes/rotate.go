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

// Triples applies reflectors of three rows each to neighbouring rows of x, which are ld elements apart with cols used: the i-th is that
// of rows i, i+1 and i+2, and f has for each the second and third element of its vector, whose first is 1, and tau.
func Triples(x []float64, ld, cols int, f []float64) {
	m := len(f) / 3
	if m == 0 || cols == 0 {
		return
	}
	_ = x[(m+1)*ld+cols-1] // the kernel checks nothing
	if triples(x, ld, cols, f[:3*m]) {
		return
	}
	for i := range m {
		u1, u2, tau := f[3*i], f[3*i+1], f[3*i+2]
		a, b, c := x[i*ld:][:cols], x[(i+1)*ld:][:cols], x[(i+2)*ld:][:cols]
		for k, v := range a {
			t := math.FMA(u2, c[k], math.FMA(u1, b[k], v)) * tau
			a[k], b[k], c[k] = v-t, math.FMA(-u1, t, b[k]), math.FMA(-u2, t, c[k])
		}
	}
}

// Poles returns Σ z/(x - t) and Σ z/(x - t)², summed in eight lanes.
func Poles(x, z []float64, t float64) (sum, slope float64) {
	if len(x) == 0 {
		return 0, 0
	}
	z = z[:len(x)]
	var out [16]float64
	for i := poles(x, z, t, &out); i < len(x); i++ {
		r := 1 / (x[i] - t)
		f := z[i] * r
		out[i%8] += f
		out[8+i%8] = math.FMA(f, r, out[8+i%8])
	}
	return lanesSum(out[:8]), lanesSum(out[8:])
}

// lanesSum adds eight lanes in pairs.
func lanesSum(x []float64) float64 {
	_ = x[7]
	return (x[0] + x[1] + (x[2] + x[3])) + (x[4] + x[5] + (x[6] + x[7]))
}
