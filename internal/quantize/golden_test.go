package quantize

import (
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/lucid-go/lucid/internal/dtype"
)

// stored is a tensor of the golden file.
type stored struct {
	DType string
	Shape []int
	Data  []byte
}

// floats are the numbers of any dtype.
func (s stored) floats() (list []float32) {
	for b := s.Data; len(b) > 0; {
		switch s.DType {
		case "bfloat16":
			list, b = append(list, dtype.BF16(binary.LittleEndian.Uint16(b)).Float32()), b[2:]
		case "float16":
			list, b = append(list, dtype.F16(binary.LittleEndian.Uint16(b)).Float32()), b[2:]
		case "float32":
			list, b = append(list, math.Float32frombits(binary.LittleEndian.Uint32(b))), b[4:]
		default: // uint8
			list, b = append(list, float32(b[0])), b[1:]
		}
	}
	return list
}

func (s stored) words() (list []uint32) {
	for b := s.Data; len(b) > 0; b = b[4:] {
		list = append(list, binary.LittleEndian.Uint32(b))
	}
	return list
}

// round is the precision of the dtype.
func (s stored) round() func(float32) float32 {
	switch s.DType {
	case "bfloat16":
		return func(v float32) float32 { return dtype.ToBF16(v).Float32() }
	case "float16":
		return func(v float32) float32 { return dtype.ToF16(v).Float32() }
	}
	return func(v float32) float32 { return v }
}

type golden struct {
	Cases []struct {
		Mode        string
		Bits, Group int
		W           stored
		Quantized   []stored
		Dequantized stored
	}
	FP8 struct{ Values, Codes, Back stored }
}

func readGolden(t *testing.T) (g golden) {
	t.Helper()
	f, err := os.Open("testdata/mlx.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(&g); err != nil {
		t.Fatal(err)
	}
	return g
}

func same(a, b []float32) int {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return i
		}
	}
	return -1
}

// TestGolden asserts that numbers, scales, biases and values have the bits of MLX.
func TestGolden(t *testing.T) {
	for _, c := range readGolden(t).Cases {
		mode, _ := Parse(c.Mode)
		f := Format{mode, c.Bits, c.Group}
		rows, cols, round := c.W.Shape[0], c.W.Shape[1], c.W.round()
		w, want, scales := c.W.floats(), c.Quantized[0].words(), c.Quantized[1].floats()
		biases := make([]float32, len(scales))
		if mode == Affine {
			biases = c.Quantized[2].floats()
		}
		values := c.Dequantized.floats()
		n, g := f.Words(cols), cols/f.Group
		for r := range rows {
			packed, s, b := make([]uint32, n), make([]float32, g), make([]float32, g)
			f.Quantize(w[r*cols:][:cols], packed, s, b, round)
			if i := same(s, scales[r*g:]); i >= 0 {
				t.Fatalf("%v %s row %d: scale %d is %v, want %v", f, c.W.DType, r, i, s[i], scales[r*g+i])
			}
			if i := same(b, biases[r*g:]); mode == Affine && i >= 0 {
				t.Fatalf("%v %s row %d: bias %d is %v, want %v", f, c.W.DType, r, i, b[i], biases[r*g+i])
			}
			for i, v := range packed {
				if v != want[r*n+i] {
					t.Fatalf("%v %s row %d: word %d is %x, want %x", f, c.W.DType, r, i, v, want[r*n+i])
				}
			}
			got := make([]float32, cols)
			f.Dequantize(got, packed, s, b, round)
			if i := same(got, values[r*cols:]); i >= 0 {
				t.Fatalf("%v %s row %d: value %d is %v, want %v", f, c.W.DType, r, i, got[i], values[r*cols+i])
			}
		}
	}
}

// TestE4M3 asserts that numbers of eight bits have the bits of MLX, and that all of them survive a round trip.
func TestE4M3(t *testing.T) {
	g := readGolden(t).FP8
	values, back := g.Values.floats(), g.Back.floats()
	for i, v := range values {
		if c := ToE4M3(v); c != g.Codes.Data[i] {
			t.Errorf("%v is %#x, want %#x", v, c, g.Codes.Data[i])
		}
		if v := FromE4M3(g.Codes.Data[i]); math.Float32bits(v) != math.Float32bits(back[i]) {
			t.Errorf("%#x is %v, want %v", g.Codes.Data[i], v, back[i])
		}
	}
	for c := range 256 {
		if v := FromE4M3(byte(c)); v == v && ToE4M3(v) != byte(c) {
			t.Errorf("%#x is %v, which is %#x", c, v, ToE4M3(v))
		}
	}
}
