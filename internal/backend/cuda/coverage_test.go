package cuda

import (
	"testing"

	"github.com/lucid-go/lucid/internal/backend/ref"
	declared "github.com/lucid-go/lucid/internal/graph"
)

// onHost are ops of other kinds that run on the host until they have a kernel.
var onHost = map[string]bool{"fft_c2c": true, "fft_r2c": true, "fft_c2r": true, "block_matmul": true, "block_dequantize": true,
	"quantize_groups": true, "dequantize_groups": true, "quantized_matmul": true}

// TestKernelCoverage requires a kernel for every op of the reference device, but for those that belong on the host.
func TestKernelCoverage(t *testing.T) {
	for op := range ref.Device.Table {
		d := declared.Lookup(op)
		if !HasKernel(op) && !onHost[op] && d.Role != declared.RolePrint && d.Kind != declared.Factor { // factorisations run on the host
			t.Errorf("there is no kernel for %s", op)
		}
	}
}
