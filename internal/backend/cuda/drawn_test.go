package cuda

import (
	"testing"

	"github.com/lucid-go/lucid"
)

// TestDrawn: random numbers are made by the program that uses them; where somebody wants them too, or they are added up, they are not.
func TestDrawn(t *testing.T) {
	x := lucid.Ones(64, 64).Eval()
	for _, c := range []struct {
		name string
		f    func() *lucid.Tensor
		want int // programs that draw
	}{
		{"rand", func() *lucid.Tensor { return lucid.Rand(64, 64) }, 1},
		{"randn", func() *lucid.Tensor { return lucid.Randn(64, 64) }, 1},
		{"randint", func() *lucid.Tensor { return lucid.RandInt(0, 9, 64) }, 1},
		{"dropout", func() *lucid.Tensor { return lucid.Dropout(x.To(lucid.Device{Type: "programs"})) }, 1},
		{"sum", func() *lucid.Tensor { return lucid.Rand(64, 64).Sum(0) }, 0},
	} {
		found := 0
		for _, p := range seen(func() { lucid.Eval(c.f()) }) {
			if p.Producer == nil || p.Producer.Op == "matmul" {
				continue
			}
			if !canDraw(p.Producer.Op, p.DTypes[p.Producer.Dst]) {
				t.Errorf("%s begins with %s of %v", c.name, p.Producer.Op, p.DTypes[p.Producer.Dst])
			}
			if p.Producer.Unwritten {
				if found++; p.Reduction != nil || drawingOf(p.Producer.Op, p.Shape.Numel(), p.in[p.In:]) == nil {
					t.Errorf("%s: cannot be drawn: %+v", c.name, p.Producer)
				}
			}
		}
		if found != c.want {
			t.Errorf("%s: %d programs draw, want %d", c.name, found, c.want)
		}
	}
}

// TestDrawnCompiles: the kernels of programs that draw words of 32 and of 64 bits, and numbers.
func TestDrawnCompiles(t *testing.T) {
	needCompiler(t)
	for _, f := range []func() *lucid.Tensor{
		func() *lucid.Tensor { return lucid.Randn(64, 64) },
		func() *lucid.Tensor { return lucid.RandInt(0, 9, 64) },
		func() *lucid.Tensor {
			old := lucid.DefaultDType()
			lucid.SetDefaultDType(lucid.Float64)
			defer lucid.SetDefaultDType(old)
			return lucid.Rand(64)
		},
	} {
		for _, p := range seen(func() { lucid.Eval(f()) }) {
			if p.Producer == nil || !p.Producer.Unwritten {
				continue
			}
			for _, wide := range []bool{false, true} {
				g := form{classes: make([]class, p.In), vector: 16 / max(4, p.DTypes[p.Out[0]].Size()), wide: wide, drawing: drawingOf(p.Producer.Op, p.Shape.Numel(), p.in[p.In:])}
				for i, v := range p.in[:p.In] {
					if g.classes[i] = classOf(v); i == p.Producer.Dst {
						g.classes[i] = drawn
					}
				}
				compileOne(t, "fused", fusedSource(p.Prep.(*program), &g, 0))
			}
		}
	}
}
