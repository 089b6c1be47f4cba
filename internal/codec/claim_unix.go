//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package codec

import (
	"errors"
	"os"
	"syscall"
)

// claim is a lock on a temporary file, on a handle of its own since the file is closed before it is renamed. The
// system gives it up when the process ends, however it ends; that is why it is a lock and not a process number, which
// another machine or container may use too.
type claim struct{ f *os.File }

func newClaim(name string) (claim, error) {
	f, err := os.Open(name)
	if err != nil {
		return claim{}, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err == nil, errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.EINVAL),
			errors.Is(err, syscall.ENOLCK):
			return claim{f}, nil // a file system without locks has none to take either
		default:
			f.Close()
			return claim{}, &os.PathError{Op: "lock", Path: name, Err: err}
		}
	}
}

func (c claim) release() {
	if c.f != nil {
		c.f.Close()
	}
}

// removeUnclaimed deletes a file without a claim. The lock is held meanwhile, so that a saver about to claim the
// file waits, and then sees that it is gone.
func removeUnclaimed(name string) {
	f, err := os.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		os.Remove(name)
	}
}
