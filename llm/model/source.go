package model

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid"
)

// ByteSource is a Source that may have tensors of bytes, which a family knows how to read. Converted gives a weight that was made of them
// the dtype and the device of the others; Exact reports whether products with blocks may be used instead.
type ByteSource interface {
	Source
	Bytes(name string, shape ...int) []byte
	Converted(t *lucid.Tensor) *lucid.Tensor
	Exact() bool
}

// stored is a weight as a family's checkpoints have it, where that differs from what the modules have.
type stored struct {
	name    string                              // of the tensor; with experts a format of their numbers
	experts int                                 // so many tensors, one for each expert, are stacked
	shape   []int                               // nil: as asked for
	form    func(t *lucid.Tensor) *lucid.Tensor // makes the weight of the tensor; nil: it is the weight
}

// checkpoint shows the weights of a checkpoint by the names, and in the form, of the modules.
type checkpoint struct {
	Source
	find func(name string, shape []int) stored
}

// Has reports whether there is a weight of that name.
func (w checkpoint) Has(name string) bool {
	s := w.find(name, nil)
	if s.experts > 0 {
		return w.Source.Has(fmt.Sprintf(s.name, 0))
	}
	return w.Source.Has(s.name)
}

// Tensor returns a weight.
func (w checkpoint) Tensor(name string, shape ...int) *lucid.Tensor {
	s := w.find(name, shape)
	if s.experts > 0 {
		list := make([]*lucid.Tensor, s.experts)
		for i := range list {
			list[i] = w.Source.Tensor(fmt.Sprintf(s.name, i), shape[1:]...)
		}
		return lucid.Stack(list, 0).Eval()
	}
	if s.form == nil {
		return w.Source.Tensor(s.name, shape...)
	}
	return s.form(w.Source.Tensor(s.name, s.shape...)).Contiguous().Eval()
}

// Blocks returns a weight as it is stored, where the modules have it in that form.
func (w checkpoint) Blocks(name string, shape ...int) (b Blocks, ok bool) {
	s := w.find(name, shape)
	q, ok := w.Source.(QuantSource)
	if !ok || s.experts > 0 || s.form != nil {
		return b, false
	}
	return q.Blocks(s.name, shape...)
}

// rows is a weight that is some rows of a larger one.
func rows(name string, shape []int, from, of int) stored {
	if shape == nil {
		return stored{name: name}
	}
	whole := append([]int{of}, shape[1:]...)
	return stored{name: name, shape: whole, form: func(t *lucid.Tensor) *lucid.Tensor { return t.Narrow(0, from, shape[0]) }}
}

// renamed replaces the first part of a name that is in a list of pairs: ours, then the checkpoint's.
func renamed(name string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		if before, after, found := strings.Cut(name, pairs[i]); found {
			return before + pairs[i+1] + after
		}
	}
	return name
}

// expertTensors finds the matrices of experts where each is a tensor of its own: our names have no number of an expert.
func expertTensors(name string, experts int) stored {
	if before, after, found := strings.Cut(name, ".experts."); found {
		return stored{name: strings.ReplaceAll(before, "%", "%%") + ".experts.%d." + after, experts: experts}
	}
	return stored{name: name}
}
