package tune

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	nninit "github.com/lucid-go/lucid/nn/init"
)

// Linear is a linear layer with an adapter: W·x + s·B·A·x for LoRA. With a magnitude m it is DoRA: the rows of W + s·B·A are scaled
// to the lengths m. The names of its parameters are those of peft.
type Linear struct {
	nn.Base
	Inner     nn.Layer      `nn:"base_layer"`            // frozen
	A         *lucid.Tensor `nn:"lora_A.weight"`         // (rank, in)
	B         *lucid.Tensor `nn:"lora_B.weight"`         // (out, rank)
	Magnitude *lucid.Tensor `nn:"lora_magnitude_vector"` // (out); nil: LoRA
	scale     float64
	dropout   float64
	off       lucid.GuardCell // 1: the adapter is switched off
}

// newLinear adapts a layer of in inputs and out outputs.
func newLinear(inner nn.Layer, in, out int, device lucid.Device, o LoRAOptions) *Linear {
	w := lucid.With{DType: lucid.Float32, Device: device}
	l := &Linear{Inner: inner, A: w.Zeros(o.Rank, in).RequiresGrad_(true), scale: o.scale(), dropout: o.Dropout}
	l.off.SetReason("an adapter was switched on or off")
	l.B = w.Zeros(out, o.Rank).RequiresGrad_(true)
	bound := 1 / math.Sqrt(float64(in))
	nninit.Uniform_(l.A, -bound, bound)
	if o.DoRA {
		lucid.NoGrad(func() { l.Magnitude = rowNorms(l.weight().To(lucid.Float32)).Eval().Detach().RequiresGrad_(true) })
	}
	nn.SetTraining(l, false)
	return l
}

// weight is the frozen matrix.
func (l *Linear) weight() *lucid.Tensor {
	base, ok := l.Inner.(*nn.Linear)
	if !ok {
		fault.Throw(fault.NotImplemented, op,
			"the matrix of a %T is needed as numbers; load the model without LoadOptions.Quantized", l.Inner)
	}
	return base.Weight
}

// rowNorms are the lengths of the rows of a matrix.
func rowNorms(w *lucid.Tensor) *lucid.Tensor { return w.Square().Sum(1).Sqrt() }

// product is B·A times the scale, (out, in).
func (l *Linear) product() *lucid.Tensor {
	return lucid.MatMul(nn.Use(l, l.B), nn.Use(l, l.A)).Mul(l.scale)
}

// Forward takes x of (…, in) to (…, out). The adapter computes in float32.
func (l *Linear) Forward(x *lucid.Tensor) *lucid.Tensor {
	y := l.Inner.Forward(x)
	if l.off.Load() != 0 {
		return y
	}
	in := x.To(lucid.Float32)
	if l.dropout > 0 && l.Training() {
		in = F.Dropout(in, F.DropoutOptions{P: &l.dropout})
	}
	low := F.Linear(F.Linear(in, nn.Use(l, l.A)), nn.Use(l, l.B)).Mul(l.scale)
	if l.Magnitude != nil {
		w := l.weight().To(lucid.Float32)
		// The length is a constant for the gradient, as in the paper.
		ratio := nn.Use(l, l.Magnitude).Div(rowNorms(w.Add(l.product())).Detach())
		low = F.Linear(in, w).Mul(ratio.Sub(1)).Add(low.Mul(ratio))
	}
	return y.Add(low.To(y.DType()))
}

// fused is the matrix that does what the layer does.
func (l *Linear) fused() *lucid.Tensor {
	w := l.weight()
	sum := w.To(lucid.Float32).Add(l.product())
	if l.Magnitude != nil {
		sum = sum.Mul(l.Magnitude.Div(rowNorms(sum)).Unsqueeze(1))
	}
	return sum.To(w.DType())
}
