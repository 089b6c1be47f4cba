package utils

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/linalg"
)

func refuse(kind error, op, format string, args ...any) {
	panic(lucid.Errorf(kind, op, format, args...))
}

// NormOptions: NormType is nil for 2; it may be infinite. ErrorIfNonfinite refuses a norm that is no finite number,
// which reads it, so it is not for compiled functions.
type NormOptions struct {
	NormType         *float64 // which norm, also infinity; nil: 2
	ErrorIfNonfinite bool     // refuse a norm that is not finite, which reads it: not for compiled functions
}

func (o NormOptions) order() float64 {
	if o.NormType == nil {
		return 2
	}
	return *o.NormType
}

func norm(x *lucid.Tensor, p float64) *lucid.Tensor {
	return linalg.VectorNorm(x, linalg.VectorNormOptions{Ord: &p})
}

// GetTotalNorm returns the norm of all tensors as if they were one vector.
func GetTotalNorm(tensors []*lucid.Tensor, opts ...NormOptions) *lucid.Tensor {
	o := door.Option("get_total_norm", opts)
	if len(tensors) == 0 {
		return lucid.Zeros() // on the default device: there is no other to choose
	}
	norms := make([]*lucid.Tensor, len(tensors))
	for i, t := range tensors {
		norms[i] = norm(t, o.order())
	}
	total := norm(lucid.Stack(norms, 0), o.order())
	if o.ErrorIfNonfinite {
		if v := total.Item(); math.IsNaN(v) || math.IsInf(v, 0) {
			refuse(lucid.ErrValue, "get_total_norm",
				"the total norm of order %v is %v; scale the loss down, or let it pass by ErrorIfNonfinite: false", o.order(), v)
		}
	}
	return total
}

func gradients(params []*lucid.Tensor) (list []*lucid.Tensor) {
	for _, p := range params {
		if g := p.Grad(); g != nil {
			list = append(list, g)
		}
	}
	return list
}

// ClipGradNorm scales all gradients down so that their norm, as one vector, is at most maxNorm, and returns what it
// was.
func ClipGradNorm(params []*lucid.Tensor, maxNorm float64, opts ...NormOptions) (total *lucid.Tensor) {
	lucid.NoGrad(func() {
		total = GetTotalNorm(gradients(params), opts...)
		ClipGradsWithNorm(params, maxNorm, total)
	})
	return total
}

// ClipGradsWithNorm is ClipGradNorm with the norm known.
func ClipGradsWithNorm(params []*lucid.Tensor, maxNorm float64, total *lucid.Tensor) {
	lucid.NoGrad(func() {
		scale := total.Add(1e-6).Reciprocal().Mul(maxNorm).ClampMax(1)
		for _, p := range params {
			if g := p.Grad(); g != nil {
				p.SetGrad(g.Mul(scale.To(g.DType())))
			}
		}
	})
}

// ClipGradValue cuts every element of the gradients to [-value, value].
func ClipGradValue(params []*lucid.Tensor, value float64) {
	lucid.NoGrad(func() {
		for _, p := range params {
			if g := p.Grad(); g != nil {
				p.SetGrad(g.Clamp(-value, value))
			}
		}
	})
}

// ParametersToVector returns all parameters in a row; gradients pass.
func ParametersToVector(params []*lucid.Tensor) *lucid.Tensor {
	rows := make([]*lucid.Tensor, len(params))
	for i, p := range params {
		rows[i] = p.Reshape(-1)
	}
	return lucid.Cat(rows, 0)
}

// VectorToParameters makes the parameters show the parts of a vector.
func VectorToParameters(v *lucid.Tensor, params []*lucid.Tensor) {
	n := 0
	for _, p := range params {
		n += p.NumElement()
	}
	if v.Dim() != 1 || v.Size(0) != n {
		refuse(lucid.ErrShapeMismatch, "vector_to_parameters", "a vector of shape %v for parameters of %d numbers", v.Shape(), n)
	}
	lucid.NoGrad(func() {
		at := 0
		for _, p := range params {
			k := p.NumElement()
			p.Assign(v.Detach().At(lucid.Range{Start: at, Stop: at + k}).Reshape(p.Shape()...))
			at += k
		}
	})
}
