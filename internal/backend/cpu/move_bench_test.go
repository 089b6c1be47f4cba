package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// BenchmarkMove measures kernels that move elements, in bytes read and written.
func BenchmarkMove(b *testing.B) {
	const n = 4096
	r := rand.New(rand.NewPCG(1, 2))
	view := func(d dtype.DType, lay *shape.Layout, dims ...int) backend.View {
		v := outputOf(d, dims)
		v.Lay = lay
		return v
	}
	index := func(k, size int) backend.View {
		v := outputOf(dtype.Int64, []int{k})
		for i := range k {
			dtype.Slice[int64](v.Buf.Mem)[i] = int64(r.IntN(size))
		}
		return v
	}
	run := func(name, op string, a attr.Attr, bytes int, out backend.View, in ...backend.View) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(bytes))
			for b.Loop() {
				if err := table[op](testCtx(), a, []backend.View{out}, in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for _, d := range []dtype.DType{dtype.Uint8, dtype.BFloat16, dtype.Float32, dtype.Float64} {
		transposed := &shape.Layout{Strides: []int{1, n}}
		run(fmt.Sprintf("transpose/%v/4096", d), "copy", nil, 2*n*n*d.Size(), view(d, nil, n, n), view(d, transposed, n, n))
	}
	f := dtype.Float32
	x, z := view(f, nil, n, n), view(f, nil, n, n)
	run("copy/f32/16M", "copy", nil, 8*n*n, z, x)
	run("nhwc/f32/16M", "copy", nil, 8*n*n, view(f, nil, 8, 32768, 64),
		view(f, &shape.Layout{Strides: []int{64 * 32768, 1, 32768}}, 8, 32768, 64))
	run("flip/f32/16M", "copy", nil, 8*n*n, z, view(f, &shape.Layout{Strides: []int{n, -1}, Offset: n - 1}, n, n))
	run("cat/f32/16M", "cat", attr.Axis{Axis: 1}, 16*n*n, view(f, nil, n, 2*n), x, z)
	run("take/rows", "take_slices", attr.Axis{Axis: 0}, 8*n*n, z, x, index(n, n))
	flat := view(f, nil, n*n)
	run("take/elements", "take_slices", attr.Axis{Axis: 0}, 16<<20, view(f, nil, 1<<20), flat, index(1<<20, n*n))
	add := attr.Scatter{Axis: 0, Reduce: attr.ReduceAdd}
	run("put/rows", "put_slices", add, 12*n*n, x, x, index(n, n), z)
	run("put/elements", "put_slices", add, 16<<20, flat, flat, index(1<<20, n*n), view(f, nil, 1<<20))
}
