package cuda

import (
	"testing"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/backendtest"
)

// TestConformance compares the GPU with the reference device; an op that fell back to the host fails it. Most of its time
// goes into compiling kernels: scripts/gpu_suite splits it into processes by LUCID_TEST_SHARD.
func TestConformance(t *testing.T) {
	gpu(t)
	dev, err := backend.Open("cuda", 0)
	if err != nil {
		t.Fatal(err)
	}
	backendtest.Run(t, dev)
	if ops, _ := Fallbacks(0); len(ops) > 0 {
		t.Errorf("ops that ran on the host: %v", ops)
	}
}
