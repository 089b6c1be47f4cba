package lanes

// MostOthers is the number of columns that Eliminate32 and Eliminate64 change besides the first, at most.
const MostOthers = 7

// eliminateRows is the number of rows of one call of a kernel, which cannot be interrupted.
const eliminateRows = 8 << 10

// Eliminate32 multiplies the first column of x by f[0], and subtracts f[i] times the result from column i, for all factors that there are.
// Columns are ld elements apart and have rows elements; up to a multiple of 16 they are read and written too, and must hold zeros or NaN.
// peak is the index of the first element of the largest magnitude of column 1, 0 if all are NaN or it is not there. Machines without
// vectors for it do nothing, and ok is false.
func Eliminate32(x []float32, ld, rows int, f []float32) (peak int, ok bool) {
	best := float32(-1)
	for from := 0; from < rows; from += eliminateRows {
		var most [16]float32
		var at [16]int32
		lanes := eliminate32(x[from:], ld, min(eliminateRows, rows-from), f, &most, &at)
		if lanes == 0 {
			return 0, false
		}
		index := from
		for l, v := range most[:lanes] {
			if i := from + int(at[l])*lanes + l; i < rows && (v > best || v == best && i < index) {
				best, index, peak = v, i, i
			}
		}
	}
	return peak, true
}

// Eliminate64 is Eliminate32 for float64.
func Eliminate64(x []float64, ld, rows int, f []float64) (peak int, ok bool) {
	best := -1.0
	for from := 0; from < rows; from += eliminateRows {
		var most [8]float64
		var at [8]int64
		lanes := eliminate64(x[from:], ld, min(eliminateRows, rows-from), f, &most, &at)
		if lanes == 0 {
			return 0, false
		}
		index := from
		for l, v := range most[:lanes] {
			if i := from + int(at[l])*lanes + l; i < rows && (v > best || v == best && i < index) {
				best, index, peak = v, i, i
			}
		}
	}
	return peak, true
}
