//go:build !((linux || darwin || freebsd || windows) && (amd64 || arm64))

package dl

import (
	"errors"
	"runtime"
)

var errSystem = errors.New("shared libraries cannot be opened on " + runtime.GOOS + "/" + runtime.GOARCH)

func open(string) (uintptr, error) { return 0, errSystem }

func symbol(uintptr, string) (uintptr, error) { return 0, errSystem }

// Call cannot be reached: no library can be open here.
func Call(uintptr, ...uintptr) uintptr { panic("lucid: internal: " + errSystem.Error()) }
