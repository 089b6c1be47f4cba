//go:build unix

package codec

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOpenPipe checks that a pipe is refused at once: opening it would wait for a writer.
func TestOpenPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	for _, p := range []string{path, t.TempDir()} {
		if _, _, err := OpenFile("load", p); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%s: %v", p, err)
		}
	}
}
