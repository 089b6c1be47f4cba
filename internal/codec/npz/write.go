package npz

import (
	"archive/zip"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// WriteNpy replaces the file at path with one array; its name is not stored.
func WriteNpy(path string, t codec.Tensor, o WriteOptions) error {
	if err := checkNpy(t, o); err != nil {
		return err
	}
	return codec.WriteAtomic(path, func(w io.Writer) error { return EncodeNpy(w, t, o) })
}

// EncodeNpy writes one array to w.
func EncodeNpy(w io.Writer, t codec.Tensor, o WriteOptions) error {
	if err := checkNpy(t, o); err != nil {
		return err
	}
	return emitNpy(w, t)
}

func checkNpy(t codec.Tensor, o WriteOptions) error {
	if err := codec.CheckTensor(op, t); err != nil {
		return err
	}
	if t.DType == dtype.BFloat16 && !o.BFloat16AsVoid {
		return fault.New(fault.DType, op, "NumPy has no bfloat16; cast to float32, save as .npz or .safetensors, or set BFloat16AsVoid")
	}
	return nil
}

func emitNpy(w io.Writer, t codec.Tensor) error {
	if _, err := w.Write(npyHeader(t)); err != nil {
		return codec.IOError(op, err)
	}
	if _, err := w.Write(t.Data); err != nil {
		return codec.IOError(op, err)
	}
	return nil
}

// npyHeader is version 1.0, padded so that the data starts at a multiple of 64, as NumPy has it.
func npyHeader(t codec.Tensor) []byte {
	var shape strings.Builder
	for i, n := range t.Shape {
		if i > 0 {
			shape.WriteString(", ")
		}
		fmt.Fprint(&shape, n)
	}
	if len(t.Shape) == 1 {
		shape.WriteByte(',')
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", formatDescr(t.DType), shape.String())
	n := (10+len(dict)+1+63)/64*64 - 10
	b := append([]byte(magic), 1, 0, byte(n), byte(n>>8))
	b = append(b, dict...)
	for len(b) < 10+n-1 {
		b = append(b, ' ')
	}
	return append(b, '\n')
}

// Write replaces the file at path with an archive of the tensors, in the order given.
func Write(path string, f codec.File, o WriteOptions) error {
	n, err := plan(f)
	if err != nil {
		return err
	}
	return codec.WriteAtomic(path, func(w io.Writer) error { return emit(w, f, n, o) })
}

// Encode writes the archive to w.
func Encode(w io.Writer, f codec.File, o WriteOptions) error {
	n, err := plan(f)
	if err != nil {
		return err
	}
	return emit(w, f, n, o)
}

// plan checks everything before a byte is written.
func plan(f codec.File) (note, error) {
	n := note{bf16: map[string]bool{}, metadata: f.Metadata}
	for k, v := range f.Metadata {
		if !utf8.ValidString(k) || !utf8.ValidString(v) {
			return n, fault.New(fault.Value, op, "metadata %q: %q is not valid UTF-8", k, v)
		}
	}
	seen := map[string]bool{}
	for _, t := range f.Tensors {
		if err := codec.CheckTensor(op, t); err != nil {
			return n, err
		}
		if err := checkName(t.Name, codec.Limits{}); err != nil {
			return n, err
		}
		if seen[t.Name] {
			return n, fault.New(fault.Value, op, "the name %q is given twice", t.Name)
		}
		seen[t.Name] = true
		if t.DType == dtype.BFloat16 {
			n.bf16[t.Name] = true
		}
	}
	if name := strings.TrimSuffix(noteName, ".npy"); seen[name] && len(notePrefix)+len(n.bytes()) > maxComment {
		return n, fault.New(fault.Value, op, "the name %q is taken by the metadata, which is too long for a comment; want another", name)
	}
	return n, nil
}

func emit(w io.Writer, f codec.File, n note, o WriteOptions) error {
	z := zip.NewWriter(w)
	create := func(name string) (io.Writer, error) {
		h := &zip.FileHeader{Name: name, Method: zip.Store, Modified: epoch}
		if o.Deflate {
			h.Method = zip.Deflate
		}
		return z.CreateHeader(h)
	}
	for _, t := range f.Tensors {
		e, err := create(t.Name + ".npy")
		if err == nil {
			err = emitNpy(e, t)
		}
		if err != nil {
			return codec.IOError(op, err)
		}
	}
	if b := n.bytes(); b != nil {
		comment := notePrefix + string(b)
		if len(comment) > maxComment {
			comment = noteElsewhere
			e, err := create(noteName)
			if err == nil {
				err = emitNpy(e, codec.Tensor{DType: dtype.Uint8, Shape: []int{len(b)}, Data: b})
			}
			if err != nil {
				return codec.IOError(op, err)
			}
		}
		if err := z.SetComment(comment); err != nil {
			return codec.IOError(op, err)
		}
	}
	return codec.IOError(op, z.Close())
}

// epoch is the earliest time a zip entry can have: the same tensors give the same bytes.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
