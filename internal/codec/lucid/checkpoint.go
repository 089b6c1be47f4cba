package lucid

import (
	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Kind says what a section's bytes are.
type Kind string

// The kinds of section.
const (
	Tensor Kind = "tensor" // DType and Shape describe the bytes
	JSON   Kind = "json"   // checked to be JSON, on both ways
	Bytes  Kind = "bytes"  // anything
)

// Section is one named part of a checkpoint.
type Section struct {
	Name  string
	Kind  Kind
	DType dtype.DType // tensors only
	Shape []int       // tensors only
	Data  []byte
}

// Checkpoint is the content of a file: sections in order, names unique.
type Checkpoint struct {
	Schema   map[string]int // versions of what the sections mean, by part: "model": 2, "optim": 1
	Sections []Section
}

// Find returns the section of that name.
func (c *Checkpoint) Find(name string) (Section, bool) {
	for _, s := range c.Sections {
		if s.Name == name {
			return s, true
		}
	}
	return Section{}, false
}

// Add appends a tensor as a section.
func (c *Checkpoint) Add(t codec.Tensor) {
	c.Sections = append(c.Sections, Section{t.Name, Tensor, t.DType, t.Shape, t.Data})
}

// Tensor returns the section as a tensor; ok is false for the other kinds.
func (s Section) Tensor() (t codec.Tensor, ok bool) {
	return codec.Tensor{Name: s.Name, DType: s.DType, Shape: s.Shape, Data: s.Data}, s.Kind == Tensor
}

// check says whether a section is fit to be written or handed out.
func (s Section) check(lim codec.Limits) error {
	size := int64(len(s.Data))
	return s.spec(0, size).check(size, lim)
}
