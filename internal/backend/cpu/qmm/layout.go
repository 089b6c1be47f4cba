package qmm

import "github.com/lucid-go/lucid/internal/ggml"

// Rows is how many rows of weights a tile has.
const Rows = 16

const (
	block      = 32  // elements that share a scale of the activations
	superBlock = 256 // elements that share a float16 scale in the K formats
	vector     = 4 * Rows
)

// scaleKind says what a scale is.
type scaleKind uint8

const (
	halfScales   scaleKind = iota // a float16 a block
	bfloatScales                  // a bfloat16 a block
	superScales                   // a float16 for 256 elements times an int8 for each group
	floatScales                   // a float32 a block
)

// affine, plus the number of bits, stands for MLX's affine groups, whose scales and biases tiles have as float32 for each 32 elements.
// These are no types of files.
const affine ggml.Type = 1 << 16

// Affine stands for MLX's affine groups of some bits: 2, 3, 4, 5, 6 or 8.
func Affine(bits int) ggml.Type { return affine + ggml.Type(bits) }

// layout is how the tiles of a format are laid out.
type layout struct {
	bits     int // of a quant
	groups   int // that a block of 32 has: 1 or 2
	scales   scaleKind
	mins     bool // each group has a minimum, of the kind of its scale
	subtract bool // the minimum is subtracted
	offset   int  // what is subtracted from quants
	table    *[16]byte
	read     func(src []byte, j int, o *rowBlock) // block j of 32 of one block of the format
	kernels  *kernels                             // assembly; nil: none
}

// rowBlock is 32 elements of one row.
type rowBlock struct {
	words      [block / 4]uint32 // four quants each
	scale, low uint32            // bits of the scale and the minimum, or of those of 256 elements
	factors    [2]byte           // int8 for each group
	lows       [2]byte
}

// nonlinear are the levels of the IQ4 formats plus 128, fractions those of MXFP4 plus 12.
var (
	nonlinear = [16]byte{1, 24, 45, 63, 79, 93, 106, 118, 129, 141, 153, 166, 181, 197, 217, 241}
	fractions = [16]byte{12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0}
)

var layouts = map[ggml.Type]*layout{
	ggml.Q8_0:  {bits: 8, groups: 1, offset: 128, read: readQ8_0},
	ggml.Q4_0:  {bits: 4, groups: 1, offset: 8, read: readQ4_0},
	ggml.Q4_1:  {bits: 4, groups: 1, mins: true, read: readQ4_1},
	ggml.Q5_0:  {bits: 5, groups: 1, offset: 16, read: readQ5_0},
	ggml.Q5_1:  {bits: 5, groups: 1, mins: true, read: readQ5_1},
	ggml.Q4_K:  {bits: 4, groups: 1, scales: superScales, mins: true, subtract: true, read: readQ4K},
	ggml.Q5_K:  {bits: 5, groups: 1, scales: superScales, mins: true, subtract: true, read: readQ5K},
	ggml.Q6_K:  {bits: 6, groups: 2, scales: superScales, offset: 32, read: readQ6K},
	ggml.Q2_K:  {bits: 2, groups: 2, scales: superScales, mins: true, subtract: true, read: readQ2K},
	ggml.Q3_K:  {bits: 3, groups: 2, scales: superScales, offset: 4, read: readQ3K},
	ggml.IQ4NL: {bits: 4, groups: 1, offset: 128, table: &nonlinear, read: readQ4_0},
	ggml.IQ4XS: {bits: 4, groups: 1, scales: superScales, offset: 128, table: &nonlinear, read: readIQ4XS},
	ggml.MXFP4: {bits: 4, groups: 1, scales: bfloatScales, offset: 12, table: &fractions, read: readMXFP4},
	affine + 2: {bits: 2, groups: 1, scales: floatScales, mins: true},
	affine + 3: {bits: 3, groups: 1, scales: floatScales, mins: true},
	affine + 4: {bits: 4, groups: 1, scales: floatScales, mins: true},
	affine + 5: {bits: 5, groups: 1, scales: floatScales, mins: true},
	affine + 6: {bits: 6, groups: 1, scales: floatScales, mins: true},
	affine + 8: {bits: 8, groups: 1, scales: floatScales, mins: true},
}

// fileLayouts are the layouts of types of files: a product of one row asks for its layout every few hundred nanoseconds.
var fileLayouts = func() (table [64]*layout) {
	for t, l := range layouts {
		if int(t) < len(table) {
			table[t] = l
		}
	}
	return table
}()

func layoutOf(t ggml.Type) *layout {
	if int(t) < len(fileLayouts) {
		return fileLayouts[t]
	}
	return layouts[t]
}

// Supported reports whether there are tiles of the format.
func Supported(t ggml.Type) bool { return layouts[t] != nil }

// HasFast reports whether Few has assembly here, HasExpand whether Expand has. The Go versions are for tests: a product with
// dequantised weights is faster.
func HasFast() bool { return wide() || useHalf() }

// HasGroups reports whether Few and Many have assembly here for MLX's groups of that type.
func HasGroups(t ggml.Type) bool { return layouts[t].hasFew() }

// HasExpand: see HasFast.
func HasExpand() bool { return wide() }

// wide reports whether kernels of AVX-512 run here. Those of AMX come with them.
func wide() bool { return useVNNI || useAMX }

// wide reports whether those of the format do. Some formats have none: they run on AVX2.
func (l *layout) wide() bool { return wide() && l.kernels != nil && l.kernels.few[0] != nil }

// hasFew reports whether some kernels of a few rows run here.
func (l *layout) hasFew() bool {
	return l.wide() || l.kernels != nil && useHalf() && l.kernels.half[1] != nil
}

// useHalf reports whether kernels on half of a tile run here: those of AVX2, or of NEON with dot products.
func useHalf() bool { return useAVX2 || useDot }

// headBytes is what 256 elements have before the scales of their groups.
func (l *layout) headBytes() int {
	if l.scales != superScales {
		return 0
	}
	return 2 * Rows * l.parts()
}

// parts is 2 for formats with minima, else 1.
func (l *layout) parts() int {
	if l.mins {
		return 2
	}
	return 1
}

// blockScales is how many bytes of scales and minima a block of 32 has.
func (l *layout) blockScales() int {
	switch l.scales {
	case superScales:
		return Rows * l.groups * l.parts()
	case floatScales:
		return 4 * Rows * l.parts()
	}
	return 2 * Rows * l.parts()
}

// scaleBytes is the size of all scales of a tile: whole cache lines.
func (l *layout) scaleBytes(k int) int {
	return (k/block*l.blockScales() + l.heads(k) + vector - 1) / vector * vector
}

// heads is the size of the scales of 256 elements.
func (l *layout) heads(k int) int {
	if l.scales != superScales {
		return 0
	}
	return k / superBlock * l.headBytes()
}

// quantBytes is the size of the quants of a block of 32.
func (l *layout) quantBytes() int { return vector * l.bits }

// TileBytes is the size of a tile of rows of k elements.
func TileBytes(t ggml.Type, k int) int {
	l := layoutOf(t)
	return l.scaleBytes(k) + k/block*l.quantBytes()
}

// scaleAt is where in a tile the scales of block b are, and quantAt where its quants are.
func (l *layout) scaleAt(b int) int {
	n := b * l.blockScales()
	if l.scales == superScales {
		n += (b/(superBlock/block) + 1) * l.headBytes()
	}
	return n
}

func (l *layout) quantAt(k, b int) int { return l.scaleBytes(k) + b*l.quantBytes() }

// headAt is where the scales of the 256 elements are that block b is one of.
func (l *layout) headAt(b int) int {
	each := superBlock / block
	return b / each * (each*l.blockScales() + l.headBytes())
}
