package codec

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// TempPrefix begins the name of a file being written. A process killed in the middle leaves one behind; it is
// never read, and the next save to the same path deletes it.
const TempPrefix = ".lucid-tmp-"

// WriteAtomic replaces the file at path with what write produces. At every moment, and after a crash at any
// moment, path holds the whole old content or the whole new one: the bytes go to a temporary name in the same
// directory, are synced, renamed to path, and the directory is synced.
//
// A symbolic link is followed, so that the link stays. An existing file's permissions stay; a new file gets
// 0666 less the umask. Several writers of one path are safe; the last to finish wins.
func WriteAtomic(path string, write func(io.Writer) error) (err error) {
	if real, e := filepath.EvalSymlinks(path); e == nil {
		path = real
	}
	dir := filepath.Dir(path)
	f, claim, err := createTemp(path)
	if err != nil {
		return IOError("save", err)
	}
	temp := f.Name()
	done := false
	defer func() { // also when write panics
		if !done {
			f.Close() // twice at worst
			os.Remove(temp)
		}
		claim.release()
	}()
	if old, e := os.Stat(path); e == nil {
		if !old.Mode().IsRegular() {
			return IOError("save", &fs.PathError{Op: "replace", Path: path, Err: errors.New("not a regular file")})
		}
		if e := f.Chmod(old.Mode().Perm()); e != nil {
			return IOError("save", e)
		}
	}
	buf := bufio.NewWriterSize(f, 1<<18)
	if err := write(buf); err != nil {
		return err
	}
	// Each step only if the one before went well; the first failure is the error.
	for _, step := range []func() error{buf.Flush, f.Sync, f.Close, func() error { return os.Rename(temp, path) }} {
		if err := step(); err != nil {
			return IOError("save", err)
		}
	}
	done = true
	removeStale(path)
	// Without this a power cut may undo the rename. The new file is in place either way.
	return IOError("save", syncDir(dir))
}
