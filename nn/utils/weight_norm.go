package utils

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/linalg"
	"github.com/lucid-go/lucid/nn"
)

// WeightNormOptions: Dim is the dimension along which lengths are learned, nil for 0; AllDims learns one length for
// the whole tensor, as PyTorch's dim=None.
type WeightNormOptions struct {
	Name    string // of the tensor; "" means weight
	Dim     *int   // dimension along which lengths are learned; nil: 0
	AllDims bool   // one length for the whole tensor (dim=None)
}

// weightNorm is g·v/‖v‖.
type weightNorm struct {
	nn.Base
	dim int
	all bool
}

// norm returns the lengths of v, in its dimensions.
func (w *weightNorm) norm(v *lucid.Tensor) *lucid.Tensor {
	var dims []int
	for d := range v.Dim() {
		if w.all || d != w.dim {
			dims = append(dims, d)
		}
	}
	if w.all {
		return v.Norm()
	}
	if len(dims) == 0 { // a vector, each of whose elements has a length
		return v.Abs()
	}
	return linalg.VectorNorm(v, linalg.VectorNormOptions{Dim: dims, KeepDim: true})
}

// Forward returns the weight for lengths and directions.
func (w *weightNorm) Forward(gv ...*lucid.Tensor) *lucid.Tensor {
	return gv[1].Mul(gv[0].Div(w.norm(gv[1])))
}

// RightInverse returns lengths and directions of a weight.
func (w *weightNorm) RightInverse(v *lucid.Tensor) []*lucid.Tensor {
	return []*lucid.Tensor{w.norm(v), v}
}

func tensorName(name string) string {
	if name == "" {
		return "weight"
	}
	return name
}

// named returns a tensor of m, refusing if there is none.
func named(op string, m nn.Module, name string) *lucid.Tensor {
	t := nn.Value(m, name)
	if t == nil {
		refuse(lucid.ErrValue, op, "%T has no tensor %q", m, name)
	}
	return t
}

// axis returns a dimension of t counted from 0.
func axis(op string, t *lucid.Tensor, dim int) int {
	d := dim
	if d < 0 {
		d += t.Dim()
	}
	if d < 0 || d >= t.Dim() {
		refuse(lucid.ErrIndex, op, "dim %d of shape %v", dim, t.Shape())
	}
	return d
}

// WeightNorm makes m learn length and direction of a tensor apart (Salimans and Kingma): it becomes
// parametrizations.<name>.original0, the lengths, and original1, the directions.
func WeightNorm(m nn.Module, opts ...WeightNormOptions) {
	o := door.Option("weight_norm", opts)
	name := tensorName(o.Name)
	w := &weightNorm{all: o.AllDims}
	if o.Dim != nil && !o.AllDims {
		w.dim = axis("weight_norm", named("weight_norm", m, name), *o.Dim)
	}
	nn.RegisterParametrization(m, name, w, nn.ParametrizationOptions{Unsafe: true})
}

// RemoveWeightNorm takes WeightNorm off; the tensor keeps its value. name "" means weight.
func RemoveWeightNorm(m nn.Module, name string) {
	remove[*weightNorm]("remove_weight_norm", m, tensorName(name))
}

// remove takes off the parametrizations of a tensor, the first of which must be a P.
func remove[P nn.Parametrization](op string, m nn.Module, name string) {
	list := nn.Parametrizations(m, name)
	if len(list) == 1 {
		if _, ok := list[0].(P); ok {
			nn.RemoveParametrizations(m, name)
			return
		}
	}
	refuse(lucid.ErrValue, op, "%s of %T has %d parametrizations; want this one alone", name, m, len(list))
}
