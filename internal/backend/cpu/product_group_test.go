package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/qmm"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/par"
	"github.com/lucid-go/lucid/internal/shape"
)

// TestProductGroup: products of a group have the bits of products by themselves, with formats and heights that differ, stored or not.
func TestProductGroup(t *testing.T) {
	if !qmm.HasFast() {
		t.Skip("no kernels, no groups")
	}
	rng := rand.New(rand.NewPCG(21, 22))
	const k = 512
	formats, heights := []ggml.Type{ggml.Q4_K, ggml.Q6_K, ggml.Q4_K, ggml.Q8_0}, []int{130, 48, 16, 0}
	x := make([]float32, 40*k)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	weights := make([]*mem.Buffer, len(formats))
	for i, f := range formats {
		weights[i], _ = blockBuffer(t, rng, f, max(1, heights[i]), k)
		defer weights[i].Free()
	}
	for _, m := range []int{0, 1, 5, 8, 9, 40} {
		for _, stable := range []uint64{0, 1 << 3, ^uint64(0)} {
			g := &backend.ProductGroup{}
			var out, in []backend.View
			rows := backend.View{Buf: mem.FromGo(dtype.Bytes(x)), DType: dtype.Float32, Shape: shape.Of("test", m, k)}
			for i, f := range formats {
				bytes, _ := f.RowBytes(k)
				w := backend.View{Buf: weights[i], DType: dtype.Uint8, Shape: shape.Of("test", heights[i], bytes)}
				z := mem.FromGo(make([]byte, 4*m*heights[i]))
				out = append(out, backend.View{Buf: z, DType: dtype.Float32, Shape: shape.Of("test", m, heights[i])})
				in = append(in, rows, w)
				a := attr.Block{Type: int(f), Fast: true}
				g.Members = append(g.Members, backend.GroupMember{Op: "block_matmul", Attr: a, Outs: 1, Ins: 2})
			}
			c := &backend.Ctx{Context: t.Context(), For: par.For, StableInputs: stable}
			if err := (capabilities{}).RunGroup(c, g, out, in); err != nil {
				t.Fatal(err)
			}
			for i, f := range formats {
				if m == 0 || heights[i] == 0 {
					continue
				}
				want := blockProduct(t, f, true, weights[i], heights[i], k, x[:m*k], 0)
				if got := backend.Slice[float32](out[i]); !slices.Equal(got, want) {
					t.Errorf("%d rows, stable %x: product %d differs from the same by itself", m, stable, i)
				}
			}
		}
	}
}
