//go:build !purego

package lanes

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/cpuid"
)

var useAVX512, useAVX2 = cpuid.X86.AVX512, cpuid.X86.AVX2 && cpuid.X86.FMA

func init() {
	asmvariant.Register("internal/backend/cpu/lanes", "lanes/avx512", &useAVX512)
	asmvariant.Register("internal/backend/cpu/lanes", "lanes/avx2", &useAVX2)
}

var kernels32AVX512 = kernelSet[float32]{
	lu: luF32AVX512, exchange: exchangeF32AVX512, solve: solveF32AVX512, cholesky: choleskyF32AVX512,
	reflector: reflectorF32AVX512, reflect: reflectF32AVX512, implicit: implicitF32AVX512, rotations: rotationsF32AVX512,
	jacobi: jacobiF32AVX512, largest: largestF32AVX512, scale: scaleF32AVX512, fetch: fetchF32AVX512, transpose: transpose32,
	bytes: 64, lu4: lu4F32AVX512, solve4: solve4F32AVX512,
	consts: constants32, finite: math.MaxFloat32, low: 0x1p-20, high: 0x1p+20, eps: 0x1p-23,
}

var kernels64AVX512 = kernelSet[float64]{
	lu: luF64AVX512, exchange: exchangeF64AVX512, solve: solveF64AVX512, cholesky: choleskyF64AVX512,
	reflector: reflectorF64AVX512, reflect: reflectF64AVX512, implicit: implicitF64AVX512, rotations: rotationsF64AVX512,
	jacobi: jacobiF64AVX512, largest: largestF64AVX512, scale: scaleF64AVX512, fetch: fetchF64AVX512, transpose: transpose64,
	bytes:  64,
	consts: constants64, finite: math.MaxFloat64, low: 0x1p-100, high: 0x1p+100, eps: 0x1p-52,
}

var kernels32AVX2 = kernelSet[float32]{
	lu: luF32AVX2, exchange: exchangeF32AVX2, solve: solveF32AVX2, cholesky: choleskyF32AVX2, reflector: reflectorF32AVX2,
	reflect: reflectF32AVX2, implicit: implicitF32AVX2, rotations: rotationsF32AVX2, jacobi: jacobiF32AVX2,
	largest: largestF32AVX2, scale: scaleF32AVX2, fetch: fetchF32AVX2, transpose: transpose32, bytes: 32,
	consts: constants32, finite: math.MaxFloat32, low: 0x1p-20, high: 0x1p+20, eps: 0x1p-23,
}

var kernels64AVX2 = kernelSet[float64]{
	lu: luF64AVX2, exchange: exchangeF64AVX2, solve: solveF64AVX2, cholesky: choleskyF64AVX2, reflector: reflectorF64AVX2,
	reflect: reflectF64AVX2, implicit: implicitF64AVX2, rotations: rotationsF64AVX2, jacobi: jacobiF64AVX2,
	largest: largestF64AVX2, scale: scaleF64AVX2, fetch: fetchF64AVX2, transpose: transpose64, bytes: 32,
	consts: constants64, finite: math.MaxFloat64, low: 0x1p-100, high: 0x1p+100, eps: 0x1p-52,
}

// kernelsOf returns the kernels with the widest vectors of this machine.
func kernelsOf[T Float]() *kernelSet[T] {
	var z T
	single := unsafe.Sizeof(z) == 4
	switch {
	case useAVX512 && single:
		return any(&kernels32AVX512).(*kernelSet[T])
	case useAVX512:
		return any(&kernels64AVX512).(*kernelSet[T])
	case useAVX2 && single:
		return any(&kernels32AVX2).(*kernelSet[T])
	case useAVX2:
		return any(&kernels64AVX2).(*kernelSet[T])
	}
	return nil
}

// transpose32 has vectors for 8 rows or columns of 8 and of 4 elements, which a batch of small matrices has: that of simd is for large
// ones, and asks for more than these have.
func transpose32(z []float32, ldz int, x []float32, ldx, rows, cols int) {
	if useAVX512 || !useAVX2 || rows != 8 && cols != 8 {
		simd.TransposeBlockF32(z, ldz, x, ldx, rows, cols)
		return
	}
	_, _ = z[(cols-1)*ldz+rows-1], x[(rows-1)*ldx+cols-1] // the kernels check nothing
	if rows == 8 {
		c := cols &^ 7
		if c > 0 {
			eightF32AVX2(&args[float32]{a: &x[0], b: &z[0], rs: 4 * ldx, cs: 4 * ldz, n: c / 8, bs: 32, k: 32 * ldz})
		}
		if cols-c >= 4 {
			fourF32AVX2(&args[float32]{a: &x[c], b: &z[c*ldz], rs: 4 * ldx, cs: 4 * ldz})
			c += 4
		}
		if c < cols {
			simd.TransposeBlockF32(z[c*ldz:], ldz, x[c:], ldx, 8, cols-c)
		}
		return
	}
	r := rows &^ 7
	if r > 0 {
		eightF32AVX2(&args[float32]{a: &x[0], b: &z[0], rs: 4 * ldx, cs: 4 * ldz, n: r / 8, bs: 32 * ldx, k: 32})
	}
	if rows-r >= 4 {
		backF32AVX2(&args[float32]{a: &z[r], b: &x[r*ldx], rs: 4 * ldz, cs: 4 * ldx})
		r += 4
	}
	if r < rows {
		simd.TransposeBlockF32(z[r:], ldz, x[r*ldx:], ldx, rows-r, 8)
	}
}

// fewRows is the number of rows whose blocks stay in the nearest cache: those of a column of blocks are read again for the next.
const fewRows = 128

// transpose64 transposes whole blocks with vectors, the rest one by one.
func transpose64(z []float64, ldz int, x []float64, ldx, rows, cols int) {
	z, x = z[:(cols-1)*ldz+rows], x[:(rows-1)*ldx+cols]
	side := 0
	switch {
	case useAVX512:
		side = 8
	case useAVX2:
		side = 4
	default:
		transposeRest(z, ldz, x, ldx, rows, cols, 0, 0)
		return
	}
	r, c := rows/side*side, cols/side*side
	g := args[float64]{rs: 8 * ldx, cs: 8 * ldz}
	block := func(i, j int) {
		if g.a, g.b = &z[j*ldz+i], &x[i*ldx+j]; side == 8 {
			transposeF64AVX512(&g)
		} else {
			transposeF64AVX2(&g)
		}
	}
	if r > 0 && c > 0 && rows < cols && rows <= fewRows { // along the rows of z, which may be whole pages apart
		g.n, g.bs, g.k = r/side, 8*side*ldx, 8*side
		for j := 0; j < c; j += side {
			block(0, j)
		}
	} else if c > 0 {
		g.n, g.bs, g.k = c/side, 8*side, 8*side*ldz
		for i := 0; i < r; i += side {
			block(i, 0)
		}
	}
	transposeRest(z, ldz, x, ldx, rows, cols, r, c)
}

// rotate is Rotate for whole vectors; it reports whether there are vectors for it.
func rotate(z []float64, ld, cols, from, step int, c, s []float64) bool {
	g := args[float64]{a: &z[from*ld], c: &c[0], d: &s[0], n: cols / 4, m: len(c), rs: 32, cs: 8 * step * ld, bs: 8}
	switch {
	case useAVX512 && cols%8 == 0:
		g.n, g.rs = cols/8, 64
		rotateF64AVX512(&g)
	case useAVX2 && cols%4 == 0:
		rotateF64AVX2(&g)
	default:
		return false
	}
	return true
}

// triples is Triples for whole vectors; it reports whether there are vectors for it.
func triples(x []float64, ld, cols int, f []float64) bool {
	g := args[float64]{a: &x[0], c: &f[0], n: cols / 4, m: len(f) / 3, cs: 8 * ld}
	switch {
	case useAVX512 && cols%8 == 0:
		g.n = cols / 8
		triplesF64AVX512(&g)
	case useAVX2 && cols%4 == 0:
		triplesF64AVX2(&g)
	default:
		return false
	}
	return true
}

// poles sums by lanes the first elements, and returns how many.
func poles(x, z []float64, t float64, out *[16]float64) int {
	g := args[float64]{a: &x[0], b: &z[0], c: &out[0], t: &t, consts: &constants64[0], n: len(x)}
	switch {
	case useAVX512:
		polesF64AVX512(&g)
		return len(x)
	case useAVX2 && len(x) >= 8:
		g.n = len(x) &^ 7
		polesF64AVX2(&g)
		return g.n
	}
	return 0
}

// symmetric is Symmetric; it reports whether there are vectors for it.
func symmetric[T Float](a []T, ld int, x, y []T) bool {
	if !useAVX512 && !useAVX2 {
		return false
	}
	switch a := any(a).(type) {
	case []float32:
		g := args[float32]{a: &a[0], b: any(&x[0]).(*float32), c: any(&y[0]).(*float32), n: len(x) / 8, rs: 4 * ld}
		if useAVX512 {
			symmetricF32AVX512(&g)
		} else {
			symmetricF32AVX2(&g)
		}
	case []float64:
		g := args[float64]{a: &a[0], b: any(&x[0]).(*float64), c: any(&y[0]).(*float64), n: len(x) / 8, rs: 8 * ld}
		if useAVX512 {
			symmetricF64AVX512(&g)
		} else {
			symmetricF64AVX2(&g)
		}
	}
	return true
}

// peak32 and peak64 write the largest magnitudes of the first elements and the numbers of the vectors that have them, by lanes, and return
// how many elements these are.
func peak32(x []float32, most *[8]float32, at *[8]int32) int {
	if !useAVX2 || len(x) < 8 {
		return 0
	}
	peakF32AVX2(&args[float32]{a: &x[0], b: &most[0], c: (*float32)(unsafe.Pointer(at)), consts: &constants32[0], n: len(x) / 8})
	return len(x) &^ 7
}

func peak64(x []float64, most *[4]float64, at *[4]int64) int {
	if !useAVX2 || len(x) < 4 {
		return 0
	}
	peakF64AVX2(&args[float64]{a: &x[0], b: &most[0], c: (*float64)(unsafe.Pointer(at)), consts: &constants64[0], n: len(x) / 4})
	return len(x) &^ 3
}

// eliminate32 and eliminate64 are Eliminate for some rows; they write what peak32 writes, and return how many lanes vectors have, 0 if
// there are none.
func eliminate32(x []float32, ld, rows int, f []float32, most *[16]float32, at *[16]int32) (lanes int) {
	others := len(f) - 1
	g := args[float32]{a: &x[0], b: &most[0], c: next(x, ld, others), d: (*float32)(unsafe.Pointer(at)), t: &f[0],
		consts: &constants32[0], m: others, cs: 4 * ld}
	switch {
	case useAVX512:
		lanes = 16
	case useAVX2:
		lanes = 8
	default:
		return 0
	}
	g.n = (rows + lanes - 1) / lanes
	_ = x[others*ld+lanes*g.n-1] // the kernels check nothing
	if useAVX512 {
		eliminateF32AVX512(&g)
	} else {
		eliminateF32AVX2(&g)
	}
	return lanes
}

func eliminate64(x []float64, ld, rows int, f []float64, most *[8]float64, at *[8]int64) (lanes int) {
	others := len(f) - 1
	g := args[float64]{a: &x[0], b: &most[0], c: next(x, ld, others), d: (*float64)(unsafe.Pointer(at)), t: &f[0],
		consts: &constants64[0], m: others, cs: 8 * ld}
	switch {
	case useAVX512:
		lanes = 8
	case useAVX2:
		lanes = 4
	default:
		return 0
	}
	g.n = (rows + lanes - 1) / lanes
	_ = x[others*ld+lanes*g.n-1] // the kernels check nothing
	if useAVX512 {
		eliminateF64AVX512(&g)
	} else {
		eliminateF64AVX2(&g)
	}
	return lanes
}

// next is the column behind the first, if there is one.
func next[T Float](x []T, ld, others int) *T {
	if others == 0 {
		return &x[0]
	}
	return &x[ld]
}

// givensRows and givensGroups are GivensRows and GivensColumns for whole vectors; they return how many columns or rows these are.
func givensRows(x []complex128, ld, cols int, f []float64) int {
	g := args[float64]{a: (*float64)(unsafe.Pointer(&x[0])), c: &f[0], m: len(f) / 4, cs: 16 * ld}
	switch {
	case useAVX512 && cols >= 4:
		g.n = cols / 4
		givensF64AVX512(&g)
		return cols &^ 3
	case useAVX2 && cols >= 2:
		g.n = cols / 2
		givensF64AVX2(&g)
		return cols &^ 1
	}
	return 0
}

func givensGroups(x []complex128, ld, rows int, f []float64) int {
	g := args[float64]{a: (*float64)(unsafe.Pointer(&x[0])), c: &f[0], m: len(f) / 4, cs: 16 * ld}
	switch {
	case useAVX512 && rows >= 4:
		g.n = rows / 4
		givensColumnsF64AVX512(&g)
		return rows &^ 3
	case useAVX2 && rows >= 2:
		g.n = rows / 2
		givensColumnsF64AVX2(&g)
		return rows &^ 1
	}
	return 0
}
