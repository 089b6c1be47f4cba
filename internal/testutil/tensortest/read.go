package tensortest

import (
	"context"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// EvalAll evaluates tensors together; a failure is a panic with *lucid.Error.
func EvalAll(ts []*lucid.Tensor) {
	if err := lucid.Eval(ts...); err != nil {
		fault.Rethrow("eval", err)
	}
}

// Bits evaluates a tensor and returns the memory of its elements in row-major order.
func Bits(t *lucid.Tensor) string {
	n := (*graph.Array)(t).Acquire()
	defer func() { n.Unref() }()
	v, err := exec.HostView(context.Background(), n)
	if err == nil && !v.Contiguous() {
		c := ops.Contiguous(n)
		c.Ref()
		n.Unref()
		n = c
		v, err = exec.HostView(context.Background(), n)
	}
	if err != nil {
		fault.Rethrow("read", err)
	}
	return string(v.Bytes())
}

// FlatReal lists the real and imaginary parts of all elements of all tensors.
func FlatReal(ts []*lucid.Tensor) (v []float64) {
	for _, t := range ts {
		for _, z := range lucid.ToSlice[complex128](t) {
			v = append(v, real(z), imag(z))
		}
	}
	return v
}
