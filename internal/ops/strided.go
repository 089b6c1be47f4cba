package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// Views that show elements more than once, along other strides, or as other types.
var opAsStrided, opUnfold, opBitcast *graph.Op

func init() {
	opAsStrided = viewOp("as_strided", graph.Op{
		Inputs: graph.Exactly(1), Validate: rule(validateAsStrided),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: shape.Of("as_strided", a.(attr.Strided).Dims.Slice()...), DType: in[0].DType()}}
		},
		Layout: func(a attr.Attr, from *shape.Shape, l *shape.Layout, _ *shape.Shape) *shape.Layout {
			if !l.IsContiguous(from) {
				return nil
			}
			s := a.(attr.Strided)
			return &shape.Layout{Strides: s.Strides.Slice(), Offset: l.Offset + s.Offset}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			flat := put(zerosLike(Ravel(n.In(0))), stridedIndices(n.Attr().(attr.Strided)), cot[0], 0, attr.ReduceAdd)
			return []*Node{reshapeTo(flat, n.In(0).Shape())}
		},
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{graph.New(opAsStrided, n.Attr(), tan[0])} },
		VMap: func(n *Node, in []*Node, _ []bool, size int) []*Node {
			s := n.Attr().(attr.Strided)
			return []*Node{graph.New(opAsStrided, attr.Strided{Dims: attr.MakeInts(size) + s.Dims,
				Strides: attr.MakeInts(n.In(0).Shape().Numel()) + s.Strides, Offset: s.Offset}, in[0])}
		}})
	opUnfold = viewOp("unfold", graph.Op{
		Inputs: graph.Exactly(1), Validate: rule(validateUnfold),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			u, d := a.(attr.Unfold), in[0].Shape().Clone()
			d[u.Axis] = (d[u.Axis]-u.Size)/u.Step + 1
			return []graph.Spec{{Shape: shape.Of("unfold", append(d, u.Size)...), DType: in[0].DType()}}
		},
		Layout: func(a attr.Attr, _ *shape.Shape, l *shape.Layout, _ *shape.Shape) *shape.Layout {
			u := a.(attr.Unfold)
			st := append(append([]int(nil), l.Strides...), l.Strides[u.Axis])
			st[u.Axis] *= u.Step
			return &shape.Layout{Strides: st, Offset: l.Offset}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			u := n.Attr().(attr.Unfold)
			indices := Add(Unsqueeze(Mul(Arange64(n.Dim(u.Axis)), u.Step), 1), Arange64(u.Size))
			g := moveAxis(cot[0], n.Rank()-1, u.Axis+1)
			return []*Node{put(zerosLike(n.In(0)), indices, g, u.Axis, attr.ReduceAdd)}
		},
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{graph.New(opUnfold, n.Attr(), tan[0])} },
		VMap: func(n *Node, in []*Node, _ []bool, _ int) []*Node {
			u := n.Attr().(attr.Unfold)
			u.Axis++
			return []*Node{graph.New(opUnfold, u, in[0])}
		}})
	opBitcast = viewOp("bitcast", graph.Op{
		Inputs: graph.Exactly(1), Validate: rule(validateBitcast),
		NoGrad: "bits have no derivative",
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			b, d := a.(attr.Bitcast), in[0].Shape().Clone()
			if len(d) > 0 {
				d[len(d)-1] = d[len(d)-1] * in[0].DType().Size() / b.To.Size()
			}
			return []graph.Spec{{Shape: shape.Of("bitcast", d...), DType: b.To}}
		},
		Layout: bitcastLayout,
		VMap: func(n *Node, in []*Node, _ []bool, _ int) []*Node {
			x := in[0]
			if n.In(0).Rank() == 0 {
				return []*Node{reshapeTo(graph.New(opBitcast, n.Attr(), Unsqueeze(x, 1)), x.Shape())}
			}
			return []*Node{graph.New(opBitcast, n.Attr(), x)}
		}})
}

// bitcastLayout counts strides in elements of the new size; the last dimension must be dense.
func bitcastLayout(a attr.Attr, from *shape.Shape, l *shape.Layout, _ *shape.Shape) *shape.Layout {
	b := a.(attr.Bitcast)
	f, t := b.From.Size(), b.To.Size()
	if f == t {
		return l
	}
	last := from.Rank() - 1
	if from.Dim(last) > 1 && l.Strides[last] != 1 || l.Offset*f%t != 0 {
		return nil
	}
	st := make([]int, last+1)
	for i, s := range l.Strides[:last] {
		if s*f%t != 0 && from.Dim(i) > 1 {
			return nil
		}
		st[i] = s * f / t
	}
	st[last] = 1
	return &shape.Layout{Strides: st, Offset: l.Offset * f / t}
}

// stridedIndices gives the index of every element of a strided view in the row-major elements it shows.
func stridedIndices(s attr.Strided) *Node {
	r := s.Dims.Len()
	at := broadcastTo(Number(dtype.Int64, s.Offset), shape.Of("as_strided", s.Dims.Slice()...))
	for i := range r {
		step := Reshape(Mul(Arange64(s.Dims.At(i)), s.Strides.At(i)), append([]int{-1}, ones(r-1-i)...)...)
		at = Add(at, step)
	}
	return at
}

// AsStridedOptions says where to begin, counted in elements.
type AsStridedOptions struct {
	StorageOffset int // the first element
}

// AsStrided shows the elements of x, counted in row-major order, with any sizes and strides. The strides say nothing
// of how x is laid out; an index outside x is refused.
//
//lucid:func
//lucid:method AsStrided(size []int, stride []int)
//lucid:view
func AsStrided(x *Node, size, stride []int, o AsStridedOptions) *Node {
	if len(size) != len(stride) {
		fault.Throw(fault.Value, "as_strided", "size %v and stride %v differ in length", size, stride)
	}
	out, n := shape.Of("as_strided", size...), x.Shape().Numel()
	if _, hi, ok := reach(out.Dims(), stride, o.StorageOffset); o.StorageOffset < 0 || !ok || out.Numel() > 0 && hi >= n {
		fault.Throw(fault.Index, "as_strided", "size %v, stride %v and offset %d reach outside the %d elements of %v; want smaller ones",
			size, stride, o.StorageOffset, n, x.Shape())
	}
	return graph.New(opAsStrided, attr.Strided{Dims: attr.MakeInts(size...), Strides: attr.MakeInts(stride...), Offset: o.StorageOffset}, x)
}

// AsStridedScatter returns x with the elements that AsStrided shows replaced by src. Of several for one element the last stays.
//
//lucid:method AsStridedScatter(src *Node, size []int, stride []int)
func AsStridedScatter(x, src *Node, size, stride []int, o AsStridedOptions) *Node {
	const op = "as_strided_scatter"
	if want := AsStrided(x, size, stride, o).Shape(); !src.Shape().Equal(want) {
		fault.Throw(fault.Shape, op, "src has shape %v; want %v", src.Shape(), want)
	}
	return writeStrided(op, x, src, attr.Strided{Dims: attr.MakeInts(size...), Strides: attr.MakeInts(stride...), Offset: o.StorageOffset})
}

// writeStrided returns x with the elements of a strided view of it replaced; a number is written to all.
func writeStrided(op string, x *Node, src Operand, s attr.Strided) *Node {
	at := stridedIndices(s)
	v := Reshape(broadcastTo(stored(op, src, x.DType()), at.Shape()), -1)
	return reshapeTo(scatterAlong(op, Reshape(x, -1), 0, Reshape(at, -1), v, attr.ReduceSet), x.Shape())
}

// Unfold shows all windows of the given size along a dimension, each step further; a window's elements are the last dimension.
//
//lucid:method
//lucid:alias unfold_dim
//lucid:view
func Unfold(x *Node, dimension, size, step int) *Node {
	axis := shape.Axis("unfold", dimension, x.Rank())
	flat := x.Rank() == 0
	if flat {
		x = Reshape(x, 1)
	}
	if size < 0 || size > x.Dim(axis) || step <= 0 {
		fault.Throw(fault.Value, "unfold", "windows of size %d, step %d along dim %d of %v; want a size up to %d and a step of 1 or more",
			size, step, axis, x.Shape(), x.Dim(axis))
	}
	if flat { // one window, without a dimension to count it
		return SliceDim(x, 0, 0, size, 1)
	}
	return graph.New(opUnfold, attr.Unfold{Axis: axis, Size: size, Step: step}, x)
}

// ViewDType shows the bits of x as another dtype; the last dimension grows or shrinks with the elements' size.
//
//lucid:method
//lucid:name view_dtype
//lucid:view
func ViewDType(x *Node, dtype dtype.DType) *Node {
	if x.DType() == dtype {
		return x
	}
	if !dtype.Valid() {
		fault.Throw(fault.DType, "view_dtype", "%v is no dtype; want one of those declared", dtype)
	}
	f, t := x.DType().Size(), dtype.Size()
	if f != t && (x.Rank() == 0 || x.Dim(-1)*f%t != 0) {
		fault.Throw(fault.Shape, "view_dtype", "%v of shape %v cannot be shown as %v: the last dim must hold a multiple of %d bytes",
			x.DType(), x.Shape(), dtype, t)
	}
	return graph.New(opBitcast, attr.Bitcast{From: x.DType(), To: dtype}, x)
}
