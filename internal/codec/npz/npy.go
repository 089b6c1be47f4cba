package npz

import (
	"encoding/binary"
	"io"
	"slices"
	"strconv"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/zipfile"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

const magic = "\x93NUMPY"

// maxFields bounds the text of a header; a real one is about a hundred bytes.
const maxFields = 1 << 20

// stream is an .npy file on its way in: exactly size bytes of r, or the file is bad.
type stream struct {
	name   string
	r      io.Reader
	size   int64
	vouch  bool // size is the length of bytes that exist, not a promise of a compressor
	bf16   bool // a V2 is bfloat16
	lim    codec.Limits
	budget *codec.Budget
}

func (s *stream) read() (codec.Tensor, error) {
	f, used, err := s.header()
	if err != nil {
		return codec.Tensor{}, err
	}
	d, swap, void, err := parseDescr(s.name, f.descr)
	if err != nil {
		return codec.Tensor{}, err
	}
	if void && !s.bf16 {
		return codec.Tensor{}, fault.New(fault.DType, op, "array %q has the NumPy type %q; if it is bfloat16, set VoidAsBFloat16",
			s.name, f.descr)
	}
	spec := codec.Spec{Name: s.name, DType: d, Shape: f.shape, Size: s.size - used}
	if err := codec.Check(op, spec, spec.Size, s.lim); err != nil {
		return codec.Tensor{}, err
	}
	transpose := f.fortran && len(f.shape) > 1
	need := spec.Size
	if transpose {
		need *= 2 // cannot overflow: Size is that of a file
	}
	if err := s.budget.Take(need, "array "+s.name); err != nil {
		return codec.Tensor{}, err
	}
	data, err := s.data(spec.Size)
	if err != nil {
		return codec.Tensor{}, err
	}
	if swap {
		swapBytes(data, d)
	}
	if transpose {
		data = rowMajor(data, f.shape, d.Size())
	}
	return codec.New(op, spec, data, true)
}

// header reads magic, version, length and dictionary; used is their size.
func (s *stream) header() (f fields, used int64, err error) {
	var b [12]byte
	if err := s.full(b[:8]); err != nil {
		return f, 0, err
	}
	if string(b[:6]) != magic {
		return f, 0, fault.New(fault.Format, op, "array %q does not begin as an .npy file", s.name)
	}
	major, minor := b[6], b[7]
	wide := 4
	switch {
	case minor != 0 || major == 0:
		return f, 0, fault.New(fault.Format, op, "array %q has .npy version %d.%d", s.name, major, minor)
	case major == 1:
		wide = 2
	case major > 3:
		return f, 0, fault.New(fault.Version, op, "array %q has .npy version %d.%d; this library reads 1.0 to 3.0", s.name, major, minor)
	}
	if err := s.full(b[8 : 8+wide]); err != nil {
		return f, 0, err
	}
	n := int64(binary.LittleEndian.Uint32(b[8:])) // the two bytes not read are 0
	used = 8 + int64(wide) + n
	if n > min(maxFields, s.lim.Filled().MaxHeader) || used > s.size {
		return f, 0, fault.New(fault.Format, op, "array %q claims a header of %d bytes in a file of %d", s.name, n, s.size)
	}
	text := make([]byte, n)
	if err := s.full(text); err != nil {
		return f, 0, err
	}
	f, err = parseFields(s.name, string(text), s.lim)
	return f, used, err
}

// data reads the n bytes after the header, and makes sure that nothing follows: at the end an archive checks its
// checksum. If the size is only promised, memory grows with what has really come.
func (s *stream) data(n int64) ([]byte, error) {
	const step = 16 << 20
	first := n
	if !s.vouch {
		first = min(n, step)
	}
	data := make([]byte, first)
	for at := int64(0); ; {
		if err := s.full(data[at:]); err != nil {
			return nil, err
		}
		if at = int64(len(data)); at == n {
			break
		}
		data = slices.Grow(data, int(min(n-at, at)))
		data = data[:min(n, 2*at)]
	}
	var one [1]byte
	if k, err := io.ReadFull(s.r, one[:]); k != 0 {
		return nil, fault.New(fault.Format, op, "array %q is followed by more bytes", s.name)
	} else if err != io.EOF {
		return nil, broken("array "+strconv.Quote(s.name), err)
	}
	return data, nil
}

func (s *stream) full(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if _, err := io.ReadFull(s.r, b); err != nil {
		return broken("array "+strconv.Quote(s.name), err)
	}
	return nil
}

func broken(what string, err error) error { return zipfile.Broken(op, what, err) }

// swapBytes reverses the bytes of big-endian elements in place; a complex number is two.
func swapBytes(data []byte, d dtype.DType) {
	w := d.Real().Size()
	for ; len(data) >= w; data = data[w:] {
		slices.Reverse(data[:w])
	}
}

// rowMajor copies elements of w bytes from column-major order.
func rowMajor(src []byte, shape []int, w int) []byte {
	dst := make([]byte, len(src))
	if len(src) == 0 {
		return dst
	}
	stride := make([]int, len(shape)) // of src, in bytes
	for i, step := 0, w; i < len(shape); i++ {
		stride[i] = step
		step *= shape[i]
	}
	last := len(shape) - 1
	at := make([]int, last) // position in all dimensions but the last
	from := 0
	for to := 0; to < len(dst); {
		for k := range shape[last] {
			copy(dst[to:to+w], src[from+k*stride[last]:])
			to += w
		}
		// Step to the next row as an odometer does.
		for i := last - 1; i >= 0; i-- {
			at[i]++
			from += stride[i]
			if at[i] < shape[i] {
				break
			}
			from -= at[i] * stride[i]
			at[i] = 0
		}
	}
	return dst
}
