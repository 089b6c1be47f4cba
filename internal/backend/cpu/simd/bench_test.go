package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// bench measures f on n elements of traffic bytes each, for every variant: in the
// first cache with the size of a tile, and in the second.
func bench(b *testing.B, name string, traffic int, f func(n int)) {
	for _, n := range []int{4096, 131072} {
		asmvariant.ForEach(b, "simd", func(variant string) {
			b.Run(fmt.Sprintf("%s/%s/%d", name, variant, n), func(b *testing.B) {
				for b.Loop() {
					f(n)
				}
				b.ReportMetric(float64(n)*float64(traffic)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
			})
		})
	}
}

const benchMost = 131072

func operands[T number](spread float64) (z, x, y []T) {
	r := rand.New(rand.NewPCG(9, 10))
	z, x, y = make([]T, benchMost), make([]T, benchMost), make([]T, benchMost)
	for i := range x {
		x[i], y[i] = T(r.NormFloat64()*spread), T(r.NormFloat64()*spread)
	}
	return z, x, y
}

func benchUnary[Z, X number](b *testing.B, name string, f func(z []Z, x []X)) {
	z, _, _ := operands[Z](1)
	_, x, _ := operands[X](3)
	bench(b, name, int(unsafe.Sizeof(z[0])+unsafe.Sizeof(x[0])), func(n int) { f(z[:n], x[:n]) })
}

func benchBinary[Z, X number](b *testing.B, name string, f func(z []Z, x, y []X)) {
	z, _, _ := operands[Z](1)
	_, x, y := operands[X](3)
	bench(b, name, int(unsafe.Sizeof(z[0])+2*unsafe.Sizeof(x[0])), func(n int) { f(z[:n], x[:n], y[:n]) })
}

func BenchmarkMath(b *testing.B) {
	for _, a := range accuracies {
		benchUnary(b, a.name, a.f)
	}
	benchBinary(b, "PowF32", PowF32)
}

func BenchmarkArith(b *testing.B) {
	benchBinary(b, "AddF32", AddF32)
	benchBinary(b, "MulF32", MulF32)
	benchBinary(b, "DivF32", DivF32)
	benchBinary(b, "MaxF32", MaxF32)
	benchUnary(b, "SqrtF32", SqrtF32)
	benchUnary(b, "RsqrtF32", RsqrtF32)
	benchUnary(b, "ReluF32", ReluF32)
	benchUnary(b, "ScaleF32", func(z, x []float32) { ScaleF32(z, x, 3) })
	benchUnary(b, "AxpyF32", func(z, x []float32) { AxpyF32(z, x, 1e-30) })
	benchBinary(b, "LtF32", LtF32)
	benchBinary(b, "AddF64", AddF64)
	benchBinary(b, "MulI64", MulI64)
	m := make([]uint8, benchMost)
	for i := range m {
		m[i] = uint8(i*2654435761>>13) & 1
	}
	benchBinary(b, "WhereF32", func(z, x, y []float32) { WhereF32(z, m[:len(z)], x, y) })
}

func BenchmarkConvert(b *testing.B) {
	benchUnary(b, "BF16ToF32", BF16ToF32)
	benchUnary(b, "F32ToBF16", F32ToBF16)
	benchUnary(b, "F16ToF32", F16ToF32)
	benchUnary(b, "F32ToF16", F32ToF16)
	benchUnary(b, "F32ToF64", F32ToF64)
	benchUnary(b, "F64ToF32", F64ToF32)
	benchUnary(b, "I64ToF32", I64ToF32)
	benchUnary(b, "U8ToF32", U8ToF32)
}

var sink float32

func BenchmarkReduce(b *testing.B) {
	z, x, y := operands[float32](1)
	bench(b, "SumF32", 4, func(n int) { sink = SumF32(x[:n]) })
	bench(b, "SumSqF32", 4, func(n int) { sink = SumSqF32(x[:n]) })
	bench(b, "DotF32", 8, func(n int) { sink = DotF32(x[:n], y[:n]) })
	bench(b, "MaxOfF32", 4, func(n int) { sink = MaxOfF32(x[:n]) })
	bench(b, "ExpSubSumF32", 8, func(n int) { sink = ExpSubSumF32(z[:n], x[:n], 3) })
}
