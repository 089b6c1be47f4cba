package ref

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/quantize"
)

func init() {
	register(backend.Table{"quantize_groups": quantizeGroups, "dequantize_groups": dequantizeGroups, "quantized_matmul": quantizedMatmul})
}

func formatOf(a attr.Quantized) quantize.Format {
	return quantize.Format{Mode: quantize.Mode(a.Mode), Bits: a.Bits, Group: a.Group}
}

// rounding is the precision of a dtype.
func rounding(d dtype.DType) func(float32) float32 {
	switch d {
	case dtype.BFloat16:
		return func(v float32) float32 { return dtype.ToBF16(v).Float32() }
	case dtype.Float16:
		return func(v float32) float32 { return dtype.ToF16(v).Float32() }
	}
	return func(v float32) float32 { return v }
}

// singles are the elements of a view of floats, or of codes, as float32.
func singles(v backend.View) []float32 {
	list := load(v)
	out := make([]float32, len(list))
	for i, s := range list {
		if out[i] = float32(s.F); !v.DType.IsFloat() {
			out[i] = float32(s.I)
		}
	}
	return out
}

func storeSingles(v backend.View, list []float32) {
	out := make([]dtype.Scalar, len(list))
	for i, x := range list {
		if out[i] = float(float64(x)); !v.DType.IsFloat() {
			out[i] = integer(int64(x))
		}
	}
	store(v, out)
}

func quantizeGroups(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	f, w := formatOf(a.(attr.Quantized)), singles(in[0])
	rows, cols := in[0].Shape.Dim(0), in[0].Shape.Dim(1)
	words, groups := f.Words(cols), cols/f.Group
	packed, scales, biases := make([]uint32, rows*words), make([]float32, rows*groups), make([]float32, rows*groups)
	for r := range rows {
		f.Quantize(w[r*cols:][:cols], packed[r*words:][:words], scales[r*groups:], biases[r*groups:], rounding(in[0].DType))
	}
	list := make([]dtype.Scalar, len(packed))
	for i, v := range packed {
		list[i] = integer(int64(v))
	}
	store(out[0], list)
	storeSingles(out[1], scales)
	if len(out) > 2 {
		storeSingles(out[2], biases)
	}
	return nil
}

// groupValues are the values of a quantized matrix in the precision of a dtype.
func groupValues(a attr.Quantized, in []backend.View) []float32 {
	f, list, scales := formatOf(a), load(in[0]), singles(in[1])
	biases := scales
	if len(in) > 2 {
		biases = singles(in[2])
	}
	packed := make([]uint32, len(list))
	for i, s := range list {
		packed[i] = uint32(s.I)
	}
	rows, words := in[0].Shape.Dim(0), in[0].Shape.Dim(1)
	k := f.Elements(words)
	groups, out := k/f.Group, make([]float32, rows*k)
	for r := range rows {
		f.Dequantize(out[r*k:][:k], packed[r*words:][:words], scales[r*groups:], biases[r*groups:], rounding(a.To))
	}
	return out
}

func dequantizeGroups(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	storeSingles(out[0], groupValues(a.(attr.Quantized), in))
	return nil
}

// quantizedMatmul sums in float64.
func quantizedMatmul(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	x, w := load(in[0]), groupValues(a.(attr.Quantized), in[1:])
	m, k, n := in[0].Shape.Dim(0), in[0].Shape.Dim(1), in[1].Shape.Dim(0)
	res := make([]dtype.Scalar, m*n)
	for i := range m {
		for j := range n {
			sum := 0.0
			for p := range k {
				sum += x[i*k+p].F * float64(w[j*k+p])
			}
			res[i*n+j] = float(sum)
		}
	}
	store(out[0], res)
	return nil
}
