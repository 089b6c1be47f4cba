package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSmallInt(t *testing.T) {
	testBinary(t, "AddU8", AddU8, addU8Generic)
	testBinary(t, "SubU8", SubU8, subU8Generic)
	testBinary(t, "MulU8", MulU8, mulU8Generic)
	testBinary(t, "MaxU8", MaxU8, maxU8Generic)
	testBinary(t, "MinU8", MinU8, minU8Generic)
	testBinary(t, "LtU8", LtU8, ltU8Generic)
	testBinary(t, "LeU8", LeU8, leU8Generic)
	testBinary(t, "EqU8", EqU8, eqU8Generic)
	testBinary(t, "NeU8", NeU8, neU8Generic)
	testBinary(t, "BothU8", BothU8, bothU8Generic)
	testBinary(t, "EitherU8", EitherU8, eitherU8Generic)
	testBinary(t, "OneU8", OneU8, oneU8Generic)
	testUnary(t, "NegU8", NegU8, negU8Generic)
	testUnary(t, "SignU8", SignU8, signU8Generic)
	testUnary(t, "ZeroU8", ZeroU8, zeroU8Generic)
	testUnary(t, "NonzeroU8", NonzeroU8, nonzeroU8Generic)
	testBinary(t, "AddU16", AddU16, addU16Generic)
	testBinary(t, "SubU16", SubU16, subU16Generic)
	testBinary(t, "MulU16", MulU16, mulU16Generic)
	testBinary(t, "MaxU16", MaxU16, maxU16Generic)
	testBinary(t, "MinU16", MinU16, minU16Generic)
	testBinary(t, "LtU16", LtU16, ltU16Generic)
	testBinary(t, "LeU16", LeU16, leU16Generic)
	testBinary(t, "EqU16", EqU16, eqU16Generic)
	testBinary(t, "NeU16", NeU16, neU16Generic)
	testBinary(t, "BothU16", BothU16, bothU16Generic)
	testBinary(t, "EitherU16", EitherU16, eitherU16Generic)
	testBinary(t, "OneU16", OneU16, oneU16Generic)
	testUnary(t, "NegU16", NegU16, negU16Generic)
	testUnary(t, "SignU16", SignU16, signU16Generic)
	testUnary(t, "ZeroU16", ZeroU16, zeroU16Generic)
	testUnary(t, "NonzeroU16", NonzeroU16, nonzeroU16Generic)
	testBinary(t, "MaxI8", MaxI8, maxI8Generic)
	testBinary(t, "MinI8", MinI8, minI8Generic)
	testBinary(t, "LtI8", LtI8, ltI8Generic)
	testBinary(t, "LeI8", LeI8, leI8Generic)
	testUnary(t, "AbsI8", AbsI8, absI8Generic)
	testUnary(t, "SignI8", SignI8, signI8Generic)
	testBinary(t, "MaxI16", MaxI16, maxI16Generic)
	testBinary(t, "MinI16", MinI16, minI16Generic)
	testBinary(t, "LtI16", LtI16, ltI16Generic)
	testBinary(t, "LeI16", LeI16, leI16Generic)
	testUnary(t, "AbsI16", AbsI16, absI16Generic)
	testUnary(t, "SignI16", SignI16, signI16Generic)
	testUnary(t, "NegHalfU16", NegHalfU16, negHalfU16Generic)
	testUnary(t, "AbsHalfU16", AbsHalfU16, absHalfU16Generic)
}

func TestIntConversions(t *testing.T) {
	testUnary(t, "U8ToW", U8ToW, u8ToWGeneric)
	testUnary(t, "U8ToD", U8ToD, u8ToDGeneric)
	testUnary(t, "U8ToQ", U8ToQ, u8ToQGeneric)
	testUnary(t, "I8ToW", I8ToW, i8ToWGeneric)
	testUnary(t, "I8ToD", I8ToD, i8ToDGeneric)
	testUnary(t, "I8ToQ", I8ToQ, i8ToQGeneric)
	testUnary(t, "U16ToD", U16ToD, u16ToDGeneric)
	testUnary(t, "U16ToQ", U16ToQ, u16ToQGeneric)
	testUnary(t, "I16ToD", I16ToD, i16ToDGeneric)
	testUnary(t, "I16ToQ", I16ToQ, i16ToQGeneric)
	testUnary(t, "U32ToQ", U32ToQ, u32ToQGeneric)
	testUnary(t, "I32ToQ", I32ToQ, i32ToQGeneric)
	testUnary(t, "I8ToF32", I8ToF32, i8ToF32Generic)
	testUnary(t, "U16ToF32", U16ToF32, u16ToF32Generic)
	testUnary(t, "I16ToF32", I16ToF32, i16ToF32Generic)
	testUnary(t, "U8ToF64", U8ToF64, u8ToF64Generic)
	testUnary(t, "I32ToF64", I32ToF64, i32ToF64Generic)
	testUnary(t, "QToD", QToD, qToDGeneric)
	testUnary(t, "QToW", QToW, qToWGeneric)
	testUnary(t, "QToB", QToB, qToBGeneric)
	testUnary(t, "DToW", DToW, dToWGeneric)
	testUnary(t, "DToB", DToB, dToBGeneric)
	testUnary(t, "WToB", WToB, wToBGeneric)
	testUnary(t, "F64ToOdd", F64ToOdd, f64ToOddGeneric)
	testUnary(t, "F32ToU16", F32ToU16, f32ToU16Generic)
}

// TestOddRoundsOnce compares rounding through F64ToOdd with exact rounding, close to the rounding boundaries of the half types, at all
// sizes.
func TestOddRoundsOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x, odd, z := make([]float64, 4096), make([]float32, 4096), make([]uint16, 4096)
	for range 50 {
		for i := range x {
			e := r.IntN(300) - 160 // below the smallest and above the largest
			m := float64(1+r.IntN(512)) / 256
			x[i] = math.Ldexp(m+float64(r.IntN(5)-2)*math.Ldexp(1, -10-r.IntN(42)), e)
			if r.IntN(2) == 0 {
				x[i] = -x[i]
			}
		}
		F64ToOdd(odd, x)
		F32ToBF16(z, odd)
		for i, v := range x {
			got := float64(math.Float32frombits(uint32(z[i]) << 16))
			for _, bits := range []uint16{z[i] + 1, z[i] - 1} { // no neighbour is nearer, and of two equally near the even one is taken
				if bits&0x7f80 == 0x7f80 || bits&0x8000 != z[i]&0x8000 || math.IsInf(got, 0) {
					continue
				}
				other := float64(math.Float32frombits(uint32(bits) << 16))
				if a, b := math.Abs(got-v), math.Abs(other-v); b < a || b == a && z[i]&1 != 0 {
					t.Fatalf("%g became %g; %g is nearer", v, got, other)
				}
			}
		}
	}
}
