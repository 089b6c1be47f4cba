package lapack

// rotateRows applies rotations to neighbouring rows of z, which are ld elements apart with cols used: the i-th to row from+i·step and the
// one step behind it, x and y, which become s·y + c·x and c·y - s·x.
func rotateRows(z []float64, ld, cols, from, step int, c, s []float64) {
	for i := range c {
		at := from + i*step
		x, y := z[at*ld:][:cols], z[(at+step)*ld:][:cols]
		cs, sn := c[i], s[i]
		for k, a := range x {
			b := y[k]
			x[k], y[k] = cs*a+sn*b, cs*b-sn*a
		}
	}
}

// sweep is a sequence of rotations.
type sweep struct {
	from, step int
	c, s       []float64
}

// rotations are sweeps not yet applied to a matrix of vectors. Many at once read a few columns from memory but once.
type rotations struct {
	z      []float64
	ld     int
	cols   int
	list   []sweep
	count  int // rotations in the list
	rotate func(z []float64, ld, cols, from, step int, c, s []float64)
	loop   func(n int, f func(i int))
}

// sweepColumns is how many columns go through all sweeps before the next ones do.
const sweepColumns = 64

// newRotations takes rotations along in z, with rows of ld elements; nil if there is no z.
func (s *Solver[T]) newRotations(z []float64, ld int) *rotations {
	if z == nil {
		return nil
	}
	r := &rotations{z: z, ld: ld, cols: ld, rotate: s.Rotate, loop: s.each}
	if r.rotate == nil {
		r.rotate = rotateRows
	}
	return r
}

// add takes a sweep, of which it keeps copies.
func (r *rotations) add(from, step int, c, s []float64) {
	if r == nil || len(c) == 0 {
		return
	}
	both := make([]float64, 2*len(c))
	copy(both, c)
	copy(both[len(c):], s)
	r.list = append(r.list, sweep{from, step, both[:len(c)], both[len(c):]})
	if r.count += len(c); r.count > 1<<14 {
		r.flush()
	}
}

// flush applies all sweeps.
func (r *rotations) flush() {
	if r == nil || len(r.list) == 0 {
		return
	}
	r.loop((r.cols+sweepColumns-1)/sweepColumns, func(b int) {
		at := b * sweepColumns
		for _, w := range r.list {
			r.rotate(r.z[at:], r.ld, min(sweepColumns, r.cols-at), w.from, w.step, w.c, w.s)
		}
	})
	r.list, r.count = r.list[:0], 0
}
