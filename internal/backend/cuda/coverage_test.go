package cuda

import (
	"os"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/backend/ref"
	declared "github.com/lucid-go/lucid/internal/graph"
)

// TestKernelCoverage requires a kernel for every op of the reference device, but for those that belong on the host.
func TestKernelCoverage(t *testing.T) {
	for op := range ref.Device.Table {
		if !HasKernel(op) && onHost[op] == "" && declared.Lookup(op).Role != declared.RolePrint {
			t.Errorf("there is no kernel for %s", op)
		}
	}
}

// TestOnHost requires that the documentation names the ops that run on the host.
func TestOnHost(t *testing.T) {
	b, err := os.ReadFile("../../../docs/cuda.md")
	if err != nil {
		t.Fatal(err)
	}
	for op, why := range onHost {
		if !strings.Contains(string(b), "`"+op+"`") {
			t.Errorf("docs/cuda.md does not say that %s runs on the host: %s", op, why)
		}
	}
}
