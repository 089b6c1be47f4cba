package lucid

import (
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// Arange makes a sequence: Arange(end), Arange(start, end) or Arange(start, end, step). Ints give int64, floats the
// default float; the end is not in it.
func Arange(args ...any) *Tensor { return With{}.Arange(args...) }

// Arange makes a sequence; see the function.
func (w With) Arange(args ...any) *Tensor {
	return w.made(func() *graph.Node { return ops.ArangeArgs(args, w.DType) })
}

// Linspace makes steps numbers from start to end, both included, evenly spaced.
func Linspace(start, end any, steps int) *Tensor { return With{}.Linspace(start, end, steps) }

// Linspace makes steps numbers from start to end, both included, evenly spaced.
func (w With) Linspace(start, end any, steps int) *Tensor {
	return w.made(func() *graph.Node { return ops.Linspace(start, end, steps, ops.LinspaceOptions{DType: w.DType}) })
}

// Logspace makes 10 raised to steps exponents, evenly spaced from start to end; another base may be given.
func Logspace(start, end any, steps int, base ...float64) *Tensor {
	return With{}.Logspace(start, end, steps, base...)
}

// Logspace makes 10 raised to steps exponents, evenly spaced from start to end; another base may be given.
func (w With) Logspace(start, end any, steps int, base ...float64) *Tensor {
	o := ops.LogspaceOptions{DType: w.DType}
	o.Base = atMostOne("logspace", "base", base)
	return w.made(func() *graph.Node { return ops.Logspace(start, end, steps, o) })
}

// atMostOne is an optional last argument.
func atMostOne[T any](op, name string, v []T) *T {
	switch len(v) {
	case 0:
		return nil
	case 1:
		return &v[0]
	}
	fault.Throw(fault.Value, op, "got %d values for %s; want at most one", len(v), name)
	return nil
}

// Eye makes a matrix of n rows, and m columns if given, with ones on its diagonal.
func Eye(n int, m ...int) *Tensor { return With{}.Eye(n, m...) }

// Eye makes a matrix of n rows, and m columns if given, with ones on its diagonal.
func (w With) Eye(n int, m ...int) *Tensor {
	o := ops.EyeOptions{M: atMostOne("eye", "m", m), DType: w.DType}
	return w.made(func() *graph.Node { return ops.Eye(n, o) })
}

// TrilIndices makes the positions of a row×col matrix on and below the diagonal number offset (0 if not given), as an
// int64 tensor of shape [2 n].
func TrilIndices(row, col int, offset ...int) *Tensor { return With{}.TrilIndices(row, col, offset...) }

// TrilIndices makes the positions on and below a diagonal; see the function.
func (w With) TrilIndices(row, col int, offset ...int) *Tensor {
	o := w.triOptions("tril_indices", offset)
	return w.made(func() *graph.Node { return ops.TrilIndices(row, col, o) })
}

// TriuIndices makes the positions of a row×col matrix on and above the diagonal number offset (0 if not given), as an
// int64 tensor of shape [2 n].
func TriuIndices(row, col int, offset ...int) *Tensor { return With{}.TriuIndices(row, col, offset...) }

// TriuIndices makes the positions on and above a diagonal; see the function.
func (w With) TriuIndices(row, col int, offset ...int) *Tensor {
	o := w.triOptions("triu_indices", offset)
	return w.made(func() *graph.Node { return ops.TriuIndices(row, col, o) })
}

func (w With) triOptions(op string, offset []int) ops.TriIndicesOptions {
	o := ops.TriIndicesOptions{DType: w.DType}
	if p := atMostOne(op, "offset", offset); p != nil {
		o.Offset = *p
	}
	return o
}
