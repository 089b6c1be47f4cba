package cpu

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/impl"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// randomProgram makes a program of instructions that chain code has, and some it has not.
func randomProgram(r *rand.Rand, n int) *backend.Fused {
	in := 2 + r.IntN(4)
	p := &backend.Fused{Shape: shape.Of("test", n), In: in}
	for range in {
		d := dtype.Float32
		if r.IntN(6) == 0 {
			d = dtype.Bool
		}
		p.DTypes = append(p.DTypes, d)
	}
	p.DTypes[0], p.DTypes[1] = dtype.Float32, dtype.Float32
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
	unary := []string{"neg", "abs", "sqrt", "square", "reciprocal", "rsqrt", "relu", "exp", "sign"}
	binary := []string{"add", "sub", "mul", "div", "maximum", "minimum", "clamp_min", "clamp_max", "grad_mul"}
	compare := []string{"lt", "le", "gt", "ge", "eq", "ne"}
	for range 1 + r.IntN(20) {
		ins, out := backend.Instr{Dst: len(p.DTypes), Src: [3]int{-1, -1, -1}}, dtype.Float32
		switch k := r.IntN(10); {
		case k < 3:
			ins.Op, ins.Src[0] = unary[r.IntN(len(unary))], pick(dtype.Float32)
		case k < 7:
			ins.Op, ins.Src[0], ins.Src[1] = binary[r.IntN(len(binary))], pick(dtype.Float32), pick(dtype.Float32)
		case k < 8 || !slices.Contains(p.DTypes, dtype.Bool):
			ins.Op, ins.Src[0], ins.Src[1], out = compare[r.IntN(len(compare))], pick(dtype.Float32), pick(dtype.Float32), dtype.Bool
		default:
			ins.Op, ins.Src = "where", [3]int{pick(dtype.Bool), pick(dtype.Float32), pick(dtype.Float32)}
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
		b := make([]byte, 8*n+64)
		x := dtype.Slice[float32](b)
		for i := range x {
			x[i] = float32(r.NormFloat64())
			if r.IntN(50) == 0 {
				x[i] = []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.NaN()), 1e-42}[r.IntN(5)]
			}
		}
		if d == dtype.Bool {
			for i := range b {
				b[i] = byte(r.IntN(2))
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
	for trial := range 600 {
		n := []int{1, 31, 32, 127, 128, 129, 300, 1023, 1024, 1153, 10003, 70001}[trial%12]
		if n > 2000 && trial%3 != 0 {
			continue
		}
		p := randomProgram(r, n)
		in := randomOperands(r, p, n)
		inPlace := trial%3 == 0
		var want [][]byte
		impl.ForEach(t, "simd", func(variant string) {
			got := runProgram(t, p, in, inPlace)
			if variant == "generic" {
				want = got
			}
		})
		impl.ForEach(t, "simd", func(variant string) {
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
	if d != dtype.Float32 {
		return bytes.Equal(a, b)
	}
	return slices.EqualFunc(dtype.Slice[float32](a), dtype.Slice[float32](b), func(x, y float32) bool {
		return math.Float32bits(x) == math.Float32bits(y) || x != x && y != y
	})
}

func listing(p *backend.Fused) string {
	s := ""
	for _, ins := range p.Instrs {
		s += fmt.Sprintf("%d = %s %v\n", ins.Dst, ins.Op, ins.Src)
	}
	return s
}
