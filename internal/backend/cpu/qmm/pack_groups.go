package qmm

import (
	"math"

	"github.com/lucid-go/lucid/internal/ggml"
)

// PackGroups makes a tile of up to 16 rows of MLX's groups, each of k elements: words are the packed levels, scales and biases those of
// groups. t is Affine4, Affine8, or MXFP4, whose scales are codes and which has no biases. Rows that are missing are zero.
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
			for g := range o.words {
				if l.bits == 8 {
					o.words[g] = w[g]
					continue
				}
				x := w[g/2] >> (g % 2 * 16) & 0xffff // four levels become bytes
				x = (x | x<<8) & 0x00ff00ff
				o.words[g] = (x | x<<4) & low4
			}
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
