package lucid_test

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// TestPeakMemoryByOp asks that the peak is told by op, in eager and in compiled evaluations, and that it stays after memory was given back.
func TestPeakMemoryByOp(t *testing.T) {
	lucid.CPU.TrackMemory(true)
	defer lucid.CPU.TrackMemory(false)
	before := lucid.MemoryStats(lucid.CPU)
	lucid.ResetPeakMemory(lucid.CPU)
	x := lucid.Ones(512, 512) // a constant: no memory
	y := x.CumSum(0)
	if err := lucid.Eval(y); err != nil {
		t.Fatal(err)
	}
	y.Free()
	bytesOf := func(op string) (n int64) {
		for _, u := range lucid.CPU.PeakMemoryByOp() {
			if u.Op == op {
				n += u.Bytes
			}
		}
		return n
	}
	if got := bytesOf("cumsum"); got < 1<<20 || got > 2<<20 {
		t.Errorf("cumsum had %d bytes: %v", got, lucid.CPU.PeakMemoryByOp())
	}
	after := lucid.MemoryStats(lucid.CPU)
	if after.Allocs <= before.Allocs || after.Frees <= before.Frees || after.Allocs-after.Frees < 0 {
		t.Errorf("%+v, then %+v", before, after)
	}
	lucid.ResetPeakMemory(lucid.CPU)
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.CumSum(0).MatMul(x).CumSum(1).Sum() })
	if err := lucid.Eval(f(lucid.Randn(512, 512))); err != nil {
		t.Fatal(err)
	}
	uses := lucid.CPU.PeakMemoryByOp()
	if bytesOf("matmul") < 1<<20 { // its result and its sorted copy, or its operand, are there together
		t.Errorf("%v", uses)
	}
	sum := int64(0)
	for i, u := range uses {
		sum += u.Bytes
		if i > 0 && u.Bytes > uses[i-1].Bytes {
			t.Errorf("not in order: %v", uses)
		}
	}
	if peak := lucid.MemoryStats(lucid.CPU).Peak; sum > peak {
		t.Errorf("%d bytes by op, the peak is %d", sum, peak)
	}
	lucid.CPU.TrackMemory(false)
	if lucid.CPU.PeakMemoryByOp() != nil {
		t.Error("the peak is told without being tracked")
	}
}

// bigHidden is a module whose values are large in one of two layers.
type bigHidden struct {
	nn.Base
	In, Out *nn.Linear
	Wide    *widen
}

func (m *bigHidden) Forward(x *lucid.Tensor) *lucid.Tensor {
	return m.Out.Forward(m.Wide.Forward(m.In.Forward(x)))
}

type widen struct{ nn.Base }

func (m *widen) Forward(x *lucid.Tensor) *lucid.Tensor { return x.Repeat(64, 1).CumSum(0) }

// TestPeakMemoryByModule asks that the peak is told by the modules that recorded the ops, eager and compiled.
func TestPeakMemoryByModule(t *testing.T) {
	lucid.CPU.TrackMemory(true)
	defer lucid.CPU.TrackMemory(false)
	lucid.CPU.TrackMemory(true) // a second time changes nothing
	m := &bigHidden{In: nn.NewLinear(64, 64), Out: nn.NewLinear(64, 1), Wide: &widen{}}
	x := lucid.Randn(64, 64)
	for name, f := range map[string]func(x *lucid.Tensor) *lucid.Tensor{"eager": m.Forward, "compiled": lucid.Compile(m.Forward)} {
		lucid.ResetPeakMemory(lucid.CPU)
		lucid.NoGrad(func() {
			if err := lucid.Eval(f(x)); err != nil {
				t.Fatal(err)
			}
		})
		uses := lucid.CPU.PeakMemoryByModule()
		var wide int64
		for _, u := range uses {
			if u.Module == "bigHidden.widen" {
				wide = u.Bytes
			}
			if u.Op != "" {
				t.Errorf("%s: %v has an op", name, u)
			}
		}
		if wide < 64*64*64*4 {
			t.Errorf("%s: %d bytes of widen in %v", name, wide, uses)
		}
	}
	lucid.CPU.TrackMemory(false)
	if lucid.CPU.PeakMemoryByModule() != nil {
		t.Error("the peak is told without being tracked")
	}
}
