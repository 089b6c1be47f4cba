package cpu

import (
	"context"
	"fmt"
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

// randomView makes a view of small numbers: its dimensions are stored in a random order, some reversed, some repeated.
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
