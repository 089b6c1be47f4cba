package doors

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var generate = flag.Bool("generate", false, "write the files")

// TestDoors fails when a generated file differs from what the marks ask for.
func TestDoors(t *testing.T) {
	root := "../../.."
	files, err := Generate(filepath.Join(root, "internal/ops"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		path := filepath.Join(root, name)
		if *generate {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is stale; run: go test ./internal/gen/doors -generate", name)
		}
	}
}

func TestSnake(t *testing.T) {
	for in, want := range map[string]string{
		"LogSoftmax": "log_softmax", "Atan2": "atan2", "KeepDim": "keepdim", "DType": "dtype", "AlignCorners": "align_corners",
		"Conv2d": "conv2d", "PReLU": "p_re_lu",
	} {
		if got := snake(in); got != want {
			t.Errorf("snake(%q) = %q, want %q", in, got, want)
		}
	}
}
