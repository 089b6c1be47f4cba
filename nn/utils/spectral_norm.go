package utils

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

// SpectralNormOptions: Dim is the dimension of the outputs, nil for 1 of transposed convolutions and 0 otherwise;
// NPowerIterations, steps of the power method at each Forward in training, is 0 for 1; Eps is nil for 1e-12.
type SpectralNormOptions struct {
	Name             string   // of the tensor; "" means weight
	NPowerIterations int      // steps of the power method at each Forward in training; 0: 1
	Eps              *float64 // least length to divide by; nil: 1e-12
	Dim              *int     // dimension of the outputs; nil: 1 for transposed convolutions, else 0
}

// spectralNorm divides a matrix by its largest singular value, whose vectors it keeps.
type spectralNorm struct {
	nn.Base
	U    *lucid.Tensor `nn:"_u,buffer"`
	V    *lucid.Tensor `nn:"_v,buffer"`
	dim  int
	n    int
	norm F.NormalizeOptions
}

// matrix brings the dimension of the outputs to the front and flattens the others.
func (s *spectralNorm) matrix(w *lucid.Tensor) *lucid.Tensor {
	if s.dim != 0 {
		order := []int{s.dim}
		for d := range w.Dim() {
			if d != s.dim {
				order = append(order, d)
			}
		}
		w = w.Permute(order...)
	}
	return w.Reshape(w.Size(0), -1)
}

// iterate brings the two vectors nearer to the largest singular value's.
func (s *spectralNorm) iterate(m *lucid.Tensor, n int) {
	lucid.NoGrad(func() {
		m = m.Detach()
		u, v := s.U.Detach(), s.V.Detach()
		for range n {
			u = F.Normalize(m.MatMul(v), s.norm)
			v = F.Normalize(m.Transpose(0, 1).MatMul(u), s.norm)
		}
		s.U.Assign(u)
		s.V.Assign(v)
	})
}

// Forward returns the weight divided by its largest singular value; a vector by its length.
func (s *spectralNorm) Forward(w ...*lucid.Tensor) *lucid.Tensor {
	if w[0].Dim() == 1 {
		return F.Normalize(w[0], s.norm)
	}
	m := s.matrix(w[0])
	if s.Training() {
		s.iterate(m, s.n)
	}
	sigma := s.U.Detach().Mul(m.MatMul(s.V.Detach())).Sum()
	return w[0].Div(sigma)
}

// RightInverse takes a weight as it is.
func (s *spectralNorm) RightInverse(v *lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{v} }

// SpectralNorm makes m divide a tensor by its largest singular value, found by the power method (Miyato et al.). In
// training every Forward makes a step of it. The state has parametrizations.<name>.original, .0._u and .0._v.
func SpectralNorm(m nn.Module, opts ...SpectralNormOptions) {
	const op = "spectral_norm"
	o := door.Option(op, opts)
	name := tensorName(o.Name)
	t := named(op, m, name)
	s := &spectralNorm{n: o.NPowerIterations, norm: F.NormalizeOptions{Dim: new(0), Eps: o.Eps}}
	if s.n == 0 {
		s.n = 1
	}
	if s.n < 0 {
		refuse(lucid.ErrValue, op, "NPowerIterations is %d; want a positive number", s.n)
	}
	switch m.(type) {
	case *nn.ConvTranspose1d, *nn.ConvTranspose2d, *nn.ConvTranspose3d:
		s.dim = 1
	}
	if o.Dim != nil {
		s.dim = axis(op, t, *o.Dim)
	}
	if t.Dim() == 0 {
		refuse(lucid.ErrShapeMismatch, op, "%s has no dimensions", name)
	}
	if t.Dim() > 1 {
		mat := s.matrix(t.Detach())
		start := func(n int) *lucid.Tensor {
			w := lucid.With{DType: t.DType(), Device: t.Device()}
			return F.Normalize(w.Randn(n), s.norm)
		}
		s.U, s.V = start(mat.Size(0)), start(mat.Size(1))
		s.iterate(mat, 15)
	}
	nn.RegisterParametrization(m, name, s)
}

// RemoveSpectralNorm takes SpectralNorm off; the tensor keeps its value. name "" means weight.
func RemoveSpectralNorm(m nn.Module, name string) {
	lucid.NoGrad(func() { remove[*spectralNorm]("remove_spectral_norm", m, tensorName(name)) })
}
