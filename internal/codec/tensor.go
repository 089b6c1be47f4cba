package codec

import "github.com/lucid-go/lucid/internal/dtype"

// Tensor is a named array as a file holds it.
type Tensor struct {
	Name  string
	DType dtype.DType
	Shape []int
	Data  []byte // row-major, little-endian, aligned for the element type
}

// File is the content of a file of tensors, in the file's order.
type File struct {
	Tensors  []Tensor
	Metadata map[string]string // nil when the file has none
}

// Find returns the tensor of that name.
func (f *File) Find(name string) (Tensor, bool) {
	for _, t := range f.Tensors {
		if t.Name == name {
			return t, true
		}
	}
	return Tensor{}, false
}
