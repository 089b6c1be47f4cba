package qmm

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/internal/testutil/fence"
)

// formats are the supported ones by number.
func formats() (all []ggml.Type) {
	for t, l := range layouts {
		if l.read != nil {
			all = append(all, t)
		}
	}
	slices.Sort(all)
	return all
}

// randomBlocks returns rows of blocks with any bits, but scales of moderate size.
func randomBlocks(rng *rand.Rand, t ggml.Type, rows, k int) []byte {
	bytes, _ := t.RowBytes(k)
	data := make([]byte, rows*bytes)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	scale := func(at int) { // a float16 between 1/64 and 1/16
		data[at+1] = data[at+1]&0x83 | 0x24 | byte(rng.Uint32())&4
	}
	for at := 0; at < len(data); at += t.BlockBytes() {
		switch t {
		case ggml.Q6_K:
			scale(at + 208)
		case ggml.Q3_K:
			scale(at + 108)
		case ggml.Q2_K:
			scale(at + 80)
			scale(at + 82)
		case ggml.MXFP4:
			data[at] = 120 + data[at]%8
		case ggml.Q4_1, ggml.Q5_1, ggml.Q4_K, ggml.Q5_K:
			scale(at)
			scale(at + 2)
		default:
			scale(at)
		}
	}
	return data
}

func randomRows(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// TestExpand asserts that a packed tile has the values that ggml has for the blocks.
func TestExpand(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, f := range formats() {
		for _, rows := range []int{1, 7, 16} {
			k := 512
			src := randomBlocks(rng, f, rows, k)
			if f == ggml.MXFP4 {
				src[0], src[17] = 0, 1 // scales below the normal numbers
			}
			want := make([]float32, rows*k)
			ggml.Dequantize(f, want, src)
			tile := make([]byte, TileBytes(f, k))
			Pack(f, tile, src, k)
			forVariants(t, func(t *testing.T) {
				const ds = Rows + 5
				got := make([]float32, k*ds)
				Expand(f, tile, k, got, ds)
				for r := range rows {
					for p := range k {
						if g, w := got[p*ds+r], want[r*k+p]; math.Float32bits(g) != math.Float32bits(w) {
							t.Fatalf("%v row %d element %d: %v, want %v", f, r, p, g, w)
						}
					}
				}
			})
		}
	}
}

// TestPack asserts that all variants make the same tile of 16 rows, of rows apart from each other, at the end of memory.
func TestPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, f := range formats() {
		for _, k := range []int{256, 768, 256 * 35} {
			bytes, _ := f.RowBytes(k)
			at := make([]int32, Rows)
			for r, p := range rng.Perm(Rows + 3)[:Rows] {
				at[r] = int32(p * bytes)
			}
			at[3] = int32((Rows + 2) * bytes)
			random := randomBlocks(rng, f, Rows+3, k)
			if f == ggml.MXFP4 {
				random[0], random[17] = 0, 1
			}
			src := fence.Slices[byte](t, len(random))(0, len(random))
			copy(src, random)
			var want []byte
			forVariants(t, func(t *testing.T) {
				tile := make([]byte, TileBytes(f, k))
				for i := range tile {
					tile[i] = 0x55
				}
				PackRows(f, tile, src, at, k)
				if want == nil {
					want = tile
				}
				if !slices.Equal(tile, want) {
					t.Errorf("%v of %d: tiles differ", f, k)
				}
			})
		}
	}
}

// product runs a whole product the way the device does, some rows at a time.
func product(f ggml.Type, data []byte, n, k int, x []float32, m, most int) []float32 {
	size, bytes := TileBytes(f, k), len(data)/n
	count := (n + Rows - 1) / Rows
	tiles := make([]byte, count*size)
	for j := range count {
		Pack(f, tiles[j*size:], data[j*Rows*bytes:min((j+1)*Rows, n)*bytes], k)
	}
	xs := RecordBytes(k)
	records := make([]byte, m*xs)
	QuantizeRows(f, records, x, k)
	y := make([]float32, m*n)
	if most > FewRows {
		panel := make([]byte, PanelBytes(f))
		for j := 0; j < count; j += PanelTiles {
			Many(f, tiles[j*size:], k, m, records, y[j*Rows:], n, min(PanelTiles*Rows, n-j*Rows), panel)
		}
		return y
	}
	for j := range count {
		for i := 0; i < m; i += most {
			Few(f, tiles[j*size:], k, min(most, m-i), records[i*xs:], y[i*n+j*Rows:], n, min(Rows, n-j*Rows))
		}
	}
	return y
}

// forVariants runs f with the assembly and with the Go versions.
func forVariants(t *testing.T, f func(t *testing.T)) {
	for _, name := range append(asmvariant.List("qmm"), "") {
		restore, ok := asmvariant.Select("qmm", name)
		if !ok {
			continue
		}
		t.Run("variant "+name, f)
		restore()
	}
}

func equalBits(a, b []float32) int {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return i
		}
	}
	return -1
}

// TestProduct asserts that products are near those with the dequantised weights in float64, and that a row has the same bits
// whatever rows come with it, on a panel or not, in assembly or in Go.
func TestProduct(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, f := range formats() {
		for _, s := range [][3]int{{1, 16, 256}, {2, 5, 512}, {3, 33, 1024}, {5, 64, 256}, {8, 40, 768}, {17, 49, 512}, {64, 50, 1280}} {
			m, n, k := s[0], s[1], s[2]
			if f.BlockSize() == 32 {
				k -= 32 * (m % 3)
			}
			data, x := randomBlocks(rng, f, n, k), randomRows(rng, m*k)
			w := make([]float32, n*k)
			ggml.Dequantize(f, w, data)
			var first []float32
			forVariants(t, func(t *testing.T) {
				for _, most := range []int{1, 3, 8, 64} {
					y := product(f, data, n, k, x, m, most)
					if first == nil {
						first = y
						near(t, f, y, x, w, m, n, k)
					}
					if i := equalBits(y, first); i >= 0 {
						t.Fatalf("%v %v by %d rows: element %d is %v, was %v", f, s, most, i, y[i], first[i])
					}
				}
			})
		}
	}
}

// near: an activation is off by at most half a level, of 127 in the largest of its 32.
func near(t *testing.T, f ggml.Type, y, x, w []float32, m, n, k int) {
	for i := range m {
		for j := range n {
			sum, bound := 0.0, 0.0
			for b := 0; b < k; b += block {
				largest, weights := 0.0, 0.0
				for p := b; p < b+block; p++ {
					v, u := float64(x[i*k+p]), float64(w[j*k+p])
					sum += v * u
					largest, weights = max(largest, math.Abs(v)), weights+math.Abs(u)
				}
				bound += weights * largest * (0.5/127 + 1e-5)
			}
			if e := math.Abs(sum - float64(y[i*n+j])); !(e <= bound) {
				t.Fatalf("%v row %d column %d: %v, want %v within %v", f, i, j, y[i*n+j], sum, bound)
			}
		}
	}
}

// TestQuantizeRows asserts that all variants make the same records, also of unusual numbers.
func TestQuantizeRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	x := randomRows(rng, 20*block)
	inf := float32(math.Inf(1))
	x[40], x[70], x[101], x[130] = inf, -inf, float32(math.NaN()), 1e38
	for i := 160; i < 192; i++ {
		x[i] = 0
	}
	for i := 192; i < 224; i++ {
		x[i] *= 1e-38
	}
	for i := 224; i < 256; i++ {
		x[i] *= 0x1p-118
	}
	for i := range 32 {
		x[256+i] = float32(i) - 15.5 // ties
	}
	x[256+31] = 127
	for _, f := range formats() {
		l, want := layouts[f], make([]byte, RecordBytes(len(x)))
		for b := range len(x) / block {
			l.quantize(want[b*recordBytes:][:recordBytes], x[b*block:][:block])
		}
		forVariants(t, func(t *testing.T) {
			got, want := make([]byte, len(want)), slices.Clone(want)
			QuantizeRows(f, got, x, len(x))
			for b := range len(x) / block {
				if useAVX2 && !wide() {
					l.inPairs(want[b*recordBytes:][:recordBytes])
				}
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%v: byte %d of record %d is %d, was %d", f, i%recordBytes, i/recordBytes, got[i], want[i])
				}
			}
		})
	}
}

// inPairs makes the words of a record those of AVX2, by two sums: of the first two, and of the last two, of any four neighbours.
func (l *layout) inPairs(record []byte) {
	var sums [2][2]int
	for i := range block {
		sums[i*l.groups/block][i/2%2] += int(int8(record[i]))
	}
	put := func(at, word int) { binary.LittleEndian.PutUint32(record[at:], uint32(word)) }
	for g, s := range sums {
		taken := l.taken()
		pair := int(uint16(-s[0]*taken)) | int(uint16(-s[1]*taken))<<16
		if !l.mins {
			put(groupOf+4*g, pair)
		} else if l.groups == 1 && g == 0 {
			put(groupOf+4, pair)
			put(groupOf+8, (s[0]+s[1])*taken)
		}
	}
}

// TestNotFinite asserts that an infinite or undefined activation makes its row NaN and no other.
func TestNotFinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, f := range formats() {
		data, x := randomBlocks(rng, f, 16, 256), randomRows(rng, 4*256)
		x[256+17], x[2*256+200] = float32(math.Inf(-1)), float32(math.NaN())
		forVariants(t, func(t *testing.T) {
			y := product(f, data, 16, 256, x, 4, 64)
			for i, v := range y {
				if isNaN, want := v != v, i/16 == 1 || i/16 == 2; isNaN != want {
					t.Fatalf("%v: row %d has %v", f, i/16, v)
				}
			}
		})
	}
}

// TestGuardPages asserts that kernels touch nothing behind their operands.
func TestGuardPages(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	bytes, floats := fence.Slices[byte](t, 1<<20), fence.Slices[float32](t, 1<<16)
	forVariants(t, func(t *testing.T) {
		for _, f := range formats() {
			for _, k := range []int{256, 768} {
				for _, m := range []int{1, 2, 3, 4, 7, 8, 17} {
					size := TileBytes(f, k)
					tiles, data := bytes(0, 2*size), randomBlocks(rng, f, 2*Rows, k)
					Pack(f, tiles[:size], data[:len(data)/2], k)
					Pack(f, tiles[size:], data[len(data)/2:], k)
					x, records, y := floats(0, m*k), bytes(1, m*RecordBytes(k)), floats(1, m*2*Rows)
					copy(x, randomRows(rng, m*k))
					QuantizeRows(f, records, x, k)
					Many(f, tiles, k, m, records, y, 2*Rows, 2*Rows, bytes(2, PanelBytes(f)))
					Many(f, tiles, k, m, records, y, 2*Rows, Rows, bytes(2, PanelBytes(f))) // fetches the tile behind
					Many(f, tiles[size:], k, m, records, y[Rows:], 2*Rows, Rows, bytes(2, PanelBytes(f)))
					Expand(f, tiles[size:], k, floats(2, k*Rows), Rows)
					if m <= FewRows {
						Few(f, tiles[size:], k, m, records, y[Rows:], 2*Rows, Rows)
					}
				}
			}
		}
	})
}

// TestNoGarbage asserts that products of whole tiles allocate nothing.
func TestNoGarbage(t *testing.T) {
	const k, m = 256, 40
	rng := rand.New(rand.NewPCG(1, 4))
	tiles := make([]byte, PanelTiles*TileBytes(ggml.Q5_0, k))
	for j := range PanelTiles {
		Pack(ggml.Q5_0, tiles[j*TileBytes(ggml.Q5_0, k):], randomBlocks(rng, ggml.Q5_0, Rows, k), k)
	}
	records, y, panel := make([]byte, m*RecordBytes(k)), make([]float32, m*2*Rows), make([]byte, PanelBytes(ggml.Q5_0))
	QuantizeRows(ggml.Q5_0, records, randomRows(rng, m*k), k)
	n := testing.AllocsPerRun(10, func() {
		Few(ggml.Q5_0, tiles, k, 3, records, y, Rows, Rows)
		Many(ggml.Q5_0, tiles, k, m, records, y, 2*Rows, 2*Rows, panel)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
