package cuda

import (
	"fmt"
	"math"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// kinds lists the types of the last operand for which an op is written in elementwise.cu, functions.cu, special.cu, incomplete.cu and
// complex.cu: b bool, i integers, h half types, f floats, c complex.
var kinds = map[string]string{
	"add": "bihfc", "sub": "ihfc", "mul": "bihfc", "grad_mul": "bihfc", "div": "hfc", "pow": "ihfc", "neg": "ihfc", "square": "ihfc",
	"abs": "ihfc", "sign": "bihf",
	"lt": "bihf", "le": "bihf", "gt": "bihf", "ge": "bihf", "eq": "bihfc", "ne": "bihfc",
	"logical_and": "bihfc", "logical_or": "bihfc", "logical_xor": "bihfc", "logical_not": "bihfc",
	"isnan": "hfc", "isinf": "hfc", "isfinite": "hfc", "signbit": "bihf", "where": "bihfc", "with_grad": "bihfc", "cast": "bihfc",
	"maximum": "bihf", "minimum": "bihf", "clamp_min": "bihf", "clamp_max": "bihf", "clamp": "bihf", "fmax": "bihf", "fmin": "bihf",
	"floor_divide": "ihf", "trunc_divide": "ihf", "remainder": "ihf", "fmod": "ihf",
	"bitwise_and": "bi", "bitwise_or": "bi", "bitwise_xor": "bi", "bitwise_not": "bi", "bitwise_left_shift": "i",
	"bitwise_right_shift": "i", "gcd": "i", "lcm": "i",
	"relu": "ihf", "softplus": "hf", "silu": "hf", "hardsigmoid": "hf", "hardswish": "hf", "gelu": "hf", "gelu_tanh": "hf",
	"hardtanh": "hf", "leaky_relu": "hf", "softshrink": "hf", "hardshrink": "hf", "elu": "hf", "selu": "hf", "mish": "hf", "sinc": "hf",
	"nan_to_num": "f", "logsigmoid": "hf", "wrap_index": "i", "require": "f",
	"sqrt": "hfc", "rsqrt": "hfc", "reciprocal": "hfc", "exp": "hfc", "exp2": "hfc", "expm1": "hfc", "log": "hfc", "log2": "hfc",
	"log10": "hfc", "log1p": "hfc",
	"sin": "hfc", "cos": "hfc", "tan": "hfc", "asin": "hfc", "acos": "hfc", "atan": "hfc", "sinh": "hfc", "cosh": "hfc", "tanh": "hfc",
	"asinh": "hfc", "acosh": "hfc", "atanh": "hfc",
	"erf": "hf", "erfc": "hf", "erfinv": "hf", "cbrt": "hf", "sigmoid": "hfc", "floor": "hf", "ceil": "hf", "trunc": "hf", "round": "hf",
	"atan2": "hf", "hypot": "hf", "copysign": "hf", "nextafter": "hf", "logaddexp": "hfc", "logaddexp2": "hf", "xlogy": "hf",
	"special_xlog1py": "hf",
	"frexp_mantissa":  "hf", "frexp_exponent": "hf",
	"lgamma": "hf", "i0": "hf", "special_i1": "hf", "special_bessel_j0": "hf", "special_bessel_j1": "hf", "special_bessel_y0": "hf",
	"special_bessel_y1": "hf",
	"special_erfcx":     "hf", "special_ndtr": "hf", "special_ndtri": "hf", "special_log_ndtr": "hf", "special_entr": "hf", "logit": "hf",
	"digamma": "hf", "polygamma": "hf", "special_zeta": "hf", "special_i0e": "hf", "special_i1e": "hf", "special_spherical_bessel_j0": "hf",
	"special_polynomial":         "hf",
	"special_modified_bessel_k0": "hf", "special_modified_bessel_k1": "hf", "special_scaled_modified_bessel_k0": "hf",
	"special_scaled_modified_bessel_k1": "hf",
	"special_gammainc":                  "hf", "special_gammaincc": "hf", "gamma_density": "hf", "standard_gamma_grad": "hf",
	"special_beta": "hf", "special_betaln": "hf", "special_betainc": "hf", "beta_density": "hf", "beta_grad": "hf",
	"special_airy_ai": "hf", "airy_ai_prime": "hf", "special_erfcinv": "hf", "erfcx_derivative": "hf",
	"real": "c", "imag": "c", "conj": "c", "complex": "f",
}

func kindOf(d dtype.DType) string {
	switch {
	case d == dtype.Bool:
		return "b"
	case d.IsInteger():
		return "i"
	case d.IsHalf():
		return "h"
	case d.IsFloat():
		return "f"
	}
	return "c"
}

// canFuse reports whether the op is written for the dtypes.
func canFuse(op string, _ dtype.DType, in []dtype.DType) bool {
	return strings.Contains(kinds[op], kindOf(in[len(in)-1]))
}

// mayFault reports whether an op can report a device error.
func mayFault(op string, d dtype.DType) bool {
	switch op {
	case "floor_divide", "trunc_divide", "remainder", "fmod":
		return d.IsInteger()
	}
	return op == "wrap_index" || op == "require"
}

// expression is an instruction in CUDA C++ over its operands' names.
func expression(ins backend.Instr, out dtype.DType, in dtype.DType, x []string) string {
	const record = "(j < left ? a.fault : (Fault *)0)"
	switch ins.Op {
	case "cast":
		return fmt.Sprintf("cast<%s>(%s)", ctype[out], x[0])
	case "with_grad":
		return x[0]
	case "wrap_index":
		b, at := ins.Attr.(attr.Bound), x[0]
		if b.Strict {
			at = fmt.Sprintf("(%s < 0 ? %dll : %s)", at, b.Size, at)
		}
		return fmt.Sprintf("op_wrap_index(%s, %dll, %s)", at, b.Size, record)
	case "require":
		r := ins.Attr.(attr.Domain).Rule
		low, high := r.Bounds()
		return fmt.Sprintf("op_require(%s, %s, %s, %s, %d, %s)", x[0], x[1], literal(low), literal(high), r, record)
	case "polygamma":
		return fmt.Sprintf("op_polygamma(%s, %d)", x[0], ins.Attr.(attr.Order).N)
	case "erfcx_derivative":
		return fmt.Sprintf("op_erfcx_derivative(%d, %s)", ins.Attr.(attr.Order).N, x[0])
	case "standard_gamma_grad":
		return fmt.Sprintf("op_standard_gamma_grad(%d, %s, %s)", ins.Attr.(attr.Order).N, x[0], x[1])
	case "beta_grad":
		return fmt.Sprintf("op_beta_grad(%d, %s, %s, %s)", ins.Attr.(attr.Order).N, x[0], x[1], x[2])
	case "special_polynomial":
		p := ins.Attr.(attr.Polynomial)
		return fmt.Sprintf("op_special_polynomial<%d, %d>(%s, %s)", p.Family, p.Derivative, x[0], x[1])
	case "nextafter":
		if in.IsHalf() {
			return fmt.Sprintf("next_half<%s>(%s, %s)", ctype[in], x[0], x[1])
		}
	case "softplus":
		s := ins.Attr.(attr.Softplus)
		return fmt.Sprintf("op_softplus(%s, %s, %s)", x[0], literal(s.Beta), literal(s.Threshold))
	}
	if mayFault(ins.Op, in) {
		return fmt.Sprintf("int_%s(%s, %s)", ins.Op, strings.Join(x, ", "), record)
	}
	return fmt.Sprintf("op_%s(%s)", ins.Op, strings.Join(x, ", "))
}

// literal writes a number by its bits.
func literal(f float64) string {
	return fmt.Sprintf("__longlong_as_double(0x%xll)", math.Float64bits(f))
}
