package ops

import "github.com/lucid-go/lucid/internal/fault"

// combine is Σ coeffs[i]·ks[i]; a coefficient of 0 leaves its stage out, so that an Inf there does no harm.
func combine(op string, like *Node, ks []*Node, coeffs []float64) *Node {
	if len(ks) != len(coeffs) || len(ks) == 0 {
		fault.Throw(fault.Value, op, "%d stages and %d coefficients; want as many of both, at least one", len(ks), len(coeffs))
	}
	var sum *Node
	for i, k := range ks {
		if !k.Shape().Equal(like.Shape()) {
			fault.Throw(fault.Shape, op, "stage %d has shape %v; want that of the state, %v", i, k.Shape(), like.Shape())
		}
		if coeffs[i] != 0 {
			sum = addMaybe(sum, Mul(k, coeffs[i]))
		}
	}
	if sum == nil {
		sum = zerosLike(like)
	}
	return sum
}

// RkCombine returns base + dt·Σ coeffs[i]·ks[i]: a state of a Runge-Kutta step from its stages.
//
//lucid:name rk_combine
func RkCombine(base *Node, ks []*Node, coeffs []float64, dt float64) *Node {
	return Add(base, Mul(combine("rk_combine", inexact("rk_combine", base), ks, coeffs), dt))
}

// RkErrorNorm returns the root of the mean square of dt·Σ coeffs[i]·ks[i] over atol + rtol·max(|y0|, |y1|): the error
// of a Runge-Kutta step from y0 to y1, at most 1 if it is within the tolerances.
//
//lucid:name rk_error_norm
func RkErrorNorm(y0, y1 *Node, ks []*Node, coeffs []float64, dt, rtol, atol float64) *Node {
	const op = "rk_error_norm"
	if !(rtol >= 0 && atol >= 0 && rtol+atol > 0) {
		fault.Throw(fault.Value, op, "rtol is %v and atol %v; want no negative number, and one above 0", rtol, atol)
	}
	if !y0.Shape().Equal(y1.Shape()) {
		fault.Throw(fault.Shape, op, "the states have shapes %v and %v; want the same", y0.Shape(), y1.Shape())
	}
	err := Mul(combine(op, inexact(op, y0), ks, coeffs), dt)
	scale := Add(Mul(Maximum(Abs(y0), Abs(y1)), rtol), atol)
	return Sqrt(Mean(Square(Abs(Div(err, scale))), ReduceOptions{}))
}

// BroydenProbe returns what an iteration of Broyden's method asks: the sums of squares of residual, step and state, and
// info, the status of the linear solution, 0 if there is none. step may be a column.
//
//lucid:optional info
func BroydenProbe(residual, step, state, info *Node) (residualSq, stepSq, stateSq, status *Node) {
	const op = "broyden_probe"
	for _, x := range []*Node{residual, step, state} {
		if x.Shape().Numel() != residual.Shape().Numel() {
			fault.Throw(fault.Shape, op, "%v has other elements than the residual, %v; want as many", x.Shape(), residual.Shape())
		}
	}
	squares := func(x *Node) *Node { return Sum(Square(Abs(inexact(op, x))), ReduceOptions{}) }
	if info == nil {
		info = constLike(residual, 0)
	} else if info.Shape().Numel() != 1 {
		fault.Throw(fault.Shape, op, "info has shape %v; want one number", info.Shape())
	}
	return squares(residual), squares(step), squares(state), Cast(Reshape(info), residual.DType().Real())
}
