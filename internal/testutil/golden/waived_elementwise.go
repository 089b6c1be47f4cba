package golden

import "strings"

func init() {
	waived := map[string]string{
		"unary/i0 /special":                  "I0 grows without bound, so it is Inf at infinity; PyTorch's polynomial gives NaN",
		"unary/special_i1 /special":          "I1 grows without bound, so it is Inf at infinity; PyTorch's polynomial gives NaN",
		"unary/to round/float64_to_float16":  "float64 is rounded once; PyTorch rounds to float32 on the way",
		"unary/special_bessel_j0 float64/2d": "PyTorch's approximation is off by 4e-5 near a zero",
		"unary/special_bessel_j1 float64/":   "PyTorch's approximation is off by 2e-8",
		"unary/special_bessel_y0 float64/":   "PyTorch's approximation is off by 2e-7",
		"unary/special_bessel_y1 float64/":   "PyTorch's approximation is off by 2e-8, and overflows before the result does",
		"special/special_log_ndtr far":       "PyTorch's gradient has lost digits far below 0; special/special_test.go has mpmath's",
		"special/polygamma poles_":           "at a pole and at infinity PyTorch gives a large number and NaN; here the limits, Inf and 0",
		"special/special_zeta poles":         "the function tends to 0 for large q; PyTorch gives NaN at infinity",
		"binary/pow /special_exponent_-0.5": "at -0 and -Inf the power is rsqrt, and its gradient is rsqrt's; PyTorch mixes the two " +
			"definitions",
		"binary/gcd int64/edges": "the smallest integer's magnitude does not overflow here",
		"binary/gcd int32/edges": "the smallest integer's magnitude does not overflow here",
		"binary/gcd int16/edges": "the smallest integer's magnitude does not overflow here",
		"binary/gcd int8/edges":  "the smallest integer's magnitude does not overflow here",
		"complex/polar /negative_abs": "the derivative by the magnitude is cos + i·sin for negative ones too; PyTorch takes their " +
			"absolute value",
	}
	waivers = append(waivers, func(family string, c Case) string {
		for k, why := range waived {
			op, name, _ := strings.Cut(k, " ")
			if op == family+"/"+c.Op && strings.Contains(c.Name, name) {
				return why
			}
		}
		return ""
	})
}
