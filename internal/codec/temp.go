package codec

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// tempOf returns how the names of temporary files for path begin: the hash tells the targets of a directory apart,
// whatever their length.
func tempOf(path string) string {
	h := fnv.New64a()
	h.Write([]byte(filepath.Base(path)))
	return fmt.Sprintf("%s%016x-", TempPrefix, h.Sum64())
}

// createTemp creates a file next to path to be renamed to it, and claims it: as long as the claim is held, and its
// process lives, no other saver takes the file for one left behind. The umask decides the permissions.
func createTemp(path string) (*os.File, claim, error) {
	for try := 0; ; try++ {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf("%s%016x", tempOf(path), rand.Uint64()))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && try < 100 {
			continue
		}
		if failed, ok := err.(*fs.PathError); ok { // the name that the user gave says more than that of the temporary file
			return nil, claim{}, &fs.PathError{Op: failed.Op, Path: path, Err: failed.Err}
		}
		if err != nil {
			return nil, claim{}, err
		}
		c, err := newClaim(name)
		if err == nil {
			// Another saver may have seen the file before it was claimed, and deleted it.
			var opened, there os.FileInfo
			if opened, err = f.Stat(); err == nil {
				if there, err = os.Stat(name); err == nil && os.SameFile(opened, there) {
					return f, c, nil
				}
			}
		}
		c.release()
		f.Close()
		if !(err == nil || errors.Is(err, fs.ErrNotExist)) || try >= 100 {
			os.Remove(name)
			return nil, claim{}, err
		}
	}
}

// removeStale deletes temporary files for path whose savers are dead. It is tidying: what cannot be deleted stays.
func removeStale(path string) {
	dir, prefix := filepath.Dir(path), tempOf(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && e.Type().IsRegular() {
			removeUnclaimed(filepath.Join(dir, e.Name()))
		}
	}
}
