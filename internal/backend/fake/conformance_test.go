package fake_test

import (
	"testing"

	"github.com/lucid-go/lucid/internal/backend/backendtest"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
)

func TestConformance(t *testing.T) {
	dev, _ := fake.New(cpu.Device)
	if testing.Short() { // the kernels are those of the CPU: its own test computes all
		backendtest.RunSparse(t, dev)
		return
	}
	backendtest.Run(t, dev)
}
