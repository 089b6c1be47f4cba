package fusion

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/ref"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// convertingDevice is the CPU with kernels of the loss and of products that convert and that write rows of 8 elements more than
// they hold. seen lists what the kernels were given.
func convertingDevice(seen *[]string) *backend.Device {
	d := *cpu.Device
	d.Type, d.Pool, d.Table = "converting", mem.NewPool("converting", mem.Host{}), backend.Table{}
	for name, k := range cpu.Device.Table {
		d.Table[name] = k
	}
	for _, name := range []string{"class_nll", "class_nll_grad", "matmul"} {
		k := ref.Device.Table[name]
		d.Table[name] = func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
			*seen = append(*seen, fmt.Sprint(name, in[0].DType, out[0].DType, out[0].Contiguous(), in[0].Contiguous()))
			to := slices.Clone(out)
			if !out[0].Contiguous() {
				to[0].Buf, to[0].Lay = mem.FromGo(make([]byte, out[0].Numel()*out[0].DType.Size())), nil
			}
			if err := k(c, a, to, in); err != nil || out[0].Contiguous() {
				return err
			}
			size, cols, pitch := out[0].DType.Size(), out[0].Shape.Dim(1), out[0].Strides()[0]
			for r := range out[0].Shape.Dim(0) {
				copy(out[0].Buf.Mem[r*pitch*size:][:cols*size], to[0].Buf.Mem[r*cols*size:])
			}
			return nil
		}
	}
	d.CastFolder, d.Pitcher = lossCasts{}, widePitch{}
	return &d
}

// lossCasts is a device whose losses convert their logits.
type lossCasts struct{}

// CanFoldCast implements backend.CastFolder.
func (lossCasts) CanFoldCast(op string, in int, of, as dtype.DType) bool {
	return (op == "class_nll" || op == "class_nll_grad") && in <= 0 && of == dtype.Float32 && as == dtype.BFloat16
}

// widePitch is a device that wants longer rows.
type widePitch struct{}

// Pitch implements backend.Pitcher.
func (widePitch) Pitch(op string, _ attr.Attr, _ dtype.DType, s *shape.Shape) int {
	if s.Rank() == 2 && (op == "class_nll_grad" || op == "matmul" && s.Dim(1) == 7) {
		return s.Dim(1) + 8
	}
	return 0
}

// TestKernelsThatConvert: casts next to a loss become part of it, rows get room, and the bits stay.
func TestKernelsThatConvert(t *testing.T) {
	loss := func(x, w, y *lucid.Tensor) []*lucid.Tensor {
		value, grads := lucid.ValueAndGrad(func(x, w *lucid.Tensor) *lucid.Tensor {
			return F.CrossEntropy(x.MatMul(w).Reshape(-1, 7).To(lucid.Float32), y)
		}, 0, 1)(x, w)
		return append(grads, value)
	}
	in := []*lucid.Tensor{lucid.With{DType: lucid.Float32}.Uniform(-1, 1, 12, 5).To(lucid.BFloat16).Eval(),
		lucid.With{DType: lucid.Float32}.Uniform(-1, 1, 5, 7).To(lucid.BFloat16).Eval(), lucid.RandInt(0, 7, 12).Eval()}
	var seen []string
	run := func(d *backend.Device, f func(x, w, y *lucid.Tensor) []*lucid.Tensor) (got []*lucid.Tensor) {
		w := &tensortest.Target{Dev: d}
		for range 2 {
			seen = nil
			got = f(w.Put(in[0]), w.Put(in[1]), w.Put(in[2]))
			if err := lucid.Eval(got...); err != nil {
				t.Fatal(err)
			}
		}
		return got
	}
	plain, converting := convertingDevice(&seen), convertingDevice(&seen)
	plain.CastFolder, plain.Pitcher = nil, nil
	want := run(plain, loss)
	for name, f := range map[string]func(x, w, y *lucid.Tensor) []*lucid.Tensor{"eager": loss, "compiled": lucid.Compile(loss)} {
		for i, got := range run(converting, f) {
			if !tensortest.SameBits(got, want[i]) {
				t.Errorf("%s, result %d: %v, want %v", name, i, got, want[i])
			}
		}
		if forward := "class_nllbfloat16 float32 true"; !strings.Contains(strings.Join(seen, " "), forward) {
			t.Errorf("%s: the loss does not read half types: %v", name, seen)
		}
		if back := "class_nll_gradbfloat16 bfloat16 false false"; name == "compiled" && !slices.Contains(seen, back) {
			t.Errorf("%s: its gradient does not write half types with room: %v", name, seen)
		}
	}
}
