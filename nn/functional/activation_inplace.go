package functional

import "github.com/lucid-go/lucid"

// In-place forms make x show the result and return it; gradients pass.

// Relu_ is Relu in place.
func Relu_(x *lucid.Tensor) *lucid.Tensor { return x.Assign(lucid.Relu(x)) }

// LeakyRelu_ is LeakyRelu in place.
func LeakyRelu_(x *lucid.Tensor, o ...lucid.LeakyReluOptions) *lucid.Tensor {
	return x.Assign(lucid.LeakyRelu(x, o...))
}

// Elu_ is Elu in place.
func Elu_(x *lucid.Tensor, o ...lucid.EluOptions) *lucid.Tensor { return x.Assign(lucid.Elu(x, o...)) }

// Selu_ is Selu in place.
func Selu_(x *lucid.Tensor) *lucid.Tensor { return x.Assign(lucid.Selu(x)) }

// Hardtanh_ is Hardtanh in place.
func Hardtanh_(x *lucid.Tensor, o ...lucid.HardtanhOptions) *lucid.Tensor {
	return x.Assign(lucid.Hardtanh(x, o...))
}

// Threshold_ is Threshold in place.
func Threshold_(x *lucid.Tensor, threshold, value float64) *lucid.Tensor {
	return x.Assign(lucid.Threshold(x, threshold, value))
}

// Rrelu_ is Rrelu in place.
func Rrelu_(x *lucid.Tensor, o ...RreluOptions) *lucid.Tensor { return x.Assign(Rrelu(x, o...)) }
