package codec

import (
	"cmp"
	"slices"

	"github.com/lucid-go/lucid/internal/fault"
)

// Table is a file's list of tensors, each checked as it is added.
type Table struct {
	op    string
	lim   Limits
	span  int64
	specs []Spec
	index map[string]int
}

// NewTable starts the list of a file with span bytes of data.
func NewTable(op string, lim Limits, span int64) *Table {
	return &Table{op: op, lim: lim.Filled(), span: span, index: map[string]int{}}
}

// Add checks s by itself and against the names before it.
func (t *Table) Add(s Spec) error {
	if len(t.specs) >= t.lim.MaxTensors {
		return fault.New(fault.Format, t.op, "the file lists more than %d tensors; raise Limits.MaxTensors if that is right",
			t.lim.MaxTensors)
	}
	if err := Check(t.op, s, t.span, t.lim); err != nil {
		return err
	}
	if _, dup := t.index[s.Name]; dup {
		return fault.New(fault.Format, t.op, "tensor %q is listed twice", s.Name)
	}
	t.index[s.Name] = len(t.specs)
	t.specs = append(t.specs, s)
	return nil
}

// Seal checks the tensors against each other: together they must cover the data exactly, without overlap, hole
// or bytes left over. A file that passes cannot make a reader allocate more than its own length.
func (t *Table) Seal() error {
	byOffset := slices.Clone(t.specs)
	slices.SortFunc(byOffset, func(a, b Spec) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Size, b.Size), cmp.Compare(a.Name, b.Name))
	})
	end := int64(0)
	for _, s := range byOffset {
		switch {
		case s.Offset < end:
			return fault.New(fault.Format, t.op, "tensor %q starts at byte %d, inside the one before, which ends at %d",
				s.Name, s.Offset, end)
		case s.Offset > end:
			return fault.New(fault.Format, t.op, "bytes %d to %d, before tensor %q, belong to no tensor", end, s.Offset, s.Name)
		}
		end += s.Size
	}
	if end != t.span {
		return fault.New(fault.Format, t.op, "the tensors end at byte %d of %d of data", end, t.span)
	}
	return nil
}

// Specs returns the tensors in the file's order. The caller must not change it.
func (t *Table) Specs() []Spec { return t.specs }

// Find returns the tensor of that name.
func (t *Table) Find(name string) (Spec, bool) {
	i, ok := t.index[name]
	if !ok {
		return Spec{}, false
	}
	return t.specs[i], true
}
