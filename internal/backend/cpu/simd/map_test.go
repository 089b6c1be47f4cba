package simd

import "testing"

func TestArith(t *testing.T) {
	testBinary(t, "AddF32", AddF32, addF32Generic)
	testBinary(t, "SubF32", SubF32, subF32Generic)
	testBinary(t, "MulF32", MulF32, mulF32Generic)
	testBinary(t, "DivF32", DivF32, divF32Generic)
	testBinary(t, "MaxF32", MaxF32, maxF32Generic)
	testBinary(t, "MinF32", MinF32, minF32Generic)
	testUnary(t, "NegF32", NegF32, negF32Generic)
	testUnary(t, "AbsF32", AbsF32, absF32Generic)
	testUnary(t, "SqrtF32", SqrtF32, sqrtF32Generic)
	testUnary(t, "SquareF32", SquareF32, squareF32Generic)
	testUnary(t, "RecipF32", RecipF32, recipF32Generic)
	testUnary(t, "RsqrtF32", RsqrtF32, rsqrtF32Generic)
	testUnary(t, "ReluF32", ReluF32, reluF32Generic)
	testScalar(t, "ScaleF32", ScaleF32, scaleF32Generic)
	testScalar(t, "AddScalarF32", AddScalarF32, addScalarF32Generic)
	testBinary(t, "AddF64", AddF64, addF64Generic)
	testBinary(t, "SubF64", SubF64, subF64Generic)
	testBinary(t, "MulF64", MulF64, mulF64Generic)
	testBinary(t, "DivF64", DivF64, divF64Generic)
	testBinary(t, "MaxF64", MaxF64, maxF64Generic)
	testBinary(t, "MinF64", MinF64, minF64Generic)
	testUnary(t, "NegF64", NegF64, negF64Generic)
	testUnary(t, "AbsF64", AbsF64, absF64Generic)
	testUnary(t, "SqrtF64", SqrtF64, sqrtF64Generic)
	testScalar(t, "ScaleF64", ScaleF64, scaleF64Generic)
	testScalar(t, "AddScalarF64", AddScalarF64, addScalarF64Generic)
	testBinary(t, "AddI32", AddI32, addI32Generic)
	testBinary(t, "SubI32", SubI32, subI32Generic)
	testBinary(t, "MulI32", MulI32, mulI32Generic)
	testBinary(t, "AddI64", AddI64, addI64Generic)
	testBinary(t, "SubI64", SubI64, subI64Generic)
	testBinary(t, "MulI64", MulI64, mulI64Generic)
}

// The updates read what they write, so the test gives them the old values as an input.
func TestUpdate(t *testing.T) {
	update := func(f func(z, x []float32)) func(z, x, y []float32) {
		return func(z, x, y []float32) { copy(z, y); f(z, x) }
	}
	notInPlace := func(f func(z, x []float32)) func(z, x, y []float32) {
		return func(z, x, y []float32) { x = append([]float32(nil), x...); copy(z, y); f(z, x) }
	}
	testBinary(t, "SumRowsF32", notInPlace(SumRowsF32), notInPlace(sumRowsF32Generic))
	four := func(f func(z, x, y, v, w []float32)) func(z, x, y []float32) {
		return func(z, x, y []float32) { a, b := clone(t, x), clone(t, y); copy(z, y); f(z, a, b, a, b) }
	}
	testBinary(t, "SumRows4F32", four(SumRows4F32), four(func(z, x, y, v, w []float32) {
		for _, r := range [][]float32{x, y, v, w} {
			sumRowsF32Generic(z, r)
		}
	}))
	eight := func(f func(z, a, b, c, d, e, g, h, i []float32)) func(z, x, y []float32) {
		return func(z, x, y []float32) {
			a, b := clone(t, x), clone(t, y)
			copy(z, y)
			f(z, a, b, a, b, b, b, a, a)
		}
	}
	testBinary(t, "SumRows8F32", eight(SumRows8F32), eight(func(z, a, b, c, d, e, g, h, i []float32) {
		for _, r := range [][]float32{a, b, c, d, e, g, h, i} {
			sumRowsF32Generic(z, r)
		}
	}))
	testBinary(t, "AxpyF32", notInPlace(func(z, x []float32) { AxpyF32(z, x, 1.7) }),
		update(func(z, x []float32) { axpyF32Generic(z, x, 1.7) }))
	testUnary(t, "FillF32", func(z, x []float32) { FillF32(z, -1.5) }, func(z, x []float32) { fillF32Generic(z, -1.5) })
}

// SoftmaxBackF32 writes two slices, which are checked one after the other.
func TestSoftmaxBack(t *testing.T) {
	type back = func(z, d []float32, a, b, s, c float32)
	first := func(f back) func(z, x, y []float32) {
		return func(z, x, y []float32) { d := clone(t, y); copy(z, x); f(z, d, 0.7, 1.5, -0.25, 0.5) }
	}
	second := func(f back) func(z, x, y []float32) {
		return func(z, x, y []float32) { p := clone(t, x); copy(z, y); f(p, z, 0.7, 1.5, -0.25, 0.5) }
	}
	testBinary(t, "weights", first(SoftmaxBackF32), first(softmaxBackF32Generic))
	testBinary(t, "cotangents", second(SoftmaxBackF32), second(softmaxBackF32Generic))
}

// clones is fenced memory that clone hands out in turn. A mapping for each call would exceed what a process may have.
var clones struct {
	mem  [64][]byte
	next int
}

// clone copies x to fenced memory, which stays as it is for the next 63 calls.
func clone[T number](t *testing.T, x []T) []T {
	const most = 8 * 4100
	m := &clones.mem[clones.next]
	clones.next = (clones.next + 1) % len(clones.mem)
	if *m == nil {
		*m = fence(forever{t}, most, true)
	}
	y := view[T]((*m)[most-len(raw(x)):])
	copy(y, x)
	return y
}

// forever is a test whose fences stay.
type forever struct{ *testing.T }

func (forever) Cleanup(func()) {}

func TestCompare(t *testing.T) {
	testBinary(t, "LtF32", LtF32, ltF32Generic)
	testBinary(t, "LeF32", LeF32, leF32Generic)
	testBinary(t, "EqF32", EqF32, eqF32Generic)
	testBinary(t, "NeF32", NeF32, neF32Generic)
	testBinary(t, "GtF32", GtF32, gtF32Generic)
	testBinary(t, "GeF32", GeF32, geF32Generic)
	// The mask comes from the bits of x, so that the helper needs one element type.
	where := func(f func(z []float32, m []uint8, x, y []float32)) func(z, x, y []float32) {
		return func(z, x, y []float32) {
			m := fence(t, len(z), true)
			for i := range m {
				m[i] = raw(x)[4*i] & 3
			}
			f(z, m, x, y)
		}
	}
	testBinary(t, "WhereF32", where(WhereF32), where(whereF32Generic))
}

func TestConvert(t *testing.T) {
	testUnary(t, "BF16ToF32", BF16ToF32, bF16ToF32Generic)
	testUnary(t, "F32ToBF16", F32ToBF16, f32ToBF16Generic)
	testUnary(t, "F16ToF32", F16ToF32, f16ToF32Generic)
	testUnary(t, "F32ToF16", F32ToF16, f32ToF16Generic)
	testUnary(t, "F32ToF64", F32ToF64, f32ToF64Generic)
	testUnary(t, "F64ToF32", F64ToF32, f64ToF32Generic)
	testUnary(t, "U32ToF32", U32ToF32, u32ToF32Generic)
	testUnary(t, "I32ToF32", I32ToF32, i32ToF32Generic)
	testUnary(t, "I64ToF32", I64ToF32, i64ToF32Generic)
	testUnary(t, "U8ToF32", U8ToF32, u8ToF32Generic)
}

func TestMath(t *testing.T) {
	testUnary(t, "ExpF32", ExpF32, expF32Generic)
	testUnary(t, "Exp2F32", Exp2F32, exp2F32Generic)
	testUnary(t, "Expm1F32", Expm1F32, expm1F32Generic)
	testUnary(t, "LogF32", LogF32, logF32Generic)
	testUnary(t, "Log2F32", Log2F32, log2F32Generic)
	testUnary(t, "Log1pF32", Log1pF32, log1pF32Generic)
	testUnary(t, "TanhF32", TanhF32, tanhF32Generic)
	testUnary(t, "SigmoidF32", SigmoidF32, sigmoidF32Generic)
	testUnary(t, "SiluF32", SiluF32, siluF32Generic)
	testUnary(t, "HardsigmoidF32", HardsigmoidF32, hardsigmoidF32Generic)
	testUnary(t, "HardswishF32", HardswishF32, hardswishF32Generic)
	testUnary(t, "ErfF32", ErfF32, erfF32Generic)
	testUnary(t, "GeluF32", GeluF32, geluF32Generic)
	testUnary(t, "GeluTanhF32", GeluTanhF32, geluTanhF32Generic)
	testUnary(t, "SinF32", SinF32, sinF32Generic)
	testUnary(t, "CosF32", CosF32, cosF32Generic)
	testBinary(t, "PowF32", PowF32, powF32Generic)
}
