package ops

import (
	"errors"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

func TestIntegerDivisionByZero(t *testing.T) {
	for _, n := range []int{3, 1 << 18} {
		x := lucid.With{DType: lucid.Int32}.Ones(n)
		for _, f := range []func(a, b any) *lucid.Tensor{lucid.FloorDivide, lucid.Remainder, lucid.Fmod} {
			err := lucid.Eval(f(x, x.Sub(1)))
			var e *lucid.Error
			if !errors.As(err, &e) {
				t.Errorf("%d integers divided by zero: %v, want a typed error", n, err)
			}
		}
	}
	tensortest.WantValues(t, "smallest over -1", lucid.New([]int64{math.MinInt64}, 1).FloorDivide(-1), lucid.Int64, int64(math.MinInt64))
	tensortest.WantValues(t, "uint64", lucid.New([]uint64{math.MaxUint64}, 1).FloorDivide(2), lucid.Uint64, uint64(math.MaxInt64))
}

func TestAlpha(t *testing.T) {
	x := lucid.New([]int32{1, 2}, 2)
	tensortest.WantValues(t, "add", lucid.Add(x, x, lucid.AlphaOptions{Alpha: 3}), lucid.Int32, int32(4), 8)
	tensortest.WantValues(t, "sub of a number", lucid.Sub(x, 2, lucid.AlphaOptions{Alpha: 2}), lucid.Int32, int32(-3), -2)
	tensortest.WantValues(t, "rsub", lucid.Rsub(x, 10, lucid.AlphaOptions{Alpha: 2}), lucid.Int32, int32(8), 6)
	if err := lucid.Try(func() { lucid.Add(x, x, lucid.AlphaOptions{Alpha: 0.5}) }); !errors.Is(err, lucid.ErrDType) {
		t.Errorf("a float alpha of integers: %v", err)
	}
	if err := lucid.Try(func() { lucid.Div(x, x, lucid.DivOptions{RoundingMode: "up"}) }); err == nil {
		t.Error("an unknown rounding mode is accepted")
	}
}

func TestClampBounds(t *testing.T) {
	x := lucid.New([]float32{-2, 0.5, 3}, 3)
	tensortest.WantValues(t, "both", x.Clamp(-1, 1), lucid.Float32, float32(-1), 0.5, 1)
	tensortest.WantValues(t, "no lower bound", x.Clamp(nil, 1), lucid.Float32, float32(-2), 0.5, 1)
	if err := lucid.Try(func() { x.Clamp(nil, nil) }); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("no bound at all: %v", err)
	}
	tensortest.WantValues(t, "a tensor and a number", lucid.Clamp(x, lucid.New([]float32{0, 1, 2}, 3), 2.5), lucid.Float32,
		float32(0), 1, 2.5)
	tensortest.WantValues(t, "beyond uint8", lucid.New([]uint8{0, 200}, 2).Clamp(-5, 1000), lucid.Uint8, uint8(0), 200)
	tensortest.WantValues(t, "in place", x.Clone().Clamp_(0, 1), lucid.Float32, float32(0), 0.5, 1)
}

func TestCloseAndEqual(t *testing.T) {
	x, y := lucid.New([]float32{1, 2}, 2), lucid.New([]float32{1, 2.00001}, 2)
	nan := lucid.New([]float64{math.NaN()}, 1)
	for what, ok := range map[string]bool{
		"close":             lucid.AllClose(x, y),
		"not close":         !lucid.AllClose(x, y, lucid.CloseOptions{RTol: new(0.0), ATol: new(1e-7)}),
		"equal":             lucid.Equal(x, x.Clone()),
		"not equal":         !lucid.Equal(x, y),
		"other shape":       !lucid.Equal(x, x.Reshape(2, 1)),
		"NaN":               !lucid.Equal(nan, nan) && !lucid.AllClose(nan, nan),
		"NaN told to match": lucid.AllClose(nan, nan, lucid.CloseOptions{EqualNaN: true}),
		"numbers broadcast": lucid.AllClose(lucid.New([]float32{2, 2}, 2), lucid.New([]float32{2}, 1)),
	} {
		if !ok {
			t.Errorf("%s: wrong answer", what)
		}
	}
}

func TestAliases(t *testing.T) {
	x := lucid.New([]float32{-1.5}, 1)
	for alias, name := range map[string]string{"absolute": "abs", "negative": "neg", "arctan": "atan", "fix": "trunc",
		"special_expit": "sigmoid", "arctan2": "atan2"} {
		in := []*lucid.Tensor{x, x}[:len(tensortest.Schema(name).Params)]
		a, err := lucid.Call(alias, in, nil)
		b, err2 := lucid.Call(name, in, nil)
		if err != nil || err2 != nil || !lucid.Equal(a[0], b[0]) {
			t.Errorf("%s is not %s: %v %v", alias, name, err, err2)
		}
	}
	for _, o := range lucid.Ops() {
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
	x := lucid.New([]float32{3, 3.5, float32(math.NaN()), float32(math.Copysign(0, -1)), 99, 100}, 2, 3)
	for _, d := range []lucid.DType{lucid.Float32, lucid.Float64, lucid.BFloat16} {
		set := lucid.New(many, 100).To(d)
		tensortest.WantValues(t, "a large set", lucid.IsIn(x.To(d).Permute(1, 0), set), lucid.Bool, true, true, false, true, false, false)
	}
	tensortest.WantValues(t, "a small set", lucid.IsIn(x, lucid.New([]float32{3, 100}, 2)), lucid.Bool, true, false, false,
		false, false, true)
	tensortest.WantValues(t, "an empty set", lucid.IsIn(x, lucid.New([]float32{}, 0), lucid.IsInOptions{Invert: true}), lucid.Bool, true,
		true, true, true, true, true)
	each := lucid.VMap(func(a, s *lucid.Tensor) *lucid.Tensor { return lucid.IsIn(a, s) })(lucid.New([]int64{1, 2, 3, 4}, 2, 2),
		lucid.New([]int64{2, 3}, 2, 1))
	tensortest.WantValues(t, "a set for each", each, lucid.Bool, false, true, true, false)
}

func TestMixedKinds(t *testing.T) {
	i8 := lucid.New([]int8{1, 2}, 2)
	for what, c := range map[string]struct {
		x    *lucid.Tensor
		want lucid.DType
	}{
		"int8 + int":                {i8.Add(300), lucid.Int8},
		"int8 + float":              {i8.Add(0.5), lucid.Float32},
		"int8 / int8":               {i8.Div(i8), lucid.Float32},
		"half + float":              {lucid.With{DType: lucid.BFloat16}.Ones(2).Mul(2.5), lucid.BFloat16},
		"float32 + complex":         {lucid.New([]float32{1}, 1).Add(1i), lucid.Complex64},
		"int8 + 0-d float64":        {i8.Add(lucid.New([]float64{1})), lucid.Float64},
		"float32 + 0-d complex128":  {lucid.New([]float32{1}, 1).Add(lucid.New([]complex128{1})), lucid.Complex64},
		"bool + bool":               {i8.Gt(1).Add(i8.Gt(1)), lucid.Bool},
		"bool + int":                {i8.Gt(1).Add(1), lucid.Int64},
		"0-d float64 + 0-d float32": {lucid.New([]float64{1}).Add(lucid.New([]float32{1})), lucid.Float64},
		"bfloat16 + 0-d float64 + complex": {lucid.With{DType: lucid.BFloat16}.Ones(2).Add(lucid.New([]float64{1})).Add(1i),
			lucid.Complex64},
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
	p := lucid.ToSlice[float64](lucid.With{DType: lucid.Float64}.Full([]int{n}, 0x1p-1030).Pow(0.5))
	if want := 0x1p-515; p[0] != p[n-1] || math.Abs(p[n-1]-want) > 1e-12*want {
		t.Errorf("the root of 2^-1030 is %g, want %g", p[n-1], want)
	}
	l := lucid.ToSlice[complex128](lucid.With{DType: lucid.Complex128}.Full([]int{n}, 0x1p-1030i).Log())
	if want := -1030 * math.Ln2; math.Abs(real(l[n-1])-want) > 1e-12*-want {
		t.Errorf("the logarithm of 2^-1030 i is %g, want %g", l[n-1], want)
	}
	for _, d := range []lucid.DType{lucid.Float64, lucid.Float32, lucid.Float16, lucid.BFloat16} {
		zero := lucid.With{DType: d}.Zeros(n)
		if s := zero.Nextafter(zero.Neg()).Signbit(); lucid.ItemAs[int64](s.Sum()) != n {
			t.Errorf("%v: the number after 0 towards -0 is not -0", d)
		}
	}
	tensortest.WantValues(t, "lcm of int8 wraps", lucid.New([]int8{127}, 1).Lcm(2), lucid.Int8, int8(-2))
	tensortest.WantValues(t, "lcm of int32", lucid.New([]int32{-math.MaxInt32}, 1).Lcm(-2), lucid.Int32, int32(2))
	tensortest.WantValues(t, "lcm of int64", lucid.New([]int64{math.MinInt64 + 1}, 1).Lcm(math.MaxInt64-1), lucid.Int64,
		int64(math.MaxInt64-1))
}

// TestCastOutOfRange has what PyTorch gives on amd64 for floats that an integer type does not hold, alone and in a vector.
func TestCastOutOfRange(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	x := []float64{nan, inf, -inf, 1e10, -1e10, 4294967295, 1e19, -9.3e18, 1e20, -300, 1<<31 + 1281}
	const small, least = math.MinInt32, math.MinInt64
	want := map[lucid.DType][]int64{
		lucid.Int32:  {small, small, small, small, small, small, small, small, small, -300, small},
		lucid.Int64:  {least, least, least, 1e10, -1e10, 4294967295, least, least, least, -300, 1<<31 + 1281},
		lucid.Int16:  {0, 0, 0, 0, 0, 0, 0, 0, 0, -300, 0},
		lucid.Uint16: {0, 0, 0, 0, 0, 0, 0, 0, 0, 65236, 0},
		lucid.Int8:   {0, 0, 0, 0, 0, 0, 0, 0, 0, -44, 0},
		lucid.Uint8:  {0, 0, 0, 0, 0, 255, 0, 0, 0, 212, 1},
		lucid.Uint32: {0, 0, 0, 1410065408, 2884901888, 4294967295, 0, 0, 0, 4294966996, 1<<31 + 1281},
	}
	unsigned := []uint64{1 << 63, 0, 1 << 63, 1e10, 18446744063709551616, 4294967295, 1e19, 1 << 63, 0, 18446744073709551316, 1<<31 + 1281}
	for _, times := range []int{1, 40} {
		y := lucid.New(x, len(x), 1).Expand(len(x), times)
		for d, w := range want {
			z := y.To(d).To(lucid.Int64)
			for i := range x {
				for j := range times {
					if got := z.At(i, j); lucid.ToSlice[int64](got)[0] != w[i] {
						t.Errorf("%v as %v is %v, not %d", x[i], d, got, w[i])
						break
					}
				}
			}
		}
		z := lucid.ToSlice[uint64](y.To(lucid.Uint64))
		for i := range z {
			if z[i] != unsigned[i/times] {
				t.Errorf("%v as uint64 is %d, not %d", x[i/times], z[i], unsigned[i/times])
			}
		}
		half := lucid.New([]float32{float32(nan)}, 1).To(lucid.Float16).Expand(times)
		for _, v := range lucid.ToSlice[int32](half.To(lucid.Int32)) {
			if v != small {
				t.Errorf("a NaN of float16 as int32 is %d", v)
			}
		}
	}
}

// TestNumbersWithHalfTypes: sums, products and quotients of a half type and a number it does not hold are rounded once, as PyTorch's are,
// eager and compiled, by a Go number and by a 0-d tensor, and their derivatives too.
func TestNumbersWithHalfTypes(t *testing.T) {
	type fn = func(x *lucid.Tensor) *lucid.Tensor
	zero := func(v float64) *lucid.Tensor { return lucid.Scalar(float32(v)) }
	for name, c := range map[string]struct {
		f    fn
		want [2][]float64 // of float16 and bfloat16
	}{
		"div": {func(x *lucid.Tensor) *lucid.Tensor { return x.Div(1e10) },
			[2][]float64{{6.020069122314453e-06, 0}, {5.990266799926758e-06, 3.001332515850663e-10}}},
		"div0": {func(x *lucid.Tensor) *lucid.Tensor { return x.Div(zero(1e10)) },
			[2][]float64{{6.020069122314453e-06, 0}, {5.990266799926758e-06, 3.001332515850663e-10}}},
		"mul": {func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(1e-8) },
			[2][]float64{{0.0005998611450195312, 5.960464477539063e-08}, {0.000598907470703125, 3.003515303134918e-08}}},
		"mul0": {func(x *lucid.Tensor) *lucid.Tensor { return zero(1e-8).Mul(x) },
			[2][]float64{{0.0005998611450195312, 5.960464477539063e-08}, {0.000598907470703125, 3.003515303134918e-08}}},
		"sub": {func(x *lucid.Tensor) *lucid.Tensor { return x.Sub(70000) }, [2][]float64{{-10000, math.Inf(-1)}, {-10112, -70144}}},
		"rdiv": {func(x *lucid.Tensor) *lucid.Tensor { return lucid.Div(1e6, x) },
			[2][]float64{{16.671875, math.Inf(1)}, {16.75, 333824}}},
		"floor": {func(x *lucid.Tensor) *lucid.Tensor { return x.FloorDivide(0.1) }, [2][]float64{{math.Inf(1), 29}, {598016, 29}}},
		"trunc": {func(x *lucid.Tensor) *lucid.Tensor { return lucid.Div(x, 1e9, lucid.DivOptions{RoundingMode: "trunc"}) },
			[2][]float64{{0, 0}, {0, 0}}},
		"ldexp": {func(x *lucid.Tensor) *lucid.Tensor { return x.Ldexp(-20) },
			[2][]float64{{0.057220458984375, 2.86102294921875e-06}, {0.05712890625, 2.86102294921875e-06}}},
		"ldexp up": {func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(1.0 / 16384).Ldexp(20) },
			[2][]float64{{math.Inf(1), 192}, {3833856, 192}}},
		"lerp": {func(x *lucid.Tensor) *lucid.Tensor { return lucid.Lerp(x.Mul(0), x, 1e-9) },
			[2][]float64{{6.002187728881836e-05, 0}, {5.984306335449219e-05, 2.9976945370435715e-09}}},
	} {
		for i, d := range []lucid.DType{lucid.Float16, lucid.BFloat16} {
			x := lucid.New([]float32{60000, 3}, 2).To(d)
			for form, f := range map[string]fn{"eager": c.f, "compiled": lucid.Compile(c.f)} {
				z := f(x)
				if z.DType() != d {
					t.Errorf("%s %s of %v is %v", form, name, d, z.DType())
				}
				for j, v := range lucid.ToSlice[float64](z.To(lucid.Float64)) {
					if v != c.want[i][j] {
						t.Errorf("%s %s of %v: %v, not %v", form, name, d, v, c.want[i][j])
					}
				}
			}
		}
	}
	x := lucid.New([]float32{60000}, 1).To(lucid.Float16)
	if g := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return x.Div(1e6).Sum() })(x); g.DType() != lucid.Float16 || g.Item() == 0 {
		t.Errorf("the gradient is %v", g)
	}
	if x.Eq(60001).Item() != 1 {
		t.Error("a number is not rounded to a half type before it is compared")
	}
}
