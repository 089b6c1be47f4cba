package ops

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// scrambled is a fixed tensor of distinct numbers.
func scrambled(dims ...int) *lucid.Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	r := rand.New(rand.NewPCG(7, 8))
	x := make([]float64, n)
	for i, p := range r.Perm(n) {
		x[i] = float64(p)/8 - 1.03
	}
	return lucid.New(x, dims...)
}

func stackRows(n int, f func(i int) *lucid.Tensor) *lucid.Tensor {
	out := make([]*lucid.Tensor, n)
	for i := range out {
		out[i] = f(i)
	}
	return lucid.Stack(out, 0)
}

// TestMoveTransforms checks forward mode against reverse mode, vectorising against a loop, and second order, for ops
// that move elements.
func TestMoveTransforms(t *testing.T) {
	idx := lucid.New([]int64{2, 0, 2, -1}, 4)
	two := lucid.New([]int64{1, 0, 1, 1}, 2, 2)
	mask := lucid.New([]bool{true, false, true, true}, 4)
	cases := map[string]func(x *lucid.Tensor) *lucid.Tensor{
		"at ranges": func(x *lucid.Tensor) *lucid.Tensor {
			return x.At(lucid.Range{Start: lucid.End, Stop: lucid.End, Step: -2}, lucid.NewAxis, 1)
		},
		"at tensors":  func(x *lucid.Tensor) *lucid.Tensor { return x.At(idx, lucid.Colon, idx) },
		"at adjacent": func(x *lucid.Tensor) *lucid.Tensor { return x.At(lucid.Colon, two, two) },
		"set": func(x *lucid.Tensor) *lucid.Tensor {
			return x.Clone().SetAt(x.At(0, lucid.Ellipsis, lucid.Range{Stop: 1}).Mul(2), 1, lucid.Ellipsis, lucid.Range{Start: 1, Stop: 2})
		},
		"set tensors": func(x *lucid.Tensor) *lucid.Tensor {
			return x.Clone().SetAt(x.At(lucid.Range{Stop: 2}, 0, lucid.Colon).Mul(3), two, 0)
		},
		"add tensors": func(x *lucid.Tensor) *lucid.Tensor { return x.Clone().AddAt(x.At(0), idx) },
		"mul tensors": func(x *lucid.Tensor) *lucid.Tensor { return x.Clone().MulAt(x.At(0), idx) },
		"set mask":    func(x *lucid.Tensor) *lucid.Tensor { return x.Clone().SetAt(x.At(lucid.Range{Stop: 3}).Mul(2), mask) },
		"add mask":    func(x *lucid.Tensor) *lucid.Tensor { return x.Clone().AddAt(x.At(0), mask) },
		"unfold":      func(x *lucid.Tensor) *lucid.Tensor { return x.Unfold(2, 3, 2) },
		"as strided":  func(x *lucid.Tensor) *lucid.Tensor { return x.AsStrided([]int{3, 2}, []int{2, 5}) },
		"diagonal":    func(x *lucid.Tensor) *lucid.Tensor { return x.Diagonal(1) },
		"diag embed":  func(x *lucid.Tensor) *lucid.Tensor { return x.DiagEmbed() },
		"tril":        func(x *lucid.Tensor) *lucid.Tensor { return x.Tril() },
		"split": func(x *lucid.Tensor) *lucid.Tensor {
			p := x.Split(2, 2)
			return p[0].Mul(p[1]).Add(p[2].Expand(-1, -1, 2))
		},
		"unbind": func(x *lucid.Tensor) *lucid.Tensor { p := x.Unbind(1); return p[2].Mul(p[0]).Sub(p[1]) },
		"cat":    func(x *lucid.Tensor) *lucid.Tensor { return lucid.Cat([]*lucid.Tensor{x, x.Flip(1).Square(), x}, 1) },
		"roll":   func(x *lucid.Tensor) *lucid.Tensor { return x.Roll(2, 2).Rot90(1) },
		"repeat": func(x *lucid.Tensor) *lucid.Tensor { return x.Repeat(2, 1, 2) },
		"interleave": func(x *lucid.Tensor) *lucid.Tensor {
			return lucid.RepeatInterleave(x, lucid.New([]int64{2, 0, 1, 3}, 4),
				lucid.RepeatInterleaveOptions{Dim: new(0), OutputSize: new(6)})
		},
		"gather": func(x *lucid.Tensor) *lucid.Tensor { return x.Gather(0, lucid.New([]int64{3, 0, 1, 1, 2, 2}, 3, 2, 1)) },
		"scatter": func(x *lucid.Tensor) *lucid.Tensor {
			return x.Scatter(0, lucid.New([]int64{3, 0, 3}, 1, 3, 1), x.Square())
		},
		"scatter add": func(x *lucid.Tensor) *lucid.Tensor {
			return x.ScatterAdd(1, lucid.New([]int64{0, 0, 2, 1}, 1, 4, 1).Repeat(2, 1, 3), lucid.Cat([]*lucid.Tensor{x, x}, 1).Square())
		},
		"reduce prod": func(x *lucid.Tensor) *lucid.Tensor {
			return x.ScatterReduce(0, lucid.New([]int64{0, 0, 0, 1}, 4, 1, 1),
				x.At(lucid.Colon, lucid.Range{Stop: 1}, lucid.Range{Stop: 1}).Mul(2), "prod")
		},
		"reduce amax": func(x *lucid.Tensor) *lucid.Tensor {
			return x.ScatterReduce(0, lucid.New([]int64{0, 0, 0, 1}, 4, 1, 1),
				x.At(lucid.Colon, lucid.Range{Stop: 1}, lucid.Range{Stop: 1}).Mul(2), "amax")
		},
		"index fill":     func(x *lucid.Tensor) *lucid.Tensor { return x.IndexFill(1, lucid.New([]int64{0, 2}, 2), 3) },
		"masked scatter": func(x *lucid.Tensor) *lucid.Tensor { return x.MaskedScatter(x.Gt(0).Detach(), x.Square().Ravel()) },
		"dynamic": func(x *lucid.Tensor) *lucid.Tensor {
			return x.DynamicSlice(lucid.New([]int64{1, 2}, 2), []int{0, 2}, []int{2, 3})
		},
		"dynamic update": func(x *lucid.Tensor) *lucid.Tensor {
			return x.DynamicSliceUpdate(x.At(lucid.Range{Stop: 2}, lucid.Colon, lucid.Range{Stop: 3}).Square(),
				lucid.New([]int64{1, 2}, 2), []int{0, 2})
		},
	}
	for name, f := range cases {
		t.Run(name, func(t *testing.T) {
			x := scrambled(4, 3, 5)
			y := f(x)
			u, v := scrambled(y.Shape()...).Sin(), scrambled(4, 3, 5).Cos()
			_, jv := lucid.JVP(f, x, v)
			_, vj := lucid.VJP(f, x, u)
			tensortest.Near(t, "jvp and vjp", jv.Mul(u).Sum().Item(), vj.Mul(v).Sum().Item())
			const h = 1e-6
			num := f(x.Add(v.Mul(h))).Sub(f(x.Sub(v.Mul(h)))).Div(2 * h)
			tensortest.Same(t, "differences", jv.Mul(1e-3), num.Mul(1e-3))
			loss := func(x *lucid.Tensor) *lucid.Tensor { return f(x).Mul(u).Sin().Sum() }
			g := func(x *lucid.Tensor) *lucid.Tensor { return lucid.Grad(loss)(x).Mul(v).Sum() }
			second := lucid.Grad(g)(x).Mul(v).Sum().Item()
			tensortest.Near(t, "second order", second, (g(x.Add(v.Mul(h))).Item()-g(x.Sub(v.Mul(h))).Item())/(2*h))
			xs := lucid.Stack([]*lucid.Tensor{x, x.Neg(), v}, 0)
			tensortest.Same(t, "vmap", lucid.VMap(f)(xs), stackRows(3, func(i int) *lucid.Tensor { return f(xs.At(i)) }))
			tensortest.Same(t, "vmap of grad", lucid.VMap(lucid.Grad(loss))(xs),
				stackRows(3, func(i int) *lucid.Tensor { return lucid.Grad(loss)(xs.At(i)) }))
			tensortest.Same(t, "compiled", lucid.Compile(f)(x), y)
		})
	}
}

func TestIndexErrors(t *testing.T) {
	x := lucid.Arange(24).Reshape(2, 3, 4)
	for name, c := range map[string]struct {
		f    func()
		want error
	}{
		"int":            {func() { x.At(2) }, lucid.ErrIndex},
		"negative int":   {func() { x.At(0, -4) }, lucid.ErrIndex},
		"list":           {func() { x.At([]int{0, 2}) }, lucid.ErrIndex},
		"too many":       {func() { x.At(0, 0, 0, 0) }, lucid.ErrIndex},
		"two ellipses":   {func() { x.At(lucid.Ellipsis, lucid.Ellipsis) }, lucid.ErrIndex},
		"type":           {func() { x.At(1.5) }, lucid.ErrIndex},
		"nil":            {func() { x.At((*lucid.Tensor)(nil)) }, lucid.ErrIndex},
		"mask shape":     {func() { x.At(lucid.New([]bool{true, false, true}, 3)) }, lucid.ErrIndex},
		"float index":    {func() { x.At(lucid.New([]float32{1}, 1)) }, lucid.ErrDType},
		"no broadcast":   {func() { x.At(lucid.New([]int64{1, 0}, 2), lucid.New([]int64{1, 0, 1}, 3)) }, lucid.ErrShapeMismatch},
		"when computed":  {func() { x.At(lucid.New([]int64{5}, 1)).Eval() }, lucid.ErrIndex},
		"value":          {func() { x.Clone().SetAt(lucid.Ones(5), 0) }, lucid.ErrShapeMismatch},
		"mask value":     {func() { x.Clone().SetAt(lucid.Ones(3), x.Gt(20)).Eval() }, nil},
		"mask too long":  {func() { x.Clone().SetAt(lucid.Ones(4), x.Gt(20)).Eval() }, lucid.ErrIndex},
		"mask too short": {func() { x.Clone().SetAt(lucid.Ones(2), x.Gt(20)).Eval() }, lucid.ErrIndex},
		"traced mask":    {func() { lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.At(x.Gt(20)) })(x) }, lucid.ErrTrace},
		"leaf":           {func() { lucid.Ones(2).RequiresGrad_(true).SetAt(0, 0) }, lucid.ErrGradient},
	} {
		if err := lucid.Try(c.f); !errors.Is(err, c.want) && !(err == nil && c.want == nil) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestSetAt(t *testing.T) {
	x := lucid.Arange(6).Reshape(2, 3)
	view := x.At(1)
	if got := fmt.Sprint(lucid.ToSlice[int](view.SetAt(9, 0)), lucid.ToSlice[int](x)); got != "[9 4 5] [0 1 2 3 4 5]" {
		t.Error("a view changes alone:", got)
	}
	y := x.Clone()
	y.SetAt(-1, y.Gt(2)).AddAt(10, []int{0, 0}, []int{1, 1}).MulAt(2, 0, 0).MaxAt(7, 0, lucid.Range{Stop: 1})
	if got := fmt.Sprint(lucid.ToSlice[int](y)); got != "[7 21 2 -1 -1 -1]" {
		t.Error(got)
	}
	if got := fmt.Sprint(lucid.ToSlice[int](x.At([]bool{false, true}))); got != "[3 4 5]" {
		t.Error(got)
	}
	// A compiled function writes through masks, without looking at them.
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Clone().SetAt(lucid.New([]int64{7, 8, 9}, 3), x.Gt(2)) })
	if got := fmt.Sprint(lucid.ToSlice[int](f(x))); got != "[0 1 2 7 8 9]" {
		t.Error(got)
	}
}

// TestIndexOfAnyGoType: an index is the same whatever integer type it has, next to a mask too, and a bool is a mask without dims, as in
// NumPy.
func TestIndexOfAnyGoType(t *testing.T) {
	mask, v := lucid.New([]bool{true, true}, 2), lucid.Arange(6).Reshape(2, 3) // apart from it, the int brings the mask's dim to the front
	want := lucid.Zeros(2, 3, 2).SetAt(v, 1, lucid.Colon, mask)
	for _, one := range []any{int8(1), int64(1), uint8(1), uint64(1), -1, int32(-1)} {
		if got := lucid.Zeros(2, 3, 2).SetAt(v, one, lucid.Colon, mask); !lucid.Equal(got, want) {
			t.Errorf("%T: %v, want %v", one, got, want)
		}
	}
	x := lucid.Arange(6).Reshape(2, 3)
	for b, want := range map[bool][]int{true: {1, 2, 3}, false: {0, 2, 3}} {
		if got := x.At(b).Shape(); !slices.Equal(got, want) {
			t.Errorf("%v gives the shape %v, want %v", b, got, want)
		}
		if got := x.Clone().SetAt(7, b, 0).Sum().Item(); (got == 3*7+12) != b {
			t.Errorf("%v wrote what sums to %v", b, got)
		}
	}
	for _, bad := range []any{1.0, "a", nil, uint64(1) << 63, []any{1}} {
		if err := lucid.Try(func() { x.At(bad) }); !errors.Is(err, lucid.ErrIndex) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// TestKindOfMixedData: the dtype of Go data does not depend on the order of its numbers.
func TestKindOfMixedData(t *testing.T) {
	for _, data := range [][]any{{uint64(math.MaxUint64), 0.5}, {0.5, uint64(math.MaxUint64)}, {1, 0.5, true}, {true, 0.5, 1}} {
		if d := lucid.Of(data).DType(); d != lucid.Float32 {
			t.Errorf("%v is %v", data, d)
		}
	}
	if err := lucid.Try(func() { lucid.Of([]any{true, uint64(math.MaxUint64), 1}) }); !errors.Is(err, lucid.ErrDType) {
		t.Errorf("an integer beyond int64: %v", err)
	}
}

// TestRangeWithoutStop checks that a range whose stop was left out is refused, not empty.
func TestRangeWithoutStop(t *testing.T) {
	x := lucid.Arange(10)
	for _, r := range []lucid.Range{{Start: 7}, {Start: -3}, {Step: 2}, {Start: 1, Step: 2}, {Step: -1}} {
		tensortest.Refuses(t, lucid.ErrValue, fmt.Sprintf("%+v", r), func() { x.At(r) })
		tensortest.Refuses(t, lucid.ErrValue, fmt.Sprintf("write to %+v", r), func() { x.Clone().SetAt(1, r) })
	}
	for want, r := range map[int]lucid.Range{0: {}, 3: {Start: 7, Stop: lucid.End}, 5: {Start: 5, Step: -1},
		10: {Start: lucid.End, Stop: lucid.End, Step: -1}} {
		if n := x.At(r).Size(0); n != want {
			t.Errorf("%+v has %d elements, want %d", r, n, want)
		}
	}
}
