package kernel

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
)

// A convolution is a product whose second operand repeats the input: row p of it is the input shifted by tap p. Laid out
// with its padding, the input holds every such row as it is, so Direct multiplies by rows that are anywhere in one slice and
// may overlap, and no such matrix is ever made.

// DirectColumns is what Direct and Columns round a number of columns up to: so many may be read and are written.
const DirectColumns = 16

// directTile is a kernel of Direct, nv vectors wide; the number of rows is fixed by the kernel.
type directTile[T Float] struct {
	nv     int
	kernel func(kc int, a []T, off []int, b []T, c []T, crs int, spots []scatterSpot, add bool)
}

// PackDirect lays out the m by k matrix a as Direct reads it, in m·k elements of dst.
func PackDirect[T Float](dst []T, m, k int, a []T, ars, acs int) {
	e := engineOf[T]()
	panels := ceilDiv(m, e.rows)
	for q := range panels {
		i0, i1 := part(q, panels, m)
		packDirectRows(e, dst[i0*k:i1*k], i1-i0, k, a[i0*ars:], ars, acs)
	}
}

// packDirectRows packs the n rows of a panel. The transposing kernel writes more elements than there are rows, which the
// next row then replaces; so the last ones go through scratch.
func packDirectRows[T Float](e *engine[T], dst []T, n, k int, a []T, ars, acs int) {
	if acs != 1 || n > e.lanes {
		for i := range n {
			from := a[i*ars:]
			for p := range k {
				dst[p*n+i] = from[p*acs]
			}
		}
		return
	}
	last := min(k, ceilDiv(e.lanes, n))
	if k > last {
		e.tiles().Transpose(dst, n, a, ars, k-last, n)
	}
	var tmp [16 * 16]T
	e.tiles().Transpose(tmp[:], e.lanes, a[k-last:], ars, last, n)
	for r := range last {
		copy(dst[(k-last+r)*n:][:n], tmp[r*e.lanes:])
	}
}

// Direct computes, for i < m and j < n,
//
//	c[i*crs+j] (+)= Σ_p a[i,p] * b[off[p]+j]    (p from 0 to len(off)-1, in order, by FMA)
//
// a was made by PackDirect. It reads and writes columns up to n rounded up to DirectColumns.
func Direct[T Float](m, n int, a []T, off []int, b []T, c []T, crs int, add bool) {
	k, n := len(off), ceilDiv(n, DirectColumns)*DirectColumns
	if m == 0 || n == 0 || k == 0 {
		return
	}
	if crs < n && m > 1 || (m-1)*crs+n > len(c) {
		panic(fmt.Sprintf("conv: taps write outside their slice: m %d, n %d, row stride %d, length %d", m, n, crs, len(c)))
	}
	checkDirect(m, n, len(a), off, len(b))
	e := engineOf[T]()
	if e.direct == nil {
		copiedDirect(e, m, n, a, off, b, c, crs, add)
		return
	}
	overDirect(e, e.direct, m, n, func(t *directTile[T], i, rows, j int) {
		t.kernel(k, a[i*k:(i+rows)*k], off, b[j:], c[i*crs+j:], crs, nil, add)
	})
}

// checkDirect panics if an element of the operands would be outside its slice: assembly does not look.
func checkDirect(m, n, alen int, off []int, blen int) {
	lo, hi := off[0], off[0]
	for _, o := range off {
		lo, hi = min(lo, o), max(hi, o)
	}
	if lo < 0 || hi+n > blen || m*len(off) > alen {
		panic(fmt.Sprintf("conv: taps outside their slices: m %d, n %d, k %d, offsets %d to %d, lengths %d and %d",
			m, n, len(off), lo, hi, alen, blen))
	}
}

// overDirect covers m by n sums with tiles.
func overDirect[T Float](e *engine[T], kernels [][]directTile[T], m, n int, f func(t *directTile[T], i, rows, j int)) {
	panels := ceilDiv(m, e.rows)
	for q := range panels {
		i0, i1 := part(q, panels, m)
		tiles := kernels[i1-i0]
		for j := 0; j < n; {
			t := 0
			for tiles[t].nv*e.lanes > n-j {
				t++
			}
			f(&tiles[t], i0, i1-i0, j)
			j += tiles[t].nv * e.lanes
		}
	}
}

// scatterSpot is where a vector of sums goes: its elements in the lower mask from lo on, those in the upper one from hi on.
// Assembly reads these fields.
type scatterSpot struct {
	lo, hi       int
	lower, upper uint32
}

// A Scatter says where the columns of DirectTo go.
type Scatter struct {
	spots  []scatterSpot
	n, end int
	lanes  int
}

// NewScatter describes rows of width columns, pitch apart in the product and stride apart in C; the columns between them
// are left out. It is nil if this machine cannot, or rows are too short for it to pay.
func NewScatter[T Float](rows, width, pitch, stride int) *Scatter {
	e := engineOf[T]()
	if e.directTo == nil || pitch < e.lanes {
		return nil
	}
	s := &Scatter{n: (rows-1)*pitch + width, end: (rows-1)*stride + width, lanes: e.lanes}
	for j := 0; j < ceilDiv(s.n, DirectColumns)*DirectColumns; j += e.lanes {
		row, col := j/pitch, j%pitch
		p := scatterSpot{lo: row*stride + col, hi: (row+1)*stride + col - pitch}
		for l := range e.lanes {
			switch at := col + l; {
			case j+l >= s.n:
			case at < width:
				p.lower |= 1 << l
			case at >= pitch && at < pitch+width:
				p.upper |= 1 << l
			}
		}
		s.spots = append(s.spots, p)
	}
	return s
}

// DirectTo is Direct with the columns where s says, and nothing else written. c has m rows, crs apart.
func DirectTo[T Float](m int, a []T, off []int, b []T, c []T, crs int, s *Scatter, add bool) {
	k, n := len(off), len(s.spots)*s.lanes
	if m == 0 || n == 0 || k == 0 {
		return
	}
	if (m-1)*crs+s.end > len(c) {
		panic(fmt.Sprintf("conv: taps write outside their slice: m %d, %d columns, row stride %d, length %d", m, s.end, crs, len(c)))
	}
	checkDirect(m, n, len(a), off, len(b))
	e := engineOf[T]()
	overDirect(e, e.directTo, m, n, func(t *directTile[T], i, rows, j int) {
		t.kernel(k, a[i*k:(i+rows)*k], off, b[j:], c[i*crs:], crs, s.spots[j/e.lanes:], add)
	})
}

// Columns computes, for every u and i < m, j < n,
//
//	c[(u*m+i)*crs+j] (+)= Σ_p a[i*ars+p] * b[off[u]+p*brs+j]    (p from 0 to k-1, in order, by FMA)
//
// It reads and writes columns up to n rounded up to DirectColumns.
func Columns[T Float](m, n, k int, a []T, ars int, b []T, off []int, brs int, c []T, crs int, add bool) {
	n = ceilDiv(n, DirectColumns) * DirectColumns
	if m == 0 || n == 0 || k == 0 || len(off) == 0 {
		return
	}
	lo, hi := off[0], off[0]
	for _, o := range off {
		lo, hi = min(lo, o), max(hi, o)
	}
	if lo < 0 || hi+(k-1)*brs+n > len(b) || (m-1)*ars+k > len(a) || crs < n || (len(off)*m-1)*crs+n > len(c) {
		panic(fmt.Sprintf("conv: columns outside their slices: m %d, n %d, k %d, strides %d, %d, %d, offsets %d to %d, lengths %d, %d, "+
			"%d", m, n, k, ars, brs, crs, lo, hi, len(a), len(b), len(c)))
	}
	e := engineOf[T]()
	tiles, panels := e.tiles(), ceilDiv(m, e.rows)
	for q := range panels {
		i0, i1 := part(q, panels, m)
		for u, o := range off {
			tiles.InPlace(i1-i0, n, k, a[i0*ars:], ars, 1, b[o:], brs, c[(u*m+i0)*crs:], crs, add)
		}
	}
}

// copiedDirect is Direct by the kernels of products: the rows of a tile are copied together. It is the Go twin of the
// direct convolution kernels, and the way of machines that have none.
func copiedDirect[T Float](e *engine[T], m, n int, a []T, off []int, b []T, c []T, crs int, add bool) {
	tiles := e.tiles()
	k, width, panels := len(off), tiles.Cols(), ceilDiv(m, e.rows)
	panel, giveBack := bufpool.Borrow[T](k * width)
	defer giveBack()
	for j := 0; j < n; j += width {
		cols := min(width, n-j)
		for p, o := range off {
			copy(panel[p*width:][:cols], b[o+j:])
		}
		for q := range panels {
			i0, i1 := part(q, panels, m)
			tiles.InPlace(i1-i0, cols, k, a[i0*k:], 1, i1-i0, panel, width, c[i0*crs+j:], crs, add)
		}
	}
}
