package codec

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// New makes the tensor s claims out of its bytes: the one door for tensors of foreign files.
//
// Data is used as it is when it can be. It is copied when it is not aligned for the element type, and, unless
// owned, when a bool is neither 0 nor 1: a Go bool with any other byte is undefined, and kernels read them as bools.
func New(op string, s Spec, data []byte, owned bool) (Tensor, error) {
	if err := Check(op, Spec{s.Name, s.DType, s.Shape, 0, s.Size}, int64(len(data)), Limits{}); err != nil {
		return Tensor{}, err
	}
	if int64(len(data)) != s.Size {
		return Tensor{}, fault.New(fault.Format, op, "tensor %q has %d bytes, wants %d", s.Name, len(data), s.Size)
	}
	data = data[:len(data):len(data)] // an append must not reach the neighbour
	if !aligned(data, s.DType) {
		data, owned = bytes.Clone(data), true
	}
	if s.DType == dtype.Bool {
		data = canonicalBools(data, owned)
	}
	return Tensor{Name: s.Name, DType: s.DType, Shape: slices.Clone(s.Shape), Data: data}, nil
}

// Read makes the tensor s out of the bytes of r, whose data starts at base. Check must have passed: the
// allocation is of the claimed size.
func Read(op string, s Spec, r io.ReaderAt, base int64) (Tensor, error) {
	buf := make([]byte, s.Size)
	if err := ReadFull(op, r, buf, base+s.Offset); err != nil {
		return Tensor{}, err
	}
	return New(op, s, buf, true)
}

// ReadFull fills buf from offset off; a file that ends early is a bad file.
func ReadFull(op string, r io.ReaderAt, buf []byte, off int64) error {
	n, err := r.ReadAt(buf, off)
	switch {
	case n == len(buf):
		return nil
	case err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return fault.Wrap(fault.Format, op, io.ErrUnexpectedEOF, "the file ends at byte %d, wants %d", off+int64(n), off+int64(len(buf)))
	}
	return IOError(op, err)
}

// aligned reports whether data may be viewed as elements of d. A complex number is aligned as its parts are.
func aligned(data []byte, d dtype.DType) bool {
	return len(data) == 0 || uintptr(unsafe.Pointer(unsafe.SliceData(data)))%uintptr(d.Real().Size()) == 0
}

func canonicalBools(data []byte, owned bool) []byte {
	for i, b := range data {
		if b <= 1 {
			continue
		}
		if !owned {
			data, owned = bytes.Clone(data), true
		}
		data[i] = 1
	}
	return data
}
