package qmm

import (
	"math"

	"github.com/lucid-go/lucid/internal/ggml"
)

// PackGroups makes a tile of up to 16 rows of MLX's groups, each of k elements: words are the packed levels, scales and biases those of
// groups. t is Affine of some bits, or MXFP4, whose scales are codes and which has no biases. Rows that are missing are zero.
func PackGroups(t ggml.Type, dst []byte, words []uint32, scales, biases []float32, rows, k, group int) {
	l := layouts[t]
	clear(dst[:TileBytes(t, k)])
	var o rowBlock
	each, groups := l.bits, k/group // words of 32 levels, groups of a row
	for b := range k / block {
		at := dst[l.scaleAt(b):]
		quants := dst[l.quantAt(k, b):][:l.quantBytes()]
		for r := range rows {
			w := words[r*k/block*each+b*each:][:each]
			o.levels(w, l.bits)
			i := r*groups + b*block/group
			if t == ggml.MXFP4 {
				o.exponent(byte(scales[i]))
			} else {
				o.scale, o.low = math.Float32bits(scales[i]), math.Float32bits(biases[i])
			}
			l.put(at, quants, r, &o)
		}
	}
}

// levels takes 32 of some bits out of packed words: four become bytes of a word.
func (o *rowBlock) levels(w []uint32, bits int) {
	mask := uint32(1)<<bits - 1
	for g := range o.words {
		at := 4 * g * bits
		x := uint64(w[at/32])
		if at%32+4*bits > 32 {
			x |= uint64(w[at/32+1]) << 32
		}
		x >>= at % 32
		o.words[g] = uint32(x)&mask | uint32(x>>bits)&mask<<8 | uint32(x>>(2*bits))&mask<<16 | uint32(x>>(3*bits))&mask<<24
	}
}
