package dtype

import (
	"math"
	"math/rand/v2"
	"testing"
)

// nearest is the oracle: the value of the format nearest to f, ties to the even fraction. value gives the
// number of each non-negative bit pattern, in rising order up to infinity at inf.
func nearest(f float64, inf int, value func(bits uint16) float64) uint16 {
	sign := uint16(0)
	if math.Signbit(f) {
		sign, f = 0x8000, -f
	}
	at := func(i int) float64 {
		if i == inf {
			return 2*value(uint16(inf-1)) - value(uint16(inf-2)) // where the next value would be
		}
		return value(uint16(i))
	}
	if f >= at(inf) {
		return sign | uint16(inf)
	}
	lo, hi := 0, inf // at(lo) <= f < at(hi)
	for hi-lo > 1 {
		if m := (lo + hi) / 2; at(m) <= f {
			lo = m
		} else {
			hi = m
		}
	}
	// Halfway is exact in float64; comparing with it needs no subtraction, which could round.
	half := at(lo)/2 + at(hi)/2
	if f < half || f == half && lo%2 == 0 {
		return sign | uint16(lo)
	}
	return sign | uint16(hi)
}

func f16Value(b uint16) float64  { return float64(F16(b).Float32()) }
func bf16Value(b uint16) float64 { return float64(BF16(b).Float32()) }

// TestHalfRoundTrip goes through all values of both types.
func TestHalfRoundTrip(t *testing.T) {
	for i := range 1 << 16 {
		h, b := F16(i), BF16(i)
		if f := h.Float32(); f != f {
			if back := ToF16(f).Float32(); i&0x7fff <= 0x7c00 || back == back {
				t.Fatalf("float16 %04x: NaN", i)
			}
		} else if ToF16(f) != h || F64ToF16(float64(f)) != h {
			t.Fatalf("float16 %04x is %v and comes back as %04x, %04x", i, f, ToF16(f), F64ToF16(float64(f)))
		}
		if f := b.Float32(); f != f {
			if back := ToBF16(f).Float32(); i&0x7fff <= 0x7f80 || back == back {
				t.Fatalf("bfloat16 %04x: NaN", i)
			}
		} else if ToBF16(f) != b || F64ToBF16(float64(f)) != b {
			t.Fatalf("bfloat16 %04x is %v and comes back as %04x, %04x", i, f, ToBF16(f), F64ToBF16(float64(f)))
		}
	}
}

// TestF16Values pins widening by its definition.
func TestF16Values(t *testing.T) {
	for i := range 0x7c00 {
		exp, frac := i>>10, float64(i&0x3ff)
		want := math.Ldexp(1+frac/1024, exp-15)
		if exp == 0 {
			want = math.Ldexp(frac, -24)
		}
		if f16Value(uint16(i)) != want || f16Value(uint16(i|0x8000)) != -want {
			t.Fatalf("%04x is %v, want %v", i, f16Value(uint16(i)), want)
		}
	}
	if f := F16(0x8000).Float32(); f != 0 || !math.Signbit(float64(f)) {
		t.Fatal("the sign of zero is lost")
	}
}

// checkHalf compares both roundings of f, and of f as float32 where it is one, with the oracle.
func checkHalf(t *testing.T, f float64) {
	t.Helper()
	h, b := nearest(f, 0x7c00, f16Value), nearest(f, 0x7f80, bf16Value)
	if f32 := float32(f); float64(f32) == f {
		if got := uint16(ToF16(f32)); got != h {
			t.Fatalf("ToF16(%g) = %04x, want %04x", f, got, h)
		}
		if got := uint16(ToBF16(f32)); got != b {
			t.Fatalf("ToBF16(%g) = %04x, want %04x", f, got, b)
		}
	}
	if got := uint16(F64ToF16(f)); got != h {
		t.Fatalf("F64ToF16(%g) = %04x, want %04x", f, got, h)
	}
	if got := uint16(F64ToBF16(f)); got != b {
		t.Fatalf("F64ToBF16(%g) = %04x, want %04x", f, got, b)
	}
}

// TestHalfNearest compares rounding with the oracle at halfway points and just next to them, where rounding twice
// would show, at the ends of the range, and at random values.
func TestHalfNearest(t *testing.T) {
	around := func(f float64) {
		t.Helper()
		for _, v := range []float64{f, math.Nextafter(f, 0), math.Nextafter(f, math.Inf(1)), float64(math.Nextafter32(float32(f), 0)),
			float64(math.Nextafter32(float32(f), math.MaxFloat32))} {
			if !math.IsInf(v, 0) {
				checkHalf(t, v)
				checkHalf(t, -v)
			}
		}
	}
	for i := range uint16(0x7bff) {
		around((f16Value(i) + f16Value(i+1)) / 2)
	}
	for i := uint16(0); i < 0x7f7f; i++ {
		around(bf16Value(i)/2 + bf16Value(i+1)/2)
	}
	for _, f := range []float64{65504, 65519.99, 65520, 65535, 65536, 1e30, math.MaxFloat32, 3.3961e38, 3.3961776e38, 0, 1e-45, 1e-300,
		math.SmallestNonzeroFloat64, math.Ldexp(1, -25), math.Ldexp(1, -134), math.Ldexp(1, -149)} {
		around(f)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200000 {
		f := math.Ldexp(r.Float64()*2-1, r.IntN(60)-34)
		checkHalf(t, f)
		checkHalf(t, float64(float32(f)))
	}
}

func TestHalfBeyond(t *testing.T) {
	for _, f := range []float64{math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 1e39, -1e39} {
		h, b := F64ToF16(f), F64ToBF16(f)
		if !math.IsInf(float64(h.Float32()), 0) || !math.IsInf(float64(b.Float32()), 0) || (f < 0) != (h>>15 == 1) ||
			(f < 0) != (b>>15 == 1) {
			t.Fatalf("%v gives %04x and %04x", f, h, b)
		}
	}
	h, b := F64ToF16(math.NaN()).Float32(), F64ToBF16(math.NaN()).Float32()
	if h == h || b == b {
		t.Fatal("NaN is lost")
	}
}
