package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/lucid-go/lucid"
)

// The IDX format, of the MNIST files: two zero bytes, one for the dtype, one for the number of dimensions, each
// dimension as a big-endian uint32, then the elements, big-endian, row by row.

const maxIDXDims = 8

// ReadIDX reads a tensor from an IDX file, the format of MNIST; gzip is undone. A file that is shorter or longer than
// its header says is refused.
func ReadIDX(path string) (t *lucid.Tensor, err error) {
	err = withFile("read_idx", path, func(r io.Reader) (err error) {
		t, err = decodeIDX(r)
		return err
	})
	return t, err
}

// DecodeIDX reads a tensor in IDX format to the end of r. Memory grows with what is there, not with what the header
// promises.
func DecodeIDX(r io.Reader) (*lucid.Tensor, error) {
	t, err := decodeIDX(r)
	return t, decodeError("decode_idx", "", err)
}

func decodeIDX(r io.Reader) (*lucid.Tensor, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, fmt.Errorf("no IDX header: %w", err)
	}
	dims := int(head[3])
	width := map[byte]int{8: 1, 9: 1, 11: 2, 12: 4, 13: 4, 14: 8}[head[2]]
	if head[0] != 0 || head[1] != 0 || width == 0 {
		return nil, fmt.Errorf("begins with % x; want 00 00, a dtype (08, 09, 0b to 0e) and the number of dimensions", head)
	}
	if dims > maxIDXDims {
		return nil, fmt.Errorf("has %d dimensions; want at most %d", dims, maxIDXDims)
	}
	// room counts an empty dimension as one: the others must be within bounds all the same.
	shape, size, room := make([]int, dims), int64(width), int64(width)
	for i := range shape {
		var n uint32
		if err := binary.Read(r, binary.BigEndian, &n); err != nil {
			return nil, fmt.Errorf("ends inside the header: %w", err)
		}
		if n > 0 && room > maxValues/int64(n) {
			return nil, fmt.Errorf("dimension %d is %d: more than %d bytes in all", i, n, maxValues)
		}
		shape[i] = int(n)
		size *= int64(n)
		room *= max(int64(n), 1)
	}
	var b bytes.Buffer
	n, err := io.CopyN(&b, r, size+1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if n != size {
		return nil, fmt.Errorf("has %s %d bytes after the header; shape %v wants %d",
			map[bool]string{true: "more than", false: "only"}[n > size], min(n, size), shape, size)
	}
	return idxTensor(head[2], b.Bytes(), shape), nil
}

func idxTensor(kind byte, b []byte, shape []int) *lucid.Tensor {
	be := binary.BigEndian
	switch kind {
	case 9:
		return lucid.New(convert(b, 1, func(b []byte) int8 { return int8(b[0]) }), shape...)
	case 11:
		return lucid.New(convert(b, 2, func(b []byte) int16 { return int16(be.Uint16(b)) }), shape...)
	case 12:
		return lucid.New(convert(b, 4, func(b []byte) int32 { return int32(be.Uint32(b)) }), shape...)
	case 13:
		return lucid.New(convert(b, 4, func(b []byte) float32 { return math.Float32frombits(be.Uint32(b)) }), shape...)
	case 14:
		return lucid.New(convert(b, 8, func(b []byte) float64 { return math.Float64frombits(be.Uint64(b)) }), shape...)
	}
	return lucid.New(b, shape...)
}

func convert[T any](b []byte, width int, f func(b []byte) T) []T {
	out := make([]T, len(b)/width)
	for i := range out {
		out[i] = f(b[i*width:])
	}
	return out
}

// MNIST reads the four files of MNIST, or of a set made like it, from a folder: train-images-idx3-ubyte,
// train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, with .gz or without. Images are
// (N, H, W), uint8; labels (N), int64.
func MNIST(dir string) (train, test *TensorDataset, err error) {
	if train, err = mnistPart(dir, "train"); err != nil {
		return nil, nil, err
	}
	if test, err = mnistPart(dir, "t10k"); err != nil {
		return nil, nil, err
	}
	return train, test, nil
}

func mnistPart(dir, part string) (*TensorDataset, error) {
	images, err := mnistFile(dir, part+"-images", "idx3-ubyte")
	if err != nil {
		return nil, err
	}
	labels, err := mnistFile(dir, part+"-labels", "idx1-ubyte")
	if err != nil {
		return nil, err
	}
	if images.Dim() != 3 || labels.Dim() != 1 || images.Size(0) != labels.Size(0) || images.DType() != lucid.Uint8 ||
		labels.DType() != lucid.Uint8 {
		return nil, lucid.Errorf(lucid.ErrFormat, "mnist", "%s: the %s images are %v %v, the labels %v %v; want (N, H, W) and (N), uint8",
			dir, part, images.Shape(), images.DType(), labels.Shape(), labels.DType())
	}
	return NewTensorDataset(images, labels.To(lucid.Int64)), nil
}

// mnistFile reads a file under one of the names it goes by.
func mnistFile(dir, name, kind string) (*lucid.Tensor, error) {
	var first string
	for _, joint := range []string{"-", "."} {
		for _, ext := range []string{"", ".gz"} {
			path := filepath.Join(dir, name+joint+kind+ext)
			if first == "" {
				first = path
			}
			if _, err := os.Stat(path); err == nil {
				return ReadIDX(path)
			}
		}
	}
	return nil, lucid.Errorf(lucid.ErrFormat, "mnist", "there is no %s, nor the same with .gz", first)
}
