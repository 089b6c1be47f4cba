package cuda

import (
	"testing"

	"github.com/lucid-go/lucid/internal/backend/ref"
)

// TestKnown asks for a kernel of every op the reference device computes.
func TestKnown(t *testing.T) {
	for op := range ref.Device.Table {
		if !Known(op) && op != "print" { // which shows values on the host
			t.Errorf("there is no kernel for %s", op)
		}
	}
}
