package lucid_test

import (
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

func TestUnknownDevice(t *testing.T) {
	err := lucid.Try(func() { lucid.Zeros(2).To(lucid.Device{Type: "abacus"}) })
	if err == nil || !strings.Contains(err.Error(), "abacus") || !strings.Contains(err.Error(), "lucid/cuda") {
		t.Errorf("an unknown device: %v", err)
	}
	if lucid.CUDA(1).String() != "cuda:1" {
		t.Errorf("%v", lucid.CUDA(1))
	}
}
