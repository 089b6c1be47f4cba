//go:build amd64 && !linux && !purego

package gemm

import "errors"

// askForTiles knows no way to ask here.
func askForTiles() error { return errors.ErrUnsupported }
