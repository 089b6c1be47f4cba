package lanes

// Transpose writes the transpose of x, m×n with rows ldx elements apart, to z.
func Transpose(m, n int, x []float64, ldx int, z []float64, ldz int) {
	if m > 0 && n > 0 {
		transpose64(z, ldz, x, ldx, m, n)
	}
}

// transposeRest is transpose64 for what is not in the first r rows and c columns.
func transposeRest(z []float64, ldz int, x []float64, ldx, rows, cols, r, c int) {
	for i := range rows {
		from := c
		if i >= r {
			from = 0
		}
		for j := from; j < cols; j++ {
			z[j*ldz+i] = x[i*ldx+j]
		}
	}
}
