package autograd_test

import (
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/autograd"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
)

// late is a device with memory of its own.
var late = sync.OnceValue(func() *backend.Device {
	d, _ := fake.New(cpu.Device)
	return d
})

func init() { backend.Register("fake", func(int) (*backend.Device, error) { return late(), nil }) }

// TestSaveOnCPUMemory asks that the device holds no value between forward and backward but inputs and results.
func TestSaveOnCPUMemory(t *testing.T) {
	fakeDevice := lucid.Device{Type: "fake"}
	const size, depth = 1 << 20, 8 // bytes of a value, values that the gradient needs
	chain := func(in list) list {
		y := in[0]
		for range depth {
			y = y.Tanh()
		}
		return list{y}
	}
	allocated := func() int64 { return lucid.MemoryStats(fakeDevice).Allocated }
	measure := func(f func(...*lucid.Tensor) list) (between int64, grad *lucid.Tensor) {
		x := lucid.Arange(size / 4).To(lucid.Float32).Div(1 << 18).To(fakeDevice).Detach().RequiresGrad_(true).Eval()
		start := allocated()
		y := f(x)[0].Eval()
		between = allocated() - start
		y.Sum().Backward()
		return between, x.Grad().CPU().Detach().Eval()
	}
	plain, want := measure(func(xs ...*lucid.Tensor) list { return chain(xs) })
	moved, got := measure(autograd.SaveOnCPU(chain))
	t.Logf("between forward and backward: %d bytes, %d with SaveOnCPU", plain, moved)
	if plain < depth*size || moved > 2*size {
		t.Errorf("%d bytes, %d with SaveOnCPU; want at least %d, and at most %d", plain, moved, depth*size, 2*size)
	}
	if !lucid.AllClose(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
}
