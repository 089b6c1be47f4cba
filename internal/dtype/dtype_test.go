package dtype

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"testing"
)

func TestNames(t *testing.T) {
	for _, d := range All() {
		if got, ok := Parse(d.String()); !ok || got != d {
			t.Errorf("Parse(%q) = %v, %v", d.String(), got, ok)
		}
		if !d.Valid() || d.Size() == 0 || d.Kind() == KindInvalid {
			t.Errorf("%v is not described", d)
		}
		if d.Real().Complex().Real() != d.Real() && d.IsInexact() && !d.IsHalf() {
			t.Errorf("%v: real and complex do not match", d)
		}
	}
	for _, name := range []string{"", "invalid", "float33"} {
		if d, ok := Parse(name); ok {
			t.Errorf("Parse(%q) = %v", name, d)
		}
	}
	if Invalid.Valid() || DType(N).Valid() || DType(200).String() != "dtype(200)" {
		t.Error("what is no dtype must say so")
	}
}

// TestPromote compares with PyTorch's table. One difference is ours on purpose: PyTorch refuses uint16, uint32 and
// uint64 with other integers, bool and complex numbers; here they are integers like others, the next signed size takes
// an unsigned with a signed one, and only uint64 with a signed one is refused.
func TestPromote(t *testing.T) {
	f, err := os.Open("../testutil/golden/testdata/promotion.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Table [][3]*string }
	if err := json.NewDecoder(z).Decode(&file); err != nil {
		t.Fatal(err)
	}
	wide := func(d DType) bool { return d == Uint16 || d == Uint32 || d == Uint64 }
	seen, refused := 0, 0
	for _, row := range file.Table {
		a, okA := Parse(*row[0])
		b, okB := Parse(*row[1])
		if !okA || !okB {
			t.Fatalf("dtypes %q and %q", *row[0], *row[1])
		}
		seen++
		got, ok := Promote(a, b)
		if back, okBack := Promote(b, a); back != got || okBack != ok {
			t.Errorf("%v and %v promote to %v, the other way to %v", a, b, got, back)
		}
		if row[2] != nil {
			if want, _ := Parse(*row[2]); !ok || got != want {
				t.Errorf("%v and %v promote to %v (%v), want %v", a, b, got, ok, want)
			}
			continue
		}
		refused++
		u, s := a, b
		if !wide(u) {
			u, s = b, a
		}
		want := s // bool and complex: as with any other integer
		switch {
		case !wide(u) || s.IsFloat():
			t.Errorf("PyTorch refuses %v and %v, which is not one of the differences", a, b)
		case s == Bool:
			want = u
		case s.Kind() == KindUint:
			want = max(u, s)
		case u == Uint64 && s.Kind() == KindInt:
			want = Invalid
		case s.Kind() == KindInt:
			if want = map[DType]DType{Uint16: Int32, Uint32: Int64}[u]; s.Size() > want.Size() {
				want = s
			}
		}
		if got != want || ok != (want != Invalid) {
			t.Errorf("%v and %v promote to %v (%v), want %v", a, b, got, ok, want)
		}
	}
	if seen != 225 {
		t.Errorf("the table has %d pairs, want 225", seen)
	}
	t.Logf("%d pairs, %d that PyTorch refuses", seen, refused)
}

// TestPromoteHolds checks by values that a promoted integer dtype holds both operands' ranges.
func TestPromoteHolds(t *testing.T) {
	for _, a := range All() {
		for _, b := range All() {
			p, ok := Promote(a, b)
			if !ok || !a.IsInteger() || !b.IsInteger() {
				continue
			}
			for _, d := range []DType{a, b} {
				for _, s := range extremes(d) {
					if got := through(p, s); got.I != s.I {
						t.Errorf("%v and %v promote to %v, which does not hold %d", a, b, p, s.I)
					}
				}
			}
		}
	}
}

func extremes(d DType) []Scalar {
	bits := 8 * d.Size()
	if d.IsSigned() {
		return []Scalar{{Kind: KindInt, I: -1 << (bits - 1)}, {Kind: KindInt, I: 1<<(bits-1) - 1}, {Kind: KindInt, I: -1}}
	}
	return []Scalar{{Kind: KindUint}, {Kind: KindUint, I: int64(^uint64(0) >> (64 - bits))}}
}

func through(d DType, s Scalar) Scalar {
	var b [16]byte
	d.Put(b[:], 0, s)
	return d.Get(b[:], 0)
}

// TestPutGet stores and loads numbers of every kind in every dtype, at every element, and checks that neighbours stay.
func TestPutGet(t *testing.T) {
	for _, d := range All() {
		buf := Bytes(make([]uint64, 16))
		for i := range len(buf) / d.Size() {
			for j := range buf {
				buf[j] = 0xA5
			}
			d.Put(buf, i, Scalar{Kind: KindInt, I: 1})
			if s := d.Get(buf, i); s.Complex() != 1 || s.Kind != d.Kind() {
				t.Fatalf("%v: element %d is %+v, want 1", d, i, s)
			}
			for j := range buf {
				if (j < i*d.Size() || j >= (i+1)*d.Size()) && buf[j] != 0xA5 {
					t.Fatalf("%v: element %d wrote over byte %d", d, i, j)
				}
			}
		}
		if d.IsInteger() {
			for _, s := range extremes(d) {
				if got := through(d, s); got.I != s.I {
					t.Errorf("%v: %d comes back as %d", d, s.I, got.I)
				}
			}
		}
	}
}

func TestPutConverts(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	f := func(v float64) Scalar { return Scalar{Kind: KindFloat, F: v} }
	for _, c := range []struct {
		d    DType
		in   Scalar
		want Scalar
	}{
		{Int64, f(-2.9), Scalar{Kind: KindInt, I: -2}}, {Int64, f(nan), Scalar{Kind: KindInt, I: math.MinInt64}},
		{Int64, f(inf), Scalar{Kind: KindInt, I: math.MinInt64}},
		{Int8, f(300), Scalar{Kind: KindInt, I: 44}}, {Uint8, f(-1), Scalar{Kind: KindUint, I: 255}},
		{Uint64, f(1 << 63), Scalar{Kind: KindUint, I: math.MinInt64}},
		{Uint64, f(18446744073709549568), Scalar{Kind: KindUint, I: -2048}}, {Bool, f(nan), Scalar{Kind: KindBool, I: 1}},
		{Bool, f(0), Scalar{Kind: KindBool}}, {Bool, f(0.25), Scalar{Kind: KindBool, I: 1}},
		{Bool, Scalar{Kind: KindComplex, G: 1}, Scalar{Kind: KindBool, I: 1}}, {Float32, Scalar{Kind: KindInt, I: 16777217}, f(16777216)},
		{Float64, Scalar{Kind: KindUint, I: -1}, f(18446744073709551616)},
		{Float16, Scalar{Kind: KindInt, I: 2049}, f(2048)}, {BFloat16, Scalar{Kind: KindInt, I: 257}, f(256)}, {Float16, f(1e6), f(inf)},
		{Complex64, f(0.1), Scalar{Kind: KindComplex, F: float64(float32(0.1))}}, {Float32, Scalar{Kind: KindComplex, F: 2, G: 3}, f(2)},
		{Complex128, Scalar{Kind: KindComplex, F: 2, G: 3}, Scalar{Kind: KindComplex, F: 2, G: 3}},
	} {
		if got := through(c.d, c.in); got != c.want {
			t.Errorf("%v of %+v is %+v, want %+v", c.d, c.in, got, c.want)
		}
	}
}

func TestScalarOf(t *testing.T) {
	for _, v := range []any{true, int(1), int8(1), int16(1), int32(1), int64(1), uint(1), uint8(1), uint16(1), uint32(1), uint64(1),
		float32(1), float64(1), complex64(1), complex128(1), F16(0x3c00), BF16(0x3f80)} {
		if s, ok := ScalarOf(v); !ok || s.Complex() != 1 || s.Float() != 1 || s.Int() != 1 {
			t.Errorf("ScalarOf(%T) = %+v, %v", v, s, ok)
		}
	}
	if s, ok := ScalarOf(uint64(math.MaxUint64)); !ok || s.Kind != KindUint || s.Float() != 18446744073709551616 ||
		s.DefaultDType(Float32) != Uint64 {
		t.Errorf("the largest uint64 is %+v", s)
	}
	for _, v := range []any{nil, "1", []int{1}, struct{}{}} {
		if _, ok := ScalarOf(v); ok {
			t.Errorf("%v is taken for a number", v)
		}
	}
}
