package lapack

// transpose writes the transpose of x, m×n, to z, n×m.
func (s *Solver[T]) transpose(m, n int, x []T, ldx int, z []T, ldz int) {
	switch x := any(x).(type) {
	case []float32:
		if s.Transpose32 != nil {
			s.Transpose32(m, n, x, ldx, any(z).([]float32), ldz)
			return
		}
	case []float64:
		if s.Transpose64 != nil {
			s.Transpose64(m, n, x, ldx, any(z).([]float64), ldz)
			return
		}
	}
	transpose(m, n, x, ldx, z, ldz)
}

// transpose is Solver.transpose without vectors.
func transpose[T Number](m, n int, x []T, ldx int, z []T, ldz int) {
	// Tiles go through a buffer: rows that are a power of two apart share the sets of a cache, so each is read or written at once.
	const tile = 16
	var b [tile * tile]T
	for i0 := 0; i0 < m; i0 += tile {
		rows := min(tile, m-i0)
		for j0 := 0; j0 < n; j0 += tile {
			cols := min(tile, n-j0)
			for i := range rows {
				copy(b[i*tile:][:cols], x[(i0+i)*ldx+j0:])
			}
			for j := range cols {
				to := z[(j0+j)*ldz+i0:][:rows]
				for i := range to {
					to[i] = b[(i*tile+j)&(tile*tile-1)]
				}
			}
		}
	}
}
