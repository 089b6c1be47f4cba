package lucid_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// roundTrip copies and shares a slice, and reads it back.
func roundTrip[T lucid.Element](t *testing.T, d lucid.DType, v ...T) {
	t.Helper()
	for name, make := range map[string]func([]T, ...int) *lucid.Tensor{"New": lucid.New[T], "FromSlice": lucid.FromSlice[T],
		"With.New": func(v []T, s ...int) *lucid.Tensor { return lucid.With{}.New(v, s...) }} {
		x := make(slices.Clone(v), 1, len(v))
		if x.DType() != d || !slices.Equal(x.Shape(), []int{1, len(v)}) {
			t.Errorf("%s of %T: %v %v", name, v, x.DType(), x.Shape())
		}
		if got := lucid.ToSlice[T](x); !slices.Equal(got, v) {
			t.Errorf("%s of %T: %v, want %v", name, v, got, v)
		}
		if got := slices.Collect(lucid.Values[T](x)); !slices.Equal(got, v) {
			t.Errorf("values of %T: %v, want %v", v, got, v)
		}
	}
}

func TestNewEveryType(t *testing.T) {
	roundTrip(t, lucid.Bool, true, false)
	roundTrip(t, lucid.Uint8, uint8(0), 255)
	roundTrip(t, lucid.Uint16, uint16(0), 65535)
	roundTrip(t, lucid.Uint32, uint32(0), math.MaxUint32)
	roundTrip(t, lucid.Uint64, uint64(0), math.MaxUint64)
	roundTrip(t, lucid.Int8, int8(-128), 127)
	roundTrip(t, lucid.Int16, int16(-32768), 32767)
	roundTrip(t, lucid.Int32, int32(math.MinInt32), math.MaxInt32)
	roundTrip(t, lucid.Int64, int64(math.MinInt64), math.MaxInt64)
	roundTrip(t, lucid.Int64, int(math.MinInt), math.MaxInt)
	roundTrip(t, lucid.Float32, float32(-0.5), math.MaxFloat32, float32(math.Inf(1)))
	roundTrip(t, lucid.Float64, -0.1, math.MaxFloat64, math.Inf(-1))
	roundTrip(t, lucid.Complex64, complex64(1-2i))
	roundTrip(t, lucid.Complex128, 1-2i, complex(math.Inf(1), 0.5))
}

func TestNewCopiesAndShares(t *testing.T) {
	v := []float32{1, 2}
	a, b := lucid.New(v, 2), lucid.FromSlice(v, 2)
	b.Add_(1)
	if v[0] != 1 {
		t.Error("an in-place form must not write into the caller's slice")
	}
	v[0] = 7
	if got := lucid.ToSlice[float32](a); got[0] != 1 {
		t.Errorf("New must copy: %v", got)
	}
	out := lucid.ToSlice[float32](a)
	out[1] = 9
	if got := lucid.ToSlice[float32](a); got[1] != 2 {
		t.Error("ToSlice must copy")
	}
	if x := lucid.New([]float32{}, 0, 3); x.NumElement() != 0 || len(lucid.ToSlice[float32](x)) != 0 {
		t.Error("an empty tensor")
	}
	if x := lucid.New([]float32{5}); x.Dim() != 0 || x.Item() != 5 {
		t.Error("one element and no sizes is 0-d")
	}
	tensortest.Refuses(t, lucid.ErrShapeMismatch, "too few elements", func() { lucid.New(v, 3) })
	tensortest.Refuses(t, lucid.ErrShapeMismatch, "a negative size", func() { lucid.New(v, -2) })
}

func TestHalfTypes(t *testing.T) {
	for _, d := range []lucid.DType{lucid.Float16, lucid.BFloat16} {
		x := lucid.With{DType: d}.New([]float32{1, 0.1, 65504, -2.5}, 2, 2)
		if x.DType() != d || !slices.Equal(x.Shape(), []int{2, 2}) {
			t.Fatalf("%v %v", x.DType(), x.Shape())
		}
		for i, v := range lucid.ToSlice[float64](x) {
			want := float64(dtype.ToF16([]float32{1, 0.1, 65504, -2.5}[i]).Float32())
			if d == lucid.BFloat16 {
				want = float64(dtype.ToBF16([]float32{1, 0.1, 65504, -2.5}[i]).Float32())
			}
			if v != want {
				t.Errorf("%v: element %d is %v, want %v", d, i, v, want)
			}
		}
	}
	if x := (lucid.With{}).New([]dtype.BF16{0x3f80}); x.DType() != lucid.BFloat16 || x.Item() != 1 {
		t.Errorf("bits of bfloat16: %v", x)
	}
}

func TestOf(t *testing.T) {
	type meters float64
	for _, c := range []struct {
		data  any
		d     lucid.DType
		shape string
		want  []complex128
	}{
		{3, lucid.Int64, "[]", []complex128{3}}, {true, lucid.Bool, "[]", []complex128{1}}, {2.5, lucid.Float32, "[]", []complex128{2.5}},
		{1i, lucid.Complex64, "[]", []complex128{1i}},
		{[][]float32{{1, 2}, {3, 4}}, lucid.Float32, "[2 2]", []complex128{1, 2, 3, 4}},
		{[2][3]int{{1, 2, 3}, {4, 5, 6}}, lucid.Int64, "[2 3]", []complex128{1, 2, 3, 4, 5, 6}},
		{[]any{1, 2.5, true}, lucid.Float32, "[3]", []complex128{1, 2.5, 1}}, {[]any{1, true}, lucid.Int64, "[2]", []complex128{1, 1}},
		{[]bool{true, false}, lucid.Bool, "[2]", []complex128{1, 0}},
		{[]any{1, 2i}, lucid.Complex64, "[2]", []complex128{1, 2i}}, {[]uint8{200}, lucid.Int64, "[1]", []complex128{200}},
		{[]meters{1.5}, lucid.Float32, "[1]", []complex128{1.5}},
		{[]float64{}, lucid.Float32, "[0]", nil}, {[][]int{{}, {}}, lucid.Float32, "[2 0]", nil},
		{[]any{[]any{1}, []int{2}}, lucid.Int64, "[2 1]", []complex128{1, 2}},
	} {
		x := lucid.Of(c.data)
		if x.DType() != c.d || fmt.Sprint(x.Shape()) != c.shape || !slices.Equal(lucid.ToSlice[complex128](x), c.want) {
			t.Errorf("Of(%v) is %v %v %v, want %v %s %v", c.data, x.DType(), x.Shape(), lucid.ToSlice[complex128](x), c.d, c.shape, c.want)
		}
	}
	if x := (lucid.With{DType: lucid.Int8}).Of([]float64{-1.7, 2.2}); x.DType() != lucid.Int8 ||
		fmt.Sprint(lucid.ToSlice[int](x)) != "[-1 2]" {
		t.Errorf("with a dtype: %v", x)
	}
	if x := lucid.New([]int32{1}, 1).NewTensor([]float64{2.9}); x.DType() != lucid.Int32 || x.Item() != 2 {
		t.Errorf("NewTensor: %v", x)
	}
	tensortest.Refuses(t, lucid.ErrShapeMismatch, "ragged data", func() { lucid.Of([][]int{{1, 2}, {3}}) })
	tensortest.Refuses(t, lucid.ErrShapeMismatch, "a number among lists", func() { lucid.Of([]any{[]int{1}, 2}) })
	tensortest.Refuses(t, lucid.ErrDType, "a string", func() { lucid.Of([]string{"a"}) })
	tensortest.Refuses(t, lucid.ErrDType, "nil", func() { lucid.Of(nil) })
	tensortest.Refuses(t, lucid.ErrDType, "a number int64 does not hold", func() { lucid.Of(uint64(math.MaxUint64)) })
	self := []any{nil}
	self[0] = self
	tensortest.Refuses(t, lucid.ErrShapeMismatch, "a list in itself", func() { lucid.Of(self) })
}

func TestFills(t *testing.T) {
	x := lucid.New([]int16{1, 2, 3}, 3)
	for name, y := range map[string]*lucid.Tensor{"zeros": lucid.ZerosLike(x), "ones": lucid.OnesLike(x), "full": lucid.FullLike(x, 7),
		"empty": lucid.EmptyLike(x), "new zeros": x.NewZeros(3), "new ones": x.NewOnes(3), "new full": x.NewFull([]int{3}, 4)} {
		if y.DType() != lucid.Int16 || !slices.Equal(y.Shape(), []int{3}) {
			t.Errorf("%s: %v %v", name, y.DType(), y.Shape())
		}
	}
	if y := (lucid.With{DType: lucid.Float64, RequiresGrad: true}).ZerosLike(x); y.DType() != lucid.Float64 || !y.RequiresGrad() {
		t.Errorf("with a dtype: %v", y.DType())
	}
	z := lucid.Zeros(2, 2)
	z.Add_(1) // a fill is no view: in place is allowed
	if fmt.Sprint(lucid.ToSlice[float32](z)) != "[1 1 1 1]" {
		t.Errorf("zeros after adding: %v", z)
	}
	if y := (lucid.With{DType: lucid.Uint8}).Full([]int{1}, -1); lucid.ItemAs[uint8](y) != 255 {
		t.Errorf("-1 as uint8: %v", y)
	}
	tensortest.Refuses(t, lucid.ErrValue, "300 as uint8", func() { lucid.With{DType: lucid.Uint8}.Full([]int{1}, 300) })
	tensortest.Refuses(t, lucid.ErrValue, "NaN as int64", func() { lucid.With{DType: lucid.Int64}.Full([]int{1}, math.NaN()) })
	tensortest.Refuses(t, lucid.ErrValue, "2^63 as int64", func() { lucid.With{DType: lucid.Int64}.Full([]int{1}, uint64(1)<<63) })
	tensortest.Refuses(t, lucid.ErrDType, "a string", func() { lucid.Full([]int{1}, "x") })
	tensortest.Refuses(t, lucid.ErrShapeMismatch, "a negative size", func() { lucid.Zeros(-1) })
}

func TestSequences(t *testing.T) {
	big := 300_000 // over several blocks
	a := lucid.ToSlice[float32](lucid.Arange(0.5, float64(big)+0.5))
	if len(a) != big || a[big-1] != float32(big)-0.5 || a[70_000] != 70_000.5 {
		t.Errorf("%d elements, the last %v", len(a), a[len(a)-1])
	}
	if x := lucid.Arange(math.MaxInt64-2,
		math.MaxInt64); fmt.Sprint(lucid.ToSlice[int64](x)) != "[9223372036854775805 9223372036854775806]" {
		t.Errorf("at the end of int64: %v", lucid.ToSlice[int64](x))
	}
	if x := (lucid.With{DType: lucid.Int32}).Arange(5, 0, -2); fmt.Sprint(lucid.ToSlice[int](x)) != "[5 3 1]" || x.DType() != lucid.Int32 {
		t.Errorf("downwards: %v", x)
	}
	tensortest.Refuses(t, lucid.ErrValue, "step 0", func() { lucid.Arange(0, 5, 0) })
	tensortest.Refuses(t, lucid.ErrValue, "the wrong way", func() { lucid.Arange(5, 0) })
	tensortest.Refuses(t, lucid.ErrValue, "an endless one", func() { lucid.Arange(0, math.Inf(1)) })
	tensortest.Refuses(t, lucid.ErrValue, "a too long one", func() { lucid.Arange(math.MinInt64, math.MaxInt64) })
	tensortest.Refuses(t, lucid.ErrValue, "a step that is cut to 0", func() { lucid.With{DType: lucid.Int64}.Arange(0, 2, 0.5) })
	tensortest.Refuses(t, lucid.ErrDType, "a complex end", func() { lucid.Arange(1i) })
	tensortest.Refuses(t, lucid.ErrValue, "no argument", func() { lucid.Arange() })
	if x := lucid.Linspace(0, 1, 3); fmt.Sprint(lucid.ToSlice[float32](x)) != "[0 0.5 1]" {
		t.Errorf("linspace: %v", x)
	}
	if x := lucid.Logspace(0, 3, 4, 2); fmt.Sprint(lucid.ToSlice[float32](x)) != "[1 2 4 8]" {
		t.Errorf("logspace: %v", x)
	}
	tensortest.Refuses(t, lucid.ErrValue, "negative steps", func() { lucid.Linspace(0, 1, -1) })
	if x := lucid.Eye(2, 3); fmt.Sprint(lucid.ToSlice[float32](x)) != "[1 0 0 0 1 0]" {
		t.Errorf("eye: %v", x)
	}
	if x := lucid.TrilIndices(3, 3); fmt.Sprint(lucid.ToSlice[int](x)) != "[0 1 1 2 2 2 0 0 1 0 1 2]" {
		t.Errorf("tril_indices: %v", x)
	}
	v := lucid.Of([]int{1, 2, 3})
	if x := lucid.Vander(v); fmt.Sprint(lucid.ToSlice[int](x)) != "[1 1 1 4 2 1 9 3 1]" || x.DType() != lucid.Int64 {
		t.Errorf("vander: %v", x)
	}
	n := 2
	if x := lucid.Vander(v, lucid.VanderOptions{N: n, Increasing: true}); fmt.Sprint(lucid.ToSlice[int](x)) != "[1 1 1 2 1 3]" {
		t.Errorf("vander: %v", x)
	}
}
