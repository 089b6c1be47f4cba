package golden

import "strings"

func init() {
	waivers = append(waivers, func(family string, c Case) string {
		at := family + " " + c.Op + " " + c.Name
		switch {
		case at == "reduce sum float32/cancel":
			return "PyTorch loses digits here; the sum is 8, and ours"
		case at == "reduce prod complex64/all":
			return "the small part of a complex product differs by a rounding of the large one"
		case at == "reduce prod dtype/float32_bfloat16", at == "scan cumprod dtype/float64_float32":
			return "the gradient has the precision of the dtype the product is computed in"
		case at == "sort histc bfloat16/range":
			return "PyTorch rounds 1.328 into the bin above 1.333; we compare half types in float32"
		case family == "reduce" && strings.HasSuffix(c.Op, "_mean") && strings.HasSuffix(c.Name, "/special"):
			return "the mean of two infinities and a number is infinite, not NaN"
		case family == "reduce" && c.Op == "mode" && (strings.HasSuffix(c.Name, "/special") || strings.HasSuffix(c.Name, "/all_nan")):
			return "NaNs count as one value, whose last position is reported like that of any other"
		}
		return ""
	})
}
