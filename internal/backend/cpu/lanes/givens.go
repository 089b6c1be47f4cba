package lanes

// GivensRows applies rotations of complex numbers to neighbouring rows of x, which are ld elements apart with cols used: the i-th to rows i
// and i+1, a and b, which become c·a + s·b and c·b - conj(s)·a. f has four numbers of each: c, re s, -im s and im s.
func GivensRows(x []complex128, ld, cols int, f []float64) {
	if len(f) == 0 || cols <= 0 {
		return
	}
	_ = x[len(f)/4*ld+cols-1] // the kernel checks nothing
	for k := givensRows(x, ld, cols, f); k < cols; k++ {
		givensOne(x[k:], ld, f)
	}
}

// GivensColumns applies rotations to neighbouring columns of rows, as GivensRows to rows.
func GivensColumns(x []complex128, ld, rows int, f []float64) {
	if len(f) == 0 || rows <= 0 {
		return
	}
	_ = x[(rows-1)*ld+len(f)/4]
	for i := givensGroups(x, ld, rows, f); i < rows; i++ {
		givensOne(x[i*ld:], 1, f)
	}
}

// givensOne rotates neighbours among elements step apart.
func givensOne(x []complex128, step int, f []float64) {
	a := x[0]
	for i := 0; i < len(f); i += 4 {
		at := i / 4 * step
		b := x[at+step]
		c, sr, si := f[i], f[i+1], f[i+3]
		x[at] = complex(c*real(a)+(sr*real(b)-si*imag(b)), c*imag(a)+(sr*imag(b)+si*real(b)))
		a = complex(c*real(b)-(sr*real(a)+si*imag(a)), c*imag(b)-(sr*imag(a)-si*real(a)))
	}
	x[len(f)/4*step] = a
}
