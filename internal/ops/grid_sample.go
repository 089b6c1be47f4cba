package ops

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// GridSampleOptions: Mode is "bilinear" (the default), "nearest" or "bicubic"; PaddingMode is "zeros" (the default),
// "border" or "reflection". AlignCorners lets -1 and 1 mean the centres of the corner elements, not their outer edges.
type GridSampleOptions struct {
	Mode         string // "bilinear" (also by ""), "nearest" or "bicubic"
	PaddingMode  string // "zeros" (also by ""), "border" or "reflection"
	AlignCorners bool   // -1 and 1, or the corners, are the centres of the corner elements, not their outer edges
}

// gridReader reads an image at positions given by tensors.
type gridReader struct {
	flat    *Node // (N, C, elements)
	sizes   []int // of space, the last dimension last
	padding string
	corners bool
}

// GridSample returns x, which is (N, C, H, W) or (N, C, D, H, W), at the positions of the grid (N, …, 2 or 3): in every
// dimension -1 is one end of the image and 1 the other, the last dimension first.
//
//lucid:pkg nn/functional
func GridSample(x, grid *Node, o GridSampleOptions) *Node {
	const op = "grid_sample"
	k := x.Rank() - 2
	ampWiden(&x, &grid)
	switch {
	case k != 2 && k != 3 || grid.Rank() != x.Rank() || grid.Dim(-1) != k || grid.Dim(0) != x.Dim(0):
		fault.Throw(fault.Shape, op,
			"input %v and grid %v do not fit; want (N, C, H, W) and (N, h, w, 2), or (N, C, D, H, W) and (N, d, h, w, 3)",
			x.Shape(), grid.Shape())
	case realFloat(op, x).DType() != grid.DType():
		fault.Throw(fault.DType, op, "input is %v, grid %v; want the same", x.DType(), grid.DType())
	case o.PaddingMode != "" && o.PaddingMode != "zeros" && o.PaddingMode != "border" && o.PaddingMode != "reflection":
		fault.Throw(fault.Value, op, "padding_mode is %q; want zeros, border or reflection", o.PaddingMode)
	}
	d := x.DType()
	wide := statDType(d)
	n, c, sizes := x.Dim(0), x.Dim(1), x.Shape().Dims()[2:]
	for _, s := range sizes {
		if s == 0 {
			fault.Throw(fault.Shape, op, "input %v has an empty dimension of space", x.Shape())
		}
	}
	s := gridReader{flat: Reshape(Cast(x, wide), n, c, product(sizes)), sizes: sizes, padding: o.PaddingMode, corners: o.AlignCorners}
	points := product(grid.Shape().Dims()[1 : k+1])
	at := make([]*Node, k) // by dimension of space: (N, points), in elements
	for i := range at {
		v := Reshape(SliceDim(Cast(grid, wide), k+1, k-1-i, 1, 1), n, points)
		if o.AlignCorners {
			at[i] = Mul(Add(v, 1), float64(sizes[i]-1)/2)
		} else {
			at[i] = Div(Sub(Mul(Add(v, 1), float64(sizes[i])), 1), 2.0)
		}
	}
	var y *Node
	switch {
	case o.Mode == "" || o.Mode == "bilinear":
		y = s.linear(at)
	case o.Mode == "nearest":
		y = s.nearest(at)
	case o.Mode == "bicubic":
		y = s.cubic(at)
	default:
		fault.Throw(fault.Value, op, "mode is %q; want bilinear, nearest or bicubic", o.Mode)
	}
	return Reshape(Cast(y, d), append([]int{n, c}, grid.Shape().Dims()[1:k+1]...)...)
}

// inside brings a coordinate into the image by the padding mode; zeros are handled where elements are read. A
// coordinate that is moved to the border has no gradient, one that is reflected keeps it with its sign.
func (s gridReader) inside(v *Node, d int) *Node {
	n := s.sizes[d]
	if s.padding == "reflection" {
		if s.corners {
			v = reflected(v, 0, float64(n-1))
		} else {
			v = reflected(v, -0.5, float64(n)-0.5)
		}
	}
	if s.padding == "border" || s.padding == "reflection" {
		top := constLike(v, float64(n-1))
		v = Where(Gt(v, 0), Where(Ge(v, top), top, v), constLike(v, 0))
	}
	return v
}

// reflected folds v back between lo and hi until it is there.
func reflected(v *Node, lo, hi float64) *Node {
	span := hi - lo
	if span <= 0 {
		return Mul(v, 0)
	}
	from := Abs(Sub(v, lo))
	flips := StopGradient(Floor(Div(from, span)))
	extra := Sub(from, Mul(flips, span))
	even := Eq(flips, Mul(Floor(Mul(flips, 0.5)), 2))
	return Where(even, Add(extra, lo), Sub(hi, extra))
}

// index is the flat index of elements at whole coordinates, (N, points): -1 where they are outside.
func (s gridReader) index(at []*Node) *Node {
	var flat, inside *Node
	for d, v := range at {
		ok := LogicalAnd(Ge(v, 0), Le(v, float64(s.sizes[d]-1)))
		i := Cast(Where(ok, v, constLike(v, 0)), dtype.Int64)
		if d == 0 {
			flat, inside = i, ok
			continue
		}
		flat, inside = Add(Mul(flat, s.sizes[d]), i), LogicalAnd(inside, ok)
	}
	return Where(inside, flat, constLike(flat, -1))
}

// gridSum is a sum of elements times weights for every point, both (N, points).
type gridSum struct{ at, w []*Node }

// gridFew is how many channels are read one by one: of more, those of an element are next to each other.
const gridFew = 8

// read computes sums, (N, C, points).
func (s gridReader) read(g gridSum) *Node {
	n, c, elems, points := s.flat.Dim(0), s.flat.Dim(1), s.flat.Dim(2), g.at[0].Dim(1)
	if c < gridFew {
		var sum *Node
		for t, at := range g.at {
			at = Unsqueeze(at, 1)
			y := gather(s.flat, broadcastTo(Maximum(at, 0), shape.Of("grid_sample", n, c, points)), 2)
			sum = addMaybe(sum, Mul(Where(Ge(at, 0), y, constLike(y, 0)), Unsqueeze(g.w[t], 1)))
		}
		return sum
	}
	first := Reshape(Mul(arangeInts(s.flat, n), elems), n, 1) // of an image
	at := make([]*Node, len(g.at))
	for t, v := range g.at {
		at[t] = Where(Ge(v, 0), Add(v, first), constLike(v, -1))
	}
	table := Reshape(Permute(s.flat, 0, 2, 1), n*elems, c)
	y := bag(table, Reshape(Stack(at, 0), len(at), n*points), Reshape(Stack(g.w, 0), len(at), n*points))
	return Permute(Reshape(y, n, points, c), 0, 2, 1)
}

func (s gridReader) nearest(at []*Node) *Node {
	whole := make([]*Node, len(at))
	for d, v := range at {
		whole[d] = StopGradient(Round(s.inside(v, d), RoundOptions{}))
	}
	idx := s.index(whole)
	// The result is constant between the borders of elements: through the weights positions have a gradient, which is 0.
	return s.read(gridSum{[]*Node{idx}, []*Node{flatGrad(broadcastTo(constLike(s.flat, 1), idx.Shape()), at[0])}})
}

// linear sums the corners of the cell around every point, weighted by the distances to the opposite corners.
func (s gridReader) linear(at []*Node) *Node {
	k := len(at)
	low, part := make([]*Node, k), make([]*Node, k)
	for d, v := range at {
		v = s.inside(v, d)
		low[d] = StopGradient(Floor(v))
		part[d] = Sub(v, low[d])
	}
	var sum gridSum
	for corner := range 1 << k {
		whole := slices.Clone(low)
		var w *Node
		for d := range k {
			f := Sub(1, part[d])
			if corner>>d&1 == 1 {
				whole[d], f = Add(low[d], 1), part[d]
			}
			if w == nil {
				w = f
			} else {
				w = Mul(w, f)
			}
		}
		sum.at, sum.w = append(sum.at, s.index(whole)), append(sum.w, w)
	}
	return s.read(sum)
}

// cubic sums four elements of every dimension; the padding mode is applied to each element's own coordinate.
func (s gridReader) cubic(at []*Node) *Node {
	k := len(at)
	coords, w := make([][4]*Node, k), make([][]*Node, k)
	for d, v := range at {
		low := StopGradient(Floor(v))
		w[d] = cubicWeights(Sub(v, low))
		for i := range 4 {
			coords[d][i] = s.inside(Add(low, float64(i-1)), d)
		}
	}
	var sum gridSum
	for corner := range 1 << (2 * k) {
		whole, weight := make([]*Node, k), (*Node)(nil)
		for d := range k {
			i := corner >> (2 * (k - 1 - d)) & 3
			whole[d] = coords[d][i]
			if weight == nil {
				weight = w[d][i]
			} else {
				weight = Mul(weight, w[d][i])
			}
		}
		sum.at, sum.w = append(sum.at, s.index(whole)), append(sum.w, weight)
	}
	return s.read(sum)
}

// cubicWeights are those of the elements at -1, 0, 1 and 2 for a point at t between 0 and 1.
func cubicWeights(t *Node) []*Node {
	const a = -0.75
	near := func(x *Node) *Node { return Add(Mul(Mul(Sub(Mul(x, a+2), a+3), x), x), 1) }
	far := func(x *Node) *Node { return Sub(Mul(Add(Mul(Sub(Mul(x, a), 5*a), x), 8*a), x), 4*a) }
	return []*Node{far(Add(t, 1)), near(t), near(Sub(1, t)), far(Sub(2, t))}
}

// AffineGridOptions: AlignCorners as for GridSample.
type AffineGridOptions struct {
	AlignCorners bool // -1 and 1, or the corners, are the centres of the corner elements, not their outer edges
}

// AffineGrid returns the grid for GridSample that maps an output of the given size (N, C, H, W) or (N, C, D, H, W)
// through the matrices theta, which is (N, 2, 3) or (N, 3, 4).
//
//lucid:pkg nn/functional
//lucid:amp half
func AffineGrid(theta *Node, size []int, o AffineGridOptions) *Node {
	const op = "affine_grid"
	k := len(size) - 2
	if k != 2 && k != 3 || theta.Rank() != 3 || theta.Dim(1) != k || theta.Dim(2) != k+1 || theta.Dim(0) != size[0] {
		fault.Throw(fault.Shape, op, "theta %v and size %v do not fit; want (N, 2, 3) and (N, C, H, W), or (N, 3, 4) and (N, C, D, H, W)",
			theta.Shape(), size)
	}
	realFloat(op, theta)
	space := size[2:]
	points := 1
	for _, n := range space { // the positions are a table, made before any memory is asked of a pool
		if n <= 0 || points > 1<<26/n {
			fault.Throw(fault.Shape, op, "size is %v; want positive sizes of at most %d positions", size, 1<<26)
		}
		points *= n
	}
	base := make([]float64, 0, points*(k+1))
	at := make([]int, k)
	for range points {
		for d := k - 1; d >= 0; d-- {
			base = append(base, gridPoint(at[d], space[d], o.AlignCorners))
		}
		base = append(base, 1)
		for d := k - 1; d >= 0; d-- {
			if at[d]++; at[d] < space[d] {
				break
			}
			at[d] = 0
		}
	}
	y := Matmul(tableFloats(theta, base, points, k+1), swapLast(theta))
	return Reshape(y, append(append([]int{size[0]}, space...), k)...)
}

// gridPoint is the coordinate between -1 and 1 of element i of n.
func gridPoint(i, n int, corners bool) float64 {
	switch {
	case !corners:
		return (2*float64(i)+1)/float64(n) - 1
	case n == 1:
		return 0
	}
	return math.FMA(2, float64(i)/float64(n-1), -1)
}
