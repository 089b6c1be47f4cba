package cpu

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/ref"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// randomPool is a window of any kind over planes large enough for steps of vectors, whole planes and squares among them.
func randomPool(r *rand.Rand, rank int) attr.Pool {
	list := func(f func(d int) int) attr.Ints {
		l := make([]int, rank)
		for d := range l {
			l[d] = f(d)
		}
		return attr.MakeInts(l...)
	}
	w := attr.Pool{In: list(func(int) int { return 4 + r.IntN(40/rank) }),
		Count: []attr.Count{attr.CountPadded, attr.CountValid, attr.CountNone}[r.IntN(3)]}
	switch r.IntN(5) {
	case 0: // squares
		two := list(func(int) int { return 2 })
		w.Kernel, w.Stride, w.Pad, w.Dilation = two, two, list(func(int) int { return 0 }), list(func(int) int { return 1 })
	case 1: // one window
		w.Kernel, w.Stride, w.Pad, w.Dilation = w.In, w.In, list(func(int) int { return 0 }), list(func(int) int { return 1 })
	default:
		w.Kernel = list(func(int) int { return 1 + r.IntN(3) })
		w.Stride, w.Dilation = list(func(int) int { return 1 + r.IntN(3) }), list(func(int) int { return 1 + r.IntN(2) })
		w.Pad = list(func(d int) int { return r.IntN(w.Kernel.At(d)/2 + 1) })
	}
	w.Out = list(func(d int) int {
		return max(1, (w.In.At(d)+2*w.Pad.At(d)-w.Dilation.At(d)*(w.Kernel.At(d)-1)-1)/w.Stride.At(d)+1)
	})
	return w
}

// TestPoolsMatchRef compares pooling and its transposes with the oracle, over windows of any kind; some of the indices that
// the transpose of the maximum is given are in no window.
func TestPoolsMatchRef(t *testing.T) {
	asmvariant.ForEach(t, "simd", func(variant string) {
		r := rand.New(rand.NewPCG(21, 4))
		for i := range 120 {
			w := randomPool(r, 1+r.IntN(3))
			in, out := append([]int{2, 3}, w.In.Slice()...), append([]int{2, 3}, w.Out.Slice()...)
			x, g := randomView(r, dtype.Float32, in), randomView(r, dtype.Float32, out)
			name := fmt.Sprintf("%s, case %d, %+v", variant, i, w)
			indices := comparePool(t, name, "pool_max", w, [][]int{out, out}, x)[1]
			at := backend.Slice[int64](indices)
			comparePool(t, name, "pool_max_t", w, [][]int{in}, g, indices)
			for k := range at {
				switch r.IntN(8) {
				case 0:
					at[k] = int64(r.IntN(2*w.In.At(0))) - 2
				case 1:
					at[k] += 1 << 32
				}
			}
			comparePool(t, name, "pool_max_t", w, [][]int{in}, g, indices)
			comparePool(t, name, "pool_mean", w, [][]int{out}, x)
			comparePool(t, name, "pool_mean_t", w, [][]int{in}, g)
		}
	})
}

// comparePool runs an op of pooling and returns what it gave.
func comparePool(t *testing.T, name, op string, w attr.Pool, dims [][]int, in ...backend.View) []backend.View {
	t.Helper()
	outputs := func() (out []backend.View) {
		for i, d := range dims {
			kind := dtype.Float32
			if i == 1 {
				kind = dtype.Int64
			}
			s := shape.Of("test", d...)
			out = append(out, backend.View{Buf: host(s.Numel(), kind), DType: kind, Shape: s})
		}
		return out
	}
	backwards := &backend.Ctx{Context: context.Background(), For: func(n int, f func(int)) error {
		for b := range n {
			f(n - 1 - b)
		}
		return nil
	}}
	got, again, want := outputs(), outputs(), outputs()
	for _, run := range []struct {
		k   backend.Kernel
		out []backend.View
	}{{table[op], got}, {table[op], again}, {ref.Device.Table[op], want}} {
		if err := run.k(backwards, w, run.out, in); err != nil {
			t.Fatal(err)
		}
		backwards = testCtx()
	}
	for i := range want {
		if !bytes.Equal(got[i].Buf.Mem, again[i].Buf.Mem) {
			t.Fatalf("%s: %s: bits depend on the order of blocks", name, op)
		}
		for k := range want[i].Numel() {
			a, b := got[i].DType.Get(got[i].Buf.Mem, k).Float(), want[i].DType.Get(want[i].Buf.Mem, k).Float()
			if d := a - b; !(d <= 1e-5 && d >= -1e-5) && (a == a || b == b) {
				t.Fatalf("%s: %s: output %d, element %d is %v, want %v", name, op, i, k, a, b)
			}
		}
	}
	return got
}
