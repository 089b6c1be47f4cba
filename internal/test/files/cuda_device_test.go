//go:build gpu

package files

import (
	"testing"

	"github.com/lucid-go/lucid/internal/testutil/gpu"
)

func TestMain(m *testing.M) { gpu.Main(m) }
