package cpu

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

func randomConv(r *rand.Rand, rank int) (a attr.Conv, x, w, out []int) {
	for {
		list := func(lo, hi int) []int {
			v := make([]int, rank)
			for i := range v {
				v[i] = lo + r.IntN(hi-lo+1)
			}
			return v
		}
		g, c, o := 1+r.IntN(3), 1+r.IntN(3), 1+r.IntN(5)
		if r.IntN(3) == 0 {
			c = 1
		}
		a = attr.Conv{Stride: attr.MakeInts(list(1, 3)...), Low: attr.MakeInts(list(-1, 3)...), High: attr.MakeInts(list(-1, 3)...),
			KernelDilation: attr.MakeInts(list(1, 3)...), InputDilation: attr.MakeInts(list(1, 3)...), Groups: g, Flip: r.IntN(2) == 0}
		if r.IntN(2) == 0 {
			a.InputDilation = attr.MakeInts(list(1, 1)...)
		}
		x, w = append([]int{r.IntN(4), g * c}, list(1, 9)...), append([]int{g * o, c}, list(1, 4)...)
		if r.IntN(6) == 0 { // pointwise
			one, zero := attr.MakeInts(list(1, 1)...), attr.MakeInts(list(0, 0)...)
			a.Stride, a.KernelDilation, a.InputDilation, a.Low, a.High = one, one, one, zero, zero
			w = append([]int{g * o, c}, list(1, 1)...)
		}
		out = []int{x[0], w[0]}
		for d := range rank {
			out = append(out, a.Size(d, x[2+d], w[2+d]))
		}
		if !slices.Contains(out[2:], 0) {
			return a, x, w, out
		}
	}
}

// forConvVariants runs f with the vectors this machine would use, and with each lesser kind; an eighth of the cases then. The short form
// has a tenth of the others, and a third of these.
func forConvVariants(t *testing.T, f func(t *testing.T, part int)) {
	all, lesser := 1, 8
	if testing.Short() {
		all, lesser = 10, 24
	}
	t.Run("all", func(t *testing.T) { f(t, all) })
	for _, pkg := range []string{"gemm", "simd"} {
		asmvariant.ForEach(t, pkg, func(name string) { t.Run(pkg+"/"+name, func(t *testing.T) { f(t, lesser) }) })
	}
}

func TestConvMatchesRef(t *testing.T) { forConvVariants(t, testConvMatchesRef) }

func testConvMatchesRef(t *testing.T, part int) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 600 / part {
		d := contractTypes[i%len(contractTypes)]
		a, x, w, out := randomConv(r, 1+r.IntN(3))
		checkKernel(t, "conv", a, out, randomView(r, d, x), randomView(r, d, w))
	}
	// Many channels, so that rows are cut in chunks and blocks.
	one, zero, two := attr.MakeInts(1, 1), attr.MakeInts(0, 0), attr.MakeInts(2, 2)
	big := attr.Conv{Stride: one, Low: one, High: one, KernelDilation: one, InputDilation: one, Groups: 1}
	checkKernel(t, "conv", big, []int{2, 130, 7, 7}, randomView(r, dtype.Float32, []int{2, 33, 7, 7}),
		randomView(r, dtype.Float32, []int{130, 33, 3, 3}))
	checkKernel(t, "conv", big, []int{1, 20, 5, 5}, randomView(r, dtype.BFloat16, []int{1, 150, 5, 5}),
		randomView(r, dtype.BFloat16, []int{20, 150, 3, 3}))
	checkKernel(t, "conv", big, []int{2, 30, 6, 3}, randomView(r, dtype.Float64, []int{2, 200, 6, 3}),
		randomView(r, dtype.Float64, []int{30, 200, 3, 3}))
	checkKernel(t, "conv", big, []int{1, 5, 20, 19}, randomView(r, dtype.Float32, []int{1, 7, 20, 19}),
		randomView(r, dtype.Float32, []int{5, 7, 3, 3}))
	big.InputDilation, big.High = two, zero
	checkKernel(t, "conv", big, []int{1, 5, 21, 21}, randomView(r, dtype.Float32, []int{1, 40, 12, 12}),
		randomView(r, dtype.Float32, []int{5, 40, 3, 3}))
}

// TestConvPositions runs convolutions with enough output channels for vectors of them, with the channels first and last: one to three
// dimensions, short rows and some that are cut, several images in a block, strides, groups, sums in several chunks.
func TestConvPositions(t *testing.T) { forConvVariants(t, testConvPositions) }

func testConvPositions(t *testing.T, part int) {
	r := rand.New(rand.NewPCG(8, 4))
	for i := range 64 / part {
		d := []dtype.DType{dtype.Float32, dtype.Float32, dtype.Float64, dtype.Float16}[i%4]
		rank := 1 + r.IntN(3)
		a, x, w, _ := randomConv(r, rank)
		g := a.Groups
		w[0], w[1] = g*[]int{12, 16, 31, 48, 70}[r.IntN(5)], 1+r.IntN(6)
		x[0], x[1] = 1+r.IntN(3), g*w[1]
		x[len(x)-1] += r.IntN(12)
		out := []int{x[0], w[0]}
		for e := range rank {
			out = append(out, a.Size(e, x[2+e], w[2+e]))
		}
		if slices.Contains(out[2:], 0) {
			continue
		}
		checkKernel(t, "conv", a, out, randomView(r, d, x), randomView(r, d, w))
		checkKernel(t, "conv_last", a, slices.Concat(out[:1], out[2:], out[1:2]), randomView(r, d, x), randomView(r, d, w))
	}
	if part > 1 {
		return // what follows takes the reference long
	}
	one := attr.MakeInts(1)
	long := attr.Conv{Stride: one, Low: one, High: one, KernelDilation: one, InputDilation: one, Groups: 1}
	checkKernel(t, "conv", long, []int{1, 16, 2000}, randomView(r, dtype.Float32, []int{1, 10, 2000}),
		randomView(r, dtype.Float32, []int{16, 10, 3}))
	two := attr.MakeInts(2)
	long.Stride, long.High = two, attr.MakeInts(0)
	checkKernel(t, "conv", long, []int{1, 16, 420}, randomView(r, dtype.Float32, []int{1, 330, 840}),
		randomView(r, dtype.Float32, []int{16, 330, 2}))
}

// TestConvKernelGradient runs convolutions with more taps than outputs, as gradients of kernels are: few images and many,
// one row of taps and several strips, strides, infinities at the edge.
func TestConvKernelGradient(t *testing.T) { forConvVariants(t, testConvKernelGradient) }

func testConvKernelGradient(t *testing.T, part int) {
	r := rand.New(rand.NewPCG(5, 4))
	for i := range 80 / part {
		d := []dtype.DType{dtype.Float32, dtype.Float32, dtype.Float64, dtype.BFloat16}[i%4]
		images, channels, kernels, groups := []int{1, 3, 13, 40, 150}[r.IntN(5)], 1+r.IntN(3), []int{1, 5, 20, 140}[r.IntN(4)], 1+r.IntN(2)
		size, out, step := 4+r.IntN(24), 1+r.IntN(4), 1+r.IntN(2)
		if images*kernels > 300 {
			size = 5
		}
		two := func(v int) attr.Ints { return attr.MakeInts(v, v) }
		low := r.IntN(out + 1)
		taps := (size+low-out)/step + 1
		a := attr.Conv{Stride: two(1), InputDilation: two(1), KernelDilation: two(step), Low: two(low),
			High: two((taps-1)*step + out - size - low), Groups: groups}
		x := randomView(r, d, []int{images, groups * channels, size, size})
		if d == dtype.Float32 && r.IntN(4) == 0 {
			d.Put(x.Buf.Mem, x.Offset(), dtype.Scalar{Kind: dtype.KindFloat, F: math.Inf(1)})
		}
		checkKernel(t, "conv", a, []int{images, groups * kernels, out, out},
			x, randomView(r, d, []int{groups * kernels, channels, taps, taps}))
	}
}

// TestConvDepthwise runs 3 by 3 taps over single channels, and the gradient of such taps.
func TestConvDepthwise(t *testing.T) { forConvVariants(t, testConvDepthwise) }

func testConvDepthwise(t *testing.T, part int) {
	r := rand.New(rand.NewPCG(6, 4))
	two := func(v int) attr.Ints { return attr.MakeInts(v, v) }
	for range 64 / part {
		n, groups, kernels, size, low := 1+r.IntN(3), 1+r.IntN(9), 1+r.IntN(2), 5+r.IntN(30), r.IntN(3)
		a := attr.Conv{Stride: two(1), InputDilation: two(1), KernelDilation: two(1), Low: two(low), High: two(r.IntN(3)), Groups: groups,
			Flip: r.IntN(2) == 0}
		out := a.Size(0, size, 3)
		x := randomView(r, dtype.Float32, []int{n, groups, size, size})
		checkKernel(t, "conv", a, []int{n, groups * kernels, out, out}, x, randomView(r, dtype.Float32, []int{groups * kernels, 1, 3, 3}))
		a.Flip = false
		checkKernel(t, "conv", a, []int{1, groups * kernels, 3, 3}, randomView(r, dtype.Float32, []int{1, groups * n, size, size}),
			randomView(r, dtype.Float32, []int{groups * kernels, n, out, out}))
	}
}

// TestConvWindow runs windows of any width over single channels, with rows of any length, flipped or not.
func TestConvWindow(t *testing.T) { forConvVariants(t, testConvWindow) }

func testConvWindow(t *testing.T, part int) {
	r := rand.New(rand.NewPCG(16, 4))
	for i := range 48 / part {
		d := []dtype.DType{dtype.Float32, dtype.Float32, dtype.Float64}[i%3]
		n, groups, kernels, high, wide := 1+r.IntN(2), 1+r.IntN(5), 1+r.IntN(2), 7+r.IntN(9), 12+r.IntN(40)
		k := []int{3, 5, 7}[r.IntN(3)]
		l := max(1, k-r.IntN(3))
		a := attr.Conv{Stride: attr.MakeInts(1, 1), InputDilation: attr.MakeInts(1, 1), KernelDilation: attr.MakeInts(1, 1),
			Low:  attr.MakeInts(r.IntN(k), r.IntN(l)),
			High: attr.MakeInts(r.IntN(k), r.IntN(l)), Groups: groups, Flip: r.IntN(2) == 0}
		checkKernel(t, "conv", a, []int{n, groups * kernels, a.Size(0, high, k), a.Size(1, wide, l)},
			randomView(r, d, []int{n, groups, high, wide}),
			randomView(r, d, []int{groups * kernels, 1, k, l}))
	}
	one := attr.MakeInts(1, 1)
	tall := attr.Conv{Stride: one, InputDilation: one, KernelDilation: one, Low: attr.MakeInts(2, 2), High: attr.MakeInts(2, 2), Groups: 1}
	checkKernel(t, "conv", tall, []int{1, 1, 90, 200}, randomView(r, dtype.Float32, []int{1, 1, 90, 200}),
		randomView(r, dtype.Float32, []int{1, 1, 5, 5}))
}

// TestConvLanes runs depthwise convolutions of all kinds, their transposes and the gradients of taps, with infinities in the input too,
// and those of taps along a line.
func TestConvLanes(t *testing.T) { forConvVariants(t, testConvLanes) }

func testConvLanes(t *testing.T, part int) {
	r := rand.New(rand.NewPCG(9, 4))
	pair := func(f func() int) attr.Ints { return attr.MakeInts(f(), f()) }
	upTo := func(n int) attr.Ints { return pair(func() int { return 1 + r.IntN(n) }) }
	infinite := func(v backend.View) backend.View {
		if r.IntN(4) == 0 {
			v.DType.Put(v.Buf.Mem, v.Offset(), dtype.Scalar{Kind: dtype.KindFloat, F: math.Inf(1)})
		}
		return v
	}
	for range 96 / part {
		n, groups, kernels := 1+r.IntN(3), 1+r.IntN(40), 1+r.IntN(8)/7
		high, wide, k, l := 3+r.IntN(20), 3+r.IntN(20), 1+r.IntN(7), 1+r.IntN(7)
		a := attr.Conv{Stride: upTo(3), InputDilation: upTo(3), KernelDilation: upTo(2), Low: pair(func() int { return r.IntN(5) - 1 }),
			High: pair(func() int { return r.IntN(5) - 1 }), Groups: groups, Flip: r.IntN(2) == 0}
		if r.IntN(2) == 0 {
			a.InputDilation = upTo(1)
		}
		if out := []int{n, groups * kernels, a.Size(0, high, k), a.Size(1, wide, l)}; out[2] > 0 && out[3] > 0 {
			checkKernel(t, "conv", a, out, infinite(randomView(r, dtype.Float32, []int{n, groups, high, wide})),
				infinite(randomView(r, dtype.Float32, []int{groups * kernels, 1, k, l})))
		}
		// Gradients: the kernels are planes of cotangents, a stride apart, and the outputs taps.
		low, step, apart, taps := r.IntN(3), 1+r.IntN(2), 1+r.IntN(2), 3+r.IntN(20)
		k = 1 + r.IntN(7)
		size := max(1, (taps-1)*step+(k-1)*apart+1-2*low+r.IntN(2))
		same := func(v int) attr.Ints { return attr.MakeInts(v, v) }
		a = attr.Conv{Stride: same(apart), InputDilation: same(1), KernelDilation: same(step), Low: same(low), Groups: groups}
		a.High = same((taps-1)*step + (k-1)*apart + 1 - size - low)
		checkKernel(t, "conv", a, []int{1, groups * kernels, k, k},
			infinite(randomView(r, dtype.Float32, []int{1, groups * n, size, size})),
			randomView(r, dtype.Float32, []int{groups * kernels, n, taps, taps}))
		outs, long := 1+r.IntN(6), 8+r.IntN(70)
		line := attr.Conv{Stride: attr.MakeInts(1), InputDilation: attr.MakeInts(1), KernelDilation: attr.MakeInts(1),
			Low:  attr.MakeInts(low),
			High: attr.MakeInts(r.IntN(3)), Groups: groups}
		in := long + outs - 1 - low - line.High.At(0)
		checkKernel(t, "conv", line, []int{1, groups, outs}, infinite(randomView(r, dtype.Float32, []int{1, groups * n, in})),
			randomView(r, dtype.Float32, []int{groups, n, long}))
	}
}

// TestConvPatches runs kernels that do not overlap, and their transposes.
func TestConvPatches(t *testing.T) { forConvVariants(t, testConvPatches) }

func testConvPatches(t *testing.T, part int) {
	r := rand.New(rand.NewPCG(10, 4))
	for i := range 48 / part {
		d := []dtype.DType{dtype.Float32, dtype.Float32, dtype.Float64, dtype.Int32}[i%4]
		rank, groups := 1+r.IntN(3), 1+r.IntN(2)
		ints := func(f func() int) attr.Ints {
			l := make([]int, rank)
			for e := range l {
				l[e] = f()
			}
			return attr.MakeInts(l...)
		}
		one := ints(func() int { return 1 })
		n, channels, kernels := 1+r.IntN(3), 4+r.IntN(9), 4+r.IntN(30)
		stride := ints(func() int { return 1 + r.IntN(4) })
		a := attr.Conv{Stride: stride, InputDilation: one, KernelDilation: one, Low: ints(func() int { return -r.IntN(2) }),
			High: ints(func() int { return -r.IntN(2) }), Groups: groups, Flip: r.IntN(2) == 0}
		x, w, out := []int{n, groups * channels}, []int{groups * kernels, channels}, []int{n, groups * kernels}
		for e := range rank {
			k := max(1, stride.At(e)-r.IntN(2))
			x, w = append(x, stride.At(e)*(2+r.IntN(6-rank))+2), append(w, k)
			out = append(out, a.Size(e, x[2+e], k))
		}
		checkKernel(t, "conv", a, out, randomView(r, d, x), randomView(r, d, w))
		a = attr.Conv{Stride: one, InputDilation: stride, KernelDilation: one, Low: ints(func() int { return 0 }),
			High: ints(func() int { return 0 }), Groups: groups, Flip: a.Flip}
		out, w = out[:2], w[:2]
		low := make([]int, rank)
		for e := range rank {
			x[2+e] = 2 + r.IntN(8-2*rank)
			low[e] = stride.At(e) - 1
			w = append(w, stride.At(e))
		}
		a.Low, a.High = attr.MakeInts(low...), attr.MakeInts(low...)
		for e := range rank {
			out = append(out, a.Size(e, x[2+e], w[2+e]))
		}
		checkKernel(t, "conv", a, out, randomView(r, d, x), randomView(r, d, w))
	}
}

// TestConvWinograd checks the error that is documented, edges of tiles, groups, flipped taps and any layout.
func TestConvWinograd(t *testing.T) { forConvVariants(t, testConvWinograd) }

func testConvWinograd(t *testing.T, part int) {
	convolutions.AnyWinograd = true
	defer func() { convolutions.AnyWinograd = false }()
	r := rand.New(rand.NewPCG(8, 4))
	two := func(v int) attr.Ints { return attr.MakeInts(v, v) }
	var worst float64
	for range 40 / part {
		n, groups, channels, kernels, low := 1+r.IntN(2), 1+r.IntN(2), 8+r.IntN(30), 8+r.IntN(20), r.IntN(3)
		a := attr.Conv{Stride: two(1), InputDilation: two(1), KernelDilation: two(1), Low: two(low), High: two(r.IntN(3)), Groups: groups,
			Flip: r.IntN(2) == 0}
		high, wide := 3+r.IntN(30), 3+r.IntN(40)
		x, w := randomView(r, dtype.Float32, []int{n, groups * channels, high, wide}),
			randomView(r, dtype.Float32, []int{groups * kernels, channels, 3, 3})
		for _, v := range []backend.View{x, w} {
			for i := range len(v.Buf.Mem) / 4 {
				v.DType.Put(v.Buf.Mem, i, dtype.Scalar{Kind: dtype.KindFloat, F: r.NormFloat64()})
			}
		}
		dims := []int{n, groups * kernels, a.Size(0, high, 3), a.Size(1, wide, 3)}
		run := func(a attr.Conv, threads int) []float32 {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
			out := outputOf(dtype.Float32, dims)
			if err := table["conv"](testCtx(), a, []backend.View{out}, []backend.View{x, w}); err != nil {
				t.Fatal(err)
			}
			return backend.Slice[float32](out)
		}
		want := run(a, 1)
		a.Winograd = true
		got := run(a, 1)
		if !slices.Equal(got, run(a, 4)) {
			t.Fatal("bits depend on the number of threads")
		}
		// Products of normal numbers have a mean size of 2/π.
		size := float64(channels*9) * 2 / math.Pi
		for i := range want {
			worst = max(worst, math.Abs(float64(got[i]-want[i]))/size)
		}
	}
	if used := worst > 0; used != simd.HasWinograd() {
		t.Errorf("fewer products were used: %t; this machine can: %t", used, simd.HasWinograd())
	}
	if worst > 1e-5 {
		t.Errorf("the error is %.3g of the sum of the sizes of the products", worst)
	}
	t.Logf("error %.3g of the sum of the sizes of the products", worst)
}

// TestConvWinogradPays checks where permission to use fewer products changes nothing: where planes are small, or channels so many that
// few tiles are done together. There the bits are those of the direct way.
func TestConvWinogradPays(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 5))
	two := attr.MakeInts(1, 1)
	for _, c := range []struct {
		images, channels, size int
		pays                   bool
	}{{1, 512, 4, false}, {2, 256, 7, false}, {1, 32, 16, false}, {1, 128, 14, false}, {1, 16, 56, true}, {1, 64, 57, true}} {
		a := attr.Conv{Stride: two, InputDilation: two, KernelDilation: two, Low: two, High: two, Groups: 1}
		x := randomView(r, dtype.Float32, []int{c.images, c.channels, c.size, c.size})
		w := randomView(r, dtype.Float32, []int{c.channels, c.channels, 3, 3})
		for _, v := range []backend.View{x, w} {
			for i := range len(v.Buf.Mem) / 4 {
				v.DType.Put(v.Buf.Mem, i, dtype.Scalar{Kind: dtype.KindFloat, F: r.NormFloat64()})
			}
		}
		run := func(allowed bool) []float32 {
			out := outputOf(dtype.Float32, []int{c.images, c.channels, c.size, c.size})
			a.Winograd = allowed
			if err := table["conv"](testCtx(), a, []backend.View{out}, []backend.View{x, w}); err != nil {
				t.Fatal(err)
			}
			return backend.Slice[float32](out)
		}
		if used := !slices.Equal(run(false), run(true)); used != (c.pays && simd.HasWinograd()) {
			t.Errorf("%d channels of %d by %d: fewer products are used: %t", c.channels, c.size, c.size, used)
		}
	}
}
