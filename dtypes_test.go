package lucid_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
)

func TestPromoteTypes(t *testing.T) {
	for _, c := range []struct{ a, b, want lucid.DType }{
		{lucid.Int8, lucid.Uint8, lucid.Int16}, {lucid.Bool, lucid.Float16, lucid.Float16}, {lucid.Float16, lucid.BFloat16, lucid.Float32},
		{lucid.Int64, lucid.Float16, lucid.Float16},
		{lucid.Float64, lucid.Complex64, lucid.Complex128}, {lucid.Uint32, lucid.Int32, lucid.Int64},
		{lucid.Uint64, lucid.Float32, lucid.Float32},
	} {
		if got := lucid.PromoteTypes(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %v; want %v", c.a, c.b, got, c.want)
		}
	}
	if err := lucid.Try(func() { lucid.PromoteTypes(lucid.Uint64, lucid.Int8) }); !errors.Is(err, lucid.ErrDType) {
		t.Errorf("uint64 and int8: %v", err)
	}
}

// What ResultType says is what an op gives.
func TestResultType(t *testing.T) {
	x, h, i, s := lucid.Ones(2), lucid.Ones(2).To(lucid.Float16), lucid.With{DType: lucid.Int32}.Ones(2),
		lucid.With{DType: lucid.Float64}.Scalar(1)
	for _, c := range []struct {
		a, b any
		want lucid.DType
	}{
		{x, 1, lucid.Float32}, {i, 1, lucid.Int32}, {i, 1.5, lucid.Float32}, {h, s, lucid.Float16}, {i, s, lucid.Float64},
		{h, 2i, lucid.Complex64}, {s, 1i, lucid.Complex128}, {true, 1, lucid.Int64},
	} {
		got := lucid.ResultType(c.a, c.b)
		if sum := lucid.Add(c.a, c.b).DType(); got != c.want || sum != got {
			t.Errorf("%v: ResultType gives %v, the sum has %v; want %v", c, got, sum, c.want)
		}
	}
	if err := lucid.Try(func() { lucid.ResultType([]int{1}) }); !errors.Is(err, lucid.ErrDType) {
		t.Errorf("a slice: %v", err)
	}
	if err := lucid.Try(func() { lucid.ResultType() }); err == nil {
		t.Error("no operands are taken")
	}
}

func TestCanCast(t *testing.T) {
	if !lucid.CanCast(lucid.Int64, lucid.Float16) || !lucid.CanCast(lucid.Float64, lucid.Float16) ||
		!lucid.CanCast(lucid.Int8, lucid.Uint8) || lucid.CanCast(lucid.Float16, lucid.Int64) ||
		lucid.CanCast(lucid.Complex64, lucid.Float64) || lucid.CanCast(lucid.Int8, lucid.Bool) {
		t.Error("a cast may not go down a kind, and may go down a size")
	}
}

// The limits are those that casting shows: the largest number is finite, its double is not, and half of eps is lost next to 1.
func TestFInfo(t *testing.T) {
	for _, d := range []lucid.DType{lucid.Float16, lucid.BFloat16, lucid.Float32, lucid.Float64} {
		f := lucid.FInfo(d)
		hold := func(v float64) float64 { return lucid.With{DType: lucid.Float64}.Scalar(v).To(d).Item() }
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
	if lucid.FInfo(lucid.Complex64).Eps != lucid.FInfo(lucid.Float32).Eps {
		t.Error("a complex dtype has the limits of its parts")
	}
	if err := lucid.Try(func() { lucid.FInfo(lucid.Int8) }); !errors.Is(err, lucid.ErrDType) {
		t.Error(err)
	}
}

func TestIInfo(t *testing.T) {
	if i := lucid.IInfo(lucid.Int8); i.Min != -128 || i.Max != 127 || i.Bits != 8 {
		t.Errorf("%+v", i)
	}
	if i := lucid.IInfo(lucid.Int64); i.Min != math.MinInt64 || i.Max != math.MaxInt64 {
		t.Errorf("%+v", i)
	}
	if i := lucid.IInfo(lucid.Uint64); i.Min != 0 || i.Max != math.MaxUint64 {
		t.Errorf("%+v", i)
	}
	if err := lucid.Try(func() { lucid.IInfo(lucid.Bool) }); !errors.Is(err, lucid.ErrDType) {
		t.Error(err)
	}
}

func TestBroadcastShapes(t *testing.T) {
	if got := lucid.BroadcastShapes([]int{2, 1}, []int{3}, nil, []int{4, 1, 1}); !slices.Equal(got, []int{4, 2, 3}) {
		t.Errorf("got %v", got)
	}
	if err := lucid.Try(func() { lucid.BroadcastShapes([]int{2}, []int{3}) }); !errors.Is(err, lucid.ErrShapeMismatch) {
		t.Error(err)
	}
}

func TestFillInPlace(t *testing.T) {
	x := lucid.With{DType: lucid.Int8}.Ones(2)
	before := x.Clone()
	if got := lucid.ToSlice[int8](x.Fill_(7)); !slices.Equal(got, []int8{7, 7}) {
		t.Errorf("filled: %v", got)
	}
	if got := lucid.ToSlice[int8](x.Zero_()); !slices.Equal(got, []int8{0, 0}) {
		t.Errorf("zeroed: %v", got)
	}
	if got := lucid.ToSlice[int8](x.Copy_(lucid.New([]float32{1.9, -3}, 2))); !slices.Equal(got, []int8{1, -3}) {
		t.Errorf("copied: %v", got)
	}
	if got := lucid.ToSlice[int8](before); !slices.Equal(got, []int8{1, 1}) {
		t.Errorf("the clone changed: %v", got)
	}
	for name, f := range map[string]func(){"300 in int8": func() { x.Fill_(300) }, "a vector": func() { x.Fill_(lucid.Ones(2)) },
		"a view zeroed": func() { x.At(0).Zero_() }, "a view copied to": func() { x.At(0).Copy_(x.At(1)) }} {
		if err := lucid.Try(f); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
