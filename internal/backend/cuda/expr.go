package cuda

import (
	"fmt"
	"math"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// kinds says for which types of its last operand an op is written in elementwise.cu and functions.cu: b bool, i integers,
// h halves, f floats, c complex numbers.
var kinds = map[string]string{
	"add": "bihfc", "sub": "ihfc", "mul": "bihfc", "grad_mul": "hfc", "div": "hfc", "pow": "ihf", "neg": "ihfc", "square": "ihfc", "abs": "ihfc", "sign": "bihf",
	"lt": "bihf", "le": "bihf", "gt": "bihf", "ge": "bihf", "eq": "bihfc", "ne": "bihfc",
	"logical_and": "bihfc", "logical_or": "bihfc", "logical_xor": "bihfc", "logical_not": "bihfc",
	"isnan": "hfc", "isinf": "hfc", "isfinite": "hfc", "signbit": "bihf", "where": "bihfc", "with_grad": "bihfc", "cast": "bihfc",
	"maximum": "bihf", "minimum": "bihf", "clamp_min": "bihf", "clamp_max": "bihf", "fmax": "bihf", "fmin": "bihf",
	"floor_divide": "ihf", "trunc_divide": "ihf", "remainder": "ihf", "fmod": "ihf",
	"bitwise_and": "bi", "bitwise_or": "bi", "bitwise_xor": "bi", "bitwise_not": "bi", "bitwise_left_shift": "i", "bitwise_right_shift": "i", "gcd": "i", "lcm": "i",
	"relu": "ihf", "softplus": "hf", "silu": "hf", "gelu": "hf", "gelu_tanh": "hf", "logsigmoid": "hf", "wrap_index": "i",
	"sqrt": "hf", "rsqrt": "hf", "reciprocal": "hfc", "exp": "hf", "exp2": "hf", "expm1": "hf", "log": "hf", "log2": "hf", "log10": "hf", "log1p": "hf",
	"sin": "hf", "cos": "hf", "tan": "hf", "asin": "hf", "acos": "hf", "atan": "hf", "sinh": "hf", "cosh": "hf", "tanh": "hf", "asinh": "hf", "acosh": "hf", "atanh": "hf",
	"erf": "hf", "erfc": "hf", "erfinv": "hf", "sigmoid": "hf", "floor": "hf", "ceil": "hf", "trunc": "hf", "round": "hf",
	"atan2": "hf", "hypot": "hf", "copysign": "hf", "nextafter": "f", "logaddexp": "hf", "logaddexp2": "hf", "xlogy": "hf", "special_xlog1py": "hf",
	"frexp_mantissa": "hf", "frexp_exponent": "hf",
	"lgamma": "hf", "i0": "hf", "special_i1": "hf", "special_bessel_j0": "hf", "special_bessel_j1": "hf", "special_bessel_y0": "hf", "special_bessel_y1": "hf",
	"special_erfcx": "hf", "special_ndtr": "hf", "special_ndtri": "hf", "special_log_ndtr": "hf", "special_entr": "hf", "logit": "hf",
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

// mayComplain reports whether an op can meet values it refuses.
func mayComplain(op string, d dtype.DType) bool {
	switch op {
	case "floor_divide", "trunc_divide", "remainder", "fmod":
		return d.IsInteger()
	}
	return op == "wrap_index"
}

// expression writes an instruction in CUDA C++ over its operands' names. word is the name of the fault word.
func expression(ins backend.Instr, out dtype.DType, in dtype.DType, x []string) string {
	const word = "(j < left ? a.fault : (Fault *)0)"
	switch ins.Op {
	case "cast":
		return fmt.Sprintf("cast<%s>(%s)", ctype[out], x[0])
	case "with_grad":
		return x[0]
	case "wrap_index":
		return fmt.Sprintf("op_wrap_index(%s, %dll, %s)", x[0], ins.Attr.(attr.Bound).Size, word)
	case "softplus":
		s := ins.Attr.(attr.Softplus)
		return fmt.Sprintf("op_softplus(%s, %s, %s)", x[0], literal(s.Beta), literal(s.Threshold))
	}
	if mayComplain(ins.Op, in) {
		return fmt.Sprintf("int_%s(%s, %s)", ins.Op, strings.Join(x, ", "), word)
	}
	return fmt.Sprintf("op_%s(%s)", ins.Op, strings.Join(x, ", "))
}

// literal writes a number by its bits.
func literal(f float64) string {
	return fmt.Sprintf("__longlong_as_double(0x%xll)", math.Float64bits(f))
}
