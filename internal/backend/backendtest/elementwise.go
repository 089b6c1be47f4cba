package backendtest

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

var (
	floats   = []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16}
	inexact  = append(append([]dtype.DType(nil), floats...), dtype.Complex64, dtype.Complex128)
	integers = []dtype.DType{dtype.Int64, dtype.Int32, dtype.Int16, dtype.Int8, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64}
	every    = append(append(append([]dtype.DType(nil), inexact...), integers...), dtype.Bool)
	reals    = append(append([]dtype.DType(nil), floats...), integers...)
	numbers  = append(append([]dtype.DType(nil), inexact...), integers...)
)

// shapes of elementwise checks: 0-d, none, small, and longer than a tile.
var shapes = [][]int{{}, {0, 3}, {3, 5}, {2, 3, 4}, {2, 1100}}

// fusedUse reads a value in another elementwise op, so that both are outputs of one fused program.
func fusedUse(y *node) []*node { return []*node{ops.Where(ops.Eq(y, y), y, y)} }

// unary is an elementwise function and the interval its argument is taken from.
type unary struct {
	name   string
	f      func(*node) *node
	lo, hi float64
}

func elementwise() (all []check) {
	for _, u := range unaries() {
		f := func(in []*node) []*node { return []*node{u.f(in[0])} }
		all = append(all, check{name: u.name, dtypes: every, in: []input{{lo: u.lo, hi: u.hi}}, shapes: shapes, f: f,
			loose: true, fused: true},
			check{name: u.name + "/special", dtypes: floats, in: []input{{lo: u.lo, hi: u.hi, special: true}}, shapes: shapes[3:], f: f,
				loose: true, spare: true})
	}
	for _, b := range binaries() {
		f := func(in []*node) []*node { return []*node{b.f(in[0], in[1])} }
		x := input{lo: b.lo, hi: b.hi}
		y := input{lo: b.lo2, hi: b.hi2}
		all = append(all, check{name: b.name, dtypes: every, in: []input{x, y}, shapes: shapes, f: f, loose: true, fused: true},
			check{name: b.name + "/row", dtypes: []dtype.DType{dtype.Float32, dtype.Int32},
				in: []input{{lo: b.lo, hi: b.hi, shape: []int{4, 1}}, {lo: b.lo2, hi: b.hi2, shape: []int{3, 1, 5}}}, f: f, loose: true})
		if b.pure {
			x.special, y.special = true, true
			all = append(all, check{name: b.name + "/special", dtypes: floats, in: []input{x, y}, shapes: shapes[3:], f: f,
				loose: true, spare: true})
		}
	}
	return append(all, mixed()...)
}

func unaries() []unary {
	raw := func(name string) func(*node) *node {
		return func(x *node) *node { return graph.New(op(name), nil, x) }
	}
	return []unary{
		{"abs", ops.Abs, -3, 3}, {"acos", ops.Acos, -1, 1}, {"acosh", ops.Acosh, 1, 9}, {"asin", ops.Asin, -1, 1},
		{"asinh", ops.Asinh, -5, 5},
		{"atan", ops.Atan, -5, 5}, {"atanh", ops.Atanh, -0.9, 0.9}, {"cbrt", ops.Cbrt, -9, 9}, {"ceil", ops.Ceil, -5, 5},
		{"clamp_min/number", func(x *node) *node { return ops.ClampMin(x, 1) }, -3, 3},
		{"clamp_max/number", func(x *node) *node { return ops.ClampMax(x, 1) }, -3, 3}, {"conj", ops.Conj, -3, 3}, {"cos", ops.Cos, -6, 6},
		{"cosh", ops.Cosh, -4, 4}, {"digamma", ops.Digamma, 0.1, 9}, {"erf", ops.Erf, -3, 3}, {"erfc", ops.Erfc, -3, 3},
		{"erfinv", ops.Erfinv, -0.9, 0.9},
		{"exp", ops.Exp, -5, 5}, {"exp2", ops.Exp2, -5, 5}, {"expm1", ops.Expm1, -5, 5}, {"floor", ops.Floor, -5, 5}, {"i0", ops.I0, -5, 5},
		{"isfinite", ops.IsFinite, -5, 5}, {"isinf", ops.IsInf, -5, 5}, {"isnan", ops.IsNaN, -5, 5}, {"lgamma", ops.Lgamma, 0.1, 9},
		{"log", ops.Log, 0.1, 9}, {"log10", ops.Log10, 0.1, 9}, {"log1p", ops.Log1p, -0.9, 9}, {"log2", ops.Log2, 0.1, 9},
		{"logical_not", ops.LogicalNot, -2, 2}, {"logsigmoid", ops.Logsigmoid, -9, 9}, {"neg", ops.Neg, -5, 5},
		{"reciprocal", ops.Reciprocal, 0.2, 5},
		{"relu", ops.Relu, -5, 5}, {"rsqrt", ops.Rsqrt, 0.2, 5}, {"sigmoid", ops.Sigmoid, -9, 9}, {"sign", ops.Sign, -3, 3},
		{"signbit", ops.Signbit, -3, 3},
		{"clamp", func(x *node) *node { return ops.Clamp(x, -1, 2) }, -3, 3},
		{"hardtanh", func(x *node) *node { return ops.Hardtanh(x, ops.HardtanhOptions{}) }, -3, 3}, {"relu6", ops.Relu6, -3, 9},
		{"leaky_relu", func(x *node) *node { return ops.LeakyRelu(x, ops.LeakyReLUOptions{}) }, -3, 3},
		{"softshrink", func(x *node) *node { return ops.Softshrink(x, ops.ShrinkOptions{}) }, -3, 3},
		{"hardshrink", func(x *node) *node { return ops.Hardshrink(x, ops.ShrinkOptions{}) }, -3, 3},
		{"elu", func(x *node) *node { return ops.Elu(x, ops.ELUOptions{}) }, -5, 5},
		{"nan_to_num", func(x *node) *node { return ops.NanToNum(x, ops.NanToNumOptions{}) }, -5, 5},
		{"selu", ops.Selu, -5, 5}, {"mish", ops.Mish, -9, 9}, {"sinc", ops.Sinc, -3, 3},
		{"hardsigmoid", ops.Hardsigmoid, -5, 5}, {"hardswish", ops.Hardswish, -5, 5},
		{"silu", ops.Silu, -9, 9}, {"sin", ops.Sin, -6, 6}, {"sinh", ops.Sinh, -4, 4}, {"sqrt", ops.Sqrt, 0, 9},
		{"square", ops.Square, -9, 9},
		{"tan", ops.Tan, -1.4, 1.4}, {"tanh", ops.Tanh, -4, 4}, {"trunc", ops.Trunc, -5, 5}, {"bitwise_not", ops.BitwiseNot, -90, 90},
		{"special_bessel_j0", ops.BesselJ0, -9, 9}, {"special_bessel_j1", ops.BesselJ1, -9, 9}, {"special_bessel_y0", ops.BesselY0, 0.2, 9},
		{"special_bessel_y1", ops.BesselY1, 0.2, 9}, {"special_entr", ops.Entr, 0.1, 5}, {"special_erfcx", ops.Erfcx, -2, 5},
		{"special_i0e", ops.BesselI0e, -5, 5}, {"special_i1", ops.BesselI1, -5, 5}, {"special_i1e", ops.BesselI1e, -5, 5},
		{"special_log_ndtr", ops.LogNdtr, -5, 5},
		{"special_modified_bessel_k0", ops.ModifiedBesselK0, 0.2, 5}, {"special_modified_bessel_k1", ops.ModifiedBesselK1, 0.2, 5},
		{"special_ndtr", ops.Ndtr, -5, 5}, {"special_ndtri", ops.Ndtri, 0.1, 0.9},
		{"special_scaled_modified_bessel_k0", ops.ScaledModifiedBesselK0, 0.2, 5},
		{"special_scaled_modified_bessel_k1", ops.ScaledModifiedBesselK1, 0.2, 5},
		{"special_spherical_bessel_j0", ops.SphericalBesselJ0, -9, 9},
		{"special_airy_ai", ops.AiryAi, -12, 6}, {"special_erfcinv", ops.Erfcinv, 0.05, 1.95},
		{"polygamma", func(x *node) *node { return ops.Polygamma(x, 2) }, 0.5, 9},
		{"round", func(x *node) *node { return ops.Round(x, ops.RoundOptions{}) }, -5, 5},
		{"logit", func(x *node) *node { return ops.Logit(x, ops.LogitOptions{}) }, 0.1, 0.9},
		{"softplus", func(x *node) *node { return ops.Softplus(x, ops.SoftplusOptions{}) }, -9, 9},
		{"gelu", func(x *node) *node { return ops.Gelu(x, ops.GELUOptions{}) }, -5, 5},
		{"gelu_tanh", func(x *node) *node { return ops.Gelu(x, ops.GELUOptions{Approximate: "tanh"}) }, -5, 5},
		{"real", ops.Real, -3, 3}, {"imag", ops.Imag, -3, 3},
		{"frexp", func(x *node) *node { m, e := ops.Frexp(x); return ops.Mul(m, ops.Cast(e, m.DType())) }, -40, 40},
		{"number", func(x *node) *node { return ops.Mul(ops.Add(x, 2), 3) }, -5, 5},
		{"copy", raw("copy"), -5, 5},
		{"depends", func(x *node) *node { return ops.Depends(x, x) }, -5, 5},
	}
}

// binary is a function of two arguments, each taken from an interval; pure says that special values are no matter of taste.
type binary struct {
	name             string
	f                func(x, y *node) *node
	lo, hi, lo2, hi2 float64
	pure             bool
}

func binaries() []binary {
	two := func(f func(x, y ops.Operand) *node) func(x, y *node) *node {
		return func(x, y *node) *node { return f(x, y) }
	}
	rounded := func(mode string) func(x, y *node) *node {
		return func(x, y *node) *node { return ops.Div(x, y, ops.DivOptions{RoundingMode: mode}) }
	}
	return []binary{
		{"add", func(x, y *node) *node { return ops.Add(x, y) }, -5, 5, -5, 5, true},
		{"sub", func(x, y *node) *node { return ops.Sub(x, y) }, -5, 5, -5, 5, true},
		{"mul", two(ops.Mul), -5, 5, -5, 5, true}, {"div", func(x, y *node) *node { return ops.Div(x, y) }, -5, 5, 1, 5, true},
		{"trunc_divide", rounded("trunc"), -9, 9, 1, 3, false}, {"floor_divide", two(ops.FloorDivide), -9, 9, 1, 3, false},
		{"remainder", two(ops.Remainder), -9, 9, 1, 3, false}, {"fmod", two(ops.Fmod), -9, 9, 1, 3, false},
		{"atan2", two(ops.Atan2), -3, 3, -3, 3, true}, {"copysign", two(ops.Copysign), -3, 3, -3, 3, true},
		{"maximum", two(ops.Maximum), -3, 3, -3, 3, true}, {"minimum", two(ops.Minimum), -3, 3, -3, 3, true},
		{"fmax", two(ops.Fmax), -3, 3, -3, 3, true}, {"fmin", two(ops.Fmin), -3, 3, -3, 3, true},
		{"clamp_min", two(ops.ClampMin), -3, 3, -3, 3, true}, {"clamp_max", two(ops.ClampMax), -3, 3, -3, 3, true},
		{"hypot", two(ops.Hypot), -3, 3, -3, 3, true}, {"logaddexp", two(ops.Logaddexp), -3, 3, -3, 3, true},
		{"logaddexp2", two(ops.Logaddexp2), -3, 3, -3, 3, true},
		{"nextafter", two(ops.Nextafter), -3, 3, -3, 3, true}, {"pow", two(ops.Pow), 0.2, 3, 0, 3, true},
		{"xlogy", two(ops.Xlogy), -3, 3, 0.2, 3, true},
		{"special_xlog1py", two(ops.Xlog1py), -3, 3, -0.5, 3, true}, {"special_zeta", two(ops.Zeta), 1.5, 5, 0.5, 5, false},
		{"eq", two(ops.Eq), -1, 1, -1, 1, true}, {"ne", two(ops.Ne), -1, 1, -1, 1, true}, {"lt", two(ops.Lt), -2, 2, -2, 2, true},
		{"le", two(ops.Le), -2, 2, -2, 2, true}, {"gt", two(ops.Gt), -2, 2, -2, 2, true}, {"ge", two(ops.Ge), -2, 2, -2, 2, true},
		{"logical_and", two(ops.LogicalAnd), -1, 1, -1, 1, true}, {"logical_or", two(ops.LogicalOr), -1, 1, -1, 1, true},
		{"logical_xor", two(ops.LogicalXor), -1, 1, -1, 1, true},
		{"bitwise_and", two(ops.BitwiseAnd), -90, 90, -90, 90, false}, {"bitwise_or", two(ops.BitwiseOr), -90, 90, -90, 90, false},
		{"bitwise_xor", two(ops.BitwiseXor), -90, 90, -90, 90, false},
		{"bitwise_left_shift", two(ops.BitwiseLeftShift), -90, 90, 0, 5, false},
		{"bitwise_right_shift", two(ops.BitwiseRightShift), -90, 90, 0, 5, false},
		{"gcd", two(ops.Gcd), -90, 90, -90, 90, false}, {"lcm", two(ops.Lcm), -9, 9, -9, 9, false},
		{"grad_mul", func(x, y *node) *node {
			b := ops.BroadcastTensors(x, y)
			return graph.New(op("grad_mul"), nil, b[0], b[1])
		}, -2, 2, -2, 2, true},
		{"complex", ops.Complex, -2, 2, -2, 2, true},
		{"special_gammainc", two(ops.Gammainc), 0.2, 9, 0.2, 9, false}, {"special_gammaincc", two(ops.Gammaincc), 0.2, 9, 0.2, 9, false},
		{"special_beta", two(ops.Beta), 0.2, 9, 0.2, 9, false}, {"special_betaln", two(ops.Betaln), 0.2, 40, 0.2, 40, false},
		{"standard_gamma_grad", two(ops.StandardGammaGrad), 0.2, 9, 0.2, 9, false},
		{"special_polynomial", func(x, y *node) *node { return ops.ChebyshevPolynomialT(x, y) }, -1, 1, 0, 6, false},
	}
}

// mixed are elementwise ops whose operands differ in kind, and casts.
func mixed() []check {
	x := input{lo: -3, hi: 3}
	all := []check{
		{name: "where", dtypes: every, in: []input{{dtype: dtype.Bool}, x, {lo: -9, hi: 9}}, shapes: shapes, exact: true,
			f: func(in []*node) []*node { return []*node{ops.Where(in[0], in[1], in[2])} }},
		{name: "with_grad", dtypes: floats, in: []input{x, x, x}, shapes: shapes, exact: true,
			f: func(in []*node) []*node { return []*node{graph.New(op("with_grad"), nil, in...)} }},
		{name: "require", dtypes: []dtype.DType{dtype.Float32, dtype.Float64}, in: []input{x, {lo: 0, hi: 1}}, shapes: shapes, exact: true,
			f: func(in []*node) []*node {
				return []*node{graph.New(op("require"), attr.Domain{Op: "test", Rule: attr.Probability}, in...)}
			}},
		{name: "wrap_index", dtypes: []dtype.DType{dtype.Int64}, in: []input{{lo: -4, hi: 4}}, shapes: shapes, exact: true,
			f: func(in []*node) []*node { return []*node{graph.New(op("wrap_index"), attr.Bound{Size: 5}, in...)} }},
		{name: "wrap_index", dtypes: []dtype.DType{dtype.Int64}, in: []input{{lo: 0, hi: 4}}, shapes: shapes, exact: true,
			f: func(in []*node) []*node {
				return []*node{graph.New(op("wrap_index"), attr.Bound{Size: 5, Strict: true}, in...)}
			}},
		{name: "special_betainc", dtypes: floats, in: []input{{lo: 0.1, hi: 9}, {lo: 0.2, hi: 9}, {lo: 0, hi: 1}}, shapes: shapes,
			f: func(in []*node) []*node { return []*node{ops.Betainc(in[0], in[1], in[2])} }},
		{name: "airy_ai_prime", dtypes: floats, in: []input{{lo: -12, hi: 6}}, shapes: shapes,
			f: func(in []*node) []*node { return []*node{graph.New(op("airy_ai_prime"), nil, in...)} }},
		{name: "erfcx_derivative", dtypes: floats, in: []input{{lo: -2, hi: 9}}, shapes: shapes,
			f: func(in []*node) []*node { return []*node{graph.New(op("erfcx_derivative"), attr.Order{N: 2}, in...)} }},
		{name: "gamma_density", dtypes: floats, in: []input{{lo: 0.2, hi: 9}, {lo: 0.2, hi: 9}}, shapes: shapes,
			f: func(in []*node) []*node { return []*node{graph.New(op("gamma_density"), nil, in...)} }},
		{name: "beta_density", dtypes: floats, in: []input{{lo: 0.1, hi: 9}, {lo: 0.2, hi: 9}, {lo: 0.1, hi: 0.9}}, shapes: shapes,
			f: func(in []*node) []*node { return []*node{graph.New(op("beta_density"), nil, in...)} }},
		{name: "beta_grad", dtypes: floats, in: []input{{lo: 0.1, hi: 0.9}, {lo: 0.2, hi: 4}, {lo: 5, hi: 9}}, shapes: shapes,
			f: func(in []*node) []*node { return []*node{ops.DirichletGrad(in[0], in[1], in[2])} }},
		{name: "const", dtypes: every, exact: true, f: func([]*node) []*node {
			return []*node{ops.Number(dtype.Float32, 2.5), ops.Number(dtype.Int8, -3)}
		}},
	}
	for _, to := range every {
		lo := -90.0
		if to.Kind() == dtype.KindUint {
			lo = 0
		}
		all = append(all, check{name: "cast/" + to.String(), dtypes: every, in: []input{{lo: lo, hi: 90}}, shapes: shapes[1:4],
			exact: true, fused: true,
			f: func(in []*node) []*node { return []*node{ops.Cast(in[0], to)} }})
		if to.IsInteger() { // what the integers do not hold, infinities and NaN among it
			all = append(all, check{name: "cast_far/" + to.String(), dtypes: floats, in: []input{{lo: -90, hi: 90}}, shapes: shapes[1:4],
				exact: true, fused: true,
				f: func(in []*node) []*node {
					x := in[0]
					var z []*node
					for _, factor := range []float64{1e8, 1e18, 1e38} { // half types are infinite by the first
						far := ops.Mul(x, factor)
						z = append(z, ops.Cast(far, to), ops.Cast(ops.Sub(far, far), to))
					}
					return z
				}})
		}
	}
	return all
}
