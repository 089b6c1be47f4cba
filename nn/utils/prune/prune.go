// Package prune sets elements of a module's tensors to zero for good. A pruned tensor is computed from the original,
// which is trained on, and a mask; in the state they are <name>_orig and <name>_mask, as PyTorch has them. Pruning a
// pruned tensor again looks at what is left of it.
//
//	prune.L1Unstructured(m.Fc1, "weight", prune.Share(0.3))
//	prune.LnStructured(m.Conv, "weight", prune.Count(4), 2, 0)
//	prune.Remove(m.Fc1, "weight") // for good
package prune

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/nn"
)

func refuse(kind error, op, format string, args ...any) {
	panic(lucid.Errorf(kind, op, format, args...))
}

// Amount is how much is pruned: a Share or a Count.
type Amount interface{ of(op string, n int) int }

// Share is a share of what is left, from 0 to 1, rounded to whole elements.
type Share float64

// Count is a number of elements, or of channels.
type Count int

func (s Share) of(op string, n int) int {
	if !(s >= 0 && s <= 1) {
		refuse(lucid.ErrValue, op, "a share of %v; want a number from 0 to 1", float64(s))
	}
	return int(math.RoundToEven(float64(s) * float64(n)))
}

func (c Count) of(op string, n int) int {
	if c < 0 || int(c) > n {
		refuse(lucid.ErrValue, op, "%d are to be pruned of %d", int(c), n)
	}
	return int(c)
}

// masked multiplies a tensor by a mask of zeros and ones.
type masked struct {
	nn.Base
	Mask *lucid.Tensor `nn:",buffer"`
}

// Forward returns what the mask leaves.
func (m *masked) Forward(x ...*lucid.Tensor) *lucid.Tensor { return x[0].Mul(m.Mask) }

// Method says which elements stay: it gets the scores of all elements, higher meaning more important, their shape, and
// which are left, and returns which are to be left.
type Method func(scores []float64, shape []int, left []bool) []bool

// Options: Scores, of the tensor's shape, say how important its elements are; nil means their values.
type Options struct {
	Scores *lucid.Tensor // how important the elements are, of the tensor's shape; nil: their values
}

func scoresOf(op string, t *lucid.Tensor, opts []Options) *lucid.Tensor {
	s := door.Option(op, opts).Scores
	if s == nil {
		return t
	}
	if !slices.Equal(s.Shape(), t.Shape()) {
		refuse(lucid.ErrShapeMismatch, op, "scores have shape %v; want %v", s.Shape(), t.Shape())
	}
	return s
}

// of returns a tensor of m as it is computed now, and its mask, nil if it is not pruned.
func of(op string, m nn.Module, name string) (*lucid.Tensor, *masked) {
	if list := nn.Parametrizations(m, name); len(list) > 0 {
		p, ok := list[0].(*masked)
		if !ok {
			refuse(lucid.ErrValue, op, "%s of %T is parametrized otherwise", name, m)
		}
		return nn.Originals(m, name)[0].Detach().Mul(p.Mask), p
	}
	for n, t := range nn.NamedParameters(m) {
		if n == name {
			return t.Detach(), nil
		}
	}
	refuse(lucid.ErrValue, op, "%T has no parameter %q", m, name)
	return nil, nil
}

// left returns which elements of a tensor are not pruned.
func left(t *lucid.Tensor, p *masked) []bool {
	on := slices.Repeat([]bool{true}, t.NumElement())
	if p != nil {
		for i, v := range lucid.ToSlice[float64](p.Mask) {
			on[i] = v != 0
		}
	}
	return on
}

// ByMethod prunes a tensor of m by a method of one's own.
func ByMethod(m nn.Module, name string, f Method, opts ...Options) { apply("prune", m, name, f, opts) }

func apply(op string, m nn.Module, name string, f Method, opts []Options) {
	t, p := of(op, m, name)
	on := left(t, p)
	keep := f(lucid.ToSlice[float64](scoresOf(op, t, opts)), t.Shape(), slices.Clone(on))
	if len(keep) != len(on) {
		refuse(lucid.ErrValue, op, "the method returned %d elements for %d", len(keep), len(on))
	}
	set(m, name, t, p, keep, on)
}

// set puts a mask on a tensor, or makes the mask it has stricter.
func set(m nn.Module, name string, t *lucid.Tensor, p *masked, keep, on []bool) {
	v := make([]float64, len(keep))
	for i := range keep {
		if keep[i] && on[i] {
			v[i] = 1
		}
	}
	mask := lucid.With{DType: t.DType(), Device: t.Device()}.New(v, t.Shape()...)
	if p != nil {
		p.Mask.Assign(mask)
		return
	}
	nn.RegisterParametrization(m, name, &masked{Mask: mask}, nn.ParametrizationOptions{Flat: true})
}

// Identity makes a tensor a pruned one of which nothing is pruned.
func Identity(m nn.Module, name string) {
	apply("identity", m, name, func(_ []float64, _ []int, left []bool) []bool { return left }, nil)
}

// CustomFromMask prunes where the mask, of the tensor's shape, is zero.
func CustomFromMask(m nn.Module, name string, mask *lucid.Tensor) {
	const op = "custom_from_mask"
	t, p := of(op, m, name)
	if !slices.Equal(mask.Shape(), t.Shape()) {
		refuse(lucid.ErrShapeMismatch, op, "the mask has shape %v; want %v", mask.Shape(), t.Shape())
	}
	keep := make([]bool, t.NumElement())
	for i, v := range lucid.ToSlice[float64](mask) {
		keep[i] = v != 0
	}
	set(m, name, t, p, keep, left(t, p))
}

// Remove makes pruning of a tensor permanent: it is a parameter again, with zeros where it was pruned.
func Remove(m nn.Module, name string) {
	if _, p := of("remove", m, name); p == nil {
		refuse(lucid.ErrValue, "remove", "%s of %T is not pruned", name, m)
	}
	nn.RemoveParametrizations(m, name)
}

// IsPruned reports whether a tensor of m, or of a module inside, is pruned.
func IsPruned(m nn.Module) bool {
	for _, c := range nn.Modules(m) {
		for _, p := range nn.AllParametrizations(c) {
			if _, ok := p.(*masked); ok {
				return true
			}
		}
	}
	return false
}
