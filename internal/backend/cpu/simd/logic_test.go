package simd

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid/internal/dtype"
)

func TestTests(t *testing.T) {
	testBinary(t, "LtF64", LtF64, ltF64Generic)
	testBinary(t, "LeF64", LeF64, leF64Generic)
	testBinary(t, "EqF64", EqF64, eqF64Generic)
	testBinary(t, "NeF64", NeF64, neF64Generic)
	testBinary(t, "LtI32", LtI32, ltI32Generic)
	testBinary(t, "LeI32", LeI32, leI32Generic)
	testBinary(t, "EqI32", EqI32, eqI32Generic)
	testBinary(t, "NeI32", NeI32, neI32Generic)
	testBinary(t, "LtI64", LtI64, ltI64Generic)
	testBinary(t, "LeI64", LeI64, leI64Generic)
	testBinary(t, "EqI64", EqI64, eqI64Generic)
	testBinary(t, "NeI64", NeI64, neI64Generic)
	testUnary(t, "ZeroF32", ZeroF32, zeroF32Generic)
	testUnary(t, "ZeroF64", ZeroF64, zeroF64Generic)
	testUnary(t, "ZeroI32", ZeroI32, zeroI32Generic)
	testUnary(t, "ZeroI64", ZeroI64, zeroI64Generic)
	testUnary(t, "NonzeroF32", NonzeroF32, nonzeroF32Generic)
	testUnary(t, "NonzeroF64", NonzeroF64, nonzeroF64Generic)
	testUnary(t, "NonzeroI32", NonzeroI32, nonzeroI32Generic)
	testUnary(t, "NonzeroI64", NonzeroI64, nonzeroI64Generic)
	testBinary(t, "BothF32", BothF32, bothF32Generic)
	testBinary(t, "BothF64", BothF64, bothF64Generic)
	testBinary(t, "BothI32", BothI32, bothI32Generic)
	testBinary(t, "BothI64", BothI64, bothI64Generic)
	testBinary(t, "EitherF32", EitherF32, eitherF32Generic)
	testBinary(t, "EitherF64", EitherF64, eitherF64Generic)
	testBinary(t, "EitherI32", EitherI32, eitherI32Generic)
	testBinary(t, "EitherI64", EitherI64, eitherI64Generic)
	testUnary(t, "IsNaNF32", IsNaNF32, isNaNF32Generic)
	testUnary(t, "IsNaNF64", IsNaNF64, isNaNF64Generic)
	testUnary(t, "IsInfF32", IsInfF32, isInfF32Generic)
	testUnary(t, "IsInfF64", IsInfF64, isInfF64Generic)
	testUnary(t, "IsFiniteF32", IsFiniteF32, isFiniteF32Generic)
	testUnary(t, "IsFiniteF64", IsFiniteF64, isFiniteF64Generic)
}

// whereOf takes the mask from the bits of x, so that the helper needs one element type.
func whereOf[T number](t *testing.T, f func(z []T, m []uint8, x, y []T)) func(z, x, y []T) {
	return func(z, x, y []T) {
		m := fence(t, len(z), true)
		size := 1
		if len(x) > 0 {
			size = len(raw(x)) / len(x)
		}
		for i := range m {
			m[i] = raw(x)[size*i] & 3
		}
		f(z, m, x, y)
	}
}

func TestChoices(t *testing.T) {
	testBinary(t, "WhereF64", whereOf(t, WhereF64), whereOf(t, whereF64Generic))
	testBinary(t, "WhereU16", whereOf(t, WhereU16), whereOf(t, whereU16Generic))
	testBinary(t, "WhereU8", whereOf(t, WhereU8), whereOf(t, whereU8Generic))
}

func TestWhole(t *testing.T) {
	for name, f := range map[string][2]func(z, x []float32){"SignF32": {SignF32, signF32Generic}, "FloorF32": {FloorF32, floorF32Generic},
		"CeilF32":  {CeilF32, ceilF32Generic},
		"TruncF32": {TruncF32, truncF32Generic}, "RoundF32": {RoundF32, roundF32Generic}} {
		testUnary(t, name, f[0], f[1])
	}
	for name, f := range map[string][2]func(z, x []float64){"SignF64": {SignF64, signF64Generic}, "FloorF64": {FloorF64, floorF64Generic},
		"CeilF64":  {CeilF64, ceilF64Generic},
		"TruncF64": {TruncF64, truncF64Generic}, "RoundF64": {RoundF64, roundF64Generic}, "SquareF64": {SquareF64, squareF64Generic},
		"RecipF64": {RecipF64, recipF64Generic},
		"RsqrtF64": {RsqrtF64, rsqrtF64Generic}, "ReluF64": {ReluF64, reluF64Generic}} {
		testUnary(t, name, f[0], f[1])
	}
	testBinary(t, "CopysignF32", CopysignF32, copysignF32Generic)
	testBinary(t, "CopysignF64", CopysignF64, copysignF64Generic)
	testBinary(t, "FmaxF32", FmaxF32, fmaxF32Generic)
	testBinary(t, "FmaxF64", FmaxF64, fmaxF64Generic)
	testBinary(t, "FminF32", FminF32, fminF32Generic)
	testBinary(t, "FminF64", FminF64, fminF64Generic)
	testUnary(t, "SignI32", SignI32, signI32Generic)
	testUnary(t, "SignI64", SignI64, signI64Generic)
	testUnary(t, "NegI32", NegI32, negI32Generic)
	testUnary(t, "NegI64", NegI64, negI64Generic)
	testUnary(t, "AbsI32", AbsI32, absI32Generic)
	testUnary(t, "AbsI64", AbsI64, absI64Generic)
	testUnary(t, "ReluI32", ReluI32, reluI32Generic)
	testUnary(t, "ReluI64", ReluI64, reluI64Generic)
	testBinary(t, "MaxI32", MaxI32, maxI32Generic)
	testBinary(t, "MaxI64", MaxI64, maxI64Generic)
	testBinary(t, "MinI32", MinI32, minI32Generic)
	testBinary(t, "MinI64", MinI64, minI64Generic)
	testBinary(t, "AndI32", AndI32, andI32Generic)
	testBinary(t, "OrI32", OrI32, orI32Generic)
	testBinary(t, "XorI32", XorI32, xorI32Generic)
	testUnary(t, "NotI32", NotI32, notI32Generic)
}

func TestToInt(t *testing.T) {
	testUnary(t, "F32ToI32", F32ToI32, f32ToI32Generic)
	testUnary(t, "F32ToU8", F32ToU8, f32ToU8Generic)
	testUnary(t, "F32ToI64", F32ToI64, f32ToI64Generic)
	testUnary(t, "F64ToI64", F64ToI64, f64ToI64Generic)
	testUnary(t, "F64ToI32", F64ToI32, f64ToI32Generic)
	testUnary(t, "I64ToF64", I64ToF64, i64ToF64Generic)
}

// TestIntegersAtTheEdges holds the conversions against Go's own, at the ends of what they are written for.
func TestIntegersAtTheEdges(t *testing.T) {
	x := []float64{0, -0.99, 1.5, -1.5, 254.9, 255.9, 256.5, -3, 0x1p31 - 1, 0x1p31, -0x1p31, -0x1p31 - 1, 0x1p51 - 1, 0x1p51, 0x1p51 + 1,
		-0x1p51, 0x1p53, -0x1p62, 0x1p52 - 0.5, 4503599627370497.5}
	z64, z32, y, back := make([]int64, len(x)), make([]int32, len(x)), make([]float32, len(x)), make([]float64, len(x))
	F64ToI64(z64, x)
	F64ToI32(z32, x)
	for i, v := range x {
		if z64[i] != int64(v) || z32[i] != dtype.TruncInt32(v) {
			t.Errorf("%v became %d and %d", v, z64[i], z32[i])
		}
		y[i] = float32(v)
	}
	F32ToI32(z32, y)
	for i, v := range y {
		if z32[i] != dtype.TruncInt32(float64(v)) {
			t.Errorf("%v became %d", v, z32[i])
		}
	}
	z64 = append(z64, math.MaxInt64, math.MinInt64, 1<<53+1, 1<<62+1, -1<<62-1, math.MaxInt64-511, math.MaxInt64-512)
	back = append(back, make([]float64, 7)...)
	I64ToF64(back, z64)
	for i, v := range z64 {
		if back[i] != float64(v) {
			t.Errorf("%d became %v, not %v", v, back[i], float64(v))
		}
	}
}
