//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package codec

import (
	"os"
	"runtime"

	"github.com/lucid-go/lucid/internal/fault"
)

func mapFile(*os.File, int64) ([]byte, error) {
	return nil, fault.New(fault.NotImplemented, "map", "files cannot be mapped on %s; read it without the Mapped option", runtime.GOOS)
}

func unmap([]byte) error { return nil }
