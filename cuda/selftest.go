package cuda

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// selfTest computes a few values on a GPU and on the CPU.
func selfTest(index int) error {
	return lucid.Try(func() {
		x := lucid.New([]float32{1, -2, 3, 0.5, 4, -1}, 2, 3)
		sum := func(x *lucid.Tensor) float64 { return x.MatMul(x.Transpose(0, 1)).ReLU().Exp().Log().Sum().Item() }
		got, want := sum(x.To(lucid.CUDA(index))), sum(x)
		if d := got - want; !(d < 1e-4 && d > -1e-4) {
			fault.Throw(fault.Device, "cuda", "the self-test gives %v on device %d and %v on the CPU", got, index, want)
		}
	})
}
