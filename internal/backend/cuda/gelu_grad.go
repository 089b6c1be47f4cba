package cuda

import (
	"math"
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// geluGrad is the factor a program multiplies a product with, a function of one input: perhaps the derivative of gelu (tanh
// form).
type geluGrad struct {
	x     int                // the input, a half type
	list  []backend.Instr    // compute the factor in float32
	last  int                // the register that holds it
	in    int                // registers that are inputs
	count int                // of registers
	sums  *backend.Reduction // column sums of the result, the bias gradient; nil: none
}

// geluGradOf matches a program product · half(f(x)), f being arithmetic and one tanh over x and constants, perhaps with
// column sums; nil: no match. Whether f is gelu's derivative depends on the constants, known at run time.
func geluGradOf(p *backend.Fused) *geluGrad {
	n := len(p.Instrs) - 1
	if n < 2 || len(p.Out) != 1 || p.Out[0] != p.Instrs[n].Dst || p.Instrs[n].Op != "mul" || p.NumReductions() > 1 {
		return nil
	}
	half := p.DTypes[p.Producer.Dst]
	s := &geluGrad{x: -1, in: p.In, count: len(p.DTypes), sums: p.Reduction}
	if t := p.Reduction; t != nil && (t.Src != p.Out[0] || sumsRows(t.Attr.(attr.Axes), p.Shape)) {
		return nil
	}
	by := p.Instrs[n].Src[0]
	if by == p.Producer.Dst {
		by = p.Instrs[n].Src[1]
	} else if p.Instrs[n].Src[1] != p.Producer.Dst {
		return nil
	}
	narrow := slices.IndexFunc(p.Instrs, func(i backend.Instr) bool { return i.Dst == by })
	if narrow < 0 || narrow != n-1 || p.Instrs[narrow].Op != "cast" || p.DTypes[by] != half || half != p.DTypes[p.Out[0]] {
		return nil
	}
	s.last = p.Instrs[narrow].Src[0]
	for _, ins := range p.Instrs[:narrow] {
		src := ins.Src[0]
		switch ins.Op {
		case "cast":
			if src == p.Producer.Dst || src >= p.In || s.x >= 0 && src != s.x || p.DTypes[src] != half {
				return nil
			}
			s.x = src
		case "add", "sub", "mul", "square", "tanh":
		default:
			return nil
		}
		if p.DTypes[ins.Dst] != dtype.Float32 || slices.Contains(ins.Src[:], p.Producer.Dst) {
			return nil
		}
		s.list = append(s.list, ins)
	}
	if s.x < 0 || !slices.ContainsFunc(s.list, func(i backend.Instr) bool { return i.Op == "tanh" }) {
		return nil
	}
	return s
}

// isGelu reports whether the function is gelu's derivative: it is evaluated at some points.
func (s *geluGrad) isGelu(in []backend.View) bool {
	reg := make([]float64, s.count)
	known := make([]bool, s.count)
	for i, v := range in[:s.in] {
		if v.DType == dtype.Float32 && v.Buf != nil && classOf(v) == byValue {
			reg[i], known[i] = float64(*(*float32)(unsafe.Pointer(&v.Buf.Mem[4*v.Offset()]))), true
		}
	}
	known[s.x] = true
	for _, x := range []float64{-7, -3.1, -1.3, -0.75, -0.2, 0, 0.1, 0.5, 0.9, 1.7, 2.5, 6} {
		reg[s.x] = x
		for _, ins := range s.list {
			var a [2]float64
			for k, r := range ins.Src[:2] {
				if r >= 0 {
					if !known[r] {
						return false
					}
					a[k] = reg[r]
				}
			}
			known[ins.Dst] = true
			switch ins.Op {
			case "cast":
				reg[ins.Dst] = a[0]
			case "add":
				reg[ins.Dst] = a[0] + a[1]
			case "sub":
				reg[ins.Dst] = a[0] - a[1]
			case "mul":
				reg[ins.Dst] = a[0] * a[1]
			case "square":
				reg[ins.Dst] = a[0] * a[0]
			case "tanh":
				reg[ins.Dst] = math.Tanh(a[0])
			}
		}
		if !known[s.last] || math.Abs(reg[s.last]-geluDerivative(x)) > 1e-6 {
			return false
		}
	}
	return true
}

// geluDerivative is the derivative of x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))).
func geluDerivative(x float64) float64 {
	beta := math.Sqrt(2 / math.Pi)
	t := math.Tanh(beta * (x + 0.044715*x*x*x))
	return 0.5*(1+t) + 0.5*x*(1-t*t)*beta*(1+3*0.044715*x*x)
}
