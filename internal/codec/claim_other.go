//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package codec

import (
	"os"
	"runtime"
	"time"
)

// claim is nothing: Windows refuses to delete an open file, and elsewhere temporary files are left alone.
type claim struct{}

func newClaim(string) (claim, error) { return claim{}, nil }

func (claim) release() {}

// removeUnclaimed deletes a file that no process has open, where the system can tell. A saver closes its file before renaming
// it; on Windows a file could go in between, so only those a minute old are tried.
func removeUnclaimed(name string) {
	if runtime.GOOS != "windows" {
		return
	}
	if st, err := os.Stat(name); err == nil && time.Since(st.ModTime()) > time.Minute {
		os.Remove(name)
	}
}
