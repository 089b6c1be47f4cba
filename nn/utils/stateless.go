package utils

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/nn"
)

// FunctionalCall calls f while parameters and buffers of m show the tensors given by name, and puts them back. Tensors
// that are not named stay. So a module is a function of its parameters, for lucid.Grad, VMap and the other transforms; what f
// writes to a buffer that was given goes to the given tensor. m must not be used by another goroutine meanwhile.
func FunctionalCall(m nn.Module, tensors map[string]*lucid.Tensor, f func()) {
	const op = "functional_call"
	var of, to []*graph.Array
	known := map[string]bool{}
	add := func(name string, t *lucid.Tensor) {
		v, ok := tensors[name]
		if !ok || known[name] {
			return
		}
		known[name] = true
		if !slices.Equal(v.Shape(), t.Shape()) {
			refuse(lucid.ErrShapeMismatch, op, "%s has shape %v; want %v", name, v.Shape(), t.Shape())
		}
		of, to = append(of, (*graph.Array)(t)), append(to, (*graph.Array)(v))
	}
	for name, t := range nn.NamedParameters(m) {
		add(name, t)
	}
	for name, t := range nn.NamedBuffers(m) {
		add(name, t)
	}
	for name := range tensors {
		if !known[name] {
			refuse(lucid.ErrValue, op, "%T has no tensor %q", m, name)
		}
	}
	door.Swap(of, to, f)
}

// SkipInit returns a module whose values are to be loaded: build makes it, but none of its values are computed and no
// random numbers are used up. Parameters and buffers are zeros.
func SkipInit[M nn.Module](build func() M) M {
	before := lucid.GetRNGState()
	m := build()
	lucid.SetRNGState(before)
	lucid.NoGrad(func() {
		for _, list := range [][]*lucid.Tensor{nn.Parameters(m), nn.Buffers(m)} {
			for _, t := range list {
				t.Assign(t.Detach().NewZeros(t.Shape()...))
			}
		}
	})
	return m
}

// CopyParametersAndBuffers makes the tensors of one module show the values of another's, by name; both must have the
// same names and shapes.
func CopyParametersAndBuffers(from, to nn.Module) error {
	return nn.LoadStateDict(to, nn.StateDict(from))
}
