package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// InterpolateOptions gives the new size, or factors for it. Mode is "nearest" (the default), "nearest-exact", "linear",
// "bilinear", "bicubic", "trilinear" or "area". AlignCorners lets the corner elements stay where they are.
// RecomputeScaleFactor uses the ratio of the sizes instead of the factors. Antialias widens the filter when shrinking.
type InterpolateOptions struct {
	Size                 []int     // the new size of each spatial dimension; none: by ScaleFactor
	ScaleFactor          []float64 // factors of the sizes; none: by Size
	Mode                 string    // "nearest" (also by ""), "nearest-exact", "linear", "bilinear", "bicubic", "trilinear" or "area"
	AlignCorners         bool      // the corner elements stay where they are
	RecomputeScaleFactor bool      // use the ratio of the sizes instead of the factors
	Antialias            bool      // widen the filter when shrinking
}

// Interpolate resamples the dimensions behind the first two. Every mode but area is a weighted sum of elements along
// one dimension after the other.
//
//lucid:pkg nn/functional
func Interpolate(x *Node, o InterpolateOptions) *Node {
	const op = "interpolate"
	k := x.Rank() - 2
	mode := o.Mode
	if mode == "" {
		mode = "nearest"
	}
	if want, known := map[string]int{"nearest": 0, "nearest-exact": 0, "area": 0, "linear": 1, "bilinear": 2, "bicubic": 2,
		"trilinear": 3}[mode]; !known || k < 1 || k > 3 || want != 0 && want != k {
		fault.Throw(fault.Value, op,
			"mode %q does not fit %v; want nearest, nearest-exact or area, linear for (N, C, W), bilinear or bicubic for (N, C, H, W), "+
				"trilinear for (N, C, D, H, W)", mode, x.Shape())
	}
	smooth := mode == "linear" || mode == "bilinear" || mode == "bicubic" || mode == "trilinear"
	switch {
	case o.AlignCorners && !smooth:
		fault.Throw(fault.Value, op, "align_corners has no meaning for mode %q", mode)
	case o.Antialias && mode != "bilinear" && mode != "bicubic":
		fault.Throw(fault.Value, op, "antialias needs mode bilinear or bicubic, not %q", mode)
	case (len(o.Size) == 0) == (len(o.ScaleFactor) == 0):
		fault.Throw(fault.Value, op, "give either size or scale_factor")
	}
	size, factor := newSizes(op, x, k, o)
	for _, n := range size {
		if n > 1<<26 { // positions and weights are tables
			fault.Throw(fault.Value, op, "size %v; want at most %d", size, 1<<26)
		}
	}
	if mode == "area" {
		return adaptiveAvg(op, x, k, size)
	}
	if smooth {
		realFloat(op, x)
	}
	for i := range k { // PyTorch forgets the factor in these cases
		same, twice := size[i] == x.Dim(2+i), size[i] == 2*x.Dim(2+i)
		if smooth && mode != "bicubic" && !o.Antialias && same || mode == "nearest" && k == 2 && (same || twice) {
			factor[i] = 0
		}
	}
	resample := func(x *Node) *Node {
		for _, i := range mixOrder(x.Shape().Dims()[2:], size) {
			r := ratio{in: x.Dim(2 + i), out: size[i], factor: factor[i], corners: o.AlignCorners, single: x.DType() != dtype.Float64}
			if r.in != r.out || r.scale() != 1 { // otherwise every element stays what it is
				if taps := r.taps(mode, o.Antialias); sizesOpen() && repeats(taps, r) {
					x = repeatEach(x, r.out/r.in, 2+i) // a table of positions would be for one size
				} else {
					x = weighAlong(x, 2+i, taps)
				}
			}
		}
		return x
	}
	if smooth {
		return inFloat32(x, resample)
	}
	return resample(x)
}

// repeats reports whether every element is shown a whole number of times.
func repeats(taps []tap, r ratio) bool {
	if len(taps) != 1 || taps[0].w != nil || r.in == 0 || r.out%r.in != 0 {
		return false
	}
	for i, at := range taps[0].at {
		if at != i/(r.out/r.in) {
			return false
		}
	}
	return true
}

// mixOrder is the order in which dimensions are resampled: outer ones that shrink, inner ones, outer ones that grow. Along the inner ones
// it takes longest.
func mixOrder(in, out []int) (order []int) {
	for i := range in {
		if out[i] < in[i] {
			order = append(order, i)
		}
	}
	for i := len(in) - 1; i >= 0; i-- {
		if out[i] >= in[i] {
			order = append(order, i)
		}
	}
	return order
}

// newSizes returns the sizes to make, and the factors to use for positions, 0 meaning the ratio of the sizes.
func newSizes(op string, x *Node, k int, o InterpolateOptions) (size []int, factor []float64) {
	factor = make([]float64, k)
	if len(o.Size) > 0 {
		size = each(op, "size", o.Size, k, 0)
	} else {
		f := o.ScaleFactor
		if len(f) != 1 && len(f) != k {
			fault.Throw(fault.Value, op, "scale_factor is %v; want 1 or %d numbers", f, k)
		}
		size = make([]int, k)
		for i := range size {
			s := f[min(i, len(f)-1)]
			size[i] = int(math.Floor(float64(x.Dim(2+i)) * s))
			if !o.RecomputeScaleFactor {
				factor[i] = s
			}
		}
	}
	for i, s := range size {
		// positions along a dimension are a table, made before any memory is asked of a pool
		if s <= 0 || s > 1<<26 || x.Dim(2+i) == 0 || x.Dim(2+i) > 1<<26 {
			fault.Throw(fault.Shape, op, "cannot make size %v of %v", size, x.Shape())
		}
	}
	return size, factor
}

// tap is one element of every weighted sum: its index and its weight by output. Nil weights are 1.
type tap struct {
	at    []int
	w     []float64
	spare bool // where the weight is zero, there is no such element
}

// weighAlong replaces dimension d by the weighted sums of its elements.
func weighAlong(x *Node, d int, taps []tap) *Node {
	if !x.DType().IsFloat() || x.DType().IsHalf() { // one element each
		return take(x, tableInts(x, taps[0].at), d)
	}
	var terms []mixTerm
	for o := range taps[0].at {
		for _, t := range taps {
			w := 1.0
			if t.w != nil {
				w = t.w[o]
			}
			if !t.spare || w != 0 {
				terms = append(terms, mixTerm{o, t.at[o], w})
			}
		}
	}
	return mix(x, d, len(taps[0].at), terms)
}
