package codec

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	slashed "path"
	"path/filepath"
)

// OpenFile opens a regular file for reading and returns its size. Others are refused before they are opened: to open a pipe
// would wait for its writer.
func OpenFile(op, path string) (f *os.File, size int64, err error) {
	st, err := os.Stat(path)
	if err == nil && !st.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	if err != nil {
		return nil, 0, IOError(op, err)
	}
	if f, err = os.Open(path); err != nil {
		return nil, 0, IOError(op, err)
	}
	// It may have been replaced in between.
	if st, err = f.Stat(); err == nil && !st.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, 0, IOError(op, err)
	}
	return f, st.Size(), nil
}

// notRegular is an fs.ErrInvalid that says why.
type notRegular struct{}

var errNotRegular error = notRegular{}

func (notRegular) Error() string        { return "not a regular file" }
func (notRegular) Is(target error) bool { return target == fs.ErrInvalid }

// Opened is an open file whose parts can be read in any order.
type Opened interface {
	io.ReaderAt
	io.Closer
}

// OpenIn opens a regular file of fsys and returns its size; without an fsys it is OpenFile. A file that can only be read from its
// beginning, as those of archives, is read whole.
func OpenIn(op string, fsys fs.FS, path string, lim Limits) (_ Opened, size int64, err error) {
	if fsys == nil {
		return opened(OpenFile(op, path))
	}
	f, err := fsys.Open(path)
	if err != nil {
		return nil, 0, IOError(op, err)
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	if err != nil {
		return nil, 0, IOError(op, err)
	}
	if at, ok := f.(Opened); ok {
		return at, st.Size(), nil
	}
	if err := NewBudget(op, lim).Take(st.Size(), path); err != nil {
		return nil, 0, err
	}
	all, err := io.ReadAll(io.LimitReader(f, st.Size()+1))
	if err != nil {
		return nil, 0, IOError(op, err)
	}
	return inMemory{bytes.NewReader(all), f}, int64(len(all)), nil
}

// opened keeps a nil file from becoming an interface that is not nil.
func opened(f *os.File, size int64, err error) (Opened, int64, error) {
	if err != nil {
		return nil, 0, err
	}
	return f, size, nil
}

// inMemory is a file that was read whole.
type inMemory struct {
	io.ReaderAt
	io.Closer
}

// NextTo returns the path of the file of that name next to path, a file of fsys, or of the machine without one.
func NextTo(fsys fs.FS, path, name string) string {
	if fsys != nil {
		return slashed.Join(slashed.Dir(path), name)
	}
	return filepath.Join(filepath.Dir(path), name)
}
