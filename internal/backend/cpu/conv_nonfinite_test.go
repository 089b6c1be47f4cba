package cpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// TestConvNonFiniteFilter: infinite kernels and such that are no numbers do not make padding count, whichever algorithm runs.
func TestConvNonFiniteFilter(t *testing.T) { forConvVariants(t, testConvNonFiniteFilter) }

func testConvNonFiniteFilter(t *testing.T, part int) {
	r := rand.New(rand.NewPCG(13, 4))
	two := func(v int) attr.Ints { return attr.MakeInts(v, v) }
	nonFiniteIn := func(v backend.View, bad float64) backend.View {
		for range 1 + r.IntN(3) {
			v.DType.Put(v.Buf.Mem, r.IntN(len(v.Buf.Mem)/v.DType.Size()), dtype.Scalar{Kind: dtype.KindFloat, F: bad})
		}
		return v
	}
	types := []dtype.DType{dtype.Float32, dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Float16}
	for i := range 80 / part {
		d, bad := types[i%len(types)], []float64{math.Inf(1), math.Inf(-1), math.NaN()}[r.IntN(3)]
		a, x, w, out := randomConv(r, 1+r.IntN(3))
		xs := randomView(r, d, x)
		if i%2 == 1 { // infinite elements of both
			xs = nonFiniteIn(xs, bad)
		}
		checkKernel(t, "conv", a, out, xs, nonFiniteIn(randomView(r, d, w), bad))
	}
	for _, d := range types { // all of both
		a, x, w, out := randomConv(r, 2)
		all := func(n []int, v float64) backend.View {
			full := randomView(r, d, n)
			for i := range len(full.Buf.Mem) / d.Size() {
				d.Put(full.Buf.Mem, i, dtype.Scalar{Kind: dtype.KindFloat, F: v})
			}
			return full
		}
		checkKernel(t, "conv", a, out, all(x, math.Inf(1)), all(w, math.Inf(-1)))
		mixed := nonFiniteIn(randomView(r, d, w), math.Inf(1))
		checkKernel(t, "conv", a, out, all(x, math.Inf(1)), mixed)
	}
	for _, d := range types { // infinite elements of both, of which neither multiplies the other: their sum is no number
		row := func(values ...float64) backend.View {
			v := plainView(d, 1, 1, len(values))
			for i, x := range values {
				d.Put(v.Buf.Mem, i, dtype.Scalar{Kind: dtype.KindFloat, F: x})
			}
			return v
		}
		one := attr.MakeInts(1)
		a := attr.Conv{Stride: one, Low: one, High: one, KernelDilation: one, InputDilation: one, Groups: 1}
		checkKernel(t, "conv", a, []int{1, 1, 4}, row(math.Inf(1), 1, 2, 3), row(1, 1, math.Inf(-1)))
	}
	for i := range 40 / part { // ways of common shapes, forward and backward
		bad := []float64{math.Inf(1), math.Inf(-1), math.NaN()}[r.IntN(3)]
		n, size := 1+r.IntN(3), 5+r.IntN(14)
		x, w := [][]int{{n, 32, size, size}, {n, 3, size, size}, {n, 8, size, size}}[i%3], [][]int{{32, 32, 3, 3}, {6, 3, 5, 5},
			{8, 1, 3, 3}}[i%3]
		pad := w[2] / 2
		a := attr.Conv{Stride: two(1 + r.IntN(2)), Low: two(pad), High: two(pad), KernelDilation: two(1), InputDilation: two(1),
			Groups: x[1] / w[1]}
		out := []int{n, w[0], a.Size(0, size, w[2]), a.Size(1, size, w[2])}
		xs := randomView(r, dtype.Float32, x)
		if i%2 == 1 {
			xs = nonFiniteIn(xs, bad)
		}
		checkKernel(t, "conv", a, out, xs, nonFiniteIn(randomView(r, dtype.Float32, w), bad))
		if a.Groups > 1 {
			continue
		}
		back := attr.Conv{Stride: two(1), InputDilation: a.Stride, KernelDilation: two(1), Groups: 1, Low: two(w[2] - 1 - pad), Flip: true}
		back.High = two(size + w[2] - 1 - back.Low.At(0) - ((out[2]-1)*a.Stride.At(0) + 1))
		flipped := []int{w[1], w[0], w[2], w[3]}
		checkKernel(t, "conv", back, []int{n, x[1], size, size}, randomView(r, dtype.Float32, out),
			nonFiniteIn(randomView(r, dtype.Float32, flipped), bad))
		grad := attr.Conv{Stride: two(1), InputDilation: two(1), KernelDilation: a.Stride, Groups: 1, Low: two(pad)}
		grad.High = two((out[2]-1)*a.Stride.At(0) + w[2] - size - pad)
		checkKernel(t, "conv", grad, []int{x[1], w[0], w[2], w[3]}, randomView(r, dtype.Float32, []int{x[1], n, size, size}),
			nonFiniteIn(randomView(r, dtype.Float32, []int{w[0], n, out[2], out[3]}), bad))
	}
}
