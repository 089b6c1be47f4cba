package nninit

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

func refuse(kind error, op, format string, args ...any) {
	panic(lucid.Errorf(kind, op, format, args...))
}

func without(t *lucid.Tensor, f func()) *lucid.Tensor {
	lucid.NoGrad(f)
	return t
}

// like returns creation for tensors of t's dtype and device.
func like(t *lucid.Tensor) lucid.With { return lucid.With{DType: t.DType(), Device: t.Device()} }

// Uniform_ fills t with numbers from [low, high).
func Uniform_(t *lucid.Tensor, low, high float64) *lucid.Tensor {
	if !(low <= high) {
		refuse(lucid.ErrValue, "uniform", "from %v to %v; want low at most high", low, high)
	}
	return without(t, func() { t.Uniform_(low, high) })
}

// Normal_ fills t with numbers of the normal distribution.
func Normal_(t *lucid.Tensor, mean, std float64) *lucid.Tensor {
	if !(std >= 0) {
		refuse(lucid.ErrValue, "normal", "a deviation of %v; want at least 0", std)
	}
	return without(t, func() { t.Normal_(mean, std) })
}

// TruncNormal_ fills t with numbers of the normal distribution truncated to [low, high].
func TruncNormal_(t *lucid.Tensor, mean, std, low, high float64) *lucid.Tensor {
	if !(std > 0 && low < high) {
		refuse(lucid.ErrValue, "trunc_normal", "a deviation of %v, from %v to %v; want a positive one, and low below high", std, low, high)
	}
	cdf := func(x float64) float64 { return (1 + math.Erf(x/math.Sqrt2)) / 2 }
	l, u := cdf((low-mean)/std), cdf((high-mean)/std)
	return without(t, func() {
		x := like(t).Rand(t.Shape()...).Mul(2*u - 2*l).Add(2*l - 1)
		t.Assign(lucid.Clamp(x.Erfinv().Mul(std*math.Sqrt2).Add(mean), low, high))
	})
}

// Constant_ fills t with one number.
func Constant_(t *lucid.Tensor, value float64) *lucid.Tensor {
	return without(t, func() { t.Assign(value) })
}

// Zeros_ fills t with 0.
func Zeros_(t *lucid.Tensor) *lucid.Tensor { return Constant_(t, 0) }

// Ones_ fills t with 1.
func Ones_(t *lucid.Tensor) *lucid.Tensor { return Constant_(t, 1) }

// Eye_ makes a matrix the identity.
func Eye_(t *lucid.Tensor) *lucid.Tensor {
	if t.Dim() != 2 {
		refuse(lucid.ErrShapeMismatch, "eye", "the tensor has shape %v; want a matrix", t.Shape())
	}
	return without(t, func() { t.Assign(like(t).Eye(t.Size(0), t.Size(1))) })
}

// Dirac_ makes the weight of a convolution pass its channels through, in each of the groups.
func Dirac_(t *lucid.Tensor, groups int) *lucid.Tensor {
	s := t.Shape()
	if len(s) < 3 || len(s) > 5 || groups < 1 || s[0]%groups != 0 {
		refuse(lucid.ErrShapeMismatch, "dirac",
			"a weight of shape %v in %d groups; want 3 to 5 dimensions, the first divided by the groups", s, groups)
	}
	data := make([]float64, t.NumElement())
	per := s[0] / groups
	kernel, middle := 1, 0
	for _, k := range s[2:] {
		kernel, middle = kernel*k, middle*k+k/2
	}
	for g := range groups {
		for c := range min(per, s[1]) {
			data[((g*per+c)*s[1]+c)*kernel+middle] = 1
		}
	}
	return without(t, func() { t.Assign(lucid.New(data, s...)) })
}

// Fans returns how many inputs and outputs each element of a weight connects.
func Fans(t *lucid.Tensor) (in, out int) {
	s := t.Shape()
	if len(s) < 2 {
		refuse(lucid.ErrShapeMismatch, "fans", "a tensor of shape %v connects nothing; want at least 2 dimensions", s)
	}
	field := 1
	for _, k := range s[2:] {
		field *= k
	}
	return s[1] * field, s[0] * field
}

// CalculateGain returns the factor recommended for a nonlinearity: linear, conv1d to conv3d and their transposes,
// sigmoid, tanh, relu, leaky_relu (whose slope is param, 0.01 if not given), selu.
func CalculateGain(nonlinearity string, param ...float64) float64 {
	switch nonlinearity {
	case "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid":
		return 1
	case "tanh":
		return 5.0 / 3
	case "relu":
		return math.Sqrt2
	case "leaky_relu":
		slope := 0.01
		if len(param) > 0 {
			slope = param[0]
		}
		return math.Sqrt(2 / (1 + slope*slope))
	case "selu":
		return 0.75
	}
	refuse(lucid.ErrValue, "calculate_gain", "no gain is known for %q; want linear, conv*, sigmoid, tanh, relu, leaky_relu or selu",
		nonlinearity)
	return 0
}

// GainOptions have the factor of Xavier and orthogonal values.
type GainOptions struct {
	Gain *float64 // nil: 1
}

func gain(op string, opts []GainOptions) float64 {
	return door.Or(door.Option(op, opts).Gain, 1)
}

// XavierUniform_ fills t so that the variance is preserved in both directions (Glorot and Bengio).
func XavierUniform_(t *lucid.Tensor, opts ...GainOptions) *lucid.Tensor {
	in, out := Fans(t)
	a := gain("xavier_uniform", opts) * math.Sqrt(6/float64(in+out))
	return Uniform_(t, -a, a)
}

// XavierNormal_ is XavierUniform with the normal distribution.
func XavierNormal_(t *lucid.Tensor, opts ...GainOptions) *lucid.Tensor {
	in, out := Fans(t)
	return Normal_(t, 0, gain("xavier_normal", opts)*math.Sqrt(2/float64(in+out)))
}

// KaimingOptions say for what a weight is used.
type KaimingOptions struct {
	A            float64 // slope of leaky_relu
	Mode         string  // "fan_in" (default) or "fan_out"
	Nonlinearity string  // default "leaky_relu"; see CalculateGain
}

func kaiming(op string, t *lucid.Tensor, opts []KaimingOptions) float64 {
	o := door.Option(op, opts)
	in, out := Fans(t)
	fan := in
	switch o.Mode {
	case "", "fan_in":
	case "fan_out":
		fan = out
	default:
		refuse(lucid.ErrValue, op, "mode is %q; want fan_in or fan_out", o.Mode)
	}
	if o.Nonlinearity == "" {
		o.Nonlinearity = "leaky_relu"
	}
	return CalculateGain(o.Nonlinearity, o.A) / math.Sqrt(float64(max(fan, 1)))
}

// KaimingUniform_ fills t so that the variance is preserved through a rectifier (He et al.).
func KaimingUniform_(t *lucid.Tensor, opts ...KaimingOptions) *lucid.Tensor {
	b := math.Sqrt(3) * kaiming("kaiming_uniform", t, opts)
	return Uniform_(t, -b, b)
}

// KaimingNormal_ is KaimingUniform with the normal distribution.
func KaimingNormal_(t *lucid.Tensor, opts ...KaimingOptions) *lucid.Tensor {
	return Normal_(t, 0, kaiming("kaiming_normal", t, opts))
}
