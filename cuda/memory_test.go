package cuda

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestOutOfMemory: dropped tensors are collected when the device is full, what can never fit is an error, and afterwards
// everything works.
func TestOutOfMemory(t *testing.T) {
	dev := gpu(t)
	make8 := func() *lucid.Tensor {
		var x *lucid.Tensor
		lucid.WithDevice(dev, func() { x = lucid.Arange(2 << 30).To(lucid.Float32).Eval() }) // 8 GiB
		return x
	}
	d, err := device(0)
	if err != nil {
		t.Fatal(err)
	}
	free, total, err := d.Device.Free()
	if err != nil {
		t.Fatal(err)
	}
	for range int(total>>33) + 4 { // more than the device has, none of it retained
		make8()
	}
	var held []*lucid.Tensor
	err = lucid.Try(func() {
		for range int(total>>33) + 1 {
			held = append(held, make8())
		}
	})
	if !errors.Is(err, lucid.ErrOutOfMemory) {
		t.Errorf("holding %d of 8 GiB each, of %d GiB: %v", len(held), free>>30, err)
	}
	if got := held[0].Narrow(0, 0, 1000).Sum().Item(); got != 999*500 {
		t.Errorf("what was held is %v", got)
	}
	for _, x := range held {
		x.Free()
	}
	if got := make8().Narrow(0, 5, 10).Sum().Item(); got != 95 {
		t.Errorf("afterwards: %v", got)
	}
	lucid.ClearCache(dev)
}

// TestOutOfMemoryInTraining: a step without enough memory fails and leaves the parameters unchanged; training then
// continues with the same bits.
func TestOutOfMemoryInTraining(t *testing.T) {
	dev := gpu(t)
	lucid.Seed(9)
	x, large := lucid.Randn(256, 512).To(dev).Eval(), lucid.Randn(1<<15, 512).To(dev).Eval()
	begin := lucid.Randn(512, 512).Mul(0.05).To(dev).Eval()
	eager := func(w, x *lucid.Tensor) *lucid.Tensor {
		g := lucid.Grad(func(w *lucid.Tensor) *lucid.Tensor { return x.MatMul(w).Tanh().Square().Mean() })(w)
		return w.Sub(g.Mul(0.1))
	}
	for name, step := range map[string]func(w, x *lucid.Tensor) *lucid.Tensor{"eager": eager, "compiled": lucid.Compile(eager)} {
		run := func(failing bool) *lucid.Tensor {
			w := begin
			for i := range 8 {
				if failing && i == 5 {
					lucid.ClearCache(dev)
					old := lucid.SetMemoryLimit(dev, lucid.MemoryStats(dev).Allocated+(16<<20))
					err := lucid.Try(func() { step(w, large).Eval() })
					lucid.SetMemoryLimit(dev, old)
					if !errors.Is(err, lucid.ErrOutOfMemory) {
						t.Errorf("%s: a step of 64 MiB and more in 16: %v", name, err)
					}
				}
				w = step(w, x).Eval()
			}
			return w
		}
		if want, got := run(false), run(true); !lucid.Equal(got, want) {
			t.Errorf("%s: other parameters after a step that failed", name)
		}
	}
}
