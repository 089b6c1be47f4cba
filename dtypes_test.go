package lucid

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func TestPromoteTypes(t *testing.T) {
	for _, c := range []struct{ a, b, want DType }{
		{Int8, Uint8, Int16}, {Bool, Float16, Float16}, {Float16, BFloat16, Float32}, {Int64, Float16, Float16},
		{Float64, Complex64, Complex128}, {Uint32, Int32, Int64}, {Uint64, Float32, Float32},
	} {
		if got := PromoteTypes(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %v; want %v", c.a, c.b, got, c.want)
		}
	}
	if err := Try(func() { PromoteTypes(Uint64, Int8) }); !errors.Is(err, ErrDType) {
		t.Errorf("uint64 and int8: %v", err)
	}
}

// What ResultType says is what an op gives.
func TestResultType(t *testing.T) {
	x, h, i, s := Ones(2), Ones(2).To(Float16), With{DType: Int32}.Ones(2), With{DType: Float64}.Scalar(1)
	for _, c := range []struct {
		a, b any
		want DType
	}{
		{x, 1, Float32}, {i, 1, Int32}, {i, 1.5, Float32}, {h, s, Float16}, {i, s, Float64}, {h, 2i, Complex64}, {s, 1i, Complex128}, {true, 1, Int64},
	} {
		got := ResultType(c.a, c.b)
		if sum := Add(c.a, c.b).DType(); got != c.want || sum != got {
			t.Errorf("%v: ResultType gives %v, the sum has %v; want %v", c, got, sum, c.want)
		}
	}
	if err := Try(func() { ResultType([]int{1}) }); !errors.Is(err, ErrDType) {
		t.Errorf("a slice: %v", err)
	}
	if err := Try(func() { ResultType() }); err == nil {
		t.Error("no operands are taken")
	}
}

func TestCanCast(t *testing.T) {
	if !CanCast(Int64, Float16) || !CanCast(Float64, Float16) || !CanCast(Int8, Uint8) || CanCast(Float16, Int64) || CanCast(Complex64, Float64) || CanCast(Int8, Bool) {
		t.Error("a cast may not go down a kind, and may go down a size")
	}
}

// The limits are those that casting shows: the largest number is finite, its double is not, and half of eps is lost beside 1.
func TestFInfo(t *testing.T) {
	for _, d := range []DType{Float16, BFloat16, Float32, Float64} {
		f := FInfo(d)
		hold := func(v float64) float64 { return With{DType: Float64}.Scalar(v).To(d).Item() }
		if hold(f.Max) != f.Max || hold(f.Min) != f.Min || !math.IsInf(hold(f.Max*2), 1) {
			t.Errorf("%v: largest is %v", d, f.Max)
		}
		if hold(1+f.Eps) != 1+f.Eps || hold(1+f.Eps/2) != 1 {
			t.Errorf("%v: eps is %v", d, f.Eps)
		}
		if hold(f.SmallestNormal) != f.SmallestNormal || f.Bits != 8*d.Size() {
			t.Errorf("%v: %+v", d, f)
		}
	}
	if FInfo(Complex64).Eps != FInfo(Float32).Eps {
		t.Error("a complex dtype has the limits of its parts")
	}
	if err := Try(func() { FInfo(Int8) }); !errors.Is(err, ErrDType) {
		t.Error(err)
	}
}

func TestIInfo(t *testing.T) {
	if i := IInfo(Int8); i.Min != -128 || i.Max != 127 || i.Bits != 8 {
		t.Errorf("%+v", i)
	}
	if i := IInfo(Int64); i.Min != math.MinInt64 || i.Max != math.MaxInt64 {
		t.Errorf("%+v", i)
	}
	if i := IInfo(Uint64); i.Min != 0 || i.Max != math.MaxUint64 {
		t.Errorf("%+v", i)
	}
	if err := Try(func() { IInfo(Bool) }); !errors.Is(err, ErrDType) {
		t.Error(err)
	}
}

func TestBroadcastShapes(t *testing.T) {
	if got := BroadcastShapes([]int{2, 1}, []int{3}, nil, []int{4, 1, 1}); !slices.Equal(got, []int{4, 2, 3}) {
		t.Errorf("got %v", got)
	}
	if err := Try(func() { BroadcastShapes([]int{2}, []int{3}) }); !errors.Is(err, ErrShapeMismatch) {
		t.Error(err)
	}
}

func TestFillInPlace(t *testing.T) {
	x := With{DType: Int8}.Ones(2)
	before := x.Clone()
	if got := ToSlice[int8](x.Fill_(7)); !slices.Equal(got, []int8{7, 7}) {
		t.Errorf("filled: %v", got)
	}
	if got := ToSlice[int8](x.Zero_()); !slices.Equal(got, []int8{0, 0}) {
		t.Errorf("zeroed: %v", got)
	}
	if got := ToSlice[int8](x.Copy_(New([]float32{1.9, -3}, 2))); !slices.Equal(got, []int8{1, -3}) {
		t.Errorf("copied: %v", got)
	}
	if got := ToSlice[int8](before); !slices.Equal(got, []int8{1, 1}) {
		t.Errorf("the clone changed: %v", got)
	}
	for name, f := range map[string]func(){"300 in int8": func() { x.Fill_(300) }, "a vector": func() { x.Fill_(Ones(2)) }, "a view zeroed": func() { x.At(0).Zero_() }, "a view copied to": func() { x.At(0).Copy_(x.At(1)) }} {
		if err := Try(f); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
