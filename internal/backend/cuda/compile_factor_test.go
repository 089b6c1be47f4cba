package cuda

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/ggml"
)

var kernelName = regexp.MustCompile(`__launch_bounds__\(256\) (\w+)\(`)

// TestCompileFactor compiles the factorisations for a warp and for a block, and the passes around them.
func TestCompileFactor(t *testing.T) {
	needCompiler(t)
	compile := func(name, source string) { t.Run(name, func(t *testing.T) { compileOne(t, name, source) }) }
	for i, d := range []dtype.DType{dtype.Float32, dtype.Complex128, dtype.Float64, dtype.Complex64} {
		for file, names := range factorKernels {
			for _, k := range names {
				for _, group := range []int{warp, block}[:1+(i+len(k))%2] {
					compile(fmt.Sprint(k, " ", d, " ", group), factorSource(file, k, d, group, 0))
				}
			}
		}
		compile(fmt.Sprint("eigh ", d, " of 32"), factorSource("factor_jacobi", "eigh", d, warp, smallMatrix))
		all := ""
		for _, m := range kernelName.FindAllStringSubmatch(kernels.Source("matrix_parts"), -1) {
			all += "#define KERNEL_" + m[1] + "\n"
		}
		compile("matrix_parts "+d.String(), all+factorSource("matrix_parts", "none", d, 0, 0))
	}
	for file, names := range symmetricKernels {
		for k := range names {
			for i, d := range []dtype.DType{dtype.Float64, dtype.Float32} {
				if i == 0 || file == "factor_tridiagonal" {
					compile(fmt.Sprint(k, " ", d), symmetricSource(file, k, d))
				}
			}
		}
	}
	for _, d := range []dtype.DType{dtype.Complex64, dtype.Complex128} {
		compile("fft "+d.String(), fftSource(d))
	}
}

// TestCompileBlocks compiles the products with every block format.
func TestCompileBlocks(t *testing.T) {
	needCompiler(t)
	for _, f := range ggml.All() {
		if f.CanDequantize() {
			compileOne(t, "block_matmul "+f.String(), blockSource(f, rowsOfX(1+int(f)%8)))
			compileOne(t, "block_dequantize "+f.String(), blockSource(f, dequantizeTo(dtype.BFloat16)))
			if alignments[f] > 0 {
				form := blockForm{rows: 1 + int(f)%8, groups: 64, unit: 16 >> (int(f) % 4), stages: 3, held: int(f)%2 == 0,
					weight: dtype.BFloat16}
				compileOne(t, "block_fast "+f.String(), blockProducts{format: f, w: make([]backend.View, 1)}.source(form))
			}
		}
	}
}
