//go:build !purego

package lanes

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/cpuid"
)

var useAVX512 = cpuid.X86.AVX512

func init() {
	asmvariant.Register("internal/backend/cpu/lanes", "lanes/avx512", &useAVX512)
}

var kernels32 = kernelSet[float32]{lu: luF32AVX512, exchange: exchangeF32AVX512, solve: solveF32AVX512, cholesky: choleskyF32AVX512,
	reflector: reflectorF32AVX512, reflect: reflectF32AVX512, implicit: implicitF32AVX512, rotations: rotationsF32AVX512,
	jacobi: jacobiF32AVX512, largest: largestF32AVX512, scale: scaleF32AVX512, fetch: fetchF32AVX512, consts: constants32,
	finite: math.MaxFloat32, low: 0x1p-20, high: 0x1p+20, eps: 0x1p-23}

var kernels64 = kernelSet[float64]{lu: luF64AVX512, exchange: exchangeF64AVX512, solve: solveF64AVX512, cholesky: choleskyF64AVX512,
	reflector: reflectorF64AVX512, reflect: reflectF64AVX512, implicit: implicitF64AVX512, rotations: rotationsF64AVX512,
	jacobi: jacobiF64AVX512, largest: largestF64AVX512, scale: scaleF64AVX512, fetch: fetchF64AVX512, consts: constants64,
	finite: math.MaxFloat64, low: 0x1p-100, high: 0x1p+100, eps: 0x1p-52}

func kernelsOf[T Float]() *kernelSet[T] {
	if !useAVX512 {
		return nil
	}
	var z T
	if unsafe.Sizeof(z) == 4 {
		return any(&kernels32).(*kernelSet[T])
	}
	return any(&kernels64).(*kernelSet[T])
}

// transpose sets z[j·ldz+i] = x[i·ldx+j] for i < rows and j < cols.
func (b *Batch[T]) transpose(z []T, ldz int, x []T, ldx, rows, cols int) {
	switch x := any(x).(type) {
	case []float32:
		simd.TransposeBlockF32(any(z).([]float32), ldz, x, ldx, rows, cols)
	case []float64:
		transpose64(any(z).([]float64), ldz, x, ldx, rows, cols)
	}
}

// transpose64 transposes whole blocks of 8×8 with vectors, the rest one by one.
func transpose64(z []float64, ldz int, x []float64, ldx, rows, cols int) {
	z, x = z[:(cols-1)*ldz+rows], x[:(rows-1)*ldx+cols]
	r, c := rows&^7, cols&^7
	if c > 0 {
		for i := 0; i < r; i += 8 {
			transposeF64AVX512(&args[float64]{a: &z[i], b: &x[i*ldx], n: c / 8, rs: 8 * ldx, cs: 8 * ldz, bs: 64, k: 64 * ldz})
		}
	}
	for i := range rows {
		from := c
		if i >= r {
			from = 0
		}
		for j := from; j < cols; j++ {
			z[j*ldz+i] = x[i*ldx+j]
		}
	}
}

// rotate is Rotate for whole vectors; it reports whether there are vectors for it.
func rotate(z []float64, ld, cols, from, step int, c, s []float64) bool {
	if !useAVX512 || cols%8 != 0 {
		return false
	}
	rotateF64AVX512(&args[float64]{a: &z[from*ld], c: &c[0], d: &s[0], n: cols / 8, m: len(c), rs: 64, cs: 8 * step * ld, bs: 8})
	return true
}

// triples is Triples for whole vectors; it reports whether there are vectors for it.
func triples(x []float64, ld, cols int, f []float64) bool {
	if !useAVX512 || cols%8 != 0 {
		return false
	}
	triplesF64AVX512(&args[float64]{a: &x[0], c: &f[0], n: cols / 8, m: len(f) / 3, cs: 8 * ld})
	return true
}

// poles sums by lanes; it reports whether there are vectors for it.
func poles(x, z []float64, t float64, out *[16]float64) bool {
	if !useAVX512 {
		return false
	}
	polesF64AVX512(&args[float64]{a: &x[0], b: &z[0], c: &out[0], t: &t, consts: &constants64[0], n: len(x)})
	return true
}

// symmetric is Symmetric; it reports whether there are vectors for it.
func symmetric[T Float](a []T, ld int, x, y []T) bool {
	if !useAVX512 {
		return false
	}
	switch a := any(a).(type) {
	case []float32:
		symmetricF32AVX512(&args[float32]{a: &a[0], b: any(&x[0]).(*float32), c: any(&y[0]).(*float32), n: len(x) / 8, rs: 4 * ld})
	case []float64:
		symmetricF64AVX512(&args[float64]{a: &a[0], b: any(&x[0]).(*float64), c: any(&y[0]).(*float64), n: len(x) / 8, rs: 8 * ld})
	}
	return true
}
