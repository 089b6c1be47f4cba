package lucid

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// placed is a tensor on the device under test.
func placed(t *Tensor) *Tensor {
	if t == nil || DefaultDevice() == CPU {
		return t
	}
	return t.To(DefaultDevice())
}

func TestUnknownDevice(t *testing.T) {
	err := Try(func() { Zeros(2).To(Device{Type: "abacus"}) })
	if err == nil || !strings.Contains(err.Error(), "abacus") || !strings.Contains(err.Error(), "lucid/cuda") {
		t.Errorf("an unknown device: %v", err)
	}
	if CUDA(1).String() != "cuda:1" {
		t.Errorf("%v", CUDA(1))
	}
}

// inShard reports whether case i is for this process: LUCID_TEST_SHARD=2/16 runs every 16th, from the third on.
func inShard(i int) bool {
	var k, n int
	if _, err := fmt.Sscanf(os.Getenv("LUCID_TEST_SHARD"), "%d/%d", &k, &n); err != nil {
		return true
	}
	return i%n == k
}
