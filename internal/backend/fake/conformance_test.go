package fake_test

import (
	"testing"

	"github.com/lucid-go/lucid/internal/backend/backendtest"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
)

func TestConformance(t *testing.T) {
	dev, _ := fake.New(cpu.Device)
	backendtest.Run(t, dev)
}
