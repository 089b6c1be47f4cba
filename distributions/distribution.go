package distributions

import (
	"fmt"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// Distribution is a probability distribution over tensors. Values are tensors or Go numbers. What a distribution does not have is an
// error of kind ErrNotImplemented.
type Distribution interface {
	fmt.Stringer
	// BatchShape is the shape of the parameters: that many independent distributions.
	BatchShape() []int
	// EventShape is the shape of one sample of one of them.
	EventShape() []int
	// Support is where the density is positive.
	Support() Constraint
	// ArgConstraints are the domains of the parameters, by PyTorch's names.
	ArgConstraints() map[string]Constraint
	// HasRSample reports whether gradients pass through samples to the parameters.
	HasRSample() bool
	// Sample draws from the default generator, without gradients.
	Sample(shape ...int) *lucid.Tensor
	// SampleKey draws by a key: equal keys give equal samples.
	SampleKey(key *lucid.Tensor, shape ...int) *lucid.Tensor
	// RSample draws from the default generator; gradients pass to the parameters.
	RSample(shape ...int) *lucid.Tensor
	// RSampleKey is RSample by a key.
	RSampleKey(key *lucid.Tensor, shape ...int) *lucid.Tensor
	// LogProb is the logarithm of the density, or of the probability, at a value.
	LogProb(value any) *lucid.Tensor
	// CDF is the probability of a sample of at most value.
	CDF(value any) *lucid.Tensor
	// ICDF is the inverse of CDF.
	ICDF(q any) *lucid.Tensor
	Mean() *lucid.Tensor
	// Mode is the value of the largest density; NaN where there is none.
	Mode() *lucid.Tensor
	Variance() *lucid.Tensor
	StdDev() *lucid.Tensor
	// Entropy is the differential entropy, or the entropy, in nats.
	Entropy() *lucid.Tensor
	// EnumerateSupport lists all values of a discrete distribution along a first dimension; expand repeats them over the batch.
	EnumerateSupport(expand bool) *lucid.Tensor
	// Expand is the same distribution with a larger batch shape.
	Expand(batch ...int) Distribution
}

// Options are the options of constructors without others.
type Options struct {
	NoValidate bool // do not check parameters and values
}

// Spec is what a distribution tells its Base.
type Spec struct {
	Name           string
	Self           Distribution // the distribution that embeds the Base
	BatchShape     []int
	EventShape     []int
	Support        Constraint
	ArgConstraints map[string]Constraint
	HasRSample     bool
	NoValidate     bool
	// Draw makes samples of a shape, which ends in the batch and the event shape.
	Draw func(key *lucid.Tensor, shape []int) *lucid.Tensor
	// Expand makes the distribution with a larger batch shape; nil: it has none.
	Expand func(batch []int) Distribution

	made bool // what Draw returns has no other owner
}

// Base is embedded by distributions: shapes, sampling by Spec.Draw, and the errors of what a distribution does not have.
type Base struct{ spec Spec }

// NewBase returns a Base.
func NewBase(s Spec) Base {
	if s.Name == "" || s.Self == nil || s.Draw == nil || s.Support == nil {
		fault.Throw(fault.Value, "distributions.NewBase", "the spec of %q has no Name, Self, Draw or Support; all are needed", s.Name)
	}
	return Base{s}
}

// lacks throws the error of a method that the distribution does not have.
func (b *Base) lacks(method, remedy string) {
	fault.Throw(fault.NotImplemented, b.op(method), "%s has no %s; %s", b.spec.Name, method, remedy)
}

// op names a method of the distribution in errors.
func (b *Base) op(method string) string { return "distributions." + b.spec.Name + "." + method }

// String is the name with batch and event shape.
func (b *Base) String() string {
	return fmt.Sprintf("%s(batch %v, event %v)", b.spec.Name, b.spec.BatchShape, b.spec.EventShape)
}

// BatchShape is the shape of the parameters.
func (b *Base) BatchShape() []int { return slices.Clone(b.spec.BatchShape) }

// EventShape is the shape of one sample.
func (b *Base) EventShape() []int { return slices.Clone(b.spec.EventShape) }

// Support is where the density is positive.
func (b *Base) Support() Constraint { return b.spec.Support }

// ArgConstraints are the domains of the parameters.
func (b *Base) ArgConstraints() map[string]Constraint { return b.spec.ArgConstraints }

// HasRSample reports whether gradients pass through samples.
func (b *Base) HasRSample() bool { return b.spec.HasRSample }

// extended is the shape of samples.
func (b *Base) extended(shape []int) []int {
	return slices.Concat(shape, b.spec.BatchShape, b.spec.EventShape)
}

// Sample draws from the default generator.
func (b *Base) Sample(shape ...int) *lucid.Tensor {
	return b.SampleKey(lucid.DefaultGenerator().Key(), shape...)
}

// SampleKey draws by a key.
func (b *Base) SampleKey(key *lucid.Tensor, shape ...int) (x *lucid.Tensor) {
	lucid.NoGrad(func() { x = b.spec.Draw(key, b.extended(shape)) })
	if b.spec.made {
		defer x.Free() // else what it is made of would be stored, until the collector finds its handle
	}
	return x.Detach()
}

// RSample draws from the default generator; gradients pass.
func (b *Base) RSample(shape ...int) *lucid.Tensor {
	b.needsRSample()
	return b.spec.Draw(lucid.DefaultGenerator().Key(), b.extended(shape))
}

// RSampleKey draws by a key; gradients pass.
func (b *Base) RSampleKey(key *lucid.Tensor, shape ...int) *lucid.Tensor {
	b.needsRSample()
	return b.spec.Draw(key, b.extended(shape))
}

func (b *Base) needsRSample() {
	if !b.spec.Self.HasRSample() {
		b.lacks("RSample", "no gradient passes through its samples: use Sample with a score-function estimate, or a relaxed distribution")
	}
}

// LogProb is refused.
func (b *Base) LogProb(any) *lucid.Tensor {
	b.lacks("LogProb", "its density is not known in closed form")
	return nil
}

// CDF is refused.
func (b *Base) CDF(any) *lucid.Tensor {
	b.lacks("CDF", "estimate it by the share of samples")
	return nil
}

// ICDF is refused.
func (b *Base) ICDF(any) *lucid.Tensor {
	b.lacks("ICDF", "use quantiles of samples, or invert CDF where there is one")
	return nil
}

// Mean is refused.
func (b *Base) Mean() *lucid.Tensor {
	b.lacks("Mean", "use the mean of samples")
	return nil
}

// Mode is refused.
func (b *Base) Mode() *lucid.Tensor {
	b.lacks("Mode", "maximise LogProb")
	return nil
}

// Variance is refused.
func (b *Base) Variance() *lucid.Tensor {
	b.lacks("Variance", "use the variance of samples")
	return nil
}

// StdDev is the root of Variance.
func (b *Base) StdDev() *lucid.Tensor { return b.spec.Self.Variance().Sqrt() }

// Entropy is refused.
func (b *Base) Entropy() *lucid.Tensor {
	b.lacks("Entropy", "use the mean of -LogProb over samples")
	return nil
}

// EnumerateSupport is refused.
func (b *Base) EnumerateSupport(bool) *lucid.Tensor {
	b.lacks("EnumerateSupport", "its support is not a finite list")
	return nil
}

// Expand is the distribution with a larger batch shape.
func (b *Base) Expand(batch ...int) Distribution {
	if b.spec.Expand == nil {
		b.lacks("Expand", "construct it with parameters of that shape")
	}
	return b.spec.Expand(batch)
}

// Prob is the density, or the probability, at a value.
func Prob(d Distribution, value any) *lucid.Tensor { return d.LogProb(value).Exp() }

// Perplexity is the exponential of the entropy.
func Perplexity(d Distribution) *lucid.Tensor { return d.Entropy().Exp() }
