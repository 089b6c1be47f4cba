package ggml

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/lucid-go/lucid/internal/fault"
)

func floats(b []byte) []float32 {
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

// TestGolden compares with the Python reference bit by bit.
func TestGolden(t *testing.T) {
	b, err := os.ReadFile("testdata/golden.bin")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[Type][2]bool{}
	for len(b) > 0 {
		u := func(i int) int { return int(binary.LittleEndian.Uint32(b[4*i:])) }
		kind, format, n, m := u(1), Type(u(0)), u(2), u(3)
		in, want := b[16:16+n], b[16+n:16+n+m]
		b = b[16+n+m:]
		done := seen[format]
		done[kind] = true
		seen[format] = done
		if kind == 1 {
			got := make([]byte, m)
			Quantize(format, got, floats(in))
			if !bytes.Equal(got, want) {
				t.Errorf("quantize %s:\ngot  %x\nwant %x", format, got, want)
			}
			continue
		}
		got := make([]float32, m/4)
		Dequantize(format, got, in)
		for i, w := range floats(want) {
			if math.Float32bits(got[i]) != math.Float32bits(w) && !(got[i] != got[i] && w != w) {
				t.Errorf("dequantize %s: element %d is %v, want %v", format, i, got[i], w)
				break
			}
		}
	}
	for _, format := range All() {
		switch format {
		case F32, F64, Q8_1, Q8_K: // the reference has no conversion
		default:
			if format.CanDequantize() && !seen[format][0] {
				t.Errorf("%s has no golden blocks", format)
			}
		}
	}
}

// TestSearch checks the quantizers that have no reference: the error must be near what the number of levels allows.
func TestSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	src := make([]float32, 16*superBlock)
	for i := range src {
		src[i] = float32(r.NormFloat64())
	}
	// Root mean square errors over normal values; a plain rounding over the range of each group is 15 % and more above.
	for format, limit := range map[Type]float64{Q4_K: 0.072, Q5_K: 0.037, Q6_K: 0.0185, Q8_K: 0.0085, Q8_1: 0.0065, Q8_0: 0.0065} {
		n, _ := format.RowBytes(len(src))
		blocks, back := make([]byte, n), make([]float32, len(src))
		Quantize(format, blocks, src)
		Dequantize(format, back, blocks)
		e := 0.0
		for i, x := range src {
			e += float64(x-back[i]) * float64(x-back[i])
		}
		if e = math.Sqrt(e / float64(len(src))); e > limit {
			t.Errorf("%s: error %v, want at most %v", format, e, limit)
		}
	}
	for _, c := range [][]float32{make([]float32, superBlock), constant(3), constant(-3), constant(1e-30), constant(1e30)} {
		for _, format := range []Type{Q4_K, Q5_K, Q6_K, Q8_K} {
			blocks, back := make([]byte, format.BlockBytes()), make([]float32, superBlock)
			Quantize(format, blocks, c)
			Dequantize(format, back, blocks)
			if c[0] < 1e5 && math.Abs(float64(back[7]-c[7])) > 0.02*math.Abs(float64(c[7])) && math.Abs(float64(c[7])) > 1e-6 {
				t.Errorf("%s of %v: %v", format, c[7], back[7])
			}
		}
	}
}

func constant(v float32) []float32 {
	s := make([]float32, superBlock)
	for i := range s {
		s[i] = v
	}
	return s
}

func TestFormats(t *testing.T) {
	if len(All()) != 34 {
		t.Errorf("%d types", len(All()))
	}
	for _, format := range All() {
		if back, ok := Parse(format.String()); !ok || back != format {
			t.Errorf("%s parses as %s", format, back)
		}
	}
	if _, ok := Q4_0.RowBytes(33); ok {
		t.Error("33 elements are no row of Q4_0")
	}
	if _, ok := F32.RowBytes(math.MaxInt / 2); ok {
		t.Error("a row past the largest size")
	}
	if Type(4).Known() || Type(4).String() != "type 4" {
		t.Error("type 4 was retired")
	}
	for _, f := range []func(){
		func() { Dequantize(I32, make([]float32, 1), make([]byte, 4)) },
		func() { Quantize(Q2_K, make([]byte, 84), make([]float32, superBlock)) },
		func() { Dequantize(Q4_0, make([]float32, 31), make([]byte, 18)) },
	} {
		if err := fault.Catch(f); err == nil {
			t.Error("accepted")
		}
	}
}

func BenchmarkDequantize(b *testing.B) {
	for _, format := range []Type{Q4_0, Q5_0, Q8_0, Q4_K, Q6_K} {
		b.Run(format.String(), func(b *testing.B) {
			dst := make([]float32, 1<<16)
			n, _ := format.RowBytes(len(dst))
			src := make([]byte, n)
			b.SetBytes(int64(n))
			for b.Loop() {
				Dequantize(format, dst, src)
			}
		})
	}
}
