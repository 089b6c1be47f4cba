package data

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/lucid-go/lucid"
)

// maxValues bounds how many numbers a reader takes from one file: 2^31 bytes hold every data set that fits in memory
// with a model.
const maxValues = 1 << 31

// withFile opens a file, unpacked if it is gzip, and hands it to f. Errors say the path.
func withFile(op, path string, f func(r io.Reader) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	var r io.Reader = bufio.NewReaderSize(file, 1<<16)
	if magic, _ := r.(*bufio.Reader).Peek(2); len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(r)
		if err != nil {
			return decodeError(op, path, fmt.Errorf("gzip: %w", err))
		}
		r = z
	}
	return decodeError(op, path, f(r))
}

// decodeError names the function, and the file if there is one, in an error about what was read. One that has a kind keeps it, as that of
// an option; the others are of kind Format.
func decodeError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	if e := (*lucid.Error)(nil); errors.As(err, &e) {
		named := *e
		if named.Op = op; path != "" {
			named.Msg = path + ": " + e.Msg
		}
		return &named
	}
	e := lucid.Errorf(lucid.ErrFormat, op, "%s", path)
	e.Err = err
	return e
}
