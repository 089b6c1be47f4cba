package cpu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/ref"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/par"
	"github.com/lucid-go/lucid/internal/shape"
	"github.com/lucid-go/lucid/internal/testutil"
)

func testCtx() *backend.Ctx { return &backend.Ctx{Context: context.Background(), For: par.For} }

func bufferOf(d dtype.DType, n int) *mem.Buffer {
	return mem.FromGo(dtype.Bytes(make([]uint64, (n*d.Size()+7)/8+1))[:n*d.Size()])
}

// randomView makes a view of small numbers: its dimensions lie in a random order, some reversed, some repeated.
func randomView(r *rand.Rand, d dtype.DType, dims []int) backend.View {
	order := r.Perm(len(dims))
	if r.IntN(2) == 0 {
		slices.Sort(order)
	}
	lay := &shape.Layout{Strides: make([]int, len(dims))}
	n := 1 + r.IntN(3)
	lay.Offset = n - 1
	for k := len(order) - 1; k >= 0; k-- {
		i := order[k]
		switch r.IntN(12) {
		case 0:
			lay.Strides[i] = 0
			continue
		case 1:
			lay.Strides[i] = -n
			lay.Offset += n * max(0, dims[i]-1)
		default:
			lay.Strides[i] = n
		}
		n *= max(1, dims[i]) + r.IntN(4)/3
	}
	v := backend.View{Buf: bufferOf(d, n+lay.Offset+1), DType: d, Shape: shape.Of("test", dims...), Lay: lay}
	fillRandom(r, d, v.Buf.Mem, n+lay.Offset+1)
	return v
}

func fillRandom(r *rand.Rand, d dtype.DType, b []byte, n int) {
	for i := range n {
		s := dtype.Scalar{Kind: dtype.KindFloat, F: float64(r.IntN(17)-8) / 4}
		if !d.IsInexact() {
			s = dtype.Scalar{Kind: dtype.KindInt, I: int64(r.IntN(17) - 8)}
		}
		if d.IsComplex() {
			s.Kind, s.G = dtype.KindComplex, float64(r.IntN(17)-8)/4
		}
		d.Put(b, i, s)
	}
}

func outputOf(d dtype.DType, dims []int) backend.View {
	s := shape.Of("test", dims...)
	v := backend.View{Buf: bufferOf(d, s.Numel()), DType: d, Shape: s}
	for i := range v.Buf.Mem {
		v.Buf.Mem[i] = 0xa5
	}
	return v
}

// checkKernel compares a kernel with the oracle's, and its bits for one and for several threads.
func checkKernel(t *testing.T, op string, a attr.Attr, out []int, in ...backend.View) {
	t.Helper()
	d := in[0].DType
	want, got, again := outputOf(d, out), outputOf(d, out), outputOf(d, out)
	if err := ref.Device.Table[op](testCtx(), a, []backend.View{want}, in); err != nil {
		t.Fatal(err)
	}
	old := runtime.GOMAXPROCS(1)
	err := table[op](testCtx(), a, []backend.View{got}, in)
	runtime.GOMAXPROCS(4)
	if err == nil {
		err = table[op](testCtx(), a, []backend.View{again}, in)
	}
	runtime.GOMAXPROCS(old)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Buf.Mem, again.Buf.Mem) {
		t.Fatalf("%s %v %v: bits depend on the number of threads", op, d, out)
	}
	tol := testutil.Tol(d, true)
	for i := range want.Numel() {
		w, g := d.Get(want.Buf.Mem, i).Complex(), d.Get(got.Buf.Mem, i).Complex()
		if !tol.Close(real(g), real(w)) || !tol.Close(imag(g), imag(w)) {
			t.Fatalf("%s %v %+v: element %d of %v is %v, want %v (%v)", op, d, a, i, out, g, w, describe(in))
		}
	}
}

func describe(in []backend.View) (s string) {
	for _, v := range in {
		s += fmt.Sprint(v.Shape, " strides ", v.Strides(), " ")
	}
	return s
}

var contractTypes = []dtype.DType{dtype.Float32, dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Float16, dtype.Int8,
	dtype.Uint8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Complex64, dtype.Complex128}

func TestMatmulMatchesRef(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	size := func() int { return []int{0, 1, 2, 3, 5, 8, 17, 33, 40}[r.IntN(9)] }
	for i := range 400 {
		d := contractTypes[i%len(contractTypes)]
		lead := [][]int{nil, {3}, {2, 3}, {1, 4}, {0}}[r.IntN(5)]
		m, n, k := size(), size(), size()
		dims := func(p, q int) []int { return append(slices.Clone(lead), p, q) }
		checkKernel(t, "matmul", nil, dims(m, n), randomView(r, d, dims(m, k)), randomView(r, d, dims(k, n)))
	}
	for _, d := range []dtype.DType{dtype.BFloat16, dtype.Float32, dtype.Int32} {
		checkKernel(t, "matmul", nil, []int{2, 3, 700}, randomView(r, d, []int{2, 3, 130}), randomView(r, d, []int{2, 130, 700}))
		checkKernel(t, "matmul", nil, []int{90, 300}, randomView(r, d, []int{90, 70}), randomView(r, d, []int{70, 300}))
	}
}

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

func TestConvMatchesRef(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 600 {
		d := contractTypes[i%len(contractTypes)]
		a, x, w, out := randomConv(r, 1+r.IntN(3))
		checkKernel(t, "conv", a, out, randomView(r, d, x), randomView(r, d, w))
	}
	// Many channels, so that rows are cut in chunks and blocks.
	one, zero, two := attr.MakeInts(1, 1), attr.MakeInts(0, 0), attr.MakeInts(2, 2)
	big := attr.Conv{Stride: one, Low: one, High: one, KernelDilation: one, InputDilation: one, Groups: 1}
	checkKernel(t, "conv", big, []int{2, 130, 7, 7}, randomView(r, dtype.Float32, []int{2, 33, 7, 7}), randomView(r, dtype.Float32, []int{130, 33, 3, 3}))
	checkKernel(t, "conv", big, []int{1, 20, 5, 5}, randomView(r, dtype.BFloat16, []int{1, 150, 5, 5}), randomView(r, dtype.BFloat16, []int{20, 150, 3, 3}))
	checkKernel(t, "conv", big, []int{2, 30, 6, 3}, randomView(r, dtype.Float64, []int{2, 200, 6, 3}), randomView(r, dtype.Float64, []int{30, 200, 3, 3}))
	checkKernel(t, "conv", big, []int{1, 5, 20, 19}, randomView(r, dtype.Float32, []int{1, 7, 20, 19}), randomView(r, dtype.Float32, []int{5, 7, 3, 3}))
	big.InputDilation, big.High = two, zero
	checkKernel(t, "conv", big, []int{1, 5, 21, 21}, randomView(r, dtype.Float32, []int{1, 40, 12, 12}), randomView(r, dtype.Float32, []int{5, 40, 3, 3}))
}

// TestConvKernelGradient runs convolutions with more taps than outputs, as gradients of kernels are: few images and many,
// one row of taps and several strips, strides, infinities at the edge.
func TestConvKernelGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	for i := range 80 {
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
		checkKernel(t, "conv", a, []int{images, groups * kernels, out, out}, x, randomView(r, d, []int{groups * kernels, channels, taps, taps}))
	}
}

// TestConvDepthwise runs 3 by 3 taps over single channels, and the gradient of such taps.
func TestConvDepthwise(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 4))
	two := func(v int) attr.Ints { return attr.MakeInts(v, v) }
	for range 60 {
		n, groups, kernels, size, low := 1+r.IntN(3), 1+r.IntN(9), 1+r.IntN(2), 5+r.IntN(30), r.IntN(3)
		a := attr.Conv{Stride: two(1), InputDilation: two(1), KernelDilation: two(1), Low: two(low), High: two(r.IntN(3)), Groups: groups, Flip: r.IntN(2) == 0}
		out := a.Size(0, size, 3)
		x := randomView(r, dtype.Float32, []int{n, groups, size, size})
		checkKernel(t, "conv", a, []int{n, groups * kernels, out, out}, x, randomView(r, dtype.Float32, []int{groups * kernels, 1, 3, 3}))
		a.Flip = false
		checkKernel(t, "conv", a, []int{1, groups * kernels, 3, 3}, randomView(r, dtype.Float32, []int{1, groups * n, size, size}),
			randomView(r, dtype.Float32, []int{groups * kernels, n, out, out}))
	}
}

func TestGatherMMMatchesRef(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	size := func() int { return []int{0, 1, 1, 2, 5, 17}[r.IntN(6)] }
	for i := range 300 {
		d := contractTypes[i%len(contractTypes)]
		m, n, k, na, nb, count, outs := size(), size(), size(), 1+r.IntN(4), 1+r.IntN(4), r.IntN(12), 1+r.IntN(5)
		list := func(below int) backend.View {
			v := outputOf(dtype.Int64, []int{count})
			for i := range count {
				dtype.Int64.Put(v.Buf.Mem, i, dtype.Scalar{Kind: dtype.KindInt, I: int64(r.IntN(below))})
			}
			return v
		}
		o := list(outs)
		if r.IntN(2) == 0 { // an output for every product, as in the forward pass
			outs = max(1, count)
			for i := range count {
				dtype.Int64.Put(o.Buf.Mem, i, dtype.Scalar{Kind: dtype.KindInt, I: int64(count - 1 - i)})
			}
		}
		checkKernel(t, "gather_mm", attr.GatherMM{Outs: outs}, []int{outs, m, n},
			randomView(r, d, []int{na, m, k}), randomView(r, d, []int{nb, k, n}), list(na), list(nb), o)
	}
}
