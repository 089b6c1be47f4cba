package lucid

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestMain puts the tests on the device that LUCID_TEST_DEVICE names.
func TestMain(m *testing.M) {
	if d := os.Getenv("LUCID_TEST_DEVICE"); d != "" {
		if err := Try(func() { SetDefaultDevice(Device{Type: d}) }); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

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
