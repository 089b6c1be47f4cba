package cuda

import (
	"testing"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/backendtest"
	"github.com/lucid-go/lucid/internal/backend/cuda"
)

// TestConformance compares the GPU with the reference device; an op that fell back to the host fails it, but for those that do so by
// choice. Most of its time goes into compiling kernels: scripts/gpu_suite splits it into processes by LUCID_TEST_SHARD.
func TestConformance(t *testing.T) {
	gpu(t)
	dev, err := backend.Open("cuda", 0)
	if err != nil {
		t.Fatal(err)
	}
	backendtest.Run(t, dev)
	fell, err := Fallbacks(0)
	if err != nil {
		t.Fatal(err)
	}
	for op, n := range fell {
		if !cuda.RunsOnHost(op) {
			t.Errorf("%s ran on the host, %d times", op, n)
		}
	}
}
