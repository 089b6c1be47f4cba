package gguf

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/ggml"
)

// Tensor is a tensor on its way into a file. Shape is row-major.
type Tensor struct {
	Name  string
	Type  ggml.Type
	Shape []int
	Data  []byte
}

// Write replaces the file at path, in version 3; see codec.WriteAtomic. The alignment is that of general.alignment, else 32.
func Write(path string, meta *Metadata, tensors []Tensor) error {
	head, align, err := plan(meta, tensors)
	if err != nil {
		return err
	}
	return codec.WriteAtomic(path, func(w io.Writer) error { return emit(w, head, align, tensors) })
}

// Encode writes the file to w.
func Encode(w io.Writer, meta *Metadata, tensors []Tensor) error {
	head, align, err := plan(meta, tensors)
	if err != nil {
		return err
	}
	return emit(w, head, align, tensors)
}

// WriteSplit writes parts of at most most bytes of tensor data each (a larger tensor gets a part of its own), named after path
// as model-00001-of-00003.gguf for model.gguf, and returns their paths. The last part is written first: a set that was
// interrupted lacks the part that readers open.
func WriteSplit(path string, meta *Metadata, tensors []Tensor, most int64) (paths []string, err error) {
	var parts [][]Tensor
	used := int64(0)
	for _, t := range tensors {
		if n := int64(len(t.Data)); len(parts) == 0 || used+n > most {
			parts, used = append(parts, nil), 0
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], t)
		used += int64(len(t.Data))
	}
	if len(parts) > maxSplit {
		return nil, fault.New(fault.Value, op, "%d parts, more than %d; allow more bytes in each", len(parts), maxSplit)
	}
	parts = append(parts, make([][]Tensor, max(0, 1-len(parts)))...)
	stem := strings.TrimSuffix(path, ".gguf")
	paths = make([]string, len(parts))
	for i := len(parts) - 1; i >= 0; i-- {
		var m Metadata
		if i == 0 {
			m = Metadata{keys: slices.Clone(meta.keys), values: map[string]Value{}}
			for k, v := range meta.values {
				m.values[k] = v
			}
		} else if a, ok := meta.Get(alignmentKey); ok {
			m.Set(alignmentKey, a)
		}
		m.Set("split.no", OfInt(Uint16, int64(i)))
		m.Set("split.count", OfInt(Uint16, int64(len(parts))))
		m.Set("split.tensors.count", OfInt(Int32, int64(len(tensors))))
		paths[i] = fmt.Sprintf("%s-%05d-of-%05d.gguf", stem, i+1, len(parts))
		if err := Write(paths[i], &m, parts[i]); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

func emit(w io.Writer, head []byte, align int64, tensors []Tensor) error {
	zeros := make([]byte, align)
	write := func(b []byte) error {
		if _, err := w.Write(b); err != nil {
			return codec.IOError(op, err)
		}
		n := int64(len(b))
		_, err := w.Write(zeros[:pad(n, align)-n])
		return codec.IOError(op, err)
	}
	if err := write(head); err != nil {
		return err
	}
	for _, t := range tensors {
		if err := write(t.Data); err != nil {
			return err
		}
	}
	return nil
}

// plan checks everything before a byte is written, and makes the header.
func plan(meta *Metadata, tensors []Tensor) (head []byte, align int64, err error) {
	h := &header{index: map[string]int{}, meta: *meta}
	if err := h.readAlignment(); err != nil {
		return nil, 0, err
	}
	head = append(head, magic...)
	head = binary.LittleEndian.AppendUint32(head, currentVersion)
	head = binary.LittleEndian.AppendUint64(head, uint64(len(tensors)))
	head = binary.LittleEndian.AppendUint64(head, uint64(len(meta.keys)))
	for _, key := range meta.keys {
		if err := checkKey(key, false); err != nil {
			return nil, 0, err
		}
		v := meta.values[key]
		if n := kindBytes[v.kind]; len(v.raw)%max(n, 1) != 0 || n > 0 && len(v.raw) != n {
			return nil, 0, fault.New(fault.Value, op, "metadata key %q has no value; make it with one of the Of functions", key)
		}
		head = appendText(head, key)
		head = binary.LittleEndian.AppendUint32(head, uint32(v.kind))
		head = appendValue(head, v)
	}
	lim := codec.Limits{}.Filled()
	at := int64(0)
	for i, t := range tensors {
		if err := h.checkName(t.Name, lim); err != nil {
			return nil, 0, err
		}
		h.index[t.Name] = i
		if head, err = appendInfo(head, t, at); err != nil {
			return nil, 0, err
		}
		at = pad(at+int64(len(t.Data)), h.align)
	}
	if int64(len(head)) > lim.MaxHeader {
		return nil, 0, fault.New(fault.Value, op, "the header would be %d bytes, more than readers accept", len(head))
	}
	return head, h.align, nil
}

func appendInfo(b []byte, t Tensor, at int64) ([]byte, error) {
	if len(t.Shape) > maxDims {
		return nil, fault.New(fault.Shape, op, "tensor %q has %d dimensions, the format has at most %d", t.Name, len(t.Shape), maxDims)
	}
	n, err := tensorBytes(t.Name, t.Type, t.Shape)
	if err != nil {
		return nil, err
	}
	if n != int64(len(t.Data)) {
		return nil, fault.New(fault.Shape, op, "tensor %q: shape %v of %s is %d bytes, got %d", t.Name, t.Shape, t.Type, n, len(t.Data))
	}
	b = appendText(b, t.Name)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(t.Shape)))
	for _, n := range slices.Backward(t.Shape) {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(t.Type))
	return binary.LittleEndian.AppendUint64(b, uint64(at)), nil
}

func appendText(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
}

func appendValue(b []byte, v Value) []byte {
	switch v.kind {
	case String:
		return appendText(b, v.text)
	case Array:
		b = binary.LittleEndian.AppendUint32(b, uint32(v.elem))
		b = binary.LittleEndian.AppendUint64(b, uint64(v.Len()))
		for _, s := range v.texts {
			b = appendText(b, s)
		}
		for _, n := range v.nested {
			b = appendValue(b, n)
		}
	}
	return append(b, v.raw...)
}
