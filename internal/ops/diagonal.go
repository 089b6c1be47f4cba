package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opDiagonal *graph.Op

func init() {
	opDiagonal = viewOp("diagonal", graph.Op{
		Inputs: graph.Exactly(1), Validate: rule(validateDiagonal),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			g := a.(attr.Diagonal)
			_, n := diagonalRun(g.Offset, in[0].Dim(g.Dim1), in[0].Dim(g.Dim2))
			return []graph.Spec{{Shape: shape.Of("diagonal", append(without(in[0].Shape().Dims(), g.Dim1, g.Dim2), n)...),
				DType: in[0].DType()}}
		},
		Layout: func(a attr.Attr, from *shape.Shape, l *shape.Layout, to *shape.Shape) *shape.Layout {
			g := a.(attr.Diagonal)
			s1, s2 := l.Strides[g.Dim1], l.Strides[g.Dim2]
			off := l.Offset
			if to.Numel() > 0 {
				off += max(-g.Offset, 0)*s1 + max(g.Offset, 0)*s2
			}
			return &shape.Layout{Strides: append(without(l.Strides, g.Dim1, g.Dim2), s1+s2), Offset: off}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			return []*Node{diagonalUpdate(zerosLike(n.In(0)), cot[0], n.Attr().(attr.Diagonal))}
		},
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{graph.New(opDiagonal, n.Attr(), tan[0])} },
		VMap: func(n *Node, in []*Node, _ []bool, _ int) []*Node {
			g := n.Attr().(attr.Diagonal)
			g.Dim1++
			g.Dim2++
			return []*Node{graph.New(opDiagonal, g, in[0])}
		}})
}

// diagonalRun gives where a diagonal of an n by m matrix begins in its row-major elements, and how long it is.
func diagonalRun(offset, n, m int) (start, size int) {
	if offset >= 0 {
		return offset, max(0, min(n, m-offset))
	}
	return -offset * m, max(0, min(n+offset, m))
}

// without returns the values but those at two positions.
func without(d []int, i, j int) []int {
	out := make([]int, 0, len(d)+1)
	for k, v := range d {
		if k != i && k != j {
			out = append(out, v)
		}
	}
	return out
}

// diagonalUpdate returns x with the diagonal replaced by u. In the flattened matrix the diagonal is a regular part.
func diagonalUpdate(x, u *Node, g attr.Diagonal) *Node {
	r := x.Rank()
	order := make([]int, r)
	for i := range order {
		order[i] = i
	}
	order = append(without(order, g.Dim1, g.Dim2), g.Dim1, g.Dim2)
	y := permute(x, order)
	back := y.Shape()
	n, m := y.Dim(-2), y.Dim(-1)
	start, size := diagonalRun(g.Offset, n, m)
	if size == 0 {
		return x
	}
	dims := append(slices.Clone(back.Dims()[:r-2]), n*m)
	st, sp := make([]int, r-1), ones(r-1)
	st[r-2], sp[r-2] = start, m+1
	sz := append(slices.Clone(back.Dims()[:r-2]), size)
	y = sliceUpdate(Reshape(y, dims...), u, attr.Slice{Start: attr.MakeInts(st...), Size: attr.MakeInts(sz...), Step: attr.MakeInts(sp...)})
	return permute(reshapeTo(y, back), inverse(order))
}

func inverse(order []int) []int {
	inv := make([]int, len(order))
	for i, o := range order {
		inv[o] = i
	}
	return inv
}

// DiagonalOptions says which diagonal of which two dimensions: above the main one where Offset is positive. The zero
// value is the main diagonal of the first two.
type DiagonalOptions struct {
	Offset     int  // the diagonal; above the main one if positive
	Dim1, Dim2 *int // nil: 0 and 1
}

func (o DiagonalOptions) attr(op string, x *Node) attr.Diagonal {
	d1, d2 := 0, 1
	if o.Dim1 != nil {
		d1 = *o.Dim1
	}
	if o.Dim2 != nil {
		d2 = *o.Dim2
	}
	if x.Rank() < 2 {
		fault.Throw(fault.Shape, op, "%v has %d dims; want at least 2", x.Shape(), x.Rank())
	}
	a, b := shape.Axis(op, d1, x.Rank()), shape.Axis(op, d2, x.Rank())
	if a == b {
		fault.Throw(fault.Index, op, "dim1 %d and dim2 %d are the same dim of %v", d1, d2, x.Shape())
	}
	return attr.Diagonal{Offset: o.Offset, Dim1: a, Dim2: b}
}

// Diagonal shows a diagonal of two dimensions as the last dimension of the result; one outside the matrix is empty.
//
//lucid:func
//lucid:method Diagonal(offset int)
//lucid:view
func Diagonal(x *Node, o DiagonalOptions) *Node {
	return graph.New(opDiagonal, o.attr("diagonal", x), x)
}

// DiagonalScatter returns x with a diagonal replaced by src.
//
//lucid:func
//lucid:method
func DiagonalScatter(x, src *Node, o DiagonalOptions) *Node {
	g := o.attr("diagonal_scatter", x)
	if want := graph.New(opDiagonal, g, x).Shape(); !src.Shape().Equal(want) {
		fault.Throw(fault.Shape, "diagonal_scatter", "src has shape %v, the diagonal %v", src.Shape(), want)
	}
	return diagonalUpdate(x, stored("diagonal_scatter", src, x.DType()), g)
}

// FillDiagonalOptions says whether the diagonal of a matrix with more rows than columns begins again below its end.
type FillDiagonalOptions struct {
	Wrap bool // begin again at the first column, one row below the end
}

// FillDiagonal returns x with its main diagonal, whose indices are all equal, filled with a number. x has two dimensions, or more of one
// size.
//
//lucid:method
//lucid:inplace
func FillDiagonal(x *Node, fillValue any, o FillDiagonalOptions) *Node {
	const op = "fill_diagonal"
	d := x.Shape().Dims()
	if len(d) < 2 || len(d) > 2 && slices.ContainsFunc(d, func(n int) bool { return n != d[0] }) {
		fault.Throw(fault.Shape, op, "input has shape %v; want two dimensions, or more of one size", x.Shape())
	}
	if x.Shape().Numel() == 0 {
		return Alias(x)
	}
	step, stride := 0, 1
	for i := len(d) - 1; i >= 0; i-- {
		step, stride = step+stride, stride*d[i]
	}
	count := slices.Min(d)
	if o.Wrap && len(d) == 2 && d[0] > d[1]+1 {
		count = (x.Shape().Numel() + step - 1) / step
	}
	v := scalar(x.DType(), fillScalar(op, fillValue))
	return writeStrided(op, x, v, attr.Strided{Dims: attr.MakeInts(count), Strides: attr.MakeInts(step)})
}

// DiagEmbedOptions says which diagonal to fill, and which two dimensions of the result span the matrices.
type DiagEmbedOptions struct {
	Offset     int  // the diagonal; above the main one if positive
	Dim1, Dim2 *int // nil: the last two
}

// DiagEmbed returns matrices, zero but for one diagonal that holds the last dimension of x.
//
//lucid:func
//lucid:method DiagEmbed()
func DiagEmbed(x *Node, o DiagEmbedOptions) *Node {
	if x.Rank() == 0 {
		fault.Throw(fault.Shape, "diag_embed", "a 0-d tensor has no diagonal; want at least 1 dim")
	}
	r := x.Rank() + 1
	d1, d2 := dimOfRank("diag_embed", o.Dim1, r, -2), dimOfRank("diag_embed", o.Dim2, r, -1)
	if d1 == d2 {
		fault.Throw(fault.Index, "diag_embed", "dim1 and dim2 are both %d", d1)
	}
	n := x.Dim(-1) + max(o.Offset, -o.Offset)
	dims := append(slices.Clone(x.Shape().Dims()[:r-2]), n, n)
	zero := broadcastTo(constLike(x, 0), shape.Of("diag_embed", dims...))
	y := diagonalUpdate(zero, x, attr.Diagonal{Offset: o.Offset, Dim1: r - 2, Dim2: r - 1})
	return moveDims("diag_embed", y, []int{r - 2, r - 1}, []int{d1, d2})
}

func dimOfRank(op string, dim *int, rank, def int) int {
	if dim != nil {
		def = *dim
	}
	return shape.Axis(op, def, rank)
}

// DiagOptions says which diagonal.
type DiagOptions struct {
	Diagonal int // the diagonal; above the main one if positive
}

// Diag returns the matrix with x on a diagonal for a vector, and the diagonal of a matrix.
//
//lucid:func
//lucid:method Diag()
func Diag(x *Node, o DiagOptions) *Node {
	switch x.Rank() {
	case 1:
		return DiagEmbed(x, DiagEmbedOptions{Offset: o.Diagonal})
	case 2:
		return Diagonal(x, DiagonalOptions{Offset: o.Diagonal})
	}
	fault.Throw(fault.Shape, "diag", "%v has %d dims; want a vector or a matrix", x.Shape(), x.Rank())
	return nil
}

// Diagflat returns the matrix with all elements of x on a diagonal.
//
//lucid:func DiagFlat
//lucid:method DiagFlat()
func Diagflat(x *Node, o DiagFlatOptions) *Node {
	return DiagEmbed(Ravel(x), DiagEmbedOptions{Offset: o.Offset})
}

// DiagFlatOptions says which diagonal.
type DiagFlatOptions struct {
	Offset int // the diagonal; above the main one if positive
}

// TriOptions says up to which diagonal elements stay.
type TriOptions struct {
	Diagonal int // the diagonal up to which elements stay; above the main one if positive
}

// triangle keeps x where keep(column, row + diagonal) holds.
func triangle(op string, x *Node, diagonal int, keep func(x, y Operand) *Node) *Node {
	matrices(op, x)
	row := Add(Unsqueeze(Arange64(x.Dim(-2)), 1), diagonal)
	return Where(keep(Arange64(x.Dim(-1)), row), x, constLike(x, 0))
}

// Tril keeps the lower triangle of each matrix, up to a diagonal, and is zero above.
//
//lucid:func
//lucid:method Tril()
func Tril(x *Node, o TriOptions) *Node { return triangle("tril", x, o.Diagonal, Le) }

// Triu keeps the upper triangle of each matrix, from a diagonal on, and is zero below.
//
//lucid:func
//lucid:method Triu()
func Triu(x *Node, o TriOptions) *Node { return triangle("triu", x, o.Diagonal, Ge) }
