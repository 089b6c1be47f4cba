package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// These are special cases of other functions that are asked for by a name of their own.

// GeluExact is Gelu without approximation.
//
//lucid:name gelu_exact
//lucid:amp float32
func GeluExact(x *Node) *Node {
	ampFloat32(&x)
	return Gelu(x, GELUOptions{})
}

// GeluApprox is Gelu in the tanh approximation.
//
//lucid:name gelu_approx
func GeluApprox(x *Node) *Node { return Gelu(x, GELUOptions{Approximate: "tanh"}) }

// GeluFastApprox returns x·sigmoid(1.702·x), close to Gelu.
//
//lucid:pkg nn/functional GELUFastApprox
func GeluFastApprox(x *Node) *Node { return Mul(x, Sigmoid(Mul(x, 1.702))) }

// Relu2 returns max(x, 0)².
//
//lucid:pkg nn/functional ReLU2
func Relu2(x *Node) *Node { return Square(Relu(x)) }

// RpowScalar returns a number to the power x.
//
//lucid:name rpow_scalar
//lucid:amp float32
func RpowScalar(x *Node, base any) *Node {
	if _, isTensor := base.(*Node); isTensor {
		fault.Throw(fault.DType, "rpow_scalar", "base is a tensor; want a number, or use pow")
	}
	return Pow(base, x)
}

// SqueezeAll drops all dimensions of size 1.
//
//lucid:name squeeze_all
func SqueezeAll(x *Node) *Node { return Squeeze(x) }

// DivMod returns FloorDivide and Remainder of x and other.
//
//lucid:func
//lucid:name divmod
func DivMod(x, other Operand) (quotient, remainder *Node) {
	return FloorDivide(x, other), Remainder(x, other)
}

// TriangleOptions say how many columns there are (nil: as many as rows), on which diagonal the ones end (above the
// main one if positive) and the dtype; zero: the default float.
type TriangleOptions struct {
	M     *int
	K     int
	DType dtype.DType // zero: the default float
}

// Tri returns a matrix of n rows with ones on and below a diagonal and zeros elsewhere.
//
//lucid:name tri
func Tri(n int, o TriangleOptions) *Node {
	m, d := orElse(o.M, n), floatOr(o.DType)
	s := shape.Of("tri", n, m)
	below := Le(Reshape(Arange64(m), 1, m), Add(Reshape(Arange64(n), n, 1), o.K))
	return Cast(broadcastTo(below, s), d)
}

// ScatterAmax returns x with the largest of src and what is there along a dimension.
//
//lucid:name scatter_amax
//lucid:alias scatter_max
func ScatterAmax(x *Node, dim int, index, src *Node) *Node {
	return ScatterReduce(x, dim, index, src, "amax", IncludeOptions{})
}

// ScatterAmin returns x with the least of src and what is there along a dimension.
//
//lucid:name scatter_amin
//lucid:alias scatter_min
func ScatterAmin(x *Node, dim int, index, src *Node) *Node {
	return ScatterReduce(x, dim, index, src, "amin", IncludeOptions{})
}

// ScatterProd returns x multiplied by src along a dimension.
//
//lucid:name scatter_prod
func ScatterProd(x *Node, dim int, index, src *Node) *Node {
	return ScatterReduce(x, dim, index, src, "prod", IncludeOptions{})
}

// IndexScatter puts the elements of x where index says along a dimension of the given size, with zeros elsewhere: the
// way back from Gather, and the gradient of Sort and Topk. Elements of one index are added.
//
//lucid:name index_scatter
//lucid:default dim=-1
func IndexScatter(x, index *Node, size, dim int) *Node {
	const op = "index_scatter"
	if x.Rank() == 0 || size < 0 {
		fault.Throw(fault.Shape, op, "%v to size %d; want at least one dimension and no negative size", x.Shape(), size)
	}
	dims := x.Shape().Clone()
	dims[shape.Axis(op, dim, x.Rank())] = size
	return ScatterAdd(broadcastTo(constLike(x, 0), shape.Of(op, dims...)), dim, index, x)
}

// ResizeOptions give the new size, or factors for it; AlignCorners lets the corner elements stay where they are.
type ResizeOptions struct {
	Size         []int     // the new size of each spatial dimension; none: by ScaleFactor
	ScaleFactor  []float64 // factors of the sizes; none: by Size
	AlignCorners bool      // the corner elements stay where they are
}

// NearestOptions give the new size, or factors for it.
type NearestOptions struct {
	Size        []int     // the new size of each spatial dimension; none: by ScaleFactor
	ScaleFactor []float64 // factors of the sizes; none: by Size
}

func interpolateAs(op, mode string, rank int, x *Node, o ResizeOptions) *Node {
	if x.Rank() != rank {
		fault.Throw(fault.Shape, op, "the tensor has shape %v; want %d dimensions", x.Shape(), rank)
	}
	return Interpolate(x, InterpolateOptions{Size: o.Size, ScaleFactor: o.ScaleFactor, AlignCorners: o.AlignCorners, Mode: mode})
}

// InterpolateBilinear is Interpolate of (N, C, H, W) in mode bilinear.
//
//lucid:name interpolate_bilinear
func InterpolateBilinear(x *Node, o ResizeOptions) *Node {
	return interpolateAs("interpolate_bilinear", "bilinear", 4, x, o)
}

// InterpolateTrilinear is Interpolate of (N, C, D, H, W) in mode trilinear.
//
//lucid:name interpolate_trilinear
func InterpolateTrilinear(x *Node, o ResizeOptions) *Node {
	return interpolateAs("interpolate_trilinear", "trilinear", 5, x, o)
}

// InterpolateNearest2d is Interpolate of (N, C, H, W) in mode nearest.
//
//lucid:name interpolate_nearest_2d
func InterpolateNearest2d(x *Node, o NearestOptions) *Node {
	return interpolateAs("interpolate_nearest_2d", "nearest", 4, x, ResizeOptions{Size: o.Size, ScaleFactor: o.ScaleFactor})
}

// InterpolateNearest3d is Interpolate of (N, C, D, H, W) in mode nearest.
//
//lucid:name interpolate_nearest_3d
func InterpolateNearest3d(x *Node, o NearestOptions) *Node {
	return interpolateAs("interpolate_nearest_3d", "nearest", 5, x, ResizeOptions{Size: o.Size, ScaleFactor: o.ScaleFactor})
}

// RotateOptions: Mode is "nearest" (the default) or "bilinear"; Center is x and y in pixels from the upper left corner,
// nil: the middle.
type RotateOptions struct {
	Mode   string    // "nearest" (also by "") or "bilinear"
	Center []float64 // x and y in pixels from the upper left corner; none: the middle
}

// Rotate rotates images, (N, C, H, W), by an angle in degrees against the clock; what comes from outside is 0.
//
//lucid:pkg nn/functional
func Rotate(x *Node, angle float64, o RotateOptions) *Node {
	const op = "rotate"
	if o.Mode == "" {
		o.Mode = "nearest"
	}
	switch {
	case x.Rank() != 4:
		fault.Throw(fault.Shape, op, "the tensor has shape %v; want (N, C, H, W)", x.Shape())
	case o.Mode != "nearest" && o.Mode != "bilinear":
		fault.Throw(fault.Value, op, "mode is %q; want nearest or bilinear", o.Mode)
	case o.Center != nil && len(o.Center) != 2:
		fault.Throw(fault.Value, op, "center is %v; want two numbers", o.Center)
	}
	realFloat(op, x)
	n, h, w := x.Dim(0), x.Dim(2), x.Dim(3)
	cx, cy := float64(w)/2, float64(h)/2
	if o.Center != nil {
		cx, cy = o.Center[0], o.Center[1]
	}
	sin, cos := math.Sincos(angle * math.Pi / 180)
	// Where each pixel of the result is read, in GridSample's coordinates: -1 to 1 from edge to edge.
	at := make([]float64, tableSize(op, h, w, 2))
	for i := range h {
		for j := range w {
			dx, dy := float64(j)+0.5-cx, float64(i)+0.5-cy
			at[(i*w+j)*2] = 2*(cos*dx-sin*dy+cx)/float64(w) - 1
			at[(i*w+j)*2+1] = 2*(sin*dx+cos*dy+cy)/float64(h) - 1
		}
	}
	return inFloat32(x, func(x *Node) *Node {
		grid := BroadcastTo(tableFloats(x, at, 1, h, w, 2), n, h, w, 2)
		return GridSample(x, grid, GridSampleOptions{Mode: o.Mode})
	})
}
