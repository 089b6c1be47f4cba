package safetensors

import (
	"cmp"
	"encoding/binary"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/strictjson"
	"github.com/lucid-go/lucid/internal/fault"
)

// WriteOptions says how to write.
type WriteOptions struct {
	// KeepOrder writes tensors in the order given. By default the widest elements come first, then by name, much as
	// the format's own writer does: every tensor is then aligned in the file, and a mapped reader never copies.
	KeepOrder bool
}

// Write replaces the file at path; see codec.WriteAtomic.
func Write(path string, f codec.File, o WriteOptions) error {
	head, order, err := plan(f, o)
	if err != nil {
		return err
	}
	return codec.WriteAtomic(path, func(w io.Writer) error { return emit(w, head, order) })
}

// Encode writes the file to w.
func Encode(w io.Writer, f codec.File, o WriteOptions) error {
	head, order, err := plan(f, o)
	if err != nil {
		return err
	}
	return emit(w, head, order)
}

func emit(w io.Writer, head []byte, order []codec.Tensor) error {
	if _, err := w.Write(head); err != nil {
		return codec.IOError(op, err)
	}
	for _, t := range order {
		if _, err := w.Write(t.Data); err != nil {
			return codec.IOError(op, err)
		}
	}
	return nil
}

// plan checks everything, before a byte is written, and makes the header.
func plan(f codec.File, o WriteOptions) (head []byte, order []codec.Tensor, err error) {
	order = slices.Clone(f.Tensors)
	if !o.KeepOrder {
		slices.SortStableFunc(order, func(a, b codec.Tensor) int {
			return cmp.Or(cmp.Compare(width(b), width(a)), cmp.Compare(a.Name, b.Name))
		})
	}
	head = append(make([]byte, 8), '{')
	if len(f.Metadata) > 0 {
		for k, v := range f.Metadata {
			if !utf8.ValidString(k) || !utf8.ValidString(v) {
				return nil, nil, fault.New(fault.Value, op, "metadata %q: %q is not valid UTF-8", k, v)
			}
		}
		head = append(head, `"`+metadataKey+`":`...)
		head = strictjson.AppendMap(head, f.Metadata)
	}
	seen := map[string]bool{metadataKey: true}
	at := int64(0)
	for _, t := range order {
		if err := checkWrite(t, seen); err != nil {
			return nil, nil, err
		}
		if len(head) > 9 {
			head = append(head, ',')
		}
		head = appendSpec(head, t, at)
		at += int64(len(t.Data))
	}
	head = append(head, '}')
	for len(head)%8 != 0 {
		head = append(head, ' ')
	}
	binary.LittleEndian.PutUint64(head, uint64(len(head)-8))
	if int64(len(head)-8) > (codec.Limits{}).Filled().MaxHeader {
		return nil, nil, fault.New(fault.Value, op, "the header would be %d bytes, more than readers accept", len(head)-8)
	}
	return head, order, nil
}

func checkWrite(t codec.Tensor, seen map[string]bool) error {
	if err := codec.CheckTensor(op, t); err != nil {
		return err
	}
	if seen[t.Name] {
		return fault.New(fault.Value, op, "the name %q is reserved or given twice", t.Name)
	}
	seen[t.Name] = true
	if names[t.DType] == "" {
		return fault.New(fault.DType, op, "tensor %q: the format has no %s; save it as its real and imaginary parts, as .npz or as .lucid",
			t.Name, t.DType)
	}
	return nil
}

func appendSpec(b []byte, t codec.Tensor, at int64) []byte {
	b = strictjson.AppendString(b, t.Name)
	b = append(b, `:{"dtype":"`+names[t.DType]+`","shape":[`...)
	for i, n := range t.Shape {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	b = append(b, `],"data_offsets":[`...)
	b = strconv.AppendInt(b, at, 10)
	b = append(b, ',')
	b = strconv.AppendInt(b, at+int64(len(t.Data)), 10)
	return append(b, "]}"...)
}

func width(t codec.Tensor) int {
	if !t.DType.Valid() {
		return 0 // refused later, with its name
	}
	return t.DType.Real().Size()
}
