package gemm

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/par"
)

// Stored panels of pairs of bfloat16: a vector of one holds two neighbours in k of 16 rows of W, as VDPBF16PS wants them. From W itself a
// row of A has to transpose them in registers, which takes longer than memory; panels are read from first to last. Sums are those of
// BFloat16Rows.

// StoresPairs reports whether rows of k have panels of pairs.
func StoresPairs(k int) bool { return k > 0 && k%2 == 0 && enginePairRows() != nil }

// PairsWidth is how many rows of W a panel has.
func PairsWidth() int { return enginePairRows().cols() }

// PairsLen is how many elements the panels of n rows of k take.
func PairsLen(k, n int) int {
	width := PairsWidth()
	return ceilDiv(n, width) * width * k / 2
}

// StorePairs packs the panels of W from number from to to-1; dst is that of all panels.
func StorePairs(dst []float32, w []uint16, k, n, from, to int) {
	e := enginePairRows()
	width, all, pairs := e.cols(), PairsLen(2, n), k/2
	if k%2 != 0 || from < 0 || to*width > all || len(dst) < all*pairs || len(w) < n*k {
		panic(fmt.Sprintf("gemm: panels %d to %d of %d by %d do not fit from %d elements into %d", from, to, k, n, len(w), len(dst)))
	}
	col := from * width
	cols, chunk := min(to*width, n)-col, e.chunk(max(pairs, 1))
	for pc := 0; pc < pairs && cols > 0; pc += chunk {
		kc := min(chunk, pairs-pc)
		packPanels(e, dst[pc*all+col*kc:], asPairs[float32](w[col*k:])[pc:], 1, pairs, kc, cols)
	}
}

// BFloat16Stored is BFloat16Rows for a W whose panels are stored; W is not read. ars is even.
func BFloat16Stored(m, n, k int, a []uint16, ars int, panels, c []float32, crs int, run Runner) {
	if len(panels) < PairsLen(k, n) || k%2 != 0 || m > 1 && ars%2 != 0 {
		panic(fmt.Sprintf("gemm: %d elements are no panels of %d by %d, or rows of A %d apart are not in pairs", len(panels), k, n, ars))
	}
	checkC(m, n, k, len(a), ars, 1, n*k, 1, k, c, crs, Overwrite, nil)
	if m == 0 || n == 0 {
		return
	}
	e := enginePairRows()
	p := problem[float32]{m: m, n: n, k: k / 2, a: asPairs[float32](a), ars: ars / 2, acs: 1, brs: 1, bcs: k / 2, panels: panels, c: c,
		crs: crs, ccs: 1}
	if m > e.rows {
		blocks(e, &p, true, run)
		return
	}
	streamPairs(e, &p, run)
}

// streamBytes is how many bytes of panels are a block of work for a few rows: as they come from memory, some microseconds.
const streamBytes = 256 << 10

// streamPairs reads the panels once.
func streamPairs(e *engine[float32], p *problem[float32], run Runner) {
	width, panels, chunk := e.cols(), ceilDiv(p.n, e.cols()), e.chunk(p.k)
	each := max(1, streamBytes/(4*p.k*width))
	forEach(work(p.m, p.n, p.k), ceilDiv(panels, each), run, func(block int) {
		pace := par.NewPace()
		for pc := 0; pc < p.k; pc += chunk {
			kc := min(chunk, p.k-pc)
			for i, end := block*each, min((block+1)*each, panels); i < end; i++ {
				j := i * width
				kernel, n := e.stream[p.m], min(width, p.n-j)
				if n < width {
					kernel = e.kernel(p.m, n)
				}
				kernel(kc, p.a[pc:], p.ars, 1, p.panels[pc*panels*width+j*kc:], width, p.c[j:], p.crs, n, pc > 0)
				pace.Step()
			}
		}
	})
}
