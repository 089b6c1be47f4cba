package lucid_test

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

func TestCallInPlace(t *testing.T) {
	for _, c := range []struct {
		name  string
		attrs map[string]any
		want  float32
	}{{"abs_", nil, 4}, {"neg_", nil, 4}, {"add_", tensortest.Attrs{"other": 1}, -3}, {"clip_", tensortest.Attrs{"min": -2}, -2},
		{"floordiv_", tensortest.Attrs{"other": 3}, -2}, {"cube_", nil, -64}} {
		x := lucid.New([]float32{-4}, 1)
		same := x
		out, err := lucid.Call(c.name, []*lucid.Tensor{x}, c.attrs)
		if err != nil || len(out) != 1 || out[0] != x {
			t.Fatalf("%s: %v, %v", c.name, out, err)
		}
		tensortest.WantValues(t, c.name, same, lucid.Float32, c.want)
	}
	x := lucid.New([]float32{1}, 1)
	for name, a := range map[string]map[string]any{
		"sum_": nil, "abs__": nil, // there are no such forms
		"add_": {"input": 2.0}, // a number cannot be rebound
	} {
		if _, err := lucid.Call(name, []*lucid.Tensor{x}, a); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if _, err := lucid.Call("abs_", nil, nil); !errors.Is(err, lucid.ErrValue) {
		t.Error(err)
	}
	for _, size := range []float64{1e300, -1e300, math.Inf(1), math.NaN(), 1 << 63, 0.5} { // no int is one of these
		if _, err := lucid.Call("narrow", []*lucid.Tensor{x},
			tensortest.Attrs{"dim": 0, "start": size, "length": 0}); !errors.Is(err, lucid.ErrDType) {
			t.Errorf("narrow from %v on: %v", size, err)
		}
	}
	tensortest.WantValues(t, "after refusals", x, lucid.Float32, 1)
}

// TestCallNames holds every name by which other frameworks call an op that we have.
func TestCallNames(t *testing.T) {
	text, err := os.ReadFile("testdata/opnames.txt")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, name := range strings.Fields(line) {
			base := strings.TrimSuffix(name, "_")
			if tensortest.Schema(name) == nil && (base == name || tensortest.Schema(base) == nil || !tensortest.Schema(base).InPlace) {
				t.Errorf("there is no op %s", name)
			}
			found++
		}
	}
	if found < 300 {
		t.Errorf("only %d names in the list", found)
	}
}

// What MLX's core has under names of its own.
func TestNamesOfMLX(t *testing.T) {
	x := lucid.Ones(2, 3, 4)
	for _, c := range []struct {
		attrs map[string]any
		d     lucid.DType
		want  float64
	}{
		{map[string]any{"axes": []int{0, -1}}, lucid.Int32, 8}, {map[string]any{"axes": []int{}}, lucid.Int32, 24},
		{map[string]any{"axes": []int{1}, "inverted": true}, lucid.Float32, 1.0 / 3},
		{map[string]any{"axes": []int{1}, "dtype": "float64"}, lucid.Float64, 3},
	} {
		y, err := lucid.Call("number_of_elements", []*lucid.Tensor{x}, c.attrs)
		if err != nil || y[0].DType() != c.d || math.Abs(y[0].To(lucid.Float64).Item()-c.want) > 1e-7 {
			t.Errorf("%v: %v %v", c.attrs, y, err)
		}
	}
	if _, err := lucid.Call("number_of_elements", []*lucid.Tensor{x},
		map[string]any{"axes": []int{1}, "inverted": true, "dtype": "int32"}); !errors.Is(err, lucid.ErrDType) {
		t.Errorf("one over a number as an integer: %v", err)
	}
	if y, err := lucid.Call("copy", []*lucid.Tensor{x}, nil); err != nil || !lucid.Equal(y[0], x) {
		t.Errorf("copy: %v %v", y, err)
	}
}

// TestCallTakesIntegers: an attribute that is a number, or a list of them, may have any of Go's integer types.
func TestCallTakesIntegers(t *testing.T) {
	x := lucid.Ones(2, 3)
	for _, dim := range []any{1, int8(1), int16(1), int32(1), int64(-1), uint8(1), uint64(1), 1.0, []int64{1}, []any{int16(1)}} {
		if out, err := lucid.Call("sum", []*lucid.Tensor{x}, map[string]any{"dim": dim}); err != nil || out[0].Size(0) != 2 {
			t.Errorf("%T: %v, %v", dim, out, err)
		}
	}
	for _, dim := range []any{1.5, true, "1", uint64(1) << 63, []float64{1}, []any{"a"}, 1i, x} {
		if _, err := lucid.Call("sum", []*lucid.Tensor{x}, map[string]any{"dim": dim}); !errors.Is(err, lucid.ErrDType) {
			t.Errorf("%T: %v", dim, err)
		}
	}
}

// TestCallOlderNames checks names and defaults of PyTorch that are not those of the Go functions; the values are PyTorch's.
func TestCallOlderNames(t *testing.T) {
	x := lucid.Arange(1.0, 13.0).Reshape(4, 3)
	square := lucid.New([]float32{2, 1, 0, 4}, 2, 2)
	b := lucid.New([]float32{4, 8}, 2, 1)
	for _, c := range []struct {
		name  string
		attrs map[string]any
		in    []*lucid.Tensor
		want  []float32
	}{
		{"trapz", tensortest.Attrs{"dim": 1}, []*lucid.Tensor{x}, []float32{4, 10, 16, 22}},
		{"igamma", nil, []*lucid.Tensor{lucid.Ones(1), lucid.Ones(1)}, []float32{0.63212055}},
		{"igammac", nil, []*lucid.Tensor{lucid.Ones(1), lucid.Ones(1)}, []float32{0.36787945}},
		{"tensordot", nil, []*lucid.Tensor{x, x}, []float32{650}},
		{"as_strided_scatter", tensortest.Attrs{"size": []int{2, 2}, "stride": []int{1, 2}, "storage_offset": 1},
			[]*lucid.Tensor{lucid.Zeros(3, 3), lucid.New([]float32{1, 2, 3, 4}, 2, 2)}, []float32{0, 1, 3, 2, 4, 0, 0, 0, 0}},
		{"fill_diagonal", tensortest.Attrs{"fill_value": 7}, []*lucid.Tensor{lucid.Zeros(5, 2)}, []float32{7, 0, 0, 7, 0, 0, 0, 0, 0, 0}},
		{"fill_diagonal_", tensortest.Attrs{"fill_value": 7, "wrap": true}, []*lucid.Tensor{lucid.Zeros(5, 2)},
			[]float32{7, 0, 0, 7, 0, 0, 7, 0, 0, 7}},
		{"fill_diagonal", tensortest.Attrs{"fill_value": 1}, []*lucid.Tensor{lucid.Zeros(2, 2, 2)}, []float32{1, 0, 0, 0, 0, 0, 0, 1}},
		{"triangular_solve", nil, []*lucid.Tensor{b, square}, []float32{1, 2}},
		{"triangular_solve", tensortest.Attrs{"transpose": true}, []*lucid.Tensor{b, square}, []float32{2, 1.5}},
	} {
		out, err := lucid.Call(c.name, c.in, c.attrs)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		tensortest.WantValues(t, c.name, out[0].Reshape(-1), lucid.Float32, c.want...)
	}
	if err := lucid.Try(func() { lucid.Zeros(2, 3, 2).FillDiagonal(1) }); !errors.Is(err, lucid.ErrShapeMismatch) {
		t.Error(err)
	}
}

// TestCallOtherNames: PyTorch's names for functions that have another one here.
func TestCallOtherNames(t *testing.T) {
	x := lucid.New([]float32{2, 1, 0, 3}, 2, 2)
	for _, c := range []struct {
		name  string
		in    []*lucid.Tensor
		attrs map[string]any
		want  []float32
	}{
		{"linalg_matrix_power", []*lucid.Tensor{x}, tensortest.Attrs{"n": 3}, []float32{8, 19, 0, 27}},
		{"linalg_vecdot", []*lucid.Tensor{x, x}, nil, []float32{5, 9}},
		{"dropout2d", []*lucid.Tensor{x}, tensortest.Attrs{"p": 0}, []float32{2, 1, 0, 3}},
	} {
		out, err := lucid.Call(c.name, c.in, c.attrs)
		if err != nil {
			t.Fatal(err)
		}
		tensortest.WantValues(t, c.name, out[0], lucid.Float32, c.want...)
	}
}
