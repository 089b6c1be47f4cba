package cuda

import (
	"testing"

	"github.com/lucid-go/lucid/internal/backend/ref"
)

// without lists the ops that need no kernel.
var without = map[string]string{"print": "it shows values on the host"}

// TestKernelCoverage requires a kernel for every op of the reference device.
func TestKernelCoverage(t *testing.T) {
	for op := range ref.Device.Table {
		if !HasKernel(op) && without[op] == "" {
			t.Errorf("there is no kernel for %s", op)
		}
	}
}
