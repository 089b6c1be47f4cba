//go:build amd64 && !purego

package gemm

// Products of bfloat16 by AMX: a tile is up to 16 rows of 64 bytes, and one instruction
// multiplies 16 rows of A, in pairs along k, with 16 pairs of rows of B, which is how panels of
// pairs are laid out. So the engine is that of bf16.go with larger tiles: two by two of 16 by 16.
//
// TDPBF16PS sums the first and the second products of 16 pairs apart, then adds both to C;
// it treats subnormals as VDPBF16PS does. The bound of bf16.go holds, the bits differ. Tiles
// are used for every shape, so that a row of C has the same bits whatever m is.
//
// The encoding is tested by a disassembler, everything around the kernels on an emulation of them, and the kernels
// are used only where a small product comes out right (amxCheck); LUCID_CPU=avx512 switches them off.
//
// A thread's tiles are part of its state that the system saves only if a process asked for
// it (amx_linux_amd64.go). They are set up and released within one call. Setting them up takes as long as a dozen products
// of tiles, so that one call takes all panels of a strip.

const (
	amxRows  = 32  // of C in one call
	amxPairs = 16  // of k in one tile
	amxChunk = 128 // of so many pairs a panel of A, 32 rows, and one of B fit an L1 cache of 48 KiB
	// Machines with AMX have a second-level cache of 2 MiB.
	amxStripPanels = 32
	amxPartElems   = 256 << 10
)

// tileShape is the operand of LDTILECFG.
type tileShape struct {
	palette  uint8
	_        [15]uint8 // the row to start at is 0
	colBytes [16]uint16
	rows     [16]uint8
}

// shapeTiles describes the tiles of a call for rows of C and pairs of k: sums in 0 to 3, A in 4
// and 5, B in 6 and 7.
func shapeTiles(rows, pairs int) (s tileShape) {
	s.palette = 1
	set := func(t, rows, cols int) { s.rows[t], s.colBytes[t] = uint8(rows), uint16(4*cols) }
	for i := range 2 {
		if n := min(16, rows-i*16); n > 0 {
			set(2*i, n, 16)
			set(2*i+1, n, 16)
			set(4+i, n, pairs)
		}
		set(6+i, pairs, 16)
	}
	return s
}

// amxKernel multiplies rows of A, at most amxRows, with panels of B that are bps apart: see internal/backend/cpu/asmgen.
type amxKernel = func(full, tail *tileShape, steps, rest int, a []float32, ars int, b []float32, brs, bps int, c []float32, crs,
	panels int, add bool)

// amxType is what tiles multiply: pairs of bfloat16 (bf16.go) or int8 in VNNI layout (int8.go).
type amxType struct {
	kernels [3][3]amxKernel // by tiles of rows and of columns
	probe   func(shape *tileShape, iterations int)
	flops   int // of one product of tiles
}

var amxBF16Type = amxType{
	[3][3]amxKernel{1: {1: tileAMXBF16r11, 2: tileAMXBF16r12}, 2: {1: tileAMXBF16r21, 2: tileAMXBF16r22}},
	probeAMXBF16, 2 * 16 * 16 * 32,
}

var amxInt8Type = amxType{
	[3][3]amxKernel{1: {1: tileAMXInt8r11, 2: tileAMXInt8r12}, 2: {1: tileAMXInt8r21, 2: tileAMXInt8r22}},
	probeAMXInt8, 2 * 16 * 16 * 64,
}

// newAMX fills the table of tiles, by vectors and rows. A must be contiguous in k, and B a
// packed panel, since whole vectors of it are read.
func newAMX(t *amxType, e engine[float32]) *engine[float32] {
	e.rows, e.lanes, e.squares, e.maxChunk, e.stripPanels, e.partElems = amxRows, 16, true, amxChunk, amxStripPanels, amxPartElems
	e.tiles = new([maxVectors + 1][maxRows + 1]tile[float32])
	for nv := 1; nv <= maxVectors; nv++ {
		for rows := 1; rows <= amxRows; rows++ {
			e.tiles[nv][rows] = amxTile(t, nv, rows, e.bufs)
		}
	}
	e.edges = e.tiles
	e.row = amxRow(t)
	return &e
}
