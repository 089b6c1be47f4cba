package codec

import (
	"io/fs"
	"os"
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
