package lapack

// A QR step with one shift is an element below the subdiagonal that rotations chase from the top of a block to its bottom. A sweep has
// several of them, two rows apart, and goes in rounds as that of real matrices does: the rotations are made, one step after the other,
// within the window of rows and columns that they need; then the rest of the matrix has them all at once, slab by slab.

// complexBulge is a QR step under way.
type complexBulge struct {
	shift         complex128
	from, to      int       // its rotations of a round: of rows k and k+1 for k = from … to-1
	forward, back []float64 // four numbers of each, as givensRows has them, and those of the conjugates
}

const (
	complexChain = 16 // steps of a sweep, at most: more of them need a larger window
	complexSlab  = 32 // columns or rows of a slab
)

// step is a QR step over rows lo … hi.
func (r *complexFrancis) step(lo, hi int, shift complex128) {
	r.one[0].shift = shift
	r.sweep(lo, hi, r.one[:])
}

// sweep chases steps through the block of rows lo … hi.
func (r *complexFrancis) sweep(lo, hi int, chain []complexBulge) {
	for t := 0; t < hi-lo+2*(len(chain)-1); t += chaseSteps {
		top, right := hi, 0 // the window
		for i := range chain {
			b := &chain[i]
			b.from, b.to = min(max(lo+t-2*i, lo), hi), min(max(lo+t+chaseSteps-2*i, lo), hi)
			b.forward, b.back = b.forward[:0], b.back[:0]
			if b.from < b.to {
				top, right = min(top, b.from), max(right, b.to+1)
			}
		}
		for i := range chain {
			b := &chain[i]
			if b.from == b.to {
				continue
			}
			r.rotate(b, lo, hi)
			r.givensRows(r.h[b.from*r.ld+b.to+1:], r.ld, right-b.to-1, b.forward)
			if top < b.from {
				r.givensColumns(r.h[top*r.ld+b.from:], r.ld, b.from-top, b.back)
			}
		}
		r.spread(chain, lo, hi, top, right)
	}
}

// rotate makes the rotations of a step, and applies them to columns up to b.to and to rows from b.from on.
func (r *complexFrancis) rotate(b *complexBulge, lo, hi int) {
	n, h := r.ld, r.h
	var f [1]rotation
	for k := b.from; k < b.to; k++ {
		x, y := h[lo*n+lo]-b.shift, h[(lo+1)*n+lo]
		if k > lo {
			x, y = h[k*n+k-1], h[(k+1)*n+k-1]
		}
		g := rotationTo(x, y)
		f[0] = g
		left := max(k-1, lo)
		g.rows(h[k*n+left:k*n+b.to+1], h[(k+1)*n+left:])
		if k > lo {
			h[(k+1)*n+k-1] = 0
		}
		for i := b.from; i <= min(k+2, hi); i++ {
			along(h[i*n+k:], f[:])
		}
		b.forward = append(b.forward, g.c, real(g.s), -imag(g.s), imag(g.s))
		b.back = append(b.back, g.c, real(g.s), imag(g.s), -imag(g.s))
	}
}

// spread applies the rotations of a round to what is outside of the window that begins with row top and ends before column right.
func (r *complexFrancis) spread(chain []complexBulge, lo, hi, top, right int) {
	above, last, count := lo, hi+1, 0
	if r.q != nil {
		above, last, count = 0, r.n, r.n
	}
	slabs := func(n int) int { return (max(n, 0) + complexSlab - 1) / complexSlab }
	inH, inQ, rows := slabs(last-right), slabs(count), slabs(top-above)
	columns := func(x []complex128, conjugated bool, from, to int) {
		for i := range chain {
			if b := &chain[i]; conjugated {
				r.givensRows(x[b.from*r.ld+from:], r.ld, to-from, b.back)
			} else {
				r.givensRows(x[b.from*r.ld+from:], r.ld, to-from, b.forward)
			}
		}
	}
	part := func(i int) {
		switch {
		case i < inH:
			from := right + i*complexSlab
			columns(r.h, false, from, min(from+complexSlab, last))
		case i < inH+inQ:
			from := (i - inH) * complexSlab
			columns(r.q, true, from, min(from+complexSlab, r.n))
		default:
			from := above + (i-inH-inQ)*complexSlab
			for i := range chain {
				b := &chain[i]
				r.givensColumns(r.h[from*r.ld+b.from:], r.ld, min(complexSlab, top-from), b.back)
			}
		}
	}
	if len(chain) == 1 { // too little for several threads
		for i := range inH + inQ + rows {
			part(i)
		}
		return
	}
	r.solver.each(inH+inQ+rows, part)
}
