package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// TestStoredPanels: from some run on a product with weights that stay reads stored panels, with the same bits; weights of another
// version are packed again, and those that may change are not stored. Weights of a file need no launch that remembers them.
func TestStoredPanels(t *testing.T) {
	const m, k, n = 40, 96, 100
	r := rand.New(rand.NewPCG(4, 5))
	buf, err := Device.Pool.Get("test", 4*n*k)
	if err != nil {
		t.Fatal(err)
	}
	defer buf.Free()
	x, w := plainView(dtype.Float32, 2, m/2, k), plainView(dtype.Float32, n, k)
	w.Buf = buf
	values, weights := backend.Slice[float32](w), transposed(w)
	want, got := plainView(dtype.Float32, 2, m/2, n), plainView(dtype.Float32, 2, m/2, n)
	run := func(c *backend.Ctx, out backend.View) {
		t.Helper()
		if err := matmul(c, nil, []backend.View{out}, []backend.View{x, weights}); err != nil {
			t.Fatal(err)
		}
	}
	for i, stable := range []bool{true, false, true, false} {
		var cache any
		c := testCtx()
		if c.LaunchCache = &cache; i >= 2 {
			c.LaunchCache, buf.Fixed = nil, true
		}
		if stable {
			c.StableInputs = 2
		}
		for value := range 3 {
			for i := range values {
				values[i] = float32(r.NormFloat64())
			}
			buf.BumpVersion()
			run(testCtx(), want)
			for i := range 2 * cacheAfter {
				if run(c, got); !slices.Equal(backend.Slice[float32](got), backend.Slice[float32](want)) {
					t.Fatalf("stable %v, value %d, run %d: other bits than without panels", stable, value, i)
				}
			}
			clear(values) // behind the back of the cache: stored panels do not show it
			run(c, got)
			if same := slices.Equal(backend.Slice[float32](got), backend.Slice[float32](want)); same != stable {
				t.Errorf("stable %v, value %d: panels are stored: %v", stable, value, same)
			}
		}
	}
}
