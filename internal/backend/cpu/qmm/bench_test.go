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
			j := 0
			best(b, 2*m*k*PanelTiles*Rows, "GOP/s", func() {
				Many(f, tiles[j/Rows*size:], k, m, records, y[j:], n, PanelTiles*Rows, panel)
				j = (j + PanelTiles*Rows) % n
			})
		})
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
