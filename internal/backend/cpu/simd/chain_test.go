package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// chainLane is a number that chain code computes with.
type chainLane interface{ float32 | float64 }

// chainCase is an instruction of chain code and what it should do to one element of bank A, its operand and bank C.
type chainCase[T chainLane] struct {
	name    string
	op      ChainOp
	sources int
	want    func(a, s, c T) T
}

func laneBits[T chainLane](x T) uint64 {
	if unsafe.Sizeof(x) == 8 {
		return math.Float64bits(float64(x))
	}
	return uint64(math.Float32bits(float32(x)))
}

func fromBits[T chainLane](b uint64) T {
	var x T
	if unsafe.Sizeof(x) == 8 {
		return *(*T)(unsafe.Pointer(&b))
	}
	u := uint32(b)
	return *(*T)(unsafe.Pointer(&u))
}

func boolBits[T chainLane](b bool) T {
	if b {
		return fromBits[T](math.MaxUint64)
	}
	return 0
}

// chainMax is the greater number: NaN wins, and of two zeros y.
func chainMax[T chainLane](x, y T) T {
	if x != x || x > y {
		return x
	}
	return y
}

func chainMin[T chainLane](x, y T) T {
	if x != x || x < y {
		return x
	}
	return y
}

func gradMul[T chainLane](x, y T) T {
	if x == 0 {
		return 0
	}
	return x * y
}

func chainSqrt[T chainLane](x T) T { return T(math.Sqrt(float64(x))) }

func unaryCases[T chainLane]() []chainCase[T] {
	var cases []chainCase[T]
	for _, u := range []struct {
		name string
		op   ChainOp
		f    func(a T) T
	}{
		{"Neg", ChainNeg, func(a T) T { return -a }}, {"Abs", ChainAbs, func(a T) T { return T(math.Abs(float64(a))) }},
		{"Sqrt", ChainSqrt, chainSqrt[T]}, {"Square", ChainSquare, func(a T) T { return a * a }},
		{"Recip", ChainRecip, func(a T) T { return 1 / a }}, {"Rsqrt", ChainRsqrt, func(a T) T { return 1 / chainSqrt(a) }},
		{"Relu", ChainRelu, func(a T) T {
			if a < 0 {
				return 0
			}
			return a
		}},
		{"Round", ChainRound, func(a T) T { return T(math.RoundToEven(float64(a))) }},
		{"Floor", ChainFloor, func(a T) T { return T(math.Floor(float64(a))) }},
		{"Ceil", ChainCeil, func(a T) T { return T(math.Ceil(float64(a))) }},
		{"Trunc", ChainTrunc, func(a T) T { return T(math.Trunc(float64(a))) }},
		{"IsNaN", ChainIsNaN, func(a T) T { return boolBits[T](a != a) }},
		{"Not", ChainNot, func(a T) T { return fromBits[T](^laneBits(a)) }},
	} {
		cases = append(cases, chainCase[T]{u.name, u.op, 0, func(a, _, _ T) T { return u.f(a) }})
	}
	return cases
}

func chainCases[T chainLane]() []chainCase[T] {
	cases := append(unaryCases[T](),
		chainCase[T]{"Load", ChainLoad, 4, func(_, s, _ T) T { return s }},
		chainCase[T]{"Lt", ChainLt, 4, func(a, s, _ T) T { return boolBits[T](a < s) }},
		chainCase[T]{"Le", ChainLe, 4, func(a, s, _ T) T { return boolBits[T](a <= s) }},
		chainCase[T]{"Eq", ChainEq, 4, func(a, s, _ T) T { return boolBits[T](a == s) }},
		chainCase[T]{"Ne", ChainNe, 4, func(a, s, _ T) T { return boolBits[T](a != s) }},
		chainCase[T]{"Gt", ChainGt, 4, func(a, s, _ T) T { return boolBits[T](a > s) }},
		chainCase[T]{"Ge", ChainGe, 4, func(a, s, _ T) T { return boolBits[T](a >= s) }},
		chainCase[T]{"And", ChainAnd, 3, func(a, s, _ T) T { return fromBits[T](laneBits(a) & laneBits(s)) }},
		chainCase[T]{"Or", ChainOr, 3, func(a, s, _ T) T { return fromBits[T](laneBits(a) | laneBits(s)) }},
		chainCase[T]{"Xor", ChainXor, 3, func(a, s, _ T) T { return fromBits[T](laneBits(a) ^ laneBits(s)) }},
		chainCase[T]{"Where", ChainWhere, 4, func(a, s, c T) T {
			if math.Signbit(float64(c)) {
				return a
			}
			return s
		}},
		chainCase[T]{"WhereFrom", ChainWhereFrom, 4, func(a, s, c T) T {
			if math.Signbit(float64(c)) {
				return s
			}
			return a
		}})
	for _, c := range cases {
		if n := c.op + ChainIfLt - ChainLt; c.op >= ChainLt && c.op <= ChainGe && c.sources == 4 {
			cases = append(cases, chainCase[T]{"If" + c.name, n, 4, c.want})
		}
	}
	cases = append(cases, chainCase[T]{"IfNaN", ChainIfNaN, 0, func(a, _, _ T) T { return boolBits[T](a != a) }})
	for _, b := range []struct {
		name string
		op   ChainOp
		f    func(x, y T) T
	}{
		{"Add", ChainAdd, func(x, y T) T { return x + y }}, {"Sub", ChainSub, func(x, y T) T { return x - y }},
		{"Mul", ChainMul, func(x, y T) T { return x * y }}, {"Div", ChainDiv, func(x, y T) T { return x / y }},
		{"Max", ChainMax, chainMax[T]}, {"Min", ChainMin, chainMin[T]}, {"GradMul", ChainGradMul, gradMul[T]},
	} {
		cases = append(cases, chainCase[T]{b.name, b.op, 4, func(a, s, _ T) T { return b.f(a, s) }},
			chainCase[T]{b.name + "From", b.op + 4, 4, func(a, s, _ T) T { return b.f(s, a) }})
	}
	return cases
}

// chainVariants runs f for every variant that has chain code.
func chainVariants(t *testing.T, lane int, f func(t *testing.T, w int)) {
	asmvariant.ForEach(t, "simd", func(variant string) {
		if w := ChainWidth(lane); w > 0 {
			t.Run(fmt.Sprintf("%s/%d", variant, 8*lane), func(t *testing.T) { f(t, w) })
		}
	})
}

// rounded is what is left of a number in 16 bits.
func rounded(widen func([]float32, []uint16), narrow func([]uint16, []float32)) func(a, s, c float32) float32 {
	return func(a, _, _ float32) float32 {
		h, z := []uint16{0}, []float32{0}
		narrow(h, []float32{a})
		widen(z, h)
		return z[0]
	}
}

// TestChainOps runs every routine over elements of all kinds that end or begin at a protected page.
func TestChainOps(t *testing.T) {
	testChainOps(t, append(chainCases[float32](), chainCase[float32]{"RoundBF16", ChainRoundBF16, 0,
		rounded(bF16ToF32Generic, f32ToBF16Generic)},
		chainCase[float32]{"RoundF16", ChainRoundF16, 0, rounded(f16ToF32Generic, f32ToF16Generic)}))
	testChainOps(t, chainCases[float64]())
}

func testChainOps[T chainLane](t *testing.T, cases []chainCase[T]) {
	lane := int(unsafe.Sizeof(T(0)))
	chainVariants(t, lane, func(t *testing.T, w int) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, c := range cases {
			for src := range max(1, c.sources) {
				n := w * (1 + src)
				var m [5][]T // A, B, C, memory, result
				for i := range m {
					m[i] = view[T](fence(t, lane*n, src%2 == 0))
					fill(r, m[i])
				}
				if c.name == "Where" || c.name == "WhereFrom" {
					for i, v := range m[2] {
						m[2][i] = boolBits[T](v > 0)
					}
				}
				at := func(i int) unsafe.Pointer { return unsafe.Pointer(&m[i][0]) }
				code := []Step{ChainStep(ChainLoad, lane, at(2), true), ChainStep(ChainStore+2, lane, nil, false),
					ChainStep(ChainLoad, lane, at(1), true),
					ChainStep(ChainStore+1, lane, nil, false), ChainStep(ChainLoad, lane, at(0), true)}
				code = append(code, ChainStep(c.op+ChainOp(src), lane, at(3), src == 0))
				if strings.HasPrefix(c.name, "If") {
					code = append(code, ChainStep(ChainLoad+2, lane, nil, false))
				}
				code = append(code, ChainStep(ChainStore, lane, at(4), true), ChainStep(ChainNext, lane, nil, false))
				RunChain(code, lane, n)
				s := [][]T{m[3], m[1], m[2], m[3]}[src]
				for i := range n {
					if src == int(ChainOne) {
						s[i] = s[0]
					}
					if want := c.want(m[0][i], s[i], m[2][i]); !same(m[4][i], want) {
						t.Fatalf("%s, operand %d, element %d of %d: %v and %v give %v, want %v", c.name, src, i, n, m[0][i],
							s[i], m[4][i], want)
					}
				}
			}
		}
	})
}

// TestChainMemory checks operands that do not advance, non-temporal stores and bytes.
func TestChainMemory(t *testing.T) {
	testChainMemory[float32](t)
	testChainMemory[float64](t)
}

func testChainMemory[T chainLane](t *testing.T) {
	lane := int(unsafe.Sizeof(T(0)))
	chainVariants(t, lane, func(t *testing.T, w int) {
		for _, count := range []int{1, 2, 5} {
			n := w * count
			r := rand.New(rand.NewPCG(5, uint64(count)))
			x, streamed := view[T](fence(t, lane*n, true)), make([]T, n+16)
			streamed = streamed[int(-uintptr(unsafe.Pointer(&streamed[0]))&63)/lane:][:n]
			once, in, out := view[T](fence(t, lane*w, true)), fence(t, n, true), fence(t, n, true)
			fill(r, x)
			fill(r, once)
			fill(r, in)
			for bank := range ChainOp(3) {
				clear(out)
				RunChain([]Step{ChainStep(ChainLoad, lane, unsafe.Pointer(&x[0]), true),
					ChainStep(ChainAdd, lane, unsafe.Pointer(&once[0]), false),
					ChainStep(ChainStream, lane, unsafe.Pointer(&streamed[0]), true),
					ChainStep(ChainLoadBool+bank, lane, unsafe.Pointer(&in[0]), true), ChainStep(loadedFrom(bank), lane, nil, false),
					ChainStep(ChainStoreBool, lane, unsafe.Pointer(&out[0]), true), ChainStep(ChainNext, lane, nil, false)}, lane, n)
				Fence()
				for i := range n {
					if want := x[i] + once[i%w]; !same(streamed[i], want) {
						t.Fatalf("element %d of %d is %v, want %v", i, n, streamed[i], want)
					}
					if want := in[i] != 0; out[i] > 1 || (out[i] == 1) != want {
						t.Fatalf("byte %d of %d is %d, want %v", i, n, out[i], want)
					}
				}
			}
		}
	})
}

// loadedFrom brings a bank into bank A; for A itself it does nothing that matters.
func loadedFrom(bank ChainOp) ChainOp {
	if bank == 0 {
		return ChainStore + 1
	}
	return ChainLoad + bank
}

// TestChainHalfTypes loads the half types into every bank and stores them.
func TestChainHalfTypes(t *testing.T) {
	chainVariants(t, 4, func(t *testing.T, w int) {
		for _, h := range []struct {
			name        string
			load, store ChainOp
			widen       func([]float32, []uint16)
		}{{"bfloat16", ChainLoadBF16, ChainStoreBF16, bF16ToF32Generic}, {"float16", ChainLoadF16, ChainStoreF16, f16ToF32Generic}} {
			for bank := range ChainOp(3) {
				n := 3 * w
				in, out := view[uint16](fence(t, 2*n, bank == 1)), view[uint16](fence(t, 2*n, bank == 1))
				wide, want := view[float32](fence(t, 4*n, true)), make([]float32, n)
				for i := range in {
					in[i] = uint16(i * 65536 / n * 7)
				}
				RunChain([]Step{ChainStep(h.load+bank, 4, unsafe.Pointer(&in[0]), true), ChainStep(loadedFrom(bank), 4, nil, false),
					ChainStep(ChainStore, 4, unsafe.Pointer(&wide[0]), true), ChainStep(h.store, 4, unsafe.Pointer(&out[0]), true),
					ChainStep(ChainNext, 4, nil, false)}, 4, n)
				h.widen(want, in)
				for i := range in {
					if !same(wide[i], want[i]) || out[i] != in[i] && want[i] == want[i] {
						t.Fatalf("%s, bank %d: %#x is %v and goes back as %#x, want %v", h.name, bank, in[i], wide[i], out[i], want[i])
					}
				}
			}
		}
	})
}
