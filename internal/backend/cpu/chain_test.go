package cpu

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// chainFloats are the dtypes of values in random programs.
var chainFloats = []dtype.DType{dtype.Float32, dtype.BFloat16, dtype.Float16, dtype.Float64}

// randomProgram makes a program of instructions that chain code has, and some it has not: on one dtype, or on several.
func randomProgram(r *rand.Rand, n int) *backend.Fused {
	in := 2 + r.IntN(4)
	p := &backend.Fused{Shape: shape.Of("test", n), In: in}
	float, mixed := chainFloats[r.IntN(4)], r.IntN(3) == 0
	for range in {
		d := float
		if mixed {
			d = chainFloats[r.IntN(4)]
		}
		if r.IntN(6) == 0 {
			d = dtype.Bool
		}
		p.DTypes = append(p.DTypes, d)
	}
	p.DTypes[0], p.DTypes[1] = float, float
	pick := func(d dtype.DType) int {
		for {
			lo := 0
			if len(p.DTypes) > 6 && r.IntN(3) > 0 {
				lo = len(p.DTypes) - 4 // mostly what was just made
			}
			if k := lo + r.IntN(len(p.DTypes)-lo); p.DTypes[k] == d {
				return k
			}
		}
	}
	unary := []string{"neg", "abs", "sqrt", "square", "reciprocal", "rsqrt", "relu", "exp", "sign", "floor", "ceil", "trunc", "round"}
	binary := []string{"add", "sub", "mul", "div", "maximum", "minimum", "clamp_min", "clamp_max", "grad_mul"}
	compare := []string{"lt", "le", "gt", "ge", "eq", "ne", "isnan"}
	logic := []string{"logical_and", "logical_or", "logical_xor", "logical_not"}
	for range 1 + r.IntN(20) {
		if mixed {
			float = p.DTypes[pick(p.DTypes[r.IntN(len(p.DTypes))])]
		}
		if float == dtype.Bool {
			float = p.DTypes[0]
		}
		ins, out := backend.Instr{Dst: len(p.DTypes), Src: [3]int{-1, -1, -1}}, float
		switch k := r.IntN(12); {
		case k < 3:
			ins.Op, ins.Src[0] = unary[r.IntN(len(unary))], pick(float)
		case k < 7:
			ins.Op, ins.Src[0], ins.Src[1] = binary[r.IntN(len(binary))], pick(float), pick(float)
		case k == 7 && mixed:
			ins.Op, ins.Src[0], out = "cast", pick(float), chainFloats[r.IntN(4)]
		case k < 9 || !slices.Contains(p.DTypes, dtype.Bool):
			ins.Op, ins.Src[0], ins.Src[1], out = compare[r.IntN(len(compare))], pick(float), pick(float), dtype.Bool
			if ins.Op == "isnan" {
				ins.Src[1] = -1
			}
		case k == 9:
			ins.Op, ins.Src[0], ins.Src[1], out = logic[r.IntN(len(logic))], pick(dtype.Bool), pick(dtype.Bool), dtype.Bool
			if ins.Op == "logical_not" {
				ins.Src[1] = -1
			}
		default:
			ins.Op, ins.Src = "where", [3]int{pick(dtype.Bool), pick(float), pick(float)}
		}
		p.DTypes = append(p.DTypes, out)
		p.Instrs = append(p.Instrs, ins)
	}
	p.Out = []int{len(p.DTypes) - 1}
	for k := in; k < len(p.DTypes)-1; k++ {
		if r.IntN(6) == 0 {
			p.Out = append(p.Out, k)
		}
	}
	return p
}

// randomOperands makes views for the inputs: whole, repeated, rows of a matrix, every other one.
func randomOperands(r *rand.Rand, p *backend.Fused, n int) []backend.View {
	var in []backend.View
	for _, d := range p.DTypes[:p.In] {
		b := make([]byte, 16*n+64)
		x := make([]float32, 2*n+8)
		for i := range x {
			x[i] = float32(r.NormFloat64())
			if r.IntN(50) == 0 {
				x[i] = []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.NaN()), 1e-42}[r.IntN(5)]
			}
		}
		switch d {
		case dtype.Bool:
			for i := range b {
				b[i] = byte(r.IntN(2))
			}
		case dtype.Float32:
			copy(dtype.Slice[float32](b), x)
		case dtype.Float64:
			for i, v := range x {
				dtype.Slice[float64](b)[i] = float64(v)
			}
		default:
			for i, v := range x {
				if dtype.Slice[uint16](b)[i] = uint16(dtype.F64ToBF16(float64(v))); d == dtype.Float16 {
					dtype.Slice[uint16](b)[i] = uint16(dtype.F64ToF16(float64(v)))
				}
			}
		}
		v := backend.View{Buf: mem.FromGo(b), DType: d, Shape: p.Shape}
		switch r.IntN(5) {
		case 0:
			v.Lay = &shape.Layout{Strides: []int{0}, Offset: 3}
		case 1:
			v.Lay = &shape.Layout{Strides: []int{2}}
		case 2:
			v.Lay = &shape.Layout{Strides: []int{1}, Offset: 5}
		}
		in = append(in, v)
	}
	return in
}

func runProgram(t *testing.T, p *backend.Fused, in []backend.View, inPlace bool) [][]byte {
	q := *p
	q.Prep = prepare(&q)
	ctx := &backend.Ctx{Context: context.Background(), For: func(n int, f func(int)) error {
		for b := range n {
			f(b)
		}
		return nil
	}}
	in = slices.Clone(in)
	var out []backend.View
	for i, o := range p.Out {
		v := backend.View{Buf: mem.FromGo(make([]byte, p.DTypes[o].Size()*p.Shape.Numel())), DType: p.DTypes[o], Shape: p.Shape}
		for j := range in { // an output takes over the memory of an input
			if inPlace && i == 0 && in[j].Lay == nil && in[j].DType == v.DType {
				b := bytes.Clone(in[j].Buf.Mem)
				v.Buf = mem.FromGo(b)
				in[j].Buf = v.Buf
				break
			}
		}
		out = append(out, v)
	}
	if err := runFused(ctx, &q, out, in); err != nil {
		t.Fatal(err)
	}
	var res [][]byte
	for _, v := range out {
		res = append(res, v.Bytes())
	}
	return res
}

// TestChainPrograms runs programs by chain code and instruction by instruction: the bits are the same.
func TestChainPrograms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 2400 {
		n := []int{1, 31, 32, 127, 128, 129, 300, 1023, 1024, 1153, 10003, 70001}[trial%12]
		if n > 2000 && trial%3 != 0 {
			continue
		}
		p := randomProgram(r, n)
		in := randomOperands(r, p, n)
		inPlace := trial%3 == 0
		var want [][]byte
		asmvariant.ForEach(t, "simd", func(variant string) {
			got := runProgram(t, p, in, inPlace)
			if variant == "generic" {
				want = got
			}
		})
		asmvariant.ForEach(t, "simd", func(variant string) {
			for i, got := range runProgram(t, p, in, inPlace) {
				if d := p.DTypes[p.Out[i]]; !sameValues(d, got, want[i]) {
					t.Fatalf("%s, trial %d, %d elements, output %d of %v\n%s", variant, trial, n, i, p.Out, listing(p))
				}
			}
		})
	}
}

// sameValues compares bits, one NaN being as good as another.
func sameValues(d dtype.DType, a, b []byte) bool {
	switch d {
	case dtype.Float32:
		return slices.EqualFunc(dtype.Slice[float32](a), dtype.Slice[float32](b), func(x, y float32) bool {
			return math.Float32bits(x) == math.Float32bits(y) || x != x && y != y
		})
	case dtype.Float64:
		return slices.EqualFunc(dtype.Slice[float64](a), dtype.Slice[float64](b), func(x, y float64) bool {
			return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
		})
	case dtype.BFloat16, dtype.Float16:
		inf := uint16(0x7f80)
		if d == dtype.Float16 {
			inf = 0x7c00
		}
		return slices.EqualFunc(dtype.Slice[uint16](a), dtype.Slice[uint16](b), func(x, y uint16) bool {
			return x == y || x&0x7fff > inf && y&0x7fff > inf
		})
	}
	return bytes.Equal(a, b)
}

func listing(p *backend.Fused) string {
	s := ""
	for _, ins := range p.Instrs {
		s += fmt.Sprintf("%d (%v) = %s %v\n", ins.Dst, p.DTypes[ins.Dst], ins.Op, ins.Src)
	}
	return s
}

// TestChainStreams runs a program whose outputs are beyond the caches, one of them also in the memory of an input.
func TestChainStreams(t *testing.T) {
	n := StreamFrom/4 + 77
	r := rand.New(rand.NewPCG(5, 6))
	p := &backend.Fused{Shape: shape.Of("test", n), In: 2, DTypes: slices.Repeat([]dtype.DType{dtype.Float32}, 6), Instrs: []backend.Instr{
		{Op: "mul", Dst: 2, Src: [3]int{0, 1, -1}}, {Op: "abs", Dst: 3, Src: [3]int{2, -1, -1}},
		{Op: "sqrt", Dst: 4, Src: [3]int{3, -1, -1}},
		{Op: "sub", Dst: 5, Src: [3]int{4, 0, -1}}}, Out: []int{5, 3}}
	var in []backend.View
	for range 2 {
		b := make([]byte, 4*n)
		for i := range n {
			dtype.Slice[float32](b)[i] = float32(r.NormFloat64())
		}
		in = append(in, backend.View{Buf: mem.FromGo(b), DType: dtype.Float32, Shape: p.Shape})
	}
	for _, inPlace := range []bool{false, true} {
		var want [][]byte
		asmvariant.ForEach(t, "simd", func(variant string) {
			if variant == "generic" {
				want = runProgram(t, p, in, inPlace)
			}
		})
		asmvariant.ForEach(t, "simd", func(variant string) {
			for i, got := range runProgram(t, p, in, inPlace) {
				if !bytes.Equal(got, want[i]) {
					t.Errorf("%s, in place %v: output %d differs", variant, inPlace, i)
				}
			}
		})
	}
}
