package lucid

import (
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
