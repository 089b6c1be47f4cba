package cpu_test

import (
	"testing"

	"github.com/lucid-go/lucid/internal/backend/backendtest"
	"github.com/lucid-go/lucid/internal/backend/cpu"
)

func TestConformance(t *testing.T) { backendtest.Run(t, cpu.Device) }
