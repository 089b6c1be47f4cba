package ref

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

func init() {
	register(backend.Table{
		"floor_divide": division("floor_divide", floorDiv, floorDivFloat),
		"trunc_divide": division("div", func(x, y int64) int64 { return x / y }, func(x, y float64) float64 { return math.Trunc(x / y) }),
		"remainder":    division("remainder", func(x, y int64) int64 { return x - y*floorDiv(x, y) }, remainder),
		"fmod":         division("fmod", func(x, y int64) int64 { return x % y }, math.Mod),
	})
}

// division makes a kernel of a division of integers and one of floats; uint64 divides by its own rules.
func division(op string, i func(x, y int64) int64, f func(x, y float64) float64) backend.Kernel {
	return elementwise(func(a attr.Attr, x []dtype.Scalar) dtype.Scalar {
		if x[0].Kind < dtype.KindFloat && x[1].I == 0 {
			fault.Throw(fault.Value, op, "an integer is divided by zero")
		}
		if x[0].Kind == dtype.KindUint {
			u, v := uint64(x[0].I), uint64(x[1].I)
			r := u / v
			if op == "remainder" || op == "fmod" {
				r = u % v
			}
			return dtype.Scalar{Kind: dtype.KindUint, I: int64(r)}
		}
		return arith(i, f, nil)(a, x)
	})
}

func floorDiv(x, y int64) int64 {
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

// floorDivFloat is Python's floor division: exact where x/y rounds up to an integer.
func floorDivFloat(x, y float64) float64 {
	if y == 0 {
		return x / y
	}
	mod := math.Mod(x, y)
	div := (x - mod) / y
	if mod != 0 && (y < 0) != (mod < 0) {
		div--
	}
	if div == 0 {
		return math.Copysign(0, x/y)
	}
	f := math.Floor(div)
	if div-f > 0.5 {
		f++
	}
	return f
}

func remainder(x, y float64) float64 {
	mod := math.Mod(x, y)
	if mod != 0 && (y < 0) != (mod < 0) {
		mod += y
	}
	return mod
}
