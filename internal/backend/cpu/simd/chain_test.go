package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/lucid-go/lucid/internal/impl"
)

// chainCase is an instruction of chain code and what it should do to one element: a and b are banks A and B.
type chainCase struct {
	name    string
	op      ChainOp
	sources int
	want    func(a, s, c float32) float32
}

func boolBits(b bool) float32 {
	if b {
		return math.Float32frombits(1<<32 - 1)
	}
	return 0
}

func one1(f func(z, x []float32)) func(a, s, c float32) float32 {
	return func(a, _, _ float32) float32 {
		z := []float32{0}
		f(z, []float32{a})
		return z[0]
	}
}

func one2(f func(z, x, y []float32), turned bool) func(a, s, c float32) float32 {
	return func(a, s, _ float32) float32 {
		z := []float32{0}
		if turned {
			a, s = s, a
		}
		f(z, []float32{a}, []float32{s})
		return z[0]
	}
}

func gradMulEach(z, x, y []float32) {
	if z[0] = 0; x[0] != 0 {
		z[0] = x[0] * y[0]
	}
}

func chainCases() []chainCase {
	cases := []chainCase{
		{"Neg", ChainNeg, 0, one1(negF32Generic)}, {"Abs", ChainAbs, 0, one1(absF32Generic)}, {"Sqrt", ChainSqrt, 0, one1(sqrtF32Generic)},
		{"Square", ChainSquare, 0, one1(squareF32Generic)}, {"Recip", ChainRecip, 0, one1(recipF32Generic)},
		{"Rsqrt", ChainRsqrt, 0, one1(rsqrtF32Generic)}, {"Relu", ChainRelu, 0, one1(reluF32Generic)},
		{"Load", ChainLoad, 3, func(_, s, _ float32) float32 { return s }},
		{"Lt", ChainLt, 3, func(a, s, _ float32) float32 { return boolBits(a < s) }},
		{"Le", ChainLe, 3, func(a, s, _ float32) float32 { return boolBits(a <= s) }},
		{"Eq", ChainEq, 3, func(a, s, _ float32) float32 { return boolBits(a == s) }},
		{"Ne", ChainNe, 3, func(a, s, _ float32) float32 { return boolBits(a != s) }},
		{"Gt", ChainGt, 3, func(a, s, _ float32) float32 { return boolBits(a > s) }},
		{"Ge", ChainGe, 3, func(a, s, _ float32) float32 { return boolBits(a >= s) }},
		{"Where", ChainWhere, 2, func(a, s, c float32) float32 {
			if math.Signbit(float64(c)) {
				return a
			}
			return s
		}},
		{"WhereFrom", ChainWhereFrom, 2, func(a, s, c float32) float32 {
			if math.Signbit(float64(c)) {
				return s
			}
			return a
		}},
	}
	for _, b := range []struct {
		name string
		op   ChainOp
		f    func(z, x, y []float32)
	}{{"Add", ChainAdd, addF32Generic}, {"Sub", ChainSub, subF32Generic}, {"Mul", ChainMul, mulF32Generic}, {"Div", ChainDiv, divF32Generic},
		{"Max", ChainMax, maxF32Generic}, {"Min", ChainMin, minF32Generic}, {"GradMul", ChainGradMul, gradMulEach}} {
		cases = append(cases, chainCase{b.name, b.op, 3, one2(b.f, false)}, chainCase{b.name + "From", b.op + 3, 3, one2(b.f, true)})
	}
	return cases
}

// chainVariants runs f for every variant that has chain code.
func chainVariants(t *testing.T, f func(t *testing.T, w int)) {
	impl.ForEach(t, "simd", func(variant string) {
		if w := ChainWidth(); w > 0 {
			t.Run(variant, func(t *testing.T) { f(t, w) })
		}
	})
}

// TestChainOps runs every routine over elements of all kinds that end or begin at a page no one may touch.
func TestChainOps(t *testing.T) {
	chainVariants(t, func(t *testing.T, w int) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, c := range chainCases() {
			for src := range max(1, c.sources) {
				n := w * (1 + src)
				var m [5][]float32 // A, B, C, memory, result
				for i := range m {
					m[i] = view[float32](fence(t, 4*n, src%2 == 0))
					fill(r, m[i])
				}
				if c.name == "Where" || c.name == "WhereFrom" {
					for i, v := range m[2] {
						m[2][i] = boolBits(v > 0)
					}
				}
				at := func(i int) unsafe.Pointer { return unsafe.Pointer(&m[i][0]) }
				code := []Step{ChainStep(ChainLoad, at(2), true), ChainStep(ChainStore+2, nil, false), ChainStep(ChainLoad, at(1), true),
					ChainStep(ChainStore+1, nil, false), ChainStep(ChainLoad, at(0), true)}
				code = append(code, ChainStep(c.op+ChainOp(src), at(3), true), ChainStep(ChainStore, at(4), true), ChainStep(ChainNext, nil, false))
				RunChain(code, n)
				s := [][]float32{m[3], m[1], m[2]}[src]
				for i := range n {
					if want := c.want(m[0][i], s[i], m[2][i]); !same(m[4][i], want) {
						t.Fatalf("%s, operand %d, element %d of %d: %v and %v give %v, want %v", c.name, src, i, n, m[0][i], s[i], m[4][i], want)
					}
				}
			}
		}
	})
}

// TestChainMemory checks what does not move, what goes past the caches and bytes.
func TestChainMemory(t *testing.T) {
	chainVariants(t, func(t *testing.T, w int) {
		for _, turns := range []int{1, 2, 5} {
			n := w * turns
			r := rand.New(rand.NewPCG(5, uint64(turns)))
			x, past := view[float32](fence(t, 4*n, true)), make([]float32, n+16)
			past = past[-uintptr(unsafe.Pointer(&past[0]))&63/4:][:n]
			once, in, out := view[float32](fence(t, 4*w, true)), fence(t, n, true), fence(t, n, true)
			fill(r, x)
			fill(r, once)
			fill(r, in)
			RunChain([]Step{ChainStep(ChainLoad, unsafe.Pointer(&x[0]), true),
				ChainStep(ChainAdd, unsafe.Pointer(&once[0]), false), ChainStep(ChainStream, unsafe.Pointer(&past[0]), true),
				ChainStep(ChainLoadBool, unsafe.Pointer(&in[0]), true), ChainStep(ChainStoreBool, unsafe.Pointer(&out[0]), true),
				ChainStep(ChainNext, nil, false)}, n)
			Fence()
			for i := range n {
				if want := x[i] + once[i%w]; !same(past[i], want) {
					t.Fatalf("element %d of %d is %v, want %v", i, n, past[i], want)
				}
				if want := in[i] != 0; out[i] > 1 || (out[i] == 1) != want {
					t.Fatalf("byte %d of %d is %d, want %v", i, n, out[i], fmt.Sprint(want))
				}
			}
		}
	})
}
