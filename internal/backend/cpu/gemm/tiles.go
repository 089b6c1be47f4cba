package gemm

import "fmt"

// Tiles gives kernels that are no plain product, such as attention, the register tiles of the machine. Sums run as
// those of a product with one chunk of k: see the package comment.
type Tiles[T Float] struct{ e *engine[T] }

// Tiles32 returns the tiles of float32 that are switched on.
func Tiles32() Tiles[float32] { return Tiles[float32]{engine32()} }

// Tiles64 returns those of float64.
func Tiles64() Tiles[float64] { return Tiles[float64]{engine64()} }

// TilesOf returns those of an element type.
func TilesOf[T Float]() Tiles[T] {
	var t any = Tiles32()
	if x, ok := t.(Tiles[T]); ok {
		return x
	}
	t = Tiles64()
	return t.(Tiles[T])
}

// Rows is how many rows a tile has at most.
func (t Tiles[T]) Rows() int { return t.e.rows }

// Cols is the width of a panel of packed columns.
func (t Tiles[T]) Cols() int { return t.e.cols() }

// Chunk is how many k of a product are summed before the sum goes to C.
func (t Tiles[T]) Chunk(k int) int { return t.e.chunk(max(k, 1)) }

// Lanes is how many elements a vector has.
func (t Tiles[T]) Lanes() int { return t.e.lanes }

// Transpose copies n columns, at most Lanes, that are contiguous in k to rows that are drs apart: for p < k, j < n,
//
//	dst[p*drs+j] = src[j*stride+p]
//
// Rows are written in the order of p, each up to Lanes elements long; what is behind n is undefined.
func (t Tiles[T]) Transpose(dst []T, drs int, src []T, stride, k, n int) {
	if n == 0 || k == 0 {
		return
	}
	if n > t.e.lanes || drs < 0 || stride < 0 || (k-1)*drs+t.e.lanes > len(dst) || (n-1)*stride+k > len(src) {
		panic(fmt.Sprintf("gemm: %d columns of %d with stride %d do not fit from %d elements into rows %d apart of %d",
			n, k, stride, len(src), drs, len(dst)))
	}
	t.e.packT(dst, drs, src, stride, k, n)
}

// PanelLen is the length of n columns of depth k in panels.
func (t Tiles[T]) PanelLen(n, k int) int { return ceilDiv(n, t.Cols()) * t.Cols() * k }

// PackColumns copies n columns that are contiguous in k, column j beginning at src[j*stride], into panels, each of Cols
// columns by rows of k. What is past the last column is left as it is.
func (t Tiles[T]) PackColumns(dst, src []T, stride, k, n int) {
	if n == 0 || k == 0 {
		return
	}
	if len(dst) < t.PanelLen(n, k) || stride < 0 || len(src) < (n-1)*stride+k {
		panic(fmt.Sprintf("gemm: %d columns of %d with stride %d do not fit %d elements into %d", n, k, stride, len(src), len(dst)))
	}
	e, width := t.e, t.Cols()
	for j := 0; j < n; j += e.lanes {
		e.packT(dst[j/width*width*k+j%width:], width, src[j*stride:], stride, k, min(e.lanes, n-j))
	}
}

// Panels computes C = A·B, or C += A·B, for m rows, m at most Rows, and B in panels of depth k.
func (t Tiles[T]) Panels(m, n, k int, a []T, ars, acs int, b []T, c []T, crs int, add bool) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	width := t.Cols()
	if m > t.e.rows || len(a) <= (m-1)*ars+(k-1)*acs || len(b) < t.PanelLen(n, k) || len(c) < (m-1)*crs+n {
		panic(fmt.Sprintf("gemm: a tile of %d by %d by %d does not fit operands of %d, %d and %d", m, n, k, len(a), len(b), len(c)))
	}
	for j := 0; j < n; j += width {
		cols := min(width, n-j)
		t.e.kernel(m, cols)(k, a, ars, acs, b[j*k:], width, c[j:], crs, cols, add)
	}
}

// ColumnRows is how many rows Columns takes at most; 0 if there are no kernels for it.
func (t Tiles[T]) ColumnRows() int { return max(0, len(t.e.dots)-1) }

// Columns is Panels for B whose columns are contiguous in k and bcs apart, m at most ColumnRows.
func (t Tiles[T]) Columns(m, n, k int, a []T, ars, acs int, b []T, bcs int, c []T, crs int, add bool) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	if m > t.ColumnRows() || len(a) <= (m-1)*ars+(k-1)*acs || len(b) < (n-1)*bcs+k || len(c) < (m-1)*crs+n {
		panic(fmt.Sprintf("gemm: a tile of %d by %d by %d does not fit operands of %d, %d and %d", m, n, k, len(a), len(b), len(c)))
	}
	t.e.dot(m, k, a, ars, acs, b, bcs, c, crs, n, add)
}

// InPlace is Panels for B whose rows are contiguous and brs apart.
func (t Tiles[T]) InPlace(m, n, k int, a []T, ars, acs int, b []T, brs int, c []T, crs int, add bool) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	width := t.Cols()
	if m > t.e.rows || len(a) <= (m-1)*ars+(k-1)*acs || len(b) < (k-1)*brs+n || len(c) < (m-1)*crs+n {
		panic(fmt.Sprintf("gemm: a tile of %d by %d by %d does not fit operands of %d, %d and %d", m, n, k, len(a), len(b), len(c)))
	}
	for j := 0; j < n; j += width {
		cols := min(width, n-j)
		t.e.kernel(m, cols)(k, a, ars, acs, b[j:], brs, c[j:], crs, cols, add)
	}
}

// CopyRows copies rows of cols elements, drs and srs apart.
func (t Tiles[T]) CopyRows(dst []T, drs int, src []T, srs, rows, cols int) {
	if rows == 0 || cols == 0 {
		return
	}
	if drs < 0 || srs < 0 || len(dst) < (rows-1)*drs+cols || len(src) < (rows-1)*srs+cols {
		panic(fmt.Sprintf("gemm: %d rows of %d do not fit from %d elements into %d", rows, cols, len(src), len(dst)))
	}
	copyRows(t.e, dst, drs, src, srs, rows, cols)
}
