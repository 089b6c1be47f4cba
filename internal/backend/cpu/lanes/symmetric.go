package lanes

// Symmetric writes A·x to y for a symmetric matrix of len(x) rows, ld elements apart; the length is a multiple of 8. It reads the blocks
// of 8×8 elements on and below the diagonal. It reports whether there are vectors for it; without them y is left alone.
func Symmetric[T Float](a []T, ld int, x, y []T) bool {
	n := len(x)
	if n%8 != 0 {
		panic("lanes: rows in blocks of 8")
	}
	if n == 0 {
		return MaxSize() > 0
	}
	y = y[:n]
	_ = a[(n-1)*ld+n-1] // the kernel checks nothing
	return symmetric(a, ld, x, y)
}
