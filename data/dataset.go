package data

import (
	"context"
	"iter"
	"sort"

	"github.com/lucid-go/lucid"
)

// Dataset is a list of examples, each some tensors. Get may be called by several goroutines at once.
type Dataset interface {
	Len() int
	Get(i int) ([]*lucid.Tensor, error)
}

// ContextDataset is a dataset that wants the loader's context: to stop early, or for random numbers, see Rand.
type ContextDataset interface {
	Dataset
	GetContext(ctx context.Context, i int) ([]*lucid.Tensor, error)
}

// BatchDataset is a dataset that can give many examples at once, stacked, faster than one by one.
type BatchDataset interface {
	Dataset
	GetBatch(indices []int) ([]*lucid.Tensor, error)
}

// IterableDataset is a dataset that can only be read from the beginning.
type IterableDataset interface {
	All(ctx context.Context) iter.Seq2[[]*lucid.Tensor, error]
}

func refuse(kind error, op, format string, args ...any) {
	panic(lucid.Errorf(kind, op, format, args...))
}

func outOfRange(op string, i, n int) error {
	return lucid.Errorf(lucid.ErrIndex, op, "index %d is out of range for %d examples", i, n)
}

// TensorDataset has the slices of tensors along their first dimension as examples.
type TensorDataset struct{ Tensors []*lucid.Tensor }

// NewTensorDataset returns the tensors, whose first dimensions must agree, as a dataset.
func NewTensorDataset(tensors ...*lucid.Tensor) *TensorDataset {
	if len(tensors) == 0 {
		refuse(lucid.ErrValue, "tensor_dataset", "there are no tensors")
	}
	for i, t := range tensors {
		if t.Dim() == 0 || t.Size(0) != tensors[0].Size(0) {
			refuse(lucid.ErrShapeMismatch, "tensor_dataset", "tensor %d has shape %v, the first %v; want the same first dimension", i,
				t.Shape(), tensors[0].Shape())
		}
	}
	return &TensorDataset{tensors}
}

// Len returns the number of examples.
func (d *TensorDataset) Len() int { return d.Tensors[0].Size(0) }

// Get returns the slices at i.
func (d *TensorDataset) Get(i int) ([]*lucid.Tensor, error) {
	if i < 0 || i >= d.Len() {
		return nil, outOfRange("tensor_dataset", i, d.Len())
	}
	out := make([]*lucid.Tensor, len(d.Tensors))
	for k, t := range d.Tensors {
		out[k] = t.At(i)
	}
	return out, nil
}

// GetBatch returns the slices at all indices, stacked.
func (d *TensorDataset) GetBatch(indices []int) ([]*lucid.Tensor, error) {
	at := make([]int64, len(indices))
	for k, i := range indices {
		if i < 0 || i >= d.Len() {
			return nil, outOfRange("tensor_dataset", i, d.Len())
		}
		at[k] = int64(i)
	}
	idx := lucid.New(at, len(at))
	out := make([]*lucid.Tensor, len(d.Tensors))
	for k, t := range d.Tensors {
		out[k] = t.At(idx.To(t.Device()))
	}
	return out, nil
}

// Func is a dataset of N examples that a function makes.
type Func struct {
	N int
	F func(ctx context.Context, i int) ([]*lucid.Tensor, error)
}

// Len returns N.
func (d Func) Len() int { return d.N }

// Get calls the function.
func (d Func) Get(i int) ([]*lucid.Tensor, error) { return d.F(context.Background(), i) }

// GetContext calls the function.
func (d Func) GetContext(ctx context.Context, i int) ([]*lucid.Tensor, error) { return d.F(ctx, i) }

// get reads one example.
func get(ctx context.Context, d Dataset, i int) ([]*lucid.Tensor, error) {
	if c, ok := d.(ContextDataset); ok {
		return c.GetContext(ctx, i)
	}
	return d.Get(i)
}

// Subset is some of the examples of a dataset, in an order of its own.
type Subset struct {
	Dataset Dataset
	Indices []int
}

// NewSubset returns the examples at the indices.
func NewSubset(d Dataset, indices []int) *Subset { return &Subset{d, indices} }

// Len returns the number of examples.
func (d *Subset) Len() int { return len(d.Indices) }

// Get returns an example.
func (d *Subset) Get(i int) ([]*lucid.Tensor, error) { return d.GetContext(context.Background(), i) }

// GetContext returns an example.
func (d *Subset) GetContext(ctx context.Context, i int) ([]*lucid.Tensor, error) {
	if i < 0 || i >= len(d.Indices) {
		return nil, outOfRange("subset", i, len(d.Indices))
	}
	return get(ctx, d.Dataset, d.Indices[i])
}

// ConcatDataset is several datasets one after the other.
type ConcatDataset struct {
	Datasets []Dataset
	ends     []int
}

// NewConcatDataset joins the datasets.
func NewConcatDataset(datasets ...Dataset) *ConcatDataset {
	c := &ConcatDataset{Datasets: datasets}
	n := 0
	for _, d := range datasets {
		n += d.Len()
		c.ends = append(c.ends, n)
	}
	return c
}

// Len returns the number of examples in all datasets.
func (d *ConcatDataset) Len() int {
	if len(d.ends) == 0 {
		return 0
	}
	return d.ends[len(d.ends)-1]
}

// Get returns an example.
func (d *ConcatDataset) Get(i int) ([]*lucid.Tensor, error) {
	return d.GetContext(context.Background(), i)
}

// GetContext returns an example.
func (d *ConcatDataset) GetContext(ctx context.Context, i int) ([]*lucid.Tensor, error) {
	if i < 0 || i >= d.Len() {
		return nil, outOfRange("concat_dataset", i, d.Len())
	}
	k := sort.SearchInts(d.ends, i+1)
	if k > 0 {
		i -= d.ends[k-1]
	}
	return get(ctx, d.Datasets[k], i)
}

// StackDataset joins the examples of several datasets that have the same index: their tensors, one after the other.
type StackDataset struct{ Datasets []Dataset }

// NewStackDataset joins datasets of the same length.
func NewStackDataset(datasets ...Dataset) *StackDataset {
	if len(datasets) == 0 {
		refuse(lucid.ErrValue, "stack_dataset", "there are no datasets")
	}
	for i, d := range datasets {
		if d.Len() != datasets[0].Len() {
			refuse(lucid.ErrShapeMismatch, "stack_dataset", "dataset %d has %d examples, the first %d", i, d.Len(), datasets[0].Len())
		}
	}
	return &StackDataset{datasets}
}

// Len returns the number of examples.
func (d *StackDataset) Len() int { return d.Datasets[0].Len() }

// Get returns an example.
func (d *StackDataset) Get(i int) ([]*lucid.Tensor, error) {
	return d.GetContext(context.Background(), i)
}

// GetContext returns an example.
func (d *StackDataset) GetContext(ctx context.Context, i int) (out []*lucid.Tensor, err error) {
	for _, part := range d.Datasets {
		ts, err := get(ctx, part, i)
		if err != nil {
			return nil, err
		}
		out = append(out, ts...)
	}
	return out, nil
}

// ChainDataset is iterable datasets one after the other.
type ChainDataset []IterableDataset

// All reads them all.
func (c ChainDataset) All(ctx context.Context) iter.Seq2[[]*lucid.Tensor, error] {
	return func(yield func([]*lucid.Tensor, error) bool) {
		for _, s := range c {
			for x, err := range s.All(ctx) {
				if !yield(x, err) || err != nil {
					return
				}
			}
		}
	}
}
