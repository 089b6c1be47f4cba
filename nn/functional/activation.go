package functional

import "github.com/lucid-go/lucid"

// Relu returns x where it is positive and 0 elsewhere; NaN stays.
func Relu(x *lucid.Tensor) *lucid.Tensor { return lucid.Relu(x) }

// Relu6 returns x cut to [0, 6].
func Relu6(x *lucid.Tensor) *lucid.Tensor { return lucid.Relu6(x) }

// LeakyRelu returns x where it is positive, and x times the slope elsewhere.
func LeakyRelu(x *lucid.Tensor, o ...lucid.LeakyReluOptions) *lucid.Tensor {
	return lucid.LeakyRelu(x, o...)
}

// Elu returns x where it is positive, alpha·(exp(x)-1) elsewhere.
func Elu(x *lucid.Tensor, o ...lucid.EluOptions) *lucid.Tensor { return lucid.Elu(x, o...) }

// Celu returns x where it is positive, alpha·(exp(x/alpha)-1) elsewhere.
func Celu(x *lucid.Tensor, o ...lucid.EluOptions) *lucid.Tensor { return lucid.Celu(x, o...) }

// Selu returns scale·elu(x, alpha) with the two constants of self-normalising networks.
func Selu(x *lucid.Tensor) *lucid.Tensor { return lucid.Selu(x) }

// Gelu returns x·Φ(x), Φ being the normal distribution function, or its tanh approximation.
func Gelu(x *lucid.Tensor, o ...lucid.GeluOptions) *lucid.Tensor { return lucid.Gelu(x, o...) }

// Silu returns x·sigmoid(x).
func Silu(x *lucid.Tensor) *lucid.Tensor { return lucid.Silu(x) }

// Mish returns x·tanh(softplus(x)).
func Mish(x *lucid.Tensor) *lucid.Tensor { return lucid.Mish(x) }

// Hardswish returns x·hardsigmoid(x).
func Hardswish(x *lucid.Tensor) *lucid.Tensor { return lucid.Hardswish(x) }

// Hardsigmoid returns x/6 + 1/2 cut to [0, 1].
func Hardsigmoid(x *lucid.Tensor) *lucid.Tensor { return lucid.Hardsigmoid(x) }

// Hardtanh returns x cut to [min_val, max_val]; at a bound the gradient is 0.
func Hardtanh(x *lucid.Tensor, o ...lucid.HardtanhOptions) *lucid.Tensor {
	return lucid.Hardtanh(x, o...)
}

// Sigmoid returns 1/(1 + exp(-x)).
func Sigmoid(x *lucid.Tensor) *lucid.Tensor { return lucid.Sigmoid(x) }

// Tanh returns the hyperbolic tangent.
func Tanh(x *lucid.Tensor) *lucid.Tensor { return lucid.Tanh(x) }

// Softmax returns exp(x)/Σexp(x) along a dimension, without overflow. A row of -Inf gives NaN.
func Softmax(x *lucid.Tensor, dim int, o ...lucid.SoftmaxOptions) *lucid.Tensor {
	return lucid.Softmax(x, dim, o...)
}

// LogSoftmax returns x - log Σexp(x) along a dimension, without overflow. A row of -Inf gives NaN.
func LogSoftmax(x *lucid.Tensor, dim int, o ...lucid.SoftmaxOptions) *lucid.Tensor {
	return lucid.LogSoftmax(x, dim, o...)
}

// Softmin returns the softmax of -x.
func Softmin(x *lucid.Tensor, dim int, o ...lucid.SoftmaxOptions) *lucid.Tensor {
	return lucid.Softmin(x, dim, o...)
}

// Softplus returns log(1+exp(beta·x))/beta, and x where beta·x exceeds the threshold.
func Softplus(x *lucid.Tensor, o ...lucid.SoftplusOptions) *lucid.Tensor {
	return lucid.Softplus(x, o...)
}

// Softsign returns x/(1+|x|).
func Softsign(x *lucid.Tensor) *lucid.Tensor { return lucid.Softsign(x) }

// Softshrink returns x moved towards 0 by lambd, and 0 where |x| does not exceed it.
func Softshrink(x *lucid.Tensor, o ...lucid.LambdOptions) *lucid.Tensor {
	return lucid.Softshrink(x, o...)
}

// Hardshrink returns x, and 0 where |x| does not exceed lambd.
func Hardshrink(x *lucid.Tensor, o ...lucid.LambdOptions) *lucid.Tensor {
	return lucid.Hardshrink(x, o...)
}

// Tanhshrink returns x - tanh(x).
func Tanhshrink(x *lucid.Tensor) *lucid.Tensor { return lucid.Tanhshrink(x) }

// Threshold returns x where it exceeds the threshold, and value elsewhere.
func Threshold(x *lucid.Tensor, threshold float64, value float64) *lucid.Tensor {
	return lucid.Threshold(x, threshold, value)
}

// Glu returns a·sigmoid(b), a and b being the halves of x along a dimension.
func Glu(x *lucid.Tensor, o ...lucid.GluOptions) *lucid.Tensor { return lucid.Glu(x, o...) }

// Prelu returns x where it is positive, and x times weight elsewhere; weight has one element, or one per channel (dim
// 1).
func Prelu(x *lucid.Tensor, weight *lucid.Tensor) *lucid.Tensor { return lucid.Prelu(x, weight) }

// LogSigmoid returns log(sigmoid(x)), also where sigmoid(x) underflows.
func LogSigmoid(x *lucid.Tensor) *lucid.Tensor { return lucid.LogSigmoid(x) }
