package npz

import (
	"bytes"
	"io"
	"os"

	"github.com/lucid-go/lucid/internal/codec"
)

// Read reads all arrays of an archive.
func Read(path string, o Options) (out codec.File, err error) {
	err = withFile(path, func(f *os.File, size int64) error {
		out, err = Decode(f, size, o)
		return err
	})
	return out, err
}

// Parse is Read of an archive in memory.
func Parse(data []byte, o Options) (codec.File, error) {
	return Decode(bytes.NewReader(data), int64(len(data)), o)
}

// ReadNpy reads a lone array. Its name is empty.
func ReadNpy(path string, o Options) (out codec.Tensor, err error) {
	err = withFile(path, func(f *os.File, size int64) error {
		out, err = decodeNpy(f, size, o)
		return err
	})
	return out, err
}

// ParseNpy is ReadNpy of a file in memory.
func ParseNpy(data []byte, o Options) (codec.Tensor, error) {
	return decodeNpy(bytes.NewReader(data), int64(len(data)), o)
}

func decodeNpy(r io.Reader, size int64, o Options) (codec.Tensor, error) {
	s := stream{r: r, size: size, vouch: true, bf16: o.VoidAsBFloat16, lim: o.Limits, budget: codec.NewBudget(op, o.Limits)}
	return s.read()
}

func withFile(path string, f func(*os.File, int64) error) error {
	file, size, err := codec.OpenFile(op, path)
	if err != nil {
		return err
	}
	defer file.Close()
	return codec.InFile(f(file, size), path)
}
