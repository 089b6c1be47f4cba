package gemm

import "fmt"

// Panels of B that the caller stores: weights that product after product reads are packed once. Sums run in the same order as without.

// StoredWidth is how many columns a stored panel has: panels of one width are of no use to kernels of another.
func StoredWidth() int { return engine32().cols() }

// StoredLen is how many elements the panels of a B of k by n take.
func StoredLen(k, n int) int {
	width := StoredWidth()
	return ceilDiv(n, width) * width * k
}

// Store packs the panels of B from number from to to-1, chunk of k by chunk; dst is that of all panels.
func Store(dst, b []float32, brs, bcs, k, n, from, to int) {
	e := engine32()
	width, all, chunk := e.cols(), StoredLen(1, n), e.chunk(max(k, 1))
	if from < 0 || to*width > all || len(dst) < all*k || brs|bcs < 0 || k > 0 && n > 0 && len(b) <= (k-1)*brs+(n-1)*bcs {
		panic(fmt.Sprintf("gemm: panels %d to %d of %d by %d do not fit from %d elements into %d", from, to, k, n, len(b), len(dst)))
	}
	col := from * width
	cols := min(to*width, n) - col
	for pc := 0; pc < k && cols > 0; pc += chunk {
		kc := min(chunk, k-pc)
		packPanels(e, dst[pc*all+col*kc:], b[pc*brs+col*bcs:], brs, bcs, kc, cols)
	}
}

// Float32Stored is Float32 for a B whose panels are stored; few rows read B itself.
func Float32Stored(m, n, k int, a []float32, ars, acs int, b []float32, brs, bcs int, panels []float32,
	c []float32, crs int, ep Epilogue[float32], run Runner) {
	if len(panels) < StoredLen(k, n) {
		panic(fmt.Sprintf("gemm: %d elements are no panels of %d by %d", len(panels), k, n))
	}
	crs = checkC(m, n, k, len(a), ars, acs, len(b), brs, bcs, c, crs, Overwrite, ep)
	multiply(engine32(), problem[float32]{m: m, n: n, k: k, a: a, ars: ars, acs: acs, b: b, brs: brs, bcs: bcs, c: c, crs: crs, ccs: 1,
		ep: ep, panels: panels}, run)
}

// panelsB returns columns of B from col on, the first of a panel, for kc of k from pc on: stored ones, or packed into dst.
func (p *problem[T]) panelsB(e *engine[T], dst []T, pc, kc, col, cols int) []T {
	if p.panels != nil {
		return p.panels[pc*ceilDiv(p.n, e.cols())*e.cols()+col*kc:]
	}
	p.packB(e, dst, pc, kc, col, cols)
	return dst
}
