package qmm

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lucid-go/lucid/internal/ggml"
)

// best runs f again and again and reports the shortest time: the machine may be shared.
func best(b *testing.B, work float64, unit string, f func()) {
	least := time.Duration(1 << 62)
	for b.Loop() {
		start := time.Now()
		f()
		least = min(least, time.Since(start))
	}
	b.ReportMetric(work/float64(least.Nanoseconds()), unit)
}

// equalTiles is a random tile of a format, many times.
func equalTiles(rng *rand.Rand, f ggml.Type, k, count int) []byte {
	size := TileBytes(f, k)
	tiles := make([]byte, count*size)
	if f < affine {
		Pack(f, tiles, randomBlocks(rng, f, Rows, k), k)
	} else {
		words, scales := make([]uint32, Rows*k/block*layouts[f].bits), randomRows(rng, Rows*k/64)
		for i := range words {
			words[i] = rng.Uint32()
		}
		PackGroups(f, tiles, words, scales, scales, Rows, k, 64)
	}
	for j := 1; j < count; j++ {
		copy(tiles[j*size:], tiles[:size])
	}
	return tiles
}

// BenchmarkFew streams 64 MB of tiles: one row a product, one thread.
func BenchmarkFew(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const k = 2048
	for _, f := range []ggml.Type{ggml.Q8_0, ggml.Q5_0, ggml.Q4_0, ggml.Q4_K, ggml.Q6_K, ggml.Q4_1, Affine(2), Affine(3), Affine(4),
		Affine(5), Affine(6), Affine(8)} {
		size := TileBytes(f, k)
		count := 64 << 20 / size
		tiles := equalTiles(rng, f, k, count)
		for _, m := range []int{1, 2, 4, 8} {
			records := make([]byte, m*RecordBytes(k))
			QuantizeRows(f, records, randomRows(rng, m*k), k)
			y := make([]float32, FewRows*Rows)
			b.Run(fmt.Sprintf("%v/m%d", f, m), func(b *testing.B) {
				at, part := 0, count/64
				best(b, float64(part*size), "GB/s", func() {
					for j := at; j < at+part; j++ {
						Few(f, tiles[j*size:], k, m, records, y, Rows, Rows)
					}
					at = (at + part) % (count - part)
				})
			})
		}
	}
}

// BenchmarkMany streams 64 MB of tiles: several rows a product, by panels and by a few rows at a time, one thread.
func BenchmarkMany(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const k, cols = 2048, PanelTiles * Rows
	for _, f := range []ggml.Type{ggml.Q8_0, ggml.Q5_0, ggml.Q4_0, ggml.Q4_K, ggml.Q6_K, Affine(2), Affine(3), Affine(4), Affine(5),
		Affine(6), Affine(8)} {
		size := TileBytes(f, k)
		pairs := 32 << 20 / size
		tiles := equalTiles(rng, f, k, 2*pairs)
		for _, m := range []int{4, 6, 8, 16, 32, 512} {
			records := make([]byte, m*RecordBytes(k))
			QuantizeRows(f, records, randomRows(rng, m*k), k)
			y, panel, at, part := make([]float32, m*cols), make([]byte, PanelBytes(f)), 0, max(1, min(pairs/32, 512/m))
			run := func(name string, product func(tiles []byte)) {
				b.Run(fmt.Sprintf("%v/m%d/%s", f, m, name), func(b *testing.B) {
					best(b, 2*float64(part*m*k*cols), "GOP/s", func() {
						for j := at; j < at+part; j++ {
							product(tiles[2*j*size:])
						}
						at = (at + part) % (pairs - part)
					})
				})
			}
			run("panels", func(tiles []byte) { Many(f, tiles, k, m, records, y, cols, cols, panel) })
			if m <= FewRows {
				run("few", func(tiles []byte) {
					for j := range PanelTiles {
						Few(f, tiles[j*size:], k, m, records, y[j*Rows:], cols, Rows)
					}
				})
			}
		}
	}
}

func BenchmarkPack(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const k = 2048
	for _, f := range formats() {
		data, tile := randomBlocks(rng, f, Rows, k), make([]byte, TileBytes(f, k))
		b.Run(f.String(), func(b *testing.B) {
			best(b, float64(len(data)), "GB/s", func() { Pack(f, tile, data, k) })
		})
	}
}

func BenchmarkQuantizeRows(b *testing.B) {
	x := randomRows(rand.New(rand.NewPCG(1, 1)), 2048)
	dst := make([]byte, RecordBytes(len(x)))
	best(b, float64(4*len(x)), "GB/s", func() { QuantizeRows(ggml.Q4_0, dst, x, len(x)) })
}
