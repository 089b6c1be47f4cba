package data

import (
	"bufio"
	"compress/gzip"
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
			return lucid.Errorf(lucid.ErrFormat, op, "%s: gzip: %v", path, err)
		}
		r = z
	}
	if err := f(r); err != nil {
		return lucid.Errorf(lucid.ErrFormat, op, "%s: %v", path, err)
	}
	return nil
}
