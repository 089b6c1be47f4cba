package qmm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/internal/quantize"
	"github.com/lucid-go/lucid/internal/testutil/fence"
)

// TestGroups asserts that products with MLX's groups are near those with their values in float64, and that all variants give the same
// bits, for few rows and for many.
func TestGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	same := func(v float32) float32 { return v }
	list := []quantize.Format{{Mode: quantize.MXFP4, Bits: 4, Group: 32}}
	bits, sizes := quantize.Affine.Choices()
	for i, b := range bits {
		for _, size := range []int{sizes[i%3], sizes[(i+1)%3]} {
			list = append(list, quantize.Format{Mode: quantize.Affine, Bits: b, Group: size})
		}
	}
	for _, f := range list {
		kind := ggml.MXFP4
		if f.Mode == quantize.Affine {
			kind = Affine(f.Bits)
		}
		const rows, k, m = 30, 384, 35
		w, x := randomRows(rng, rows*k), randomRows(rng, m*k)
		words, groups := f.Words(k), k/f.Group
		packed, scales, biases := make([]uint32, rows*words), make([]float32, rows*groups), make([]float32, rows*groups)
		for r := range rows {
			f.Quantize(w[r*k:][:k], packed[r*words:][:words], scales[r*groups:], biases[r*groups:], same)
			f.Dequantize(w[r*k:][:k], packed[r*words:][:words], scales[r*groups:], biases[r*groups:], same)
		}
		size := TileBytes(kind, k)
		tiles := fence.Slices[byte](t, 2*size)(0, 2*size)
		for j, at := range []int{0, Rows} {
			PackGroups(kind, tiles[j*size:], packed[at*words:], scales[at*groups:], biases[at*groups:], min(Rows, rows-at), k, f.Group)
		}
		var first []float32
		forVariants(t, func(t *testing.T) {
			records := fence.Slices[byte](t, m*RecordBytes(k))(0, m*RecordBytes(k))
			QuantizeRows(kind, records, x, k)
			y, z := make([]float32, m*2*Rows), fence.Slices[float32](t, m*2*Rows)(0, m*2*Rows)
			Many(kind, tiles, k, m, records, y, 2*Rows, 2*Rows, make([]byte, PanelBytes(kind)))
			for i := 0; i < m; i += FewRows {
				for j := range 2 {
					Few(kind, tiles[j*size:], k, min(FewRows, m-i), records[i*RecordBytes(k):], z[(2*i+j)*Rows:], 2*Rows, Rows)
				}
			}
			if first == nil {
				first = y
			}
			if i := equalBits(y, z); i >= 0 {
				t.Errorf("%v: element %d is %v among many rows, %v among few", f, i, y[i], z[i])
			}
			if i := equalBits(y, first); i >= 0 {
				t.Errorf("%v: element %d differs between variants", f, i)
			}
			for i := range m {
				for j := range rows {
					sum, size := 0.0, 0.0
					for p := range k {
						v := float64(x[i*k+p]) * float64(w[j*k+p])
						sum, size = sum+v, size+math.Abs(v)
					}
					if e := math.Abs(sum - float64(y[i*2*Rows+j])); !(e <= 0.01*size) {
						t.Fatalf("%v row %d column %d: %v, want %v", f, i, j, y[i*2*Rows+j], sum)
					}
				}
			}
		})
	}
}
