package functional

import "github.com/lucid-go/lucid"

// In-place forms make x show the result and return it; gradients pass.

// ReLU_ is ReLU in place.
func ReLU_(x *lucid.Tensor) *lucid.Tensor { return x.Assign(ReLU(x)) }

// LeakyReLU_ is LeakyReLU in place.
func LeakyReLU_(x *lucid.Tensor, o ...LeakyReLUOptions) *lucid.Tensor {
	return x.Assign(LeakyReLU(x, o...))
}

// ELU_ is ELU in place.
func ELU_(x *lucid.Tensor, o ...ELUOptions) *lucid.Tensor { return x.Assign(ELU(x, o...)) }

// SELU_ is SELU in place.
func SELU_(x *lucid.Tensor) *lucid.Tensor { return x.Assign(SELU(x)) }

// Hardtanh_ is Hardtanh in place.
func Hardtanh_(x *lucid.Tensor, o ...HardtanhOptions) *lucid.Tensor {
	return x.Assign(Hardtanh(x, o...))
}

// Threshold_ is Threshold in place.
func Threshold_(x *lucid.Tensor, threshold, value float64) *lucid.Tensor {
	return x.Assign(Threshold(x, threshold, value))
}

// RReLU_ is RReLU in place.
func RReLU_(x *lucid.Tensor, o ...RReLUOptions) *lucid.Tensor { return x.Assign(RReLU(x, o...)) }
