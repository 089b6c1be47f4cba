package qmm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/ggml"
)

// BenchmarkFew streams 64 MB of tiles: one row a product, one thread.
func BenchmarkFew(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const k = 2048
	for _, f := range []ggml.Type{ggml.Q8_0, ggml.Q5_0, ggml.Q4_0, ggml.Q4_K, ggml.Q6_K, ggml.Q4_1} {
		size := TileBytes(f, k)
		count := 64 << 20 / size
		tiles := make([]byte, count*size)
		Pack(f, tiles, randomBlocks(rng, f, Rows, k), k)
		for j := 1; j < count; j++ {
			copy(tiles[j*size:], tiles[:size])
		}
		for _, m := range []int{1, 2, 4, 8} {
			records := make([]byte, m*RecordBytes(k))
			QuantizeRows(f, records, randomRows(rng, m*k), k)
			y := make([]float32, FewRows*Rows)
			b.Run(fmt.Sprintf("%v/m%d", f, m), func(b *testing.B) {
				b.SetBytes(int64(len(tiles)))
				for b.Loop() {
					for j := range count {
						Few(f, tiles[j*size:], k, m, records, y, Rows, Rows)
					}
				}
			})
		}
	}
}

// BenchmarkMany multiplies 512 rows with 512 columns of 2048 elements, one thread.
func BenchmarkMany(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const k, m, n = 2048, 512, 512
	for _, f := range []ggml.Type{ggml.Q8_0, ggml.Q5_0, ggml.Q4_0, ggml.Q4_K, ggml.Q6_K} {
		size := TileBytes(f, k)
		tiles := make([]byte, n/Rows*size)
		for j := range n / Rows {
			Pack(f, tiles[j*size:], randomBlocks(rng, f, Rows, k), k)
		}
		records := make([]byte, m*RecordBytes(k))
		QuantizeRows(f, records, randomRows(rng, m*k), k)
		y, panel := make([]float32, m*n), make([]byte, PanelBytes(f))
		b.Run(f.String(), func(b *testing.B) {
			for b.Loop() {
				for j := 0; j < n; j += PanelTiles * Rows {
					Many(f, tiles[j/Rows*size:], k, m, records, y[j:], n, PanelTiles*Rows, panel)
				}
			}
			b.ReportMetric(2*float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GOP/s")
		})
	}
}

func BenchmarkPack(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const k = 2048
	for _, f := range formats() {
		data, tile := randomBlocks(rng, f, Rows, k), make([]byte, TileBytes(f, k))
		b.Run(f.String(), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				Pack(f, tile, data, k)
			}
		})
	}
}

func BenchmarkQuantizeRows(b *testing.B) {
	x := randomRows(rand.New(rand.NewPCG(1, 1)), 2048)
	dst := make([]byte, RecordBytes(len(x)))
	b.SetBytes(int64(4 * len(x)))
	for b.Loop() {
		QuantizeRows(ggml.Q4_0, dst, x, len(x))
	}
}
