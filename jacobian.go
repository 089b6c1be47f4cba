package lucid

import (
	"fmt"
	"math"

	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/format"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/tree"
)

// Jacobian returns a function that computes the derivative of every output of f by every input: its shape is the
// output's, then the input's. It works in reverse mode, a pass per output, all at once; JacobianForward is better where
// the input is smaller than the output.
func Jacobian(f func(*Tensor) *Tensor) func(*Tensor) *Tensor {
	tree.FunctionOf("jacobian", f)
	return func(x *Tensor) *Tensor {
		y := f(x)
		m, out := y.NumElement(), y.Shape()
		basis := With{DType: y.DType()}.Eye(m).Reshape(append([]int{m}, out...)...)
		rows := VMap(func(u *Tensor) *Tensor {
			_, g := VJP(f, x, u)
			return g
		})(basis)
		return own(rows.Reshape(append(out, x.Shape()...)...))
	}
}

// JacobianForward is Jacobian in forward mode, a pass per input, all at once.
func JacobianForward(f func(*Tensor) *Tensor) func(*Tensor) *Tensor {
	tree.FunctionOf("jacobian", f)
	return func(x *Tensor) *Tensor {
		n, in := x.NumElement(), x.Shape()
		basis := With{DType: x.DType()}.Eye(n).Reshape(append([]int{n}, in...)...)
		cols := VMap(func(v *Tensor) *Tensor {
			_, d := JVP(f, x, v)
			return d
		}, VMapOptions{Out: []int{-1}})(basis)
		return own(cols.Reshape(append(cols.Shape()[:cols.Dim()-1], in...)...))
	}
}

// Hessian returns a function that computes the second derivatives of f, which returns one number: forward over reverse.
func Hessian(f func(*Tensor) *Tensor) func(*Tensor) *Tensor { return JacobianForward(Grad(f)) }

// GradCheckOptions say how gradients are compared with differences.
type GradCheckOptions struct {
	Eps  float64  // step of the differences; 0: 1e-6
	ATol *float64 // absolute tolerance; nil: 1e-5
	RTol *float64 // relative tolerance; nil: 1e-3
}

// GradCheck compares the gradients of f at float64 inputs with central differences, in reverse and in forward mode, and
// says where they differ.
func GradCheck(f func([]*Tensor) []*Tensor, inputs []*Tensor, opts ...GradCheckOptions) error {
	o := option("grad_check", opts)
	eps, atol, rtol := door.Count(o.Eps, 1e-6), door.Or(o.ATol, 1e-5), door.Or(o.RTol, 1e-3)
	return Try(func() {
		for i, x := range inputs {
			if x.DType() != Float64 {
				fault.Throw(fault.DType, "grad_check", "input %d is %v; differences need float64", i, x.DType())
			}
		}
		outs := f(inputs)
		for k, y := range outs {
			if y.DType() != Float64 {
				continue
			}
			one := func(in []*Tensor) *Tensor { return f(in)[k] }
			for i := range inputs {
				checkPair(one, inputs, i, k, eps, atol, rtol)
			}
		}
	})
}

// checkPair compares one input's part of the Jacobian of one output.
func checkPair(f func([]*Tensor) *Tensor, inputs []*Tensor, i, k int, eps, atol, rtol float64) {
	at := func(x *Tensor) *Tensor {
		in := append([]*Tensor(nil), inputs...)
		in[i] = x
		return f(in)
	}
	x := inputs[i].Detach()
	base := ToSlice[float64](x)
	m, n := at(x).NumElement(), len(base)
	back := ToSlice[float64](Jacobian(at)(x))
	ahead := ToSlice[float64](JacobianForward(at)(x))
	for c := range n {
		moved := func(d float64) []float64 {
			v := append([]float64(nil), base...)
			v[c] += d
			return ToSlice[float64](at(New(v, x.Shape()...)))
		}
		hi, lo := moved(eps), moved(-eps)
		for r := range m {
			want := (hi[r] - lo[r]) / (2 * eps)
			for mode, got := range map[string]float64{"reverse": back[r*n+c], "forward": ahead[r*n+c]} {
				if math.Abs(got-want) > atol+rtol*math.Abs(want) || math.IsNaN(got) != math.IsNaN(want) {
					fault.Throw(fault.Gradient, "grad_check",
						"output %d element %d by input %d element %d: %s mode gives %v, differences %v", k, r, i, c, mode, got, want)
				}
			}
		}
	}
}

// GradGradCheck is GradCheck for the second derivatives: it checks the gradients of f's gradients along a fixed direction.
func GradGradCheck(f func([]*Tensor) []*Tensor, inputs []*Tensor, opts ...GradCheckOptions) error {
	return GradCheck(func(in []*Tensor) []*Tensor {
		outs := f(in)
		cots := make([]*Tensor, len(outs))
		for i, y := range outs {
			cots[i] = With{DType: y.DType()}.Arange(y.NumElement()).Mul(0.1).Add(0.5).Reshape(y.Shape()...)
		}
		_, grads := VJPN(f, in, cots)
		return grads
	}, inputs, opts...)
}

// Print returns x and prints it with a label when it is computed, also inside compiled functions, where there is no value
// to print while they are traced. They print at every call, also what is not used any further; elsewhere go on with what Print returns.
func Print(label string, x *Tensor) *Tensor {
	n := acquire(x)
	defer release(n)
	p := ops.Print(n, label, func(s string) { fmt.Println(s) }, format.Options(GetPrintOptions()))
	p.MustRun()
	return wrap(p)
}
