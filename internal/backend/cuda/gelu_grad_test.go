package cuda

import (
	"slices"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/ref"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
	F "github.com/lucid-go/lucid/nn/functional"
)

// seenProgram is a program that a device was asked to run.
type seenProgram struct {
	*backend.Fused
	out, in []backend.View
}

// programs is a device that fuses as a GPU does, notes the programs it is given and computes none of them.
var programs struct {
	sync.Once
	seen []seenProgram
}

// programLog takes the programs that a GPU takes.
type programLog struct{ fusion }

// RunFused implements backend.Fuser.
func (programLog) RunFused(_ *backend.Ctx, p *backend.Fused, out, in []backend.View) error {
	programs.seen = append(programs.seen, seenProgram{p, slices.Clone(out), slices.Clone(in)})
	return nil
}

func seen(f func()) []seenProgram {
	programs.Do(func() {
		d := *ref.Device
		d.Type = "programs"
		d.Implement(programLog{})
		backend.Register("programs", func(int) (*backend.Device, error) { return &d, nil })
	})
	programs.seen = nil
	lucid.WithDevice(lucid.Device{Type: "programs"}, f)
	return programs.seen
}

// TestGeluGrad: in a training step the product behind gelu is multiplied by gelu's derivative; the program is matched, with
// the column sums of the bias gradient where there is one, and similar programs are not.
func TestGeluGrad(t *testing.T) {
	const rows, width, wide = 256, 2, 1024
	for _, c := range []struct {
		name       string
		f          func(x *lucid.Tensor) *lucid.Tensor
		bias, want bool
	}{
		{"gelu", func(x *lucid.Tensor) *lucid.Tensor { return F.GELU(x, F.GELUOptions{Approximate: "tanh"}) }, true, true},
		{"no bias", func(x *lucid.Tensor) *lucid.Tensor { return F.GELU(x, F.GELUOptions{Approximate: "tanh"}) }, false, true},
		{"tanh", func(x *lucid.Tensor) *lucid.Tensor { return x.Tanh() }, true, false},
		{"erf", func(x *lucid.Tensor) *lucid.Tensor { return F.GELU(x) }, true, false},
		{"other numbers", func(x *lucid.Tensor) *lucid.Tensor {
			y := x.To(lucid.Float32)
			return y.Mul(0.5).Mul(y.Square().Mul(0.05).Add(1).Mul(y).Mul(0.8).Tanh().Add(1)).To(lucid.BFloat16)
		}, true, false},
	} {
		found := 0
		for _, p := range seen(func() {
			half := func(sizes ...int) *lucid.Tensor { return lucid.Ones(sizes...).To(lucid.BFloat16).Eval() }
			in := []*lucid.Tensor{half(rows, width), half(wide, width), half(width, wide)}
			if c.bias {
				in = append(in, half(wide))
			}
			step := lucid.Compile(func(in []*lucid.Tensor) []*lucid.Tensor {
				_, grads := lucid.VJPN(func(in []*lucid.Tensor) []*lucid.Tensor {
					b := (*lucid.Tensor)(nil)
					if c.bias {
						b = in[3]
					}
					return []*lucid.Tensor{F.Linear(c.f(F.Linear(in[0], in[1], F.LinearOptions{Bias: b})),
						in[2]).To(lucid.Float32).Square().Sum()}
				}, in, []*lucid.Tensor{lucid.Ones()})
				return grads
			})
			lucid.Eval(step(in)...)
		}) {
			a := p.Prep.(*program).epilogue
			if a == nil || a.geluGrad == nil {
				continue
			}
			found++
			if got := a.geluGrad.isGelu(p.in); got != c.want {
				t.Errorf("%s: taken for the derivative of gelu: %v", c.name, got)
			}
			for i, v := range p.in[:p.In] { // each of its constants matters
				if classOf(v) == byValue {
					other := slices.Clone(p.in)
					other[i].Buf = &mem.Buffer{Mem: dtype.Bytes([]float32{1.01, 1.01})}
					other[i].Lay = &shape.Layout{Strides: make([]int, v.Shape.Rank())}
					if a.geluGrad.isGelu(other) {
						t.Errorf("%s: number %d does not matter", c.name, i)
					}
				}
			}
			if (a.geluGrad.sums != nil) != c.bias || !p.Producer.Unwritten || !p.Producer.NoOverwrite {
				t.Errorf("%s: %+v %+v", c.name, a.geluGrad, p.Producer)
			}
			if o := p.out[1].Buf; o == p.in[a.geluGrad.x].Buf {
				t.Errorf("%s: the result has the buffer of gelu's input", c.name)
			}
		}
		if c.want && found != 1 {
			t.Errorf("%s: %d programs", c.name, found)
		}
	}
}
