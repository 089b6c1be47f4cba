package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/par"
	"github.com/lucid-go/lucid/internal/shape"
)

// Results written by non-temporal stores have the bits of those that are not: rows of a large call are compared with calls on a
// few rows each. The size of rows leaves them at every alignment.
func TestNonTemporalResults(t *testing.T) {
	const rows, n, few = 2200, 1030, 50
	defer func(from int) { StreamFrom = from }(StreamFrom)
	StreamFrom = 8 << 20 // whatever this machine's cache is
	ctx := &backend.Ctx{For: par.For}
	r := rand.New(rand.NewPCG(1, 1))
	random := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return x
	}
	if !streams(rows, n) || streams(few, n) {
		t.Fatal("sizes do not tell the two ways apart")
	}
	x, g, w, b := random(rows*n), random(rows*n), random(n), random(n)
	mean, rstd := random(rows), random(rows)
	view := func(x []float32, d ...int) backend.View { return hostView(x, shape.Of("test", d...)) }
	type call struct {
		op string
		a  attr.Attr
		in func(lo, hi int) []backend.View
	}
	at := func(x []float32, lo, hi int) backend.View { return view(x[lo*n:hi*n], hi-lo, n) }
	stat := func(x []float32, lo, hi int) backend.View { return view(x[lo:hi], hi-lo, 1) }
	norm := attr.RowNorm{Dims: 1, Eps: 1e-5}
	calls := []call{
		{"softmax", attr.Axis{Axis: 1}, func(lo, hi int) []backend.View { return []backend.View{at(x, lo, hi)} }},
		{"softmax_grad", attr.Axis{Axis: 1}, func(lo, hi int) []backend.View { return []backend.View{at(g, lo, hi), at(x, lo, hi)} }},
		{"layer_norm", norm, func(lo, hi int) []backend.View { return []backend.View{at(x, lo, hi), view(w, n), view(b, n)} }},
		{"layer_norm", norm, func(lo, hi int) []backend.View { return []backend.View{at(x, lo, hi)} }},
		{"rms_norm", norm, func(lo, hi int) []backend.View { return []backend.View{at(x, lo, hi), view(w, n)} }},
		{"layer_norm_grad", norm, func(lo, hi int) []backend.View {
			return []backend.View{at(g, lo, hi), at(x, lo, hi), stat(mean, lo, hi), stat(rstd, lo, hi), view(w, n)}
		}},
		{"layer_norm_grad", norm, func(lo, hi int) []backend.View {
			return []backend.View{at(g, lo, hi), at(x, lo, hi), stat(mean, lo, hi), stat(rstd, lo, hi)}
		}},
		{"rms_norm_grad", norm, func(lo, hi int) []backend.View {
			return []backend.View{at(g, lo, hi), at(x, lo, hi), stat(rstd, lo, hi), view(w, n)}
		}},
	}
	run := func(c call, z []float32, lo, hi int) {
		t.Helper()
		out := []backend.View{at(z, lo, hi)}
		for range 2 {
			out = append(out, view(make([]float32, hi-lo), hi-lo, 1))
		}
		switch c.op {
		case "softmax", "softmax_grad", "layer_norm_grad", "rms_norm_grad":
			out = out[:1]
		case "rms_norm":
			out = out[:2]
		}
		if err := Device.Table[c.op](ctx, c.a, out, c.in(lo, hi)); err != nil {
			t.Fatal(err)
		}
	}
	asmvariant.ForEach(t, "simd", func(name string) {
		if name == "generic" {
			return // it has no such stores
		}
		large, small := make([]float32, rows*n), make([]float32, rows*n)
		for _, c := range calls {
			run(c, large, 0, rows)
			for lo := 0; lo < rows; lo += few {
				run(c, small, lo, lo+few)
			}
			for i := range large {
				if large[i] != small[i] {
					t.Fatalf("%s, %s: row %d, column %d: %v by non-temporal stores, %v otherwise", name, c.op, i/n, i%n, large[i], small[i])
				}
			}
		}
		transposed := backend.View{Buf: view(x, rows, n).Buf, DType: view(x, 1).DType, Shape: shape.Of("test", n, rows),
			Lay: &shape.Layout{Strides: []int{1, n}}}
		if err := copyKernel(ctx, nil, []backend.View{view(large, n, rows)}, []backend.View{transposed}); err != nil {
			t.Fatal(err)
		}
		for i := range large {
			if want := x[i%rows*n+i/rows]; large[i] != want {
				t.Fatalf("%s, transpose: element %d: %v, want %v", name, i, large[i], want)
			}
		}
	})
}

// One element repeated over a large output, of every size.
func TestNonTemporalFill(t *testing.T) {
	ctx := &backend.Ctx{For: par.For}
	for _, n := range []int{1, 63, 64, 65, 127, 129, 4095, 4097, 2<<20 + 3, 9<<20 + 5} {
		for _, d := range []dtype.DType{dtype.Uint8, dtype.BFloat16, dtype.Float32, dtype.Float64, dtype.Complex128} {
			one := make([]byte, 16)
			for i := range one {
				one[i] = byte(i + 1)
			}
			out := make([]byte, n*d.Size())
			s := shape.Of("test", n)
			z := backend.View{Buf: mem.FromGo(out), DType: d, Shape: s}
			x := backend.View{Buf: mem.FromGo(one), DType: d, Shape: s, Lay: &shape.Layout{Strides: []int{0}}}
			if err := copyKernel(ctx, nil, []backend.View{z}, []backend.View{x}); err != nil {
				t.Fatal(err)
			}
			for i, b := range out {
				if b != one[i%d.Size()] {
					t.Fatalf("%v, %d elements: byte %d is %d", d, n, i, b)
				}
			}
		}
	}
}
