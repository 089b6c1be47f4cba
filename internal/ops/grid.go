package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// Clone returns a value of its own; gradients pass.
//
//lucid:name clone
//lucid:alias copy
func Clone(x *Node) *Node { return Alias(x) }

// BroadcastTensors shows tensors with one common shape.
//
//lucid:func
//lucid:alias broadcast_arrays
//lucid:view
func BroadcastTensors(tensors ...*Node) []*Node { return broadcastAll("broadcast_tensors", tensors) }

func broadcastAll(op string, tensors []*Node) []*Node {
	s := shape.Scalar
	for _, x := range tensors {
		s = shape.Broadcast(op, s, x.Shape())
	}
	return eachNode(tensors, func(x *Node) *Node { return broadcastTo(x, s) })
}

// MeshGridOptions says whether the first tensor runs along the first dimension ("ij", the default) or along the second ("xy").
type MeshGridOptions struct {
	Indexing string // "ij" (also by ""): the first tensor runs along the first dimension; "xy": along the second
}

// Meshgrid shows vectors as coordinates of a grid: each along a dimension of its own, all of one shape.
//
//lucid:func MeshGrid
//lucid:view
func Meshgrid(tensors []*Node, o MeshGridOptions) []*Node {
	if o.Indexing != "" && o.Indexing != "ij" && o.Indexing != "xy" {
		fault.Throw(fault.Value, "meshgrid", "indexing %q; want ij or xy", o.Indexing)
	}
	joined("meshgrid", tensors)
	xs := eachNode(tensors, func(x *Node) *Node {
		if x.Rank() > 1 {
			fault.Throw(fault.Shape, "meshgrid", "%v has %d dims; want vectors", x.Shape(), x.Rank())
		}
		if x.DType() != tensors[0].DType() {
			fault.Throw(fault.DType, "meshgrid", "%v and %v; want one dtype", tensors[0].DType(), x.DType())
		}
		return x
	})
	swap := o.Indexing == "xy" && len(xs) >= 2
	if swap {
		xs[0], xs[1] = xs[1], xs[0]
	}
	dims := make([]int, len(xs))
	for i, x := range xs {
		dims[i] = x.Shape().Numel()
	}
	s := shape.Of("meshgrid", dims...)
	for i, x := range xs {
		d := ones(len(xs))
		d[i] = dims[i]
		xs[i] = broadcastTo(Reshape(x, d...), s)
	}
	if swap {
		xs[0], xs[1] = xs[1], xs[0]
	}
	return xs
}

// CartesianProd lists all combinations of one element of each vector, as rows; of one vector it is the vector itself.
//
//lucid:func
func CartesianProd(tensors ...*Node) *Node {
	for _, x := range tensors {
		if x.Rank() != 1 {
			fault.Throw(fault.Shape, "cartesian_prod", "%v has %d dims; want vectors", x.Shape(), x.Rank())
		}
	}
	if len(tensors) == 1 {
		return tensors[0]
	}
	grids := Meshgrid(tensors, MeshGridOptions{})
	return Stack(eachNode(grids, Ravel), 1)
}

// chosen is how many choices of r among n there are, in floating point, since there may be any number.
func chosen(n, r int, again bool) float64 {
	if again {
		n += r - 1
	}
	a, _ := math.Lgamma(float64(n) + 1)
	b, _ := math.Lgamma(float64(r) + 1)
	c, _ := math.Lgamma(float64(n-r) + 1)
	return math.Exp(a - b - c)
}

// CombinationsOptions says how many elements to take at a time (nil: 2), and whether one may be taken again.
type CombinationsOptions struct {
	R               *int // elements at a time; nil: 2
	WithReplacement bool // an element may be taken again
}

// Combinations lists the ways to take r elements of a vector in order, as rows.
//
//lucid:func
//lucid:method
func Combinations(x *Node, o CombinationsOptions) *Node {
	r := 2
	if o.R != nil {
		r = *o.R
	}
	if x.Rank() != 1 || r < 0 {
		fault.Throw(fault.Value, "combinations", "%d at a time of %v; want 0 or more elements of a vector", r, x.Shape())
	}
	n := x.Dim(0)
	if r == 0 {
		return SliceDim(x, 0, 0, 0, 1)
	}
	if n == 0 || r > n && !o.WithReplacement {
		return FullOf(shape.Of("combinations", 0, r), x.DType(), dtype.Scalar{Kind: dtype.KindInt})
	}
	if c := chosen(n, r, o.WithReplacement); c*float64(r) > 1<<28 {
		fault.Throw(fault.Value, "combinations", "%d at a time of %d elements are %.3g rows; want at most %d numbers in all",
			r, n, c, 1<<28)
	}
	var flat []int64
	pick := make([]int, r)
	for depth := 0; depth >= 0; {
		// pick[:depth] is chosen; pick[depth] is the next candidate.
		if pick[depth] >= n {
			if depth--; depth >= 0 {
				pick[depth]++
			}
			continue
		}
		if depth < r-1 {
			pick[depth+1] = pick[depth] + 1
			if o.WithReplacement {
				pick[depth+1]--
			}
			depth++
			continue
		}
		for _, p := range pick {
			flat = append(flat, int64(p))
		}
		pick[depth]++
	}
	return take(x, on(x, literal(flat, len(flat)/r, r)), 0)
}
