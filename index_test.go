package lucid

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// scrambled is a fixed tensor of distinct numbers.
func scrambled(dims ...int) *Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	r := rand.New(rand.NewPCG(7, 8))
	x := make([]float64, n)
	for i, p := range r.Perm(n) {
		x[i] = float64(p)/8 - 1.03
	}
	return New(x, dims...)
}

func stackRows(n int, f func(i int) *Tensor) *Tensor {
	out := make([]*Tensor, n)
	for i := range out {
		out[i] = f(i)
	}
	return Stack(out, 0)
}

// TestMoveTransforms checks forward mode against reverse mode, vectorising against a loop, and second order, for ops
// that move elements.
func TestMoveTransforms(t *testing.T) {
	idx := New([]int64{2, 0, 2, -1}, 4)
	two := New([]int64{1, 0, 1, 1}, 2, 2)
	mask := New([]bool{true, false, true, true}, 4)
	cases := map[string]func(x *Tensor) *Tensor{
		"at ranges":   func(x *Tensor) *Tensor { return x.At(Range{Start: End, Stop: End, Step: -2}, NewAxis, 1) },
		"at tensors":  func(x *Tensor) *Tensor { return x.At(idx, Colon, idx) },
		"at adjacent": func(x *Tensor) *Tensor { return x.At(Colon, two, two) },
		"set": func(x *Tensor) *Tensor {
			return x.Clone().SetAt(x.At(0, Ellipsis, Range{Stop: 1}).Mul(2), 1, Ellipsis, Range{Start: 1, Stop: 2})
		},
		"set tensors": func(x *Tensor) *Tensor { return x.Clone().SetAt(x.At(Range{Stop: 2}, 0, Colon).Mul(3), two, 0) },
		"add tensors": func(x *Tensor) *Tensor { return x.Clone().AddAt(x.At(0), idx) },
		"mul tensors": func(x *Tensor) *Tensor { return x.Clone().MulAt(x.At(0), idx) },
		"set mask":    func(x *Tensor) *Tensor { return x.Clone().SetAt(x.At(Range{Stop: 3}).Mul(2), mask) },
		"add mask":    func(x *Tensor) *Tensor { return x.Clone().AddAt(x.At(0), mask) },
		"unfold":      func(x *Tensor) *Tensor { return x.Unfold(2, 3, 2) },
		"as strided":  func(x *Tensor) *Tensor { return x.AsStrided([]int{3, 2}, []int{2, 5}) },
		"diagonal":    func(x *Tensor) *Tensor { return x.Diagonal(1) },
		"diag embed":  func(x *Tensor) *Tensor { return x.DiagEmbed() },
		"tril":        func(x *Tensor) *Tensor { return x.Tril() },
		"split": func(x *Tensor) *Tensor {
			p := x.Split(2, 2)
			return p[0].Mul(p[1]).Add(p[2].Expand(-1, -1, 2))
		},
		"unbind": func(x *Tensor) *Tensor { p := x.Unbind(1); return p[2].Mul(p[0]).Sub(p[1]) },
		"cat":    func(x *Tensor) *Tensor { return Cat([]*Tensor{x, x.Flip(1).Square(), x}, 1) },
		"roll":   func(x *Tensor) *Tensor { return x.Roll(2, 2).Rot90(1) },
		"repeat": func(x *Tensor) *Tensor { return x.Repeat(2, 1, 2) },
		"interleave": func(x *Tensor) *Tensor {
			return RepeatInterleave(x, New([]int64{2, 0, 1, 3}, 4), RepeatInterleaveOptions{Dim: new(0), OutputSize: new(6)})
		},
		"gather":  func(x *Tensor) *Tensor { return x.Gather(0, New([]int64{3, 0, 1, 1, 2, 2}, 3, 2, 1)) },
		"scatter": func(x *Tensor) *Tensor { return x.Scatter(0, New([]int64{3, 0, 3}, 1, 3, 1), x.Square()) },
		"scatter add": func(x *Tensor) *Tensor {
			return x.ScatterAdd(1, New([]int64{0, 0, 2, 1}, 1, 4, 1).Repeat(2, 1, 3), Cat([]*Tensor{x, x}, 1).Square())
		},
		"reduce prod": func(x *Tensor) *Tensor {
			return x.ScatterReduce(0, New([]int64{0, 0, 0, 1}, 4, 1, 1), x.At(Colon, Range{Stop: 1}, Range{Stop: 1}).Mul(2), "prod")
		},
		"reduce amax": func(x *Tensor) *Tensor {
			return x.ScatterReduce(0, New([]int64{0, 0, 0, 1}, 4, 1, 1), x.At(Colon, Range{Stop: 1}, Range{Stop: 1}).Mul(2), "amax")
		},
		"index fill":     func(x *Tensor) *Tensor { return x.IndexFill(1, New([]int64{0, 2}, 2), 3) },
		"masked scatter": func(x *Tensor) *Tensor { return x.MaskedScatter(x.Gt(0).Detach(), x.Square().Ravel()) },
		"dynamic":        func(x *Tensor) *Tensor { return x.DynamicSlice(New([]int64{1, 2}, 2), []int{0, 2}, []int{2, 3}) },
		"dynamic update": func(x *Tensor) *Tensor {
			return x.DynamicSliceUpdate(x.At(Range{Stop: 2}, Colon, Range{Stop: 3}).Square(), New([]int64{1, 2}, 2), []int{0, 2})
		},
	}
	for name, f := range cases {
		t.Run(name, func(t *testing.T) {
			x := scrambled(4, 3, 5)
			y := f(x)
			u, v := scrambled(y.Shape()...).Sin(), scrambled(4, 3, 5).Cos()
			_, jv := JVP(f, x, v)
			_, vj := VJP(f, x, u)
			near(t, "jvp and vjp", jv.Mul(u).Sum().Item(), vj.Mul(v).Sum().Item())
			const h = 1e-6
			num := f(x.Add(v.Mul(h))).Sub(f(x.Sub(v.Mul(h)))).Div(2 * h)
			same(t, "differences", jv.Mul(1e-3), num.Mul(1e-3))
			loss := func(x *Tensor) *Tensor { return f(x).Mul(u).Sin().Sum() }
			g := func(x *Tensor) *Tensor { return Grad(loss)(x).Mul(v).Sum() }
			second := Grad(g)(x).Mul(v).Sum().Item()
			near(t, "second order", second, (g(x.Add(v.Mul(h))).Item()-g(x.Sub(v.Mul(h))).Item())/(2*h))
			xs := Stack([]*Tensor{x, x.Neg(), v}, 0)
			same(t, "vmap", VMap(f)(xs), stackRows(3, func(i int) *Tensor { return f(xs.At(i)) }))
			same(t, "vmap of grad", VMap(Grad(loss))(xs), stackRows(3, func(i int) *Tensor { return Grad(loss)(xs.At(i)) }))
			same(t, "compiled", Compile(f)(x), y)
		})
	}
}

func TestIndexErrors(t *testing.T) {
	x := Arange(24).Reshape(2, 3, 4)
	for name, c := range map[string]struct {
		f    func()
		want error
	}{
		"int":            {func() { x.At(2) }, ErrIndex},
		"negative int":   {func() { x.At(0, -4) }, ErrIndex},
		"list":           {func() { x.At([]int{0, 2}) }, ErrIndex},
		"too many":       {func() { x.At(0, 0, 0, 0) }, ErrIndex},
		"two ellipses":   {func() { x.At(Ellipsis, Ellipsis) }, ErrIndex},
		"type":           {func() { x.At(1.5) }, ErrIndex},
		"nil":            {func() { x.At((*Tensor)(nil)) }, ErrIndex},
		"mask shape":     {func() { x.At(New([]bool{true, false, true}, 3)) }, ErrIndex},
		"float index":    {func() { x.At(New([]float32{1}, 1)) }, ErrDType},
		"do not meet":    {func() { x.At(New([]int64{1, 0}, 2), New([]int64{1, 0, 1}, 3)) }, ErrShapeMismatch},
		"when computed":  {func() { x.At(New([]int64{5}, 1)).Eval() }, ErrIndex},
		"value":          {func() { x.Clone().SetAt(Ones(5), 0) }, ErrShapeMismatch},
		"mask value":     {func() { x.Clone().SetAt(Ones(3), x.Gt(20)).Eval() }, nil},
		"mask too long":  {func() { x.Clone().SetAt(Ones(4), x.Gt(20)).Eval() }, ErrIndex},
		"mask too short": {func() { x.Clone().SetAt(Ones(2), x.Gt(20)).Eval() }, ErrIndex},
		"traced mask":    {func() { Compile(func(x *Tensor) *Tensor { return x.At(x.Gt(20)) })(x) }, ErrTrace},
		"leaf":           {func() { Ones(2).RequiresGrad_(true).SetAt(0, 0) }, ErrGradient},
	} {
		if err := Try(c.f); !errors.Is(err, c.want) && !(err == nil && c.want == nil) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestSetAt(t *testing.T) {
	x := Arange(6).Reshape(2, 3)
	view := x.At(1)
	if got := fmt.Sprint(ToSlice[int](view.SetAt(9, 0)), ToSlice[int](x)); got != "[9 4 5] [0 1 2 3 4 5]" {
		t.Error("a view changes alone:", got)
	}
	y := x.Clone()
	y.SetAt(-1, y.Gt(2)).AddAt(10, []int{0, 0}, []int{1, 1}).MulAt(2, 0, 0).MaxAt(7, 0, Range{Stop: 1})
	if got := fmt.Sprint(ToSlice[int](y)); got != "[7 21 2 -1 -1 -1]" {
		t.Error(got)
	}
	if got := fmt.Sprint(ToSlice[int](x.At([]bool{false, true}))); got != "[3 4 5]" {
		t.Error(got)
	}
	// A compiled function writes through masks, without looking at them.
	f := Compile(func(x *Tensor) *Tensor { return x.Clone().SetAt(New([]int64{7, 8, 9}, 3), x.Gt(2)) })
	if got := fmt.Sprint(ToSlice[int](f(x))); got != "[0 1 2 7 8 9]" {
		t.Error(got)
	}
}

// TestIndexOfAnyGoType: an index is the same whatever integer type it has, beside a mask too, and a bool is a mask without dims, as in NumPy.
func TestIndexOfAnyGoType(t *testing.T) {
	mask, v := New([]bool{true, true}, 2), Arange(6).Reshape(2, 3) // apart from it, the int brings the mask's dim to the front
	want := Zeros(2, 3, 2).SetAt(v, 1, Colon, mask)
	for _, one := range []any{int8(1), int64(1), uint8(1), uint64(1), -1, int32(-1)} {
		if got := Zeros(2, 3, 2).SetAt(v, one, Colon, mask); !Equal(got, want) {
			t.Errorf("%T: %v, want %v", one, got, want)
		}
	}
	x := Arange(6).Reshape(2, 3)
	for b, want := range map[bool][]int{true: {1, 2, 3}, false: {0, 2, 3}} {
		if got := x.At(b).Shape(); !slices.Equal(got, want) {
			t.Errorf("%v gives the shape %v, want %v", b, got, want)
		}
		if got := x.Clone().SetAt(7, b, 0).Sum().Item(); (got == 3*7+12) != b {
			t.Errorf("%v wrote what sums to %v", b, got)
		}
	}
	for _, bad := range []any{1.0, "a", nil, uint64(1) << 63, []any{1}} {
		if err := Try(func() { x.At(bad) }); !errors.Is(err, ErrIndex) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// TestKindOfMixedData: the dtype of Go data does not depend on the order of its numbers.
func TestKindOfMixedData(t *testing.T) {
	for _, data := range [][]any{{uint64(math.MaxUint64), 0.5}, {0.5, uint64(math.MaxUint64)}, {1, 0.5, true}, {true, 0.5, 1}} {
		if d := Of(data).DType(); d != Float32 {
			t.Errorf("%v is %v", data, d)
		}
	}
	if err := Try(func() { Of([]any{true, uint64(math.MaxUint64), 1}) }); !errors.Is(err, ErrDType) {
		t.Errorf("an integer beyond int64: %v", err)
	}
}
