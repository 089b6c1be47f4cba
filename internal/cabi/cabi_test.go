package cabi

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/schema"
)

func floats(t *testing.T, h Handle, n int) []float32 {
	t.Helper()
	out := make([]float32, n)
	if err := Read(h, unsafe.Pointer(unsafe.SliceData(out)), 4*n); err != nil {
		t.Fatal(err)
	}
	return out
}

func copied(t *testing.T, v []float32, dims ...int64) Handle {
	t.Helper()
	h, err := Copy(dtype.Float32, dims, unsafe.Pointer(unsafe.SliceData(v)), 4*len(v))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func must(t *testing.T, op string) int {
	t.Helper()
	n, err := FindOp(op)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestOps(t *testing.T) {
	start := Live()
	x, y := copied(t, []float32{1, 2, 3, 4, 5, 6}, 2, 3), copied(t, []float32{10, 20, 30}, 3)
	outs := make([]Handle, 2)
	if n, err := Call(must(t, "add"), []Handle{x, y}, nil, outs); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	z := outs[0]
	Free(x) // the sum still needs it
	if got := floats(t, z, 6); !slices.Equal(got, []float32{11, 22, 33, 14, 25, 36}) {
		t.Error(got)
	}
	if n, err := Call(must(t, "sum"), []Handle{z}, []schema.Attr{{Name: "dim", Value: 1}, {Name: "keepdim", Value: true}}, outs); n != 1 ||
		err != nil {
		t.Fatal(n, err)
	}
	if i, err := InfoOf(outs[0]); err != nil || !slices.Equal(i.Shape, []int{2, 1}) || i.DType != dtype.Float32 || i.Device.Type != "cpu" {
		t.Error(i, err)
	}
	Free(outs[0])
	for name, c := range map[string]struct {
		op     int
		in     []Handle
		attrs  []schema.Attr
		room   int
		status Status
	}{
		"freed":         {must(t, "neg"), []Handle{x}, nil, 1, Freed},
		"never was":     {must(t, "neg"), []Handle{1 << 40}, nil, 1, Freed},
		"shape":         {must(t, "matmul"), []Handle{z, z}, nil, 1, Shape},
		"no op":         {1 << 20, nil, nil, 1, Value},
		"no tensor":     {must(t, "neg"), []Handle{0}, nil, 1, Value},
		"attribute":     {must(t, "neg"), []Handle{z}, []schema.Attr{{Name: "dim", Value: 1}}, 1, Value},
		"type":          {must(t, "sum"), []Handle{z}, []schema.Attr{{Name: "dim", Value: "x"}}, 1, DType},
		"twice":         {must(t, "sum"), []Handle{z}, []schema.Attr{{Name: "dim", Value: 1}, {Name: "dim", Value: 1}}, 1, Value},
		"room":          {must(t, "topk"), []Handle{z}, []schema.Attr{{Name: "k", Value: 2}}, 1, Value},
		"no room":       {must(t, "neg"), []Handle{z}, nil, 0, Value},
		"index too far": {must(t, "sum"), []Handle{z}, []schema.Attr{{Name: "dim", Value: 7}}, 1, Index},
	} {
		_, err := Call(c.op, c.in, c.attrs, make([]Handle, c.room))
		if StatusOf(err) != c.status {
			t.Errorf("%s: status %d, %v; want %d", name, StatusOf(err), err, c.status)
		}
	}
	if _, err := FindOp("addd"); StatusOf(err) != NotImplemented {
		t.Error(err)
	}
	Free(y)
	Free(z)
	Free(z)
	if Live() != start {
		t.Errorf("%d tensors are left", Live()-start)
	}
}

// TestBorrow asks that borrowed elements are read in place, in any layout, and given back once nothing needs them.
func TestBorrow(t *testing.T) {
	data := []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	at := func(i int) unsafe.Pointer { return unsafe.Pointer(&data[i]) }
	for name, c := range map[string]struct {
		first         int
		dims, strides []int64
		want          []float32
	}{
		"row-major":  {0, []int64{2, 3}, nil, []float32{0, 1, 2, 3, 4, 5}},
		"transposed": {0, []int64{3, 2}, []int64{1, 3}, []float32{0, 3, 1, 4, 2, 5}},
		"step":       {1, []int64{4}, []int64{2}, []float32{1, 3, 5, 7}},
		"backwards":  {5, []int64{3}, []int64{-2}, []float32{5, 3, 1}},
		"both ways":  {9, []int64{2, 2}, []int64{-3, 1}, []float32{9, 10, 6, 7}},
		"broadcast":  {4, []int64{2, 2}, []int64{0, 1}, []float32{4, 5, 4, 5}},
		"scalar":     {7, nil, nil, []float32{7}},
		"odd stride": {2, []int64{1, 2}, []int64{999999, 1}, []float32{2, 3}},
	} {
		released := 0
		h, err := Borrow(dtype.Float32, c.dims, c.strides, at(c.first), func() { released++ })
		if err != nil {
			t.Fatal(name, err)
		}
		if got := floats(t, h, len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v; want %v", name, got, c.want)
		}
		outs := make([]Handle, 1)
		if _, err := Call(must(t, "neg"), []Handle{h}, nil, outs); err != nil {
			t.Fatal(err)
		}
		e, err := Lend(h)
		if err != nil {
			t.Fatal(err)
		}
		if e.Data != at(c.first) {
			t.Errorf("%s: lent elements were copied", name)
		}
		Free(h)
		Free(e.Handle)
		if released != 0 {
			t.Errorf("%s: given back while a pending op needs it", name)
		}
		floats(t, outs[0], len(c.want))
		if Free(outs[0]); released != 1 {
			t.Errorf("%s: given back %d times", name, released)
		}
	}
	released := 0
	raw := unsafe.Slice((*byte)(at(0)), 48)
	h, err := Borrow(dtype.Float32, []int64{2}, nil, unsafe.Pointer(&raw[1]), func() { released++ })
	if err != nil || released != 1 {
		t.Error("not aligned:", err, released)
	}
	Free(h)
	flags := []byte{0, 2, 255, 1}
	if h, err = Borrow(dtype.Bool, []int64{4}, nil, unsafe.Pointer(&flags[0]), nil); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 4)
	if err := Read(h, unsafe.Pointer(&got[0]), 4); err != nil || !slices.Equal(got, []byte{0, 1, 1, 1}) {
		t.Error(got, err)
	}
	Free(h)
}

func TestHostileShapes(t *testing.T) {
	x := []float32{1}
	p := unsafe.Pointer(&x[0])
	for name, err := range map[string]error{
		"overflow":    second(Borrow(dtype.Float32, []int64{1 << 40, 1 << 40}, nil, p, nil)),
		"negative":    second(Borrow(dtype.Float32, []int64{-1}, nil, p, nil)),
		"rank":        second(Borrow(dtype.Float32, make([]int64, MaxRank+1), nil, p, nil)),
		"stride":      second(Borrow(dtype.Float32, []int64{2}, []int64{1 << 62}, p, nil)),
		"low stride":  second(Borrow(dtype.Float32, []int64{2}, []int64{-1 << 63}, p, nil)),
		"strides sum": second(Borrow(dtype.Float32, []int64{2, 2, 2}, []int64{1 << 45, 1 << 45, 1 << 45}, p, nil)),
		"dtype":       second(Borrow(dtype.N, nil, nil, p, nil)),
		"null":        second(Borrow(dtype.Float32, []int64{2}, nil, nil, nil)),
		"size":        second(Copy(dtype.Float32, []int64{2}, p, 4)),
		"read":        Read(copied(t, x, 1), p, 3),
	} {
		if StatusOf(err) != Shape && StatusOf(err) != Value && StatusOf(err) != DType {
			t.Errorf("%s: %v", name, err)
		}
	}
	h, err := Borrow(dtype.Float32, []int64{0, 3}, []int64{3, 1}, nil, nil)
	if err != nil {
		t.Error("empty:", err)
	}
	Free(h)
}

func second[A any](_ A, err error) error { return err }

// TestData asks for elements in row-major order at one address, until the tensor is freed.
func TestData(t *testing.T) {
	data := []float32{0, 1, 2, 3, 4, 5}
	h, err := Borrow(dtype.Float32, []int64{3, 2}, []int64{1, 3}, unsafe.Pointer(&data[0]), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, n, err := Data(h)
	if err != nil || n != 24 || !slices.Equal(unsafe.Slice((*float32)(p), 6), []float32{0, 3, 1, 4, 2, 5}) {
		t.Fatal(n, err)
	}
	if q, _, _ := Data(h); q != p {
		t.Error("another address the second time")
	}
	Free(h)
	if _, _, err := Data(h); StatusOf(err) != Freed {
		t.Error(err)
	}
}

func TestFunctions(t *testing.T) {
	w := lucid.New([]float32{1, 2, 3, 4, 5, 6}, 3, 2)
	path := filepath.Join(t.TempDir(), "f.lucid")
	f := func(x *lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{x.MatMul(w), x.T()} }
	if err := lucid.Export(path, f, lucid.OpenDims(lucid.Zeros(2, 3), 0)); err != nil {
		t.Fatal(err)
	}
	h, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for rows := 1; rows < 4; rows++ {
		x := make([]float32, 3*rows)
		for i := range x {
			x[i] = float32(i)
		}
		y, z := make([]float32, 2*rows), make([]float32, 3*rows)
		in := []Buffer{{unsafe.Pointer(&x[0]), 12 * rows, dtype.Float32, []int64{int64(rows), 3}}}
		out := []Buffer{{Data: unsafe.Pointer(&y[0]), Size: 8 * rows}, {Data: unsafe.Pointer(&z[0]), Size: 12 * rows}}
		n, err := Run(h, in, out)
		if err != nil || n != 2 || !slices.Equal(out[0].Shape, []int64{int64(rows), 2}) ||
			!slices.Equal(out[1].Shape, []int64{3, int64(rows)}) {
			t.Fatal(n, out, err)
		}
		want := f(lucid.New(x, rows, 3))
		if !slices.Equal(y, lucid.ToSlice[float32](want[0])) || !slices.Equal(z, lucid.ToSlice[float32](want[1])) {
			t.Error(y, z, want)
		}
		args, outs := []Handle{copied(t, x, int64(rows), 3)}, make([]Handle, 2)
		if n, err := CallFunction(h, args, outs); n != 2 || err != nil {
			t.Fatal(n, err)
		}
		if got := floats(t, outs[1], 3*rows); !slices.Equal(got, z) {
			t.Error(got)
		}
		out = []Buffer{{Data: unsafe.Pointer(&y[0]), Size: 8*rows - 1}, {Data: unsafe.Pointer(&z[0]), Size: 12 * rows}}
		if n, err := Run(h, in, out); StatusOf(err) != Value || n != 2 || out[0].Size != 8*rows {
			t.Error(n, out, err)
		}
	}
	if s, err := SpecOf(h, 0, true, 1); err != nil || !slices.Equal(s.Shape, []int{3, -1}) {
		t.Error(s, err)
	}
	for name, err := range map[string]error{
		"signature": second(SpecOf(h, 1, true, 0)), "value": second(SpecOf(h, 0, true, 2)),
		"room": second(Run(h, []Buffer{{unsafe.Pointer(&[6]float32{}), 24, dtype.Float32, []int64{2, 3}}}, nil)),
		"fit":  second(Run(h, []Buffer{{unsafe.Pointer(&[6]float32{}), 24, dtype.Float32, []int64{6}}}, make([]Buffer, 2))),
		"size": second(Run(h, []Buffer{{unsafe.Pointer(&[6]float32{}), 20, dtype.Float32, []int64{6}}}, make([]Buffer, 2))),
	} {
		if s := StatusOf(err); s != Value && s != Index {
			t.Errorf("%s: %v", name, err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := LoadBytes(b)
	clear(b) // they were copied
	if _, err := CallFunction(again, []Handle{copied(t, make([]float32, 6), 2, 3)}, make([]Handle, 2)); err != nil {
		t.Error(err)
	}
	if _, err := LoadBytes([]byte("nonsense")); StatusOf(err) != Format {
		t.Error(err)
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.lucid")); err == nil || StatusOf(err) == Internal {
		t.Error(StatusOf(err), err)
	}
	if FreeFunction(h); StatusOf(second(Signatures(h))) != Freed {
		t.Error("a freed function answers")
	}
}

// TestFunctionMemory asks that weights are freed with the last function of their file, and not while a call runs.
func TestFunctionMemory(t *testing.T) {
	w := lucid.Ones(1<<10, 1<<10)
	path := filepath.Join(t.TempDir(), "f.lucid")
	x := lucid.NewExporter(path)
	for _, name := range []string{"a", "b"} {
		if err := x.AddNamed(name, func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(w) }, lucid.Zeros(1, 1<<10)); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	part, err := Named(f, "b")
	if err != nil {
		t.Fatal(err)
	}
	weight := functions.table[f].w.list[0]
	in, outs := []Handle{copied(t, make([]float32, 1<<10), 1, 1<<10)}, make([]Handle, 1)
	FreeFunction(f)
	if _, err := CallFunction(part, in, outs); err != nil {
		t.Error(err)
	}
	if FreeFunction(part); lucid.Try(func() { weight.Shape() }) == nil {
		t.Error("the weights are still there")
	}
	if floats(t, outs[0], 1<<10)[0] != 0 {
		t.Error("the result is gone")
	}
	Free(in[0])
	Free(outs[0])
}

// TestPanics asks that no panic passes.
func TestPanics(t *testing.T) {
	for _, f := range []func() error{
		func() error { panic("text") }, func() error { panic(errors.New("error")) },
		func() error { var p *int; *p = 1; return nil }, func() error { return (map[string]func() error)(nil)["x"]() },
	} {
		if err := Guard(f); StatusOf(err) != Internal {
			t.Error(err)
		}
	}
}

// TestHandlesTogether makes, reads and frees tensors from several goroutines, some of them those of others.
func TestHandlesTogether(t *testing.T) {
	start, rounds := Live(), 3000
	if testing.Short() {
		rounds = 300
	}
	shared := copied(t, []float32{1, 2, 3}, 3)
	neg := must(t, "neg")
	exchange := make(chan Handle, 16)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			out := make([]Handle, 1)
			for range rounds {
				if _, err := Call(neg, []Handle{shared}, nil, out); err != nil {
					t.Error(err)
					return
				}
				select {
				case exchange <- out[0]:
					continue
				case h := <-exchange:
					v := make([]float32, 3)
					if err := Read(h, unsafe.Pointer(&v[0]), 12); err != nil || v[2] != -3 {
						t.Error(v, err)
					}
					Free(h)
				}
				Free(out[0])
				if err := Eval(out); StatusOf(err) != Freed {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	for close(exchange); ; {
		h, ok := <-exchange
		if !ok {
			break
		}
		Free(h)
	}
	if Free(shared); Live() != start {
		t.Errorf("%d tensors are left", Live()-start)
	}
}

func TestDevices(t *testing.T) {
	list, err := Devices()
	if err != nil || list[0] != lucid.CPU {
		t.Error(list, err)
	}
	large := copied(t, make([]float32, 1<<14), 1<<14) // small ones are on the Go heap
	if s, err := Stats("cpu", 0); err != nil || s.Allocs == 0 || s.Allocated < 1<<16 {
		t.Error(s, err)
	}
	Free(large)
	if _, err := Stats("abacus", 0); StatusOf(err) != Device {
		t.Error(err)
	}
	h := copied(t, []float32{1}, 1)
	again, err := To(h, "cpu", 0)
	if err != nil || floats(t, again, 1)[0] != 1 {
		t.Error(err)
	}
	if _, err := To(h, "abacus", 0); StatusOf(err) != Device {
		t.Error(err)
	}
	Free(h)
	Free(again)
	for _, err := range []error{SetThreads(-1), SetMemoryLimit("cpu", 0, -1)} {
		if StatusOf(err) != Value {
			t.Error(err)
		}
	}
	if err := ClearCache("cpu", 0); err != nil {
		t.Error(err)
	}
}
