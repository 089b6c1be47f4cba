package cuda

import (
	"testing"

	"github.com/lucid-go/lucid/internal/backend/ref"
	declared "github.com/lucid-go/lucid/internal/graph"
)

// TestKnown asks for a kernel of every op the reference device computes, but for those that belong on the host.
func TestKnown(t *testing.T) {
	for op := range ref.Device.Table {
		if !Known(op) && declared.Lookup(op).Role != declared.RolePrint {
			t.Errorf("there is no kernel for %s", op)
		}
	}
}
