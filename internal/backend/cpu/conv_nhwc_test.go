package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// nhwcView is a view in NHWC order.
func nhwcView(r *rand.Rand, d dtype.DType, dims []int) backend.View {
	n := len(dims)
	last := randomView(r, d, slices.Concat(dims[:1], dims[2:], dims[1:2]))
	s := shape.Of("test", last.Shape.Dims()...).Strides()
	lay := &shape.Layout{Strides: slices.Concat(s[:1], s[n-1:], s[1:n-1])}
	v := backend.View{Buf: bufferOf(d, last.Numel()), DType: d, Shape: shape.Of("test", dims...), Lay: lay}
	fillRandom(r, d, v.Buf.Mem, last.Numel())
	return v
}

// TestConvNHWC runs convolutions of inputs whose channels are in NHWC order: one to three dimensions, rows that are cut,
// that see padding at both ends or nothing else, strides, dilated inputs, groups, sums in several chunks, output channels
// that do not fill their vectors, infinite filters that padding must not see.
func TestConvNHWC(t *testing.T) { forConvVariants(t, testConvNHWC) }

func testConvNHWC(t *testing.T, part int) {
	r := rand.New(rand.NewPCG(8, 14))
	count := 0
	for i := range 48 / part {
		d := []dtype.DType{dtype.Float32, dtype.Float32, dtype.Float64}[i%3]
		rank := 1 + r.IntN(3)
		a, x, w, _ := randomConv(r, rank)
		if i%4 != 0 {
			a.InputDilation = attr.MakeInts([]int{1, 1, 1}[:rank]...)
		}
		g := a.Groups
		w[0], w[1] = g*[]int{12, 16, 31, 48, 70}[r.IntN(5)], 4+r.IntN(6)
		if rank < 3 && r.IntN(8) == 0 {
			w[1] = 90
		}
		x[0], x[1] = 1+r.IntN(3), g*w[1]
		x[len(x)-1] += r.IntN(12)
		out := []int{x[0], w[0]}
		for e := range rank {
			out = append(out, a.Size(e, x[2+e], w[2+e]))
		}
		if slices.Contains(out[2:], 0) {
			continue
		}
		xs, ws := nhwcView(r, d, x), randomView(r, d, w)
		if r.IntN(4) == 0 {
			ws = nhwcView(r, d, w)
		}
		if convolutions.IsNHWC(a, shape.Of("test", out...), []backend.View{xs, ws}) {
			count++
		}
		if r.IntN(4) == 0 {
			d.Put(ws.Buf.Mem, ws.Offset(), dtype.Scalar{Kind: dtype.KindFloat, F: math.Inf(1)})
		}
		checkKernel(t, "conv_last", a, slices.Concat(out[:1], out[2:], out[1:2]), xs, ws)
	}
	t.Logf("NHWC in %d cases", count)
	if count < max(1, 12/part) {
		t.Errorf("NHWC in %d cases", count)
	}
	two := func(v int) attr.Ints { return attr.MakeInts(v, v) }
	same := attr.Conv{Stride: two(1), Low: two(1), High: two(1), KernelDilation: two(1), InputDilation: two(1), Groups: 1}
	checkKernel(t, "conv_last", same, []int{1, 6, 28, 32}, nhwcView(r, dtype.Float32, []int{1, 12, 6, 28}),
		nhwcView(r, dtype.Float32, []int{32, 12, 3, 3}))
}

// TestConvViaNHWC runs convolutions of few positions with many kernels: channels first, strides, dilated inputs, short rows.
func TestConvViaNHWC(t *testing.T) { forConvVariants(t, testConvViaNHWC) }

func testConvViaNHWC(t *testing.T, part int) {
	r := rand.New(rand.NewPCG(18, 14))
	count := 0
	for i := range max(2, 8/part) {
		d := []dtype.DType{dtype.Float32, dtype.Float64}[i%2]
		n, channels, kernels, high, wide, k := 1, 40+r.IntN(10), []int{32, 46}[r.IntN(2)], 2+r.IntN(2), 2+r.IntN(2), 3+i%4/2*2
		a := attr.Conv{Stride: attr.MakeInts(1, 1+r.IntN(2)), Low: attr.MakeInts(k/2, k/2), High: attr.MakeInts(k/2, k/2),
			KernelDilation: attr.MakeInts(1, 1),
			InputDilation:  attr.MakeInts(1, 1), Groups: 1, Flip: r.IntN(2) == 0}
		out := []int{n, kernels, a.Size(0, high, k), a.Size(1, wide, k)}
		x, w := outputOf(d, []int{n, channels, high, wide}), randomView(r, d, []int{kernels, channels, k, k})
		fillRandom(r, d, x.Buf.Mem, x.Numel())
		if convolutions.IsViaNHWC(a, shape.Of("test", out...), []backend.View{x, w}) {
			count++
		}
		checkKernel(t, "conv", a, out, x, w)
	}
	if count == 0 {
		t.Error("never transposed")
	}
}
