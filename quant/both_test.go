package quant

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestFP8 asserts that codes and values have the bits of MLX, in every dtype, compiled and under VMap, and that all codes but those of
// NaN survive a round trip.
func TestFP8(t *testing.T) {
	g := goldens(t).FP8
	x, codes, back := g.Values.tensor(), g.Codes.tensor(), g.Back.tensor()
	same := func(name string, a, b *lucid.Tensor) {
		t.Helper()
		if a.DType() != b.DType() || !lucid.Equal(a, b) {
			t.Errorf("%s differs", name)
		}
	}
	same("to_fp8", ToFP8(x), codes)
	same("from_fp8", FromFP8(codes, FP8Options{lucid.Float32}), back)
	same("bfloat16", FromFP8(codes), back.To(lucid.BFloat16))
	same("compiled", lucid.Compile(ToFP8)(x), codes)
	same("VMap", lucid.VMap(func(x *lucid.Tensor) *lucid.Tensor { return FromFP8(x, FP8Options{lucid.Float32}) })(codes), back)
	all := lucid.Arange(256).To(lucid.Uint8)
	finite := all.To(lucid.Int32).BitwiseAnd(int32(0x7f)).Ne(0x7f)
	for _, d := range []lucid.DType{lucid.Float32, lucid.BFloat16, lucid.Float16} {
		y := ToFP8(FromFP8(all, FP8Options{d}))
		if !lucid.Equal(lucid.MaskedSelect(y, finite), lucid.MaskedSelect(all, finite)) {
			t.Errorf("%v: codes do not survive", d)
		}
	}
	for name, f := range map[string]func(){
		"integers": func() { ToFP8(all) },
		"float64":  func() { ToFP8(lucid.Rand(3).To(lucid.Float64)) },
		"codes":    func() { FromFP8(x) },
		"values":   func() { FromFP8(all, FP8Options{lucid.Int32}) },
	} {
		if err := lucid.Try(f); !errors.Is(err, lucid.ErrDType) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMatMulBoth asserts that the product of two quantized operands is that of their values, that a packed weight gives the same as one
// that is quantized for the product, and that gradients are those of the values.
func TestMatMulBoth(t *testing.T) {
	x, w := lucid.Rand(3, 64).Sub(0.5), lucid.Rand(5, 64).Sub(0.5)
	for _, mode := range []string{"", "nvfp4", "mxfp8", "mxfp4"} {
		o := BothOptions{Options: Options{Mode: mode}}
		f := o.format("test")
		values := func(x *lucid.Tensor) *lucid.Tensor {
			packed, scales, _ := QuantizeGroups(x, f)
			return DequantizeGroups(packed, scales, nil, DequantizeOptions{f, lucid.Float32})
		}
		want := values(x).MatMul(values(w).Transpose(0, 1))
		packed, scales, _ := QuantizeGroups(w, f)
		for name, y := range map[string]*lucid.Tensor{"w": MatMulBoth(x, w, nil, o), "packed": MatMulBoth(x, packed, scales, o),
			"one row":  MatMulBoth(x.Select(0, 1), packed, scales, o),
			"compiled": lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return MatMulBoth(x, w, nil, o) })(x),
			"VMap":     lucid.VMap(func(x *lucid.Tensor) *lucid.Tensor { return MatMulBoth(x, w, nil, o) })(x.Unsqueeze(1)).Squeeze(1),
			"gathered": GatherMatMulBoth(x.Unsqueeze(0), w.Unsqueeze(0), nil, BothOptions{Options: o.Options,
				RHSIndices: lucid.New([]int64{0, 0}, 2)}).Select(0, 1)} {
			want := want
			if name == "one row" {
				want = want.Select(0, 1)
			}
			if d := y.Sub(want).Abs().Max().Item(); d > 1e-5 {
				t.Errorf("%q %s is off by %g", mode, name, d)
			}
		}
		a, b := x.Clone().RequiresGrad_(true), w.Clone().RequiresGrad_(true)
		MatMulBoth(a, b, nil, o).Sum().Backward()
		if d := a.Grad().Sub(values(w).Sum(0)).Abs().Max().Item(); d > 1e-5 {
			t.Errorf("%q: the gradient of x is off by %g", mode, d)
		}
		if d := b.Grad().Sub(values(x).Sum(0)).Abs().Max().Item(); d > 1e-5 {
			t.Errorf("%q: the gradient of w is off by %g", mode, d)
		}
	}
	for name, f := range map[string]func(){
		"affine":  func() { MatMulBoth(x, w, nil, BothOptions{Options: Options{Mode: "affine"}}) },
		"scales":  func() { MatMulBoth(x, w, w) },
		"indices": func() { MatMulBoth(x, w, nil, BothOptions{RHSIndices: lucid.Arange(1)}) },
	} {
		if err := lucid.Try(f); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
