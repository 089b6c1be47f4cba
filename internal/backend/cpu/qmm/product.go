package qmm

import (
	"math/bits"
	"unsafe"

	"github.com/lucid-go/lucid/internal/ggml"
)

const (
	// FewRows is how many rows of activations run on a tile without a panel.
	FewRows = 8
	// PanelTiles is how many tiles share a panel.
	PanelTiles = 2

	panelBlocks = 16 // blocks of 32 elements in a panel: with their scales they stay in L1
	panelRows   = 6  // of a register tile
	panelCols   = PanelTiles * Rows
	amxRows     = 16 // of a tile of AMX
	amxSlots    = 4  // blocks whose integer sums are in memory
	amxStrips   = 64 // of amxRows rows in one call: tens of microseconds
)

// tileShape is what LDTILECFG reads: the bytes of a row and the number of rows of each tile.
type tileShape [64]byte

// amxShape is four tiles of integer sums, then one of activations and one of quants, twice.
var amxShape = shapeTiles()

func shapeTiles() (s tileShape) {
	const columns, rows = 16, 48 // where they are
	s[0] = 1
	for t := range 8 {
		s[columns+2*t], s[rows+t] = 4*Rows, amxRows
	}
	for t := 4; t < 8; t += 2 {
		s[columns+2*t], s[rows+t+1] = block, block/4
	}
	return s
}

type (
	fewKernel    func(blocks int, scales, quants, x *byte, xs int, y *float32, ys int)
	halfKernel   func(blocks int, scales, quants, x *byte, xs int, y *float32, ys, half int)
	unpackKernel func(blocks int, scales, quants, dst *byte)
	expandKernel func(blocks int, scales, quants *byte, dst *float32, ds int)
	packKernel   func(blocks int, scales, quants, src *byte, rows *[Rows]int32)
	amxKernel    func(shape *tileShape, sums *int32, blocks int, panel, x *byte, xs int, y *float32, ys, strips, offset int,
		add bool)
	manyKernel func(blocks int, panel, x *byte, xs int, y *float32, ys int, add bool)
)

// kernels are the assembly of one layout: few for 1, 2, 4 and 8 rows on one tile, unpack for one tile of a panel, expand for the
// values of a tile, pack for a tile of 16 rows, many for rows on a panel; those are of AVX-512. half is few of AVX2 or NEON for 1, 2
// and 4 rows on half of a tile. Of AVX2 unpackShort is unpack, short is many on one tile of a panel, packShort is pack.
type kernels struct {
	few         [4]fewKernel
	half        [3]halfKernel
	whole       halfKernel // one row on a whole tile; nil: half has a kernel for it
	unpackShort unpackKernel
	packShort   packKernel
	short       *[panelRows + 1]manyKernel

	unpack unpackKernel
	expand expandKernel
	pack   packKernel
	many   *[panelRows + 1]manyKernel
	amx    amxKernel // many for strips of amxRows rows on one tile of a panel, where there is one group a block and no minimum
}

// Few computes y[i*ys+j] for up to FewRows rows i of activations and the columns j < cols of one tile.
func Few(t ggml.Type, tile []byte, k, rows int, x []byte, y []float32, ys, cols int) {
	l := layoutOf(t)
	if rows == 0 || cols == 0 {
		return
	}
	if k == 0 {
		for i := range rows {
			clear(y[i*ys:][:cols])
		}
		return
	}
	xs := RecordBytes(k)
	if !l.hasFew() {
		l.few(tile, k, rows, x, xs, y, ys, cols)
		return
	}
	_, _, _ = tile[TileBytes(t, k)-1], x[rows*xs-1], y[(rows-1)*ys+cols-1] // the kernels do not check
	if cols == Rows {
		l.fewRows(tile, k, rows, x, xs, y, ys)
		return
	}
	whole := make([]float32, FewRows*Rows) // on the heap, as calls of kernels by table let it escape: for the last tile only
	l.fewRows(tile, k, rows, x, xs, whole, Rows)
	for i := range rows {
		copy(y[i*ys:][:cols], whole[i*Rows:])
	}
}

// fewRows is Few for all columns of a tile, by assembly.
func (l *layout) fewRows(tile []byte, k, rows int, x []byte, xs int, y []float32, ys int) {
	most := 3
	if !l.wide() {
		most = 2
	}
	for i, step := 0, 0; i < rows; i += step { // 7 rows are 4, 2 and 1: the tile stays in a near cache
		n := min(most, bits.Len(uint(rows-i))-1)
		step = 1 << n
		scales, quants := &tile[0], &tile[l.scaleBytes(k)]
		if l.wide() {
			l.kernels.few[n](k/block, scales, quants, &x[i*xs], xs, &y[i*ys], 4*ys)
			continue
		}
		if n == 0 && l.kernels.whole != nil {
			l.kernels.whole(k/block, scales, quants, &x[i*xs], xs, &y[i*ys], 4*ys, 0)
			continue
		}
		for h := range 2 {
			l.kernels.half[n](k/block, scales, quants, &x[i*xs], xs, &y[i*ys+h*Rows/2], 4*ys, h)
		}
	}
}

func (l *layout) few(tile []byte, k, rows int, x []byte, xs int, y []float32, ys, cols int) {
	var sums [FewRows][Rows]float32
	var u unpacked
	for b := range k / block {
		l.unpack(&u, tile, k, b)
		for i := range rows {
			l.addBlock(&sums[i], &u, x[i*xs+b*recordBytes:][:recordBytes])
		}
	}
	for i := range rows {
		copy(y[i*ys:][:cols], sums[i][:])
	}
}

// PanelBytes is how much scratch Many needs: the panel, and behind it sums of rows that are not stored where they belong.
func PanelBytes(t ggml.Type) int { return panelBlocks*layouts[t].panelBlock() + sumBytes + vector }

// sumBytes is room for the integer sums of AMX; the sums of a register tile need less.
const sumBytes = 4 * amxSlots * PanelTiles * amxRows * Rows

// panelBlock is the size of a block of 32 in a panel: scales and minima as float32, quants as bytes.
func (l *layout) panelBlock() int { return vector * PanelTiles * (block/4 + l.groups*l.parts()) }

// Many computes y[i*ys+j] for rows i of activations and the columns j < cols of up to PanelTiles tiles, which follow each other. Tiles
// behind them are fetched: the next product of the caller is with these.
func Many(t ggml.Type, tiles []byte, k, rows int, x []byte, y []float32, ys, cols int, panel []byte) {
	l, size := layoutOf(t), TileBytes(t, k)
	count := (cols + Rows - 1) / Rows
	if !l.wide() && (l.kernels == nil || !useAVX2 || l.kernels.short == nil) || k == 0 {
		xs := RecordBytes(k)
		for j := range count {
			for i := 0; i < rows; i += FewRows {
				Few(t, tiles[j*size:], k, min(FewRows, rows-i), x[i*xs:], y[i*ys+j*Rows:], ys, min(Rows, cols-j*Rows))
			}
		}
		return
	}
	unpack := l.kernels.unpack
	if !l.wide() {
		unpack = l.kernels.unpackShort
	}
	panel = panel[-uintptr(unsafe.Pointer(&panel[0]))%vector:] // whole cache lines
	for b := 0; b < k/block; b += panelBlocks {
		n := min(panelBlocks, k/block-b)
		if count < PanelTiles {
			clear(panel[:n*l.panelBlock()])
		}
		for j := range count {
			tile := tiles[j*size : (j+1)*size]
			unpack(n, &tile[l.firstScale(b)], &tile[l.quantAt(k, b)], &panel[j*vector])
		}
		next := l.upcoming(tiles, k, b+panelBlocks, count)
		l.onPanel(panel, k, b, n, rows, x, y, ys, cols, next)
	}
}

// upcoming is what is unpacked next: of each of count tiles the quants from block b on, or behind the last block the beginning of the
// tile that follows them.
func (l *layout) upcoming(tiles []byte, k, b, count int) (next [PanelTiles][]byte) {
	size := l.scaleBytes(k) + k/block*l.quantBytes()
	for j := range count {
		from, to := j*size+l.quantAt(k, b), j*size+l.quantAt(k, min(b+panelBlocks, k/block))
		if b >= k/block {
			from = (count + j) * size
			to = from + l.quantAt(k, min(panelBlocks, k/block))
		}
		if to <= len(tiles) {
			next[j] = tiles[from:to]
		}
	}
	return next
}

// fetchPart asks for part i of n of what comes next, so that the memory is read while registers are busy.
func fetchPart(next *[PanelTiles][]byte, i, n int) {
	for _, r := range next {
		lines := (len(r) + vector - 1) / vector
		if from, to := lines*i/n, lines*(i+1)/n; from < to {
			fetchLines(&r[from*vector], to-from)
		}
	}
}

// firstScale is where the scales of block b begin, with those of its 256 elements.
func (l *layout) firstScale(b int) int {
	if l.scales == superScales {
		return l.headAt(b)
	}
	return l.scaleAt(b)
}

// onPanel multiplies all rows with n blocks in a panel, from block b on, and fetches what comes next.
func (l *layout) onPanel(panel []byte, k, b, n, rows int, x []byte, y []float32, ys, cols int, next [PanelTiles][]byte) {
	xs, add := RecordBytes(k), b > 0
	_, _ = x[rows*xs-1], y[(rows-1)*ys+cols-1]
	sums := &panel[panelBlocks*l.panelBlock() : panelBlocks*l.panelBlock()+sumBytes][0]
	if strips := rows / amxRows; useAMX && l.kernels.amx != nil && strips > 0 && cols == panelCols {
		// The other rows come first: AMX needs quants with a sign.
		if done := strips * amxRows; done < rows {
			l.onPanel(panel, k, b, n, rows-done, x[done*xs:], y[done*ys:], ys, cols, next)
		}
		for j := range PanelTiles {
			offset := l.offset // the first call subtracts it in the panel
			for i := 0; i < strips; i += amxStrips {
				from := i * amxRows
				rows, out := &x[from*xs+b*recordBytes], &y[from*ys+j*Rows]
				l.kernels.amx(&amxShape, (*int32)(unsafe.Pointer(sums)), n, &panel[j*vector], rows, xs, out, 4*ys,
					min(amxStrips, strips-i), offset, add)
				offset = 0
			}
		}
		return
	}
	tiles := (rows + panelRows - 1) / panelRows
	whole := unsafe.Slice((*float32)(unsafe.Pointer(sums)), panelRows*panelCols)
	for i, at := 0, 0; i < tiles; i++ {
		to := (i + 1) * rows / tiles // even parts
		m := to - at
		fetchPart(&next, i, tiles)
		from := &x[at*xs+b*recordBytes]
		if cols == panelCols {
			l.registerTile(m, n, panel, from, xs, &y[at*ys], 4*ys, add)
			at = to
			continue
		}
		if add {
			for r := range m {
				copy(whole[r*panelCols:][:cols], y[(at+r)*ys:])
			}
		}
		l.registerTile(m, n, panel, from, xs, &whole[0], 4*panelCols, add)
		for r := range m {
			copy(y[(at+r)*ys:][:cols], whole[r*panelCols:])
		}
		at = to
	}
}

// registerTile multiplies m rows with n blocks in a panel.
func (l *layout) registerTile(m, n int, panel []byte, x *byte, xs int, y *float32, ys int, add bool) {
	if l.wide() {
		l.kernels.many[m](n, &panel[0], x, xs, y, ys, add)
		return
	}
	for j := range PanelTiles {
		l.kernels.short[m](n, &panel[j*vector], x, xs, (*float32)(unsafe.Add(unsafe.Pointer(y), 4*j*Rows)), ys, add)
	}
}
