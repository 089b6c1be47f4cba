//go:build unix

package codec

import (
	"errors"
	"os"
	"syscall"
)

// syncDir makes a rename in dir last through a power cut. Some file systems cannot sync a directory and say
// so; there is nothing more to do on them.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
