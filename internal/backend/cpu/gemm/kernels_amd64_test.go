//go:build amd64 && !purego

package gemm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/cpuid"
	"github.com/lucid-go/lucid/internal/testutil/fence"
)

func TestKernels(t *testing.T) {
	if cpuid.X86.AVX2 && cpuid.X86.FMA {
		testKernels(t, "float32/avx2", &avx2F32, floats[float32]())
		testKernels(t, "float64/avx2", &avx2F64, floats[float64]())
		testKernels(t, "int32/avx2", &avx2I32, words32)
	}
	if cpuid.X86.AVX512 {
		testKernels(t, "float32/avx512", &avx512F32, floats[float32]())
		testKernels(t, "float64/avx512", &avx512F64, floats[float64]())
		testKernels(t, "int32/avx512", &avx512I32, words32)
		testKernels(t, "int64/avx512", &avx512I64, words64)
	}
	if cpuid.X86.AVX512BF16 {
		testKernels(t, "bf16/avx512", &avx512BF16, bf16Words)
		testBF16Rows(t)
	}
	if cpuid.X86.AVX512VNNI {
		testKernels(t, "int8/avx512", &avx512VNNI, int8Words)
	}
}

func sameWords(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }

// anyWord is 32 bits at random: whole numbers wrap, and bytes are bytes.
func anyWord(r *rand.Rand, _ int) float32 { return math.Float32frombits(r.Uint32()) }

var words32 = arithmetic[float32]{
	kinds: 1, a: anyWord, b: anyWord, c: anyWord, same: sameWords,
	dot: func(c, x, y float32) float32 {
		return math.Float32frombits(math.Float32bits(c) + math.Float32bits(x)*math.Float32bits(y))
	},
}

func anyLong(r *rand.Rand, _ int) float64 { return math.Float64frombits(r.Uint64()) }

var words64 = arithmetic[float64]{
	kinds: 1, a: anyLong, b: anyLong, c: anyLong,
	same: func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) },
	dot: func(c, x, y float64) float64 {
		return math.Float64frombits(math.Float64bits(c) + math.Float64bits(x)*math.Float64bits(y))
	},
}

// int8Words are four bytes each; the lowest byte of a sum is what is meant.
var int8Words = arithmetic[float32]{
	kinds: 1, a: anyWord, b: anyWord, c: anyWord,
	same: func(x, y float32) bool { return uint8(math.Float32bits(x)) == uint8(math.Float32bits(y)) },
	dot:  func(c, x, y float32) float32 { return dotInt8(c, []float32{x}, []float32{y}) },
}

// bf16Words are two bfloat16 each: small whole numbers, of which sums in float32 are small whole numbers too; and infinities and NaN.
var bf16Words = arithmetic[float32]{
	kinds: 2, a: bf16Word, b: bf16Word, c: func(r *rand.Rand, _ int) float32 { return float32(r.IntN(9) - 4) },
	same: func(x, y float32) bool { return x == y || x != x && y != y },
	dot:  func(c, x, y float32) float32 { return dotBF16Pairs(c, []float32{x}, []float32{y}) },
}

func bf16Word(r *rand.Rand, kind int) float32 {
	w := []float32{0}
	for i := range 2 {
		v := float32(r.IntN(9) - 4)
		if kind == 1 && r.IntN(40) == 0 {
			v = []float32{float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}[r.IntN(3)]
		}
		halfView(w)[i] = halve(bfloat16, []float32{v})[0]
	}
	return w[0]
}

// testBF16Rows runs the kernels that add scaled pairs of rows of bfloat16.
func testBF16Rows(t *testing.T) {
	t.Run("rows of pairs/avx512", func(t *testing.T) {
		for kind := range bf16Words.kinds {
			k := &kernelTest[float32]{t, &avx512BF16, bf16Words, kind, rand.New(rand.NewPCG(5, uint64(kind))),
				fence.Slices[float32](t, 1<<14)}
			for f, rows := range map[int]int{0: 1, 1: gaxpyBF16Rows} {
				for n := 1; n <= 130; n++ {
					xs, step := 1+k.r.IntN(3), n+k.r.IntN(3)
					brs := 2*step + k.r.IntN(3)
					x := k.operand(0, (rows-1)*xs+1, bf16Word)
					last := (rows-1)*brs + step + n
					b := halfView(k.operand(1, (last+1)/2, bf16Word))
					b = b[len(b)-last:]
					kernel := []func(n int, y, x []float32, xs int, b []uint16, brs, step int, zero bool){avx512BF16.gaxpy1BF16,
						avx512BF16.gaxpy4BF16}[f]
					k.check("gaxpy of pairs", 1, n, rows, func(c []float32, _ int, add bool) { kernel(n, c, x, xs, b, brs, step, !add) },
						func(_, j, p int) (float32, float32) {
							w := []float32{0}
							halfView(w)[0], halfView(w)[1] = b[p*brs+j], b[p*brs+step+j]
							return x[p*xs], w[0]
						})
				}
			}
		}
	})
}
