package cuda

import (
	"fmt"
	"testing"

	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/quantize"
)

// groupFormats are all formats of MLX's quantized matrices.
func groupFormats() (all []quantize.Format) {
	for _, m := range []quantize.Mode{quantize.Affine, quantize.MXFP4, quantize.MXFP8, quantize.NVFP4} {
		bits, groups := m.Choices()
		for _, b := range bits {
			for _, g := range groups {
				all = append(all, quantize.Format{Mode: m, Bits: b, Group: g})
			}
		}
	}
	return all
}

// TestCompileGroups compiles the kernels of every format, each with one kind of element and one of scales.
func TestCompileGroups(t *testing.T) {
	needCompiler(t)
	kinds := []dtype.DType{dtype.Float32, dtype.BFloat16, dtype.Float16}
	for i, f := range groupFormats() {
		x, s := kinds[i%3], kinds[(i+i/3)%3]
		if f.Mode != quantize.Affine {
			s = dtype.Uint8
		}
		name := fmt.Sprint(f, x, s)
		if s == dtype.Uint8 || s == x {
			compileOne(t, "group_quantize "+name, groupSource("group_quantize", f, s, typed(x)))
		}
		compileOne(t, "group_dequantize "+name, groupSource("group_dequantize", f, s, dequantizeTo(x)))
		w := quantizedRows{Format: f, n: 70, k: 128 * (1 + i%9), scale: s}
		form, rows := w.form(&driver.Device{Shared: 227 << 10}, x, 1+i%11)
		if rows == 0 || form.stages < 3 {
			t.Errorf("%v: %d rows with %+v", f, rows, form)
		}
		form.aligned = i%4 != 1
		compileOne(t, "group_stream "+name, form.source())
	}
}
