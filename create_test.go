package lucid

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/dtype"
)

func refuses(t *testing.T, want error, what string, f func()) {
	t.Helper()
	if err := Try(f); !errors.Is(err, want) {
		t.Errorf("%s gives %v, want %v", what, err, want)
	}
}

// roundTrip copies and shares a slice, and reads it back.
func roundTrip[T Element](t *testing.T, d DType, v ...T) {
	t.Helper()
	for name, make := range map[string]func([]T, ...int) *Tensor{"New": New[T], "FromSlice": FromSlice[T], "With.New": func(v []T, s ...int) *Tensor { return With{}.New(v, s...) }} {
		x := make(slices.Clone(v), 1, len(v))
		if x.DType() != d || !slices.Equal(x.Shape(), []int{1, len(v)}) {
			t.Errorf("%s of %T: %v %v", name, v, x.DType(), x.Shape())
		}
		if got := ToSlice[T](x); !slices.Equal(got, v) {
			t.Errorf("%s of %T: %v, want %v", name, v, got, v)
		}
		if got := slices.Collect(Values[T](x)); !slices.Equal(got, v) {
			t.Errorf("values of %T: %v, want %v", v, got, v)
		}
	}
}

func TestNewEveryType(t *testing.T) {
	roundTrip(t, Bool, true, false)
	roundTrip(t, Uint8, uint8(0), 255)
	roundTrip(t, Uint16, uint16(0), 65535)
	roundTrip(t, Uint32, uint32(0), math.MaxUint32)
	roundTrip(t, Uint64, uint64(0), math.MaxUint64)
	roundTrip(t, Int8, int8(-128), 127)
	roundTrip(t, Int16, int16(-32768), 32767)
	roundTrip(t, Int32, int32(math.MinInt32), math.MaxInt32)
	roundTrip(t, Int64, int64(math.MinInt64), math.MaxInt64)
	roundTrip(t, Int64, int(math.MinInt), math.MaxInt)
	roundTrip(t, Float32, float32(-0.5), math.MaxFloat32, float32(math.Inf(1)))
	roundTrip(t, Float64, -0.1, math.MaxFloat64, math.Inf(-1))
	roundTrip(t, Complex64, complex64(1-2i))
	roundTrip(t, Complex128, 1-2i, complex(math.Inf(1), 0.5))
}

func TestNewCopiesAndShares(t *testing.T) {
	v := []float32{1, 2}
	a, b := New(v, 2), FromSlice(v, 2)
	b.Add_(1)
	if v[0] != 1 {
		t.Error("an in-place form must not write into the caller's slice")
	}
	v[0] = 7
	if got := ToSlice[float32](a); got[0] != 1 {
		t.Errorf("New must copy: %v", got)
	}
	out := ToSlice[float32](a)
	out[1] = 9
	if got := ToSlice[float32](a); got[1] != 2 {
		t.Error("ToSlice must copy")
	}
	if x := New([]float32{}, 0, 3); x.NumElement() != 0 || len(ToSlice[float32](x)) != 0 {
		t.Error("an empty tensor")
	}
	if x := New([]float32{5}); x.Dim() != 0 || x.Item() != 5 {
		t.Error("one element and no sizes is 0-d")
	}
	refuses(t, ErrShapeMismatch, "too few elements", func() { New(v, 3) })
	refuses(t, ErrShapeMismatch, "a negative size", func() { New(v, -2) })
}

func TestHalves(t *testing.T) {
	for _, d := range []DType{Float16, BFloat16} {
		x := With{DType: d}.New([]float32{1, 0.1, 65504, -2.5}, 2, 2)
		if x.DType() != d || !slices.Equal(x.Shape(), []int{2, 2}) {
			t.Fatalf("%v %v", x.DType(), x.Shape())
		}
		for i, v := range ToSlice[float64](x) {
			want := float64(dtype.ToF16([]float32{1, 0.1, 65504, -2.5}[i]).Float32())
			if d == BFloat16 {
				want = float64(dtype.ToBF16([]float32{1, 0.1, 65504, -2.5}[i]).Float32())
			}
			if v != want {
				t.Errorf("%v: element %d is %v, want %v", d, i, v, want)
			}
		}
	}
	if x := (With{}).New([]dtype.BF16{0x3f80}); x.DType() != BFloat16 || x.Item() != 1 {
		t.Errorf("bits of bfloat16: %v", x)
	}
}

func TestOf(t *testing.T) {
	type meters float64
	for _, c := range []struct {
		data  any
		d     DType
		shape string
		want  []complex128
	}{
		{3, Int64, "[]", []complex128{3}}, {true, Bool, "[]", []complex128{1}}, {2.5, Float32, "[]", []complex128{2.5}}, {1i, Complex64, "[]", []complex128{1i}},
		{[][]float32{{1, 2}, {3, 4}}, Float32, "[2 2]", []complex128{1, 2, 3, 4}}, {[2][3]int{{1, 2, 3}, {4, 5, 6}}, Int64, "[2 3]", []complex128{1, 2, 3, 4, 5, 6}},
		{[]any{1, 2.5, true}, Float32, "[3]", []complex128{1, 2.5, 1}}, {[]any{1, true}, Int64, "[2]", []complex128{1, 1}}, {[]bool{true, false}, Bool, "[2]", []complex128{1, 0}},
		{[]any{1, 2i}, Complex64, "[2]", []complex128{1, 2i}}, {[]uint8{200}, Int64, "[1]", []complex128{200}}, {[]meters{1.5}, Float32, "[1]", []complex128{1.5}},
		{[]float64{}, Float32, "[0]", nil}, {[][]int{{}, {}}, Float32, "[2 0]", nil}, {[]any{[]any{1}, []int{2}}, Int64, "[2 1]", []complex128{1, 2}},
	} {
		x := Of(c.data)
		if x.DType() != c.d || fmt.Sprint(x.Shape()) != c.shape || !slices.Equal(ToSlice[complex128](x), c.want) {
			t.Errorf("Of(%v) is %v %v %v, want %v %s %v", c.data, x.DType(), x.Shape(), ToSlice[complex128](x), c.d, c.shape, c.want)
		}
	}
	if x := (With{DType: Int8}).Of([]float64{-1.7, 2.2}); x.DType() != Int8 || fmt.Sprint(ToSlice[int](x)) != "[-1 2]" {
		t.Errorf("with a dtype: %v", x)
	}
	if x := New([]int32{1}, 1).NewTensor([]float64{2.9}); x.DType() != Int32 || x.Item() != 2 {
		t.Errorf("NewTensor: %v", x)
	}
	refuses(t, ErrShapeMismatch, "ragged data", func() { Of([][]int{{1, 2}, {3}}) })
	refuses(t, ErrShapeMismatch, "a number among lists", func() { Of([]any{[]int{1}, 2}) })
	refuses(t, ErrDType, "a string", func() { Of([]string{"a"}) })
	refuses(t, ErrDType, "nil", func() { Of(nil) })
	refuses(t, ErrDType, "a number int64 does not hold", func() { Of(uint64(math.MaxUint64)) })
	self := []any{nil}
	self[0] = self
	refuses(t, ErrShapeMismatch, "a list in itself", func() { Of(self) })
}

func TestFills(t *testing.T) {
	x := New([]int16{1, 2, 3}, 3)
	for name, y := range map[string]*Tensor{"zeros": ZerosLike(x), "ones": OnesLike(x), "full": FullLike(x, 7), "empty": EmptyLike(x), "new zeros": x.NewZeros(3), "new ones": x.NewOnes(3), "new full": x.NewFull([]int{3}, 4)} {
		if y.DType() != Int16 || !slices.Equal(y.Shape(), []int{3}) {
			t.Errorf("%s: %v %v", name, y.DType(), y.Shape())
		}
	}
	if y := (With{DType: Float64, RequiresGrad: true}).ZerosLike(x); y.DType() != Float64 || !y.RequiresGrad() {
		t.Errorf("with a dtype: %v", y.DType())
	}
	z := Zeros(2, 2)
	z.Add_(1) // a fill is no view: in place is allowed
	if fmt.Sprint(ToSlice[float32](z)) != "[1 1 1 1]" {
		t.Errorf("zeros after adding: %v", z)
	}
	if y := (With{DType: Uint8}).Full([]int{1}, -1); ItemAs[uint8](y) != 255 {
		t.Errorf("-1 as uint8: %v", y)
	}
	refuses(t, ErrValue, "300 as uint8", func() { With{DType: Uint8}.Full([]int{1}, 300) })
	refuses(t, ErrValue, "NaN as int64", func() { With{DType: Int64}.Full([]int{1}, math.NaN()) })
	refuses(t, ErrValue, "2^63 as int64", func() { With{DType: Int64}.Full([]int{1}, uint64(1)<<63) })
	refuses(t, ErrDType, "a string", func() { Full([]int{1}, "x") })
	refuses(t, ErrShapeMismatch, "a negative size", func() { Zeros(-1) })
}

func TestSequences(t *testing.T) {
	big := 300_000 // over several blocks
	a := ToSlice[float32](Arange(0.5, float64(big)+0.5))
	if len(a) != big || a[big-1] != float32(big)-0.5 || a[70_000] != 70_000.5 {
		t.Errorf("%d elements, the last %v", len(a), a[len(a)-1])
	}
	if x := Arange(math.MaxInt64-2, math.MaxInt64); fmt.Sprint(ToSlice[int64](x)) != "[9223372036854775805 9223372036854775806]" {
		t.Errorf("at the end of int64: %v", ToSlice[int64](x))
	}
	if x := (With{DType: Int32}).Arange(5, 0, -2); fmt.Sprint(ToSlice[int](x)) != "[5 3 1]" || x.DType() != Int32 {
		t.Errorf("downwards: %v", x)
	}
	refuses(t, ErrValue, "step 0", func() { Arange(0, 5, 0) })
	refuses(t, ErrValue, "the wrong way", func() { Arange(5, 0) })
	refuses(t, ErrValue, "an endless one", func() { Arange(0, math.Inf(1)) })
	refuses(t, ErrValue, "a too long one", func() { Arange(math.MinInt64, math.MaxInt64) })
	refuses(t, ErrValue, "a step that is cut to 0", func() { With{DType: Int64}.Arange(0, 2, 0.5) })
	refuses(t, ErrDType, "a complex end", func() { Arange(1i) })
	refuses(t, ErrValue, "no argument", func() { Arange() })
	if x := Linspace(0, 1, 3); fmt.Sprint(ToSlice[float32](x)) != "[0 0.5 1]" {
		t.Errorf("linspace: %v", x)
	}
	if x := Logspace(0, 3, 4, 2); fmt.Sprint(ToSlice[float32](x)) != "[1 2 4 8]" {
		t.Errorf("logspace: %v", x)
	}
	refuses(t, ErrValue, "negative steps", func() { Linspace(0, 1, -1) })
	if x := Eye(2, 3); fmt.Sprint(ToSlice[float32](x)) != "[1 0 0 0 1 0]" {
		t.Errorf("eye: %v", x)
	}
	if x := TrilIndices(3, 3); fmt.Sprint(ToSlice[int](x)) != "[0 1 1 2 2 2 0 0 1 0 1 2]" {
		t.Errorf("tril_indices: %v", x)
	}
	v := Of([]int{1, 2, 3})
	if x := Vander(v); fmt.Sprint(ToSlice[int](x)) != "[1 1 1 4 2 1 9 3 1]" || x.DType() != Int64 {
		t.Errorf("vander: %v", x)
	}
	n := 2
	if x := Vander(v, VanderOptions{N: &n, Increasing: true}); fmt.Sprint(ToSlice[int](x)) != "[1 1 1 2 1 3]" {
		t.Errorf("vander: %v", x)
	}
}
