package safetensors

import (
	"bytes"

	"github.com/lucid-go/lucid/internal/codec"
)

// Read brings all tensors of a file, or of an index, into memory. Options.Mapped does not apply.
func Read(path string, o Options) (codec.File, error) {
	o.Mapped = false
	f, err := Open(path, o)
	if err != nil {
		return codec.File{}, err
	}
	defer f.Close()
	all, err := f.All()
	return all, codec.InFile(err, path)
}

// Parse is Read of a file that is in memory already; the tensors are copies.
func Parse(data []byte, o Options) (codec.File, error) {
	f, err := NewFile(bytes.NewReader(data), int64(len(data)), o)
	if err != nil {
		return codec.File{}, err
	}
	return f.All()
}

// All reads every tensor.
func (f *File) All() (codec.File, error) {
	budget := codec.NewBudget(op, f.o.Limits)
	if !f.o.Mapped {
		for _, name := range f.names {
			s, _ := f.Info(name)
			if err := budget.Take(s.Size, "tensor "+name); err != nil {
				return codec.File{}, err
			}
		}
	}
	out := codec.File{Metadata: f.meta, Tensors: make([]codec.Tensor, 0, len(f.names))}
	for _, name := range f.names {
		t, err := f.Tensor(name)
		if err != nil {
			return codec.File{}, err
		}
		out.Tensors = append(out.Tensors, t)
	}
	return out, nil
}
