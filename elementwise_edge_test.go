package lucid

import (
	"errors"
	"fmt"
	"math"
	"testing"
)

func wantValues[T Element](t *testing.T, what string, x *Tensor, d DType, want ...T) {
	t.Helper()
	if got := ToSlice[T](x); x.DType() != d || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v of %v, want %v of %v", what, got, x.DType(), want, d)
	}
}

func TestIntegerDivisionByZero(t *testing.T) {
	for _, n := range []int{3, 1 << 18} {
		x := With{DType: Int32}.Ones(n)
		for _, f := range []func(a, b any) *Tensor{FloorDivide, Remainder, Fmod} {
			err := Eval(f(x, x.Sub(1)))
			var e *Error
			if !errors.As(err, &e) {
				t.Errorf("%d integers divided by zero: %v, want a typed error", n, err)
			}
		}
	}
	wantValues(t, "smallest over -1", New([]int64{math.MinInt64}, 1).FloorDivide(-1), Int64, int64(math.MinInt64))
	wantValues(t, "uint64", New([]uint64{math.MaxUint64}, 1).FloorDivide(2), Uint64, uint64(math.MaxInt64))
}

func TestAlpha(t *testing.T) {
	x := New([]int32{1, 2}, 2)
	wantValues(t, "add", Add(x, x, AlphaOptions{Alpha: 3}), Int32, int32(4), 8)
	wantValues(t, "sub of a number", Sub(x, 2, AlphaOptions{Alpha: 2}), Int32, int32(-3), -2)
	wantValues(t, "rsub", Rsub(x, 10, AlphaOptions{Alpha: 2}), Int32, int32(8), 6)
	if err := Try(func() { Add(x, x, AlphaOptions{Alpha: 0.5}) }); !errors.Is(err, ErrDType) {
		t.Errorf("a float alpha of integers: %v", err)
	}
	if err := Try(func() { Div(x, x, DivOptions{RoundingMode: "up"}) }); err == nil {
		t.Error("an unknown rounding mode is accepted")
	}
}

func TestClampBounds(t *testing.T) {
	x := New([]float32{-2, 0.5, 3}, 3)
	wantValues(t, "both", x.Clamp(-1, 1), Float32, float32(-1), 0.5, 1)
	wantValues(t, "no lower bound", x.Clamp(nil, 1), Float32, float32(-2), 0.5, 1)
	if err := Try(func() { x.Clamp(nil, nil) }); !errors.Is(err, ErrValue) {
		t.Errorf("no bound at all: %v", err)
	}
	wantValues(t, "a tensor and a number", Clamp(x, New([]float32{0, 1, 2}, 3), 2.5), Float32, float32(0), 1, 2.5)
	wantValues(t, "beyond uint8", New([]uint8{0, 200}, 2).Clamp(-5, 1000), Uint8, uint8(0), 200)
	wantValues(t, "in place", x.Clone().Clamp_(0, 1), Float32, float32(0), 0.5, 1)
}

func TestCloseAndEqual(t *testing.T) {
	x, y := New([]float32{1, 2}, 2), New([]float32{1, 2.00001}, 2)
	nan := New([]float64{math.NaN()}, 1)
	for what, ok := range map[string]bool{
		"close":             AllClose(x, y),
		"not close":         !AllClose(x, y, CloseOptions{RTol: new(0.0), ATol: new(1e-7)}),
		"equal":             Equal(x, x.Clone()),
		"not equal":         !Equal(x, y),
		"other shape":       !Equal(x, x.Reshape(2, 1)),
		"NaN":               !Equal(nan, nan) && !AllClose(nan, nan),
		"NaN told to match": AllClose(nan, nan, CloseOptions{EqualNaN: true}),
		"numbers broadcast": AllClose(New([]float32{2, 2}, 2), New([]float32{2}, 1)),
	} {
		if !ok {
			t.Errorf("%s: wrong answer", what)
		}
	}
}

func TestAliases(t *testing.T) {
	x := New([]float32{-1.5}, 1)
	for alias, name := range map[string]string{"absolute": "abs", "negative": "neg", "arctan": "atan", "fix": "trunc", "special_expit": "sigmoid", "arctan2": "atan2"} {
		in := []*Tensor{x, x}[:len(schemas[name].params)]
		a, err := Call(alias, in, nil)
		b, err2 := Call(name, in, nil)
		if err != nil || err2 != nil || !Equal(a[0], b[0]) {
			t.Errorf("%s is not %s: %v %v", alias, name, err, err2)
		}
	}
	for _, o := range Ops() {
		if o.Name == "absolute" {
			t.Error("an alias is listed as an op")
		}
	}
}

func TestIsIn(t *testing.T) {
	many := make([]float32, 100)
	for i := range many {
		many[i] = float32(i)
	}
	x := New([]float32{3, 3.5, float32(math.NaN()), float32(math.Copysign(0, -1)), 99, 100}, 2, 3)
	for _, d := range []DType{Float32, Float64, BFloat16} {
		set := New(many, 100).To(d)
		wantValues(t, "a large set", IsIn(x.To(d).Permute(1, 0), set), Bool, true, true, false, true, false, false)
	}
	wantValues(t, "a small set", IsIn(x, New([]float32{3, 100}, 2)), Bool, true, false, false, false, false, true)
	wantValues(t, "an empty set", IsIn(x, New([]float32{}, 0), IsinOptions{Invert: true}), Bool, true, true, true, true, true, true)
	each := VMap(func(a, s *Tensor) *Tensor { return IsIn(a, s) })(New([]int64{1, 2, 3, 4}, 2, 2), New([]int64{2, 3}, 2, 1))
	wantValues(t, "a set for each", each, Bool, false, true, true, false)
}

func TestMixedKinds(t *testing.T) {
	i8 := New([]int8{1, 2}, 2)
	for what, c := range map[string]struct {
		x    *Tensor
		want DType
	}{
		"int8 + int":                       {i8.Add(300), Int8},
		"int8 + float":                     {i8.Add(0.5), Float32},
		"int8 / int8":                      {i8.Div(i8), Float32},
		"half + float":                     {With{DType: BFloat16}.Ones(2).Mul(2.5), BFloat16},
		"float32 + complex":                {New([]float32{1}, 1).Add(1i), Complex64},
		"int8 + 0-d float64":               {i8.Add(New([]float64{1})), Float64},
		"float32 + 0-d complex128":         {New([]float32{1}, 1).Add(New([]complex128{1})), Complex64},
		"bool + bool":                      {i8.Gt(1).Add(i8.Gt(1)), Bool},
		"bool + int":                       {i8.Gt(1).Add(1), Int64},
		"0-d float64 + 0-d float32":        {New([]float64{1}).Add(New([]float32{1})), Float64},
		"bfloat16 + 0-d float64 + complex": {With{DType: BFloat16}.Ones(2).Add(New([]float64{1})).Add(1i), Complex64},
	} {
		if c.x.DType() != c.want {
			t.Errorf("%s gives %v, want %v", what, c.x.DType(), c.want)
		}
	}
}

// Subnormal bases, equal zeros and multiples past the dtype: what the standard library, or the sign of a zero, would get wrong. Long
// enough for the kernels' vector bodies.
func TestElementwiseCorners(t *testing.T) {
	const n = 40
	p := ToSlice[float64](With{DType: Float64}.Full([]int{n}, 0x1p-1030).Pow(0.5))
	if want := 0x1p-515; p[0] != p[n-1] || math.Abs(p[n-1]-want) > 1e-12*want {
		t.Errorf("the root of 2^-1030 is %g, want %g", p[n-1], want)
	}
	l := ToSlice[complex128](With{DType: Complex128}.Full([]int{n}, 0x1p-1030i).Log())
	if want := -1030 * math.Ln2; math.Abs(real(l[n-1])-want) > 1e-12*-want {
		t.Errorf("the logarithm of 2^-1030 i is %g, want %g", l[n-1], want)
	}
	for _, d := range []DType{Float64, Float32, Float16, BFloat16} {
		zero := With{DType: d}.Zeros(n)
		if s := zero.Nextafter(zero.Neg()).Signbit(); ItemAs[int64](s.Sum()) != n {
			t.Errorf("%v: the number after 0 towards -0 is not -0", d)
		}
	}
	wantValues(t, "lcm of int8 wraps", New([]int8{127}, 1).Lcm(2), Int8, int8(-2))
	wantValues(t, "lcm of int32", New([]int32{-math.MaxInt32}, 1).Lcm(-2), Int32, int32(2))
	wantValues(t, "lcm of int64", New([]int64{math.MinInt64 + 1}, 1).Lcm(math.MaxInt64-1), Int64, int64(math.MaxInt64-1))
}
