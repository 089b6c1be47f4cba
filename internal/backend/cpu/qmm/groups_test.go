package qmm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/internal/quantize"
)

// TestGroups asserts that products with MLX's groups are near those with their values in float64, and that all variants give the same
// bits, for few rows and for many.
func TestGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	same := func(v float32) float32 { return v }
	for _, c := range []struct {
		t ggml.Type
		f quantize.Format
	}{{Affine4, quantize.Format{Mode: quantize.Affine, Bits: 4, Group: 64}}, {Affine8, quantize.Format{Mode: quantize.Affine, Bits: 8,
		Group: 128}}, {Affine4, quantize.Format{Mode: quantize.Affine, Bits: 4, Group: 32}},
		{ggml.MXFP4, quantize.Format{Mode: quantize.MXFP4, Bits: 4, Group: 32}}} {
		const rows, k, m = 30, 384, 35
		w, x := randomRows(rng, rows*k), randomRows(rng, m*k)
		words, groups := c.f.Words(k), k/c.f.Group
		packed, scales, biases := make([]uint32, rows*words), make([]float32, rows*groups), make([]float32, rows*groups)
		for r := range rows {
			c.f.Quantize(w[r*k:][:k], packed[r*words:][:words], scales[r*groups:], biases[r*groups:], same)
			c.f.Dequantize(w[r*k:][:k], packed[r*words:][:words], scales[r*groups:], biases[r*groups:], same)
		}
		size := TileBytes(c.t, k)
		tiles := make([]byte, 2*size)
		for j, at := range []int{0, Rows} {
			PackGroups(c.t, tiles[j*size:], packed[at*words:], scales[at*groups:], biases[at*groups:], min(Rows, rows-at), k, c.f.Group)
		}
		var first []float32
		forVariants(t, func(t *testing.T) {
			records := make([]byte, m*RecordBytes(k))
			QuantizeRows(c.t, records, x, k)
			y, z := make([]float32, m*2*Rows), make([]float32, m*2*Rows)
			Many(c.t, tiles, k, m, records, y, 2*Rows, 2*Rows, make([]byte, PanelBytes(c.t)))
			for i := 0; i < m; i += FewRows {
				for j := range 2 {
					Few(c.t, tiles[j*size:], k, min(FewRows, m-i), records[i*RecordBytes(k):], z[(2*i+j)*Rows:], 2*Rows, Rows)
				}
			}
			if first == nil {
				first = y
			}
			if i := equalBits(y, z); i >= 0 {
				t.Errorf("%v: element %d is %v among many rows, %v among few", c.f, i, y[i], z[i])
			}
			if i := equalBits(y, first); i >= 0 {
				t.Errorf("%v: element %d differs between variants", c.f, i)
			}
			for i := range m {
				for j := range rows {
					sum, size := 0.0, 0.0
					for p := range k {
						v := float64(x[i*k+p]) * float64(w[j*k+p])
						sum, size = sum+v, size+math.Abs(v)
					}
					if e := math.Abs(sum - float64(y[i*2*Rows+j])); !(e <= 0.01*size) {
						t.Fatalf("%v row %d column %d: %v, want %v", c.f, i, j, y[i*2*Rows+j], sum)
					}
				}
			}
		})
	}
}
