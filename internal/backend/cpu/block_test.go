package cpu

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/qmm"
	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/par"
	"github.com/lucid-go/lucid/internal/shape"
)

// blockProduct runs block_matmul on n rows of blocks and m rows of x.
func blockProduct(t *testing.T, f ggml.Type, fast bool, w *mem.Buffer, n, k int, x []float32, stable uint64) []float32 {
	t.Helper()
	m := len(x) / k
	y := make([]float32, m*n)
	view := func(b []byte, d dtype.DType, dims ...int) backend.View {
		return backend.View{Buf: mem.FromGo(b), DType: d, Shape: shape.Of("test", dims...)}
	}
	weights := backend.View{Buf: w, DType: dtype.Uint8, Shape: shape.Of("test", n, w.Size/n)}
	c := &backend.Ctx{Context: t.Context(), For: par.For, StableInputs: stable}
	in := []backend.View{view(dtype.Bytes(x), dtype.Float32, m, k), weights}
	out := []backend.View{view(dtype.Bytes(y), dtype.Float32, m, n)}
	if err := blockMatmul(c, attr.Block{Type: int(f), Fast: fast}, out, in); err != nil {
		t.Fatal(err)
	}
	return y
}

// blockBuffer returns rows of blocks of normal numbers in a buffer of the device.
func blockBuffer(t *testing.T, rng *rand.Rand, f ggml.Type, n, k int) (b *mem.Buffer, values []float32) {
	t.Helper()
	values = make([]float32, n*k)
	for i := range values {
		values[i] = float32(rng.NormFloat64())
	}
	bytes, _ := f.RowBytes(k)
	b, err := Device.Pool.Get("test", n*bytes)
	if err != nil {
		t.Fatal(err)
	}
	ggml.Quantize(f, b.Mem, values)
	ggml.Dequantize(f, values, b.Mem)
	return b, values
}

// TestBlockMatmul asserts that both ways of block_matmul are near the product in float64, and that a row has the same bits alone and
// among others, with one thread and with two, with stored tiles and without.
func TestBlockMatmul(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, f := range []ggml.Type{ggml.Q8_0, ggml.Q5_0, ggml.Q4_0, ggml.Q4_K, ggml.Q6_K, ggml.Q4_1, ggml.Q5_1, ggml.Q5_K, ggml.TQ2_0,
		ggml.BF16, ggml.F16} {
		for _, s := range [][2]int{{50, 512}, {129, 256}, {16, 1280}, {17, 8192}} {
			n, k := s[0], s[1]
			w, values := blockBuffer(t, rng, f, n, k)
			x := make([]float32, 64*k)
			for i := range x {
				x[i] = float32(rng.NormFloat64())
			}
			for _, fast := range []bool{false, true} {
				all := blockProduct(t, f, fast, w, n, k, x, 0)
				nearProduct(t, f, all, x, values, n, k, fast)
				for _, m := range []int{1, 2, 3, 5, 8, 17} {
					if got := blockProduct(t, f, fast, w, n, k, x[k:(m+1)*k], 3); !slices.Equal(got, all[n:(m+1)*n]) {
						t.Fatalf("%v fast %v: %d rows of %v differ from those among 64", f, fast, m, s)
					}
				}
				old := runtime.GOMAXPROCS(1)
				if got := blockProduct(t, f, fast, w, n, k, x, 3); !slices.Equal(got, all) {
					t.Fatalf("%v fast %v: %v differs with one thread", f, fast, s)
				}
				runtime.GOMAXPROCS(old)
			}
			w.Free()
		}
	}
}

// nearProduct: the exact way is a float32 product; the fast way has activations that are off by half a level of 127, or for weights of
// bfloat16 by half a unit in its last place.
func nearProduct(t *testing.T, f ggml.Type, y, x, w []float32, n, k int, fast bool) {
	t.Helper()
	for i := range len(x) / k {
		for j := range n {
			sum, size := 0.0, 0.0
			for p := range k {
				v := float64(x[i*k+p]) * float64(w[j*k+p])
				sum, size = sum+v, size+math.Abs(v)
			}
			bound := 1e-5 * size
			switch {
			case fast && qmm.Supported(f):
				bound = 0.02 * size
			case fast && f == ggml.BF16:
				bound = 1.0 / 256 * size
			}
			if e := math.Abs(sum - float64(y[i*n+j])); !(e <= bound) {
				t.Fatalf("%v fast %v row %d column %d: %v, want %v", f, fast, i, j, y[i*n+j], sum)
			}
		}
	}
}

// TestStoredTiles asserts that tiles are stored with a buffer, counted as memory, made again for another value, and freed with it.
func TestStoredTiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	const n, k = 48, 4096
	w, _ := blockBuffer(t, rng, ggml.Q8_0, n, k)
	x := make([]float32, k)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	before := Device.Pool.Stats().Allocated
	first := blockProduct(t, ggml.Q8_0, true, w, n, k, x, 2)
	if got := Device.Pool.Stats().Allocated; qmm.HasFast() && got <= before { // without kernels there are no tiles
		t.Errorf("%d bytes are allocated with stored tiles, %d before", got, before)
	}
	other, _ := blockBuffer(t, rng, ggml.Q8_0, n, k)
	w.BumpVersion()
	copy(w.Mem, other.Mem)
	second := blockProduct(t, ggml.Q8_0, true, w, n, k, x, 2)
	if want := blockProduct(t, ggml.Q8_0, true, other, n, k, x, 0); !slices.Equal(second, want) || slices.Equal(first, second) {
		t.Error("tiles of an earlier value were used")
	}
	other.Free()
	w.Free()
	if got := Device.Pool.Stats().Allocated; got >= before {
		t.Errorf("%d bytes are allocated after Free, %d before with the weights", got, before)
	}
}

// TestMappedTiles asserts that weights in a mapped file get tiles at the second product, with the same bits, that the file can still
// be read then, and that memory of a caller gets none.
func TestMappedTiles(t *testing.T) {
	if !qmm.HasFast() {
		t.Skip("no kernels, no tiles")
	}
	rng := rand.New(rand.NewPCG(15, 16))
	const n, k = 50, 4096
	b, _ := blockBuffer(t, rng, ggml.Q8_0, n, k)
	defer b.Free()
	path := filepath.Join(t.TempDir(), "w")
	if err := os.WriteFile(path, append([]byte("head"), b.Mem[:b.Size]...), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := codec.Map(f)
	if err != nil {
		t.Skip(err)
	}
	w := mem.FromGo(m.Bytes()[4:])
	x := make([]float32, 3*k)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	want := blockProduct(t, ggml.Q8_0, true, b, n, k, x, 0)
	before := Device.Pool.Stats().Allocated
	for i, mapped := range []bool{false, false, true, true, true} {
		w.Mapped = mapped
		if got := blockProduct(t, ggml.Q8_0, true, w, n, k, x, 2); !slices.Equal(got, want) {
			t.Errorf("product %d differs", i)
		}
		if got := Device.Pool.Stats().Allocated; (got > before) != (i >= 3) {
			t.Errorf("product %d: %d bytes are allocated, %d before", i, got, before)
		}
	}
	if !bytes.Equal(w.Mem, b.Mem[:b.Size]) {
		t.Error("the file changed")
	}
	w.Free()
	if got := Device.Pool.Stats().Allocated; got != before {
		t.Errorf("%d bytes are allocated after Free, %d before", got, before)
	}
	m.Close()
}
