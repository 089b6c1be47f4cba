package codec

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid/internal/fault"
)

// IOError names the operation in an error of the operating system and keeps its type. It is not a
// *fault.Error: a disk that fails says nothing about the file's format.
func IOError(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("lucid: %s: %w", op, err)
}

// InFile adds the path to an error about a file's content, unless it is there; errors of the operating system have it already.
func InFile(err error, path string) error {
	e, ok := err.(*fault.Error)
	if !ok || strings.HasPrefix(e.Msg, path+": ") {
		return err
	}
	named := *e
	named.Msg = path + ": " + e.Msg
	return &named
}
