package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/quantize"
	"github.com/lucid-go/lucid/internal/shape"
)

// MLX's quantized matrices, rows of packed words with scales, and biases in affine mode. quantize_groups makes them of rows;
// dequantize_groups gives the values back; quantized_matmul is x·wᵀ without the whole matrix of values in memory. Gradients pass to
// x, and in affine mode to scales and biases: levels stay what they are.
var opQuantizeGroups, opDequantizeGroups, opQuantizedMatmul *graph.Op

func init() {
	opQuantizeGroups = graph.Register(graph.Op{Name: "quantize_groups", Version: 1, Kind: graph.Other,
		Inputs: graph.Exactly(1), Validate: rule(func(c check) {
			f := c.groups()
			x := c.in[0]
			c.must(quantizable(x.DType()) && x.Rank() == 2 && x.Dim(1)%groupMultiple(f) == 0, "rows of %v %v", x.DType(), x.Shape())
		}), NoGrad: "rounding to levels has no derivative",
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			const op = "quantize_groups"
			f, rows, cols := formatOf(a), in[0].Dim(0), in[0].Dim(1)
			scales := graph.Spec{Shape: shape.Of(op, rows, cols/f.Group), DType: dtype.Uint8}
			out := []graph.Spec{{Shape: shape.Of(op, rows, f.Words(cols)), DType: dtype.Uint32}, scales}
			if f.Mode == quantize.Affine {
				out[1].DType = in[0].DType()
				out = append(out, out[1])
			}
			return out
		},
		VMap: func(n *Node, in []*Node, _ []bool, size int) []*Node {
			all := apply(opQuantizeGroups, n.Attr(), Reshape(in[0], size*n.In(0).Dim(0), n.In(0).Dim(1)))
			out := graph.TupleItems(all)
			for i, x := range out {
				out[i] = Reshape(x, size, n.In(0).Dim(0), x.Dim(1))
			}
			return out
		}})
	opDequantizeGroups = graph.Register(graph.Op{Name: "dequantize_groups", Version: 1, Kind: graph.Other,
		Inputs: graph.Between(2, 3), SavesIn: 1, Validate: rule(func(c check) { c.packed(0) }),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			s := shape.Of("dequantize_groups", in[0].Dim(0), formatOf(a).Elements(in[0].Dim(1)))
			return []graph.Spec{{Shape: s, DType: a.(attr.Quantized).To}}
		},
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			return groupCotangents(n.Attr().(attr.Quantized), n.Ins(), cot[0], need)
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			return []*Node{groupTangent(n.Attr().(attr.Quantized), n.Ins(), tan)}
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			return []*Node{Reshape(dequantizeBatch(n.Attr().(attr.Quantized), in, batched, size), size, n.Dim(0), n.Dim(1))}
		}})
	opQuantizedMatmul = graph.Register(graph.Op{Name: "quantized_matmul", Version: 1, Kind: graph.Contract,
		Inputs: graph.Between(3, 4), SavesIn: 15, Validate: rule(func(c check) {
			c.packed(1)
			x, k := c.in[0], formatOf(c.a).Elements(c.in[1].Dim(1))
			c.must(x.DType() == attrOf[attr.Quantized](c).To && x.Rank() == 2 && x.Dim(1) == k, "rows of %v %v with those of %d", x.DType(),
				x.Shape(), k)
		}),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: shape.Of("quantized_matmul", in[0].Dim(0), in[1].Dim(0)), DType: in[0].DType()}}
		},
		VJP: vjpQuantizedMatmul, JVP: jvpQuantizedMatmul, VMap: vmapQuantizedMatmul})
}

func quantizable(d dtype.DType) bool { return d == dtype.Float32 || d.IsHalf() }

func formatOf(a attr.Attr) quantize.Format {
	q := a.(attr.Quantized)
	return quantize.Format{Mode: quantize.Mode(q.Mode), Bits: q.Bits, Group: q.Group}
}

// groupMultiple is what the length of a row is a multiple of: whole groups, and whole words of each bit.
func groupMultiple(f quantize.Format) int { return max(f.Group, 32) }

// groups refuses an attribute that is no format.
func (c check) groups() quantize.Format {
	q := attrOf[attr.Quantized](c)
	c.must(q.Mode >= 0 && q.Mode < 256 && formatOf(q).Valid(), "the format %v", q)
	return formatOf(q)
}

// packed refuses operands, from number i on, that are no quantized matrix.
func (c check) packed(i int) {
	f := c.groups()
	c.must(i == 1 || !attrOf[attr.Quantized](c).Fast, "values that are rounded")
	parts, scale := 2, dtype.Uint8
	if f.Mode == quantize.Affine {
		parts, scale = 3, c.in[i+1].DType()
	}
	c.inputs(i + parts)
	w := c.in[i]
	c.must(quantizable(attrOf[attr.Quantized](c).To), "values of %v", attrOf[attr.Quantized](c).To)
	c.must(w.DType() == dtype.Uint32 && w.Rank() == 2 && w.Dim(1)%f.Bits == 0 && w.Dim(1)/f.Bits <= most/32, "words of %v %v", w.DType(),
		w.Shape())
	k := f.Elements(w.Dim(1))
	for _, s := range c.in[i+1:] {
		c.must(k%f.Group == 0 && s.Rank() == 2 && s.Dim(0) == w.Dim(0) && s.Dim(1) == k/f.Group, "scales of %v", s.Shape())
		c.must(s.DType() == scale && (scale == dtype.Uint8 && f.Mode != quantize.Affine || quantizable(scale)), "scales of %v", s.DType())
	}
}

// inGroups shows rows as (rows, groups, group).
func inGroups(x *Node, group int) *Node { return Reshape(x, x.Dim(0), x.Dim(1)/group, group) }

// groupCotangents are those of packed words, scales and biases for the cotangent of the values. A scale is multiplied with levels,
// which are the values with scales of one.
func groupCotangents(a attr.Quantized, in []*Node, cot *Node, need []bool) []*Node {
	out := make([]*Node, len(in))
	if len(in) < 3 {
		return out
	}
	g := inGroups(Cast(cot, dtype.Float32), a.Group)
	if need[1] {
		a := a
		a.To = dtype.Float32
		one := Add(zerosLike(in[1]), 1)
		level := graph.New(opDequantizeGroups, a, in[0], one, zerosLike(in[2]))
		out[1] = Cast(Sum(Mul(g, inGroups(level, a.Group)), ReduceOptions{Dim: []int{-1}}), in[1].DType())
	}
	if need[2] {
		out[2] = Cast(Sum(g, ReduceOptions{Dim: []int{-1}}), in[2].DType())
	}
	return out
}

// groupTangent is the tangent of the values; nil if none of the operands has one.
func groupTangent(a attr.Quantized, in, tan []*Node) *Node {
	if len(in) < 3 || tan[1] == nil && tan[2] == nil {
		return nil
	}
	scales, biases := tan[1], tan[2]
	if scales == nil {
		scales = zerosLike(in[1])
	}
	if biases == nil {
		biases = zerosLike(in[2])
	}
	return graph.New(opDequantizeGroups, a, in[0], scales, biases)
}

// dequantizeBatch gives the values of a batch of matrices, one below the other.
func dequantizeBatch(a attr.Quantized, in []*Node, batched []bool, size int) *Node {
	list := make([]*Node, len(in))
	for i, x := range in {
		if !batched[i] {
			x = broadcastTo(x, shape.Of("dequantize_groups", size, x.Dim(0), x.Dim(1)))
		}
		list[i] = Reshape(x, size*x.Dim(1), x.Dim(2))
	}
	return graph.New(opDequantizeGroups, a, list...)
}

// exactGroups is the attribute of a product without Fast.
func exactGroups(n *Node) attr.Quantized {
	a := n.Attr().(attr.Quantized)
	a.Fast = false
	return a
}

func vjpQuantizedMatmul(n *Node, cot []*Node, need []bool) []*Node {
	a, w := exactGroups(n), n.Ins()[1:]
	out := make([]*Node, n.NumIn())
	if need[0] {
		out[0] = Matmul(cot[0], graph.New(opDequantizeGroups, a, w...))
	}
	if len(w) == 3 && (need[2] || need[3]) {
		copy(out[1:], groupCotangents(a, w, Matmul(swapLast(cot[0]), n.In(0)), need[1:]))
	}
	return out
}

func jvpQuantizedMatmul(n *Node, tan []*Node) []*Node {
	a, w := exactGroups(n), n.Ins()[1:]
	var sum *Node
	if tan[0] != nil {
		sum = graph.New(opQuantizedMatmul, a, append([]*Node{tan[0]}, w...)...)
	}
	if d := groupTangent(a, w, tan[1:]); d != nil {
		sum = addMaybe(sum, Matmul(n.In(0), swapLast(d)))
	}
	return []*Node{sum}
}

func vmapQuantizedMatmul(n *Node, in []*Node, batched []bool, size int) []*Node {
	a, m, k := n.Attr().(attr.Quantized), n.In(0).Dim(0), n.In(0).Dim(1)
	if !slices.Contains(batched[1:], true) {
		y := graph.New(opQuantizedMatmul, a, append([]*Node{Reshape(in[0], size*m, k)}, in[1:]...)...)
		return []*Node{Reshape(y, size, m, n.Dim(1))}
	}
	w := Reshape(dequantizeBatch(exactGroups(n), in[1:], batched[1:], size), size, n.Dim(1), k)
	return []*Node{Matmul(in[0], swapLast(w))}
}

// QuantizedOptions are the format of a quantized matrix.
type QuantizedOptions struct {
	Mode      string // affine (the default), mxfp4, mxfp8 or nvfp4
	Bits      int    // 0: 8 for mxfp8, else 4
	GroupSize int    // 0: 64 for affine, 16 for nvfp4, else 32
}

// format checks the options.
func (o QuantizedOptions) format(op string) quantize.Format {
	mode, ok := quantize.Parse(o.Mode)
	if !ok {
		fault.Throw(fault.Value, op, "the mode %q; want affine, mxfp4, mxfp8 or nvfp4", o.Mode)
	}
	f := quantize.Format{Mode: mode, Bits: o.Bits, Group: o.GroupSize}.WithDefaults()
	if !f.Valid() {
		bits, groups := mode.Choices()
		fault.Throw(fault.Value, op, "%d bits in groups of %d; the mode %v has %v bits in groups of %v", f.Bits, f.Group, mode, bits,
			groups)
	}
	return f
}

func attrOfFormat(f quantize.Format, to dtype.DType) attr.Quantized {
	return attr.Quantized{Mode: int(f.Mode), Bits: f.Bits, Group: f.Group, To: to}
}

// foldRows folds all dimensions but the last.
func foldRows(x *Node) *Node { return Reshape(x, x.Shape().Numel()/max(1, x.Dim(-1)), x.Dim(-1)) }

// Quantize returns a matrix, or a stack of them, as packed words, scales, and in affine mode biases: else that is nil.
func Quantize(w *Node, o QuantizedOptions) (packed, scales, biases *Node) {
	const op = "quantize"
	f := o.format(op)
	requireKind(op, w, quantizable(w.DType()), "float32, bfloat16 or float16")
	if w.Rank() < 2 || w.Dim(-1)%groupMultiple(f) != 0 || w.Dim(-1) == 0 {
		fault.Throw(fault.Shape, op, "a matrix of shape %v; want two dimensions or more, the last a multiple of %d", w.Shape(),
			groupMultiple(f))
	}
	parts := graph.TupleItems(apply(opQuantizeGroups, attrOfFormat(f, dtype.Invalid), foldRows(w)))
	for i, x := range parts {
		parts[i] = Reshape(x, append(w.Shape().Clone()[:w.Rank()-1], x.Dim(1))...)
	}
	if len(parts) == 3 {
		biases = parts[2]
	}
	return parts[0], parts[1], biases
}

// quantizedParts checks a quantized matrix and returns its operands as matrices, and the length of a row.
func quantizedParts(op string, f quantize.Format, packed, scales, biases *Node) (parts []*Node, k int) {
	all := []*Node{packed, scales}
	if f.Mode == quantize.Affine {
		all = append(all, biases)
	}
	if (f.Mode == quantize.Affine) != (biases != nil) {
		fault.Throw(fault.Value, op, "the mode %v, biases given: %v; affine has biases, the others have none", f.Mode, biases != nil)
	}
	if packed.DType() != dtype.Uint32 || packed.Rank() < 2 || packed.Dim(-1)%f.Bits != 0 {
		fault.Throw(fault.Shape, op, "packed is %v of shape %v; want uint32 of rows of whole words of %d bits", packed.DType(),
			packed.Shape(), f.Bits)
	}
	k = f.Elements(packed.Dim(-1))
	want := append(packed.Shape().Clone()[:packed.Rank()-1], k/f.Group)
	for _, x := range all[1:] {
		if k%f.Group != 0 || !slices.Equal(x.Shape().Dims(), want) {
			fault.Throw(fault.Shape, op, "scales or biases of shape %v for packed of %v; want %v", x.Shape(), packed.Shape(), want)
		}
		if f.Mode != quantize.Affine {
			requireKind(op, x, x.DType() == dtype.Uint8, "uint8: the codes of scales")
		} else {
			requireKind(op, x, quantizable(x.DType()) && x.DType() == scales.DType(), "float32, bfloat16 or float16, both the same")
		}
	}
	for _, x := range all {
		parts = append(parts, foldRows(x))
	}
	return parts, k
}

// DequantizeGroups returns the values of a quantized matrix in a dtype; zero is that of the scales, or bfloat16 for the modes of floats.
func DequantizeGroups(packed, scales, biases *Node, o QuantizedOptions, to dtype.DType) *Node {
	const op = "dequantize"
	f := o.format(op)
	parts, k := quantizedParts(op, f, packed, scales, biases)
	switch {
	case to == dtype.Invalid && f.Mode == quantize.Affine:
		to = scales.DType()
	case to == dtype.Invalid:
		to = dtype.BFloat16
	case !quantizable(to):
		fault.Throw(fault.DType, op, "values of %v; want float32, bfloat16 or float16", to)
	}
	y := apply(opDequantizeGroups, attrOfFormat(f, to), parts...)
	return Reshape(y, append(packed.Shape().Clone()[:packed.Rank()-1], k)...)
}

// QuantizedMatmul returns x·wᵀ, or with noTranspose x·w, for a quantized matrix w. The result has the dtype of x, and in affine mode
// that which x and the scales promote to. fast allows x to be rounded to int8.
func QuantizedMatmul(x, packed, scales, biases *Node, o QuantizedOptions, noTranspose, fast bool) *Node {
	const op = "quantized_matmul"
	f := o.format(op)
	requireKind(op, x, quantizable(x.DType()), "float32, bfloat16 or float16")
	parts, k := quantizedParts(op, f, packed, scales, biases)
	if f.Mode == quantize.Affine {
		x = Cast(x, resultType(op, x, scales))
	}
	if packed.Rank() > 2 || noTranspose { // a stack of matrices, or the other side
		w := apply(opDequantizeGroups, attrOfFormat(f, x.DType()), parts...)
		w = Reshape(w, append(packed.Shape().Clone()[:packed.Rank()-1], k)...)
		if !noTranspose {
			w = swapLast(w)
		}
		return Matmul(x, w)
	}
	if x.Rank() < 1 || x.Dim(-1) != k {
		fault.Throw(fault.Shape, op, "x has shape %v; want rows of %d elements", x.Shape(), k)
	}
	a := attrOfFormat(f, x.DType())
	a.Fast = fast
	y := apply(opQuantizedMatmul, a, append([]*Node{foldRows(x)}, parts...)...)
	return Reshape(y, append(x.Shape().Clone()[:x.Rank()-1], packed.Dim(0))...)
}

// GatherQuantizedMatmul is GatherMm with a stack of quantized matrices on the right, transposed unless noTranspose. Where fewer matrices
// are chosen than there are, only these are dequantized.
func GatherQuantizedMatmul(x, packed, scales, biases, lhs, rhs *Node, o QuantizedOptions, noTranspose bool) *Node {
	const op = "gather_qmm"
	f := o.format(op)
	requireKind(op, x, quantizable(x.DType()), "float32, bfloat16 or float16")
	parts, k := quantizedParts(op, f, packed, scales, biases)
	if f.Mode == quantize.Affine {
		x = Cast(x, resultType(op, x, scales))
	}
	dims := append(packed.Shape().Clone()[:packed.Rank()-1], k)
	stack := product(dims[:len(dims)-2])
	if rhs != nil && rhs.Shape().Numel() < stack {
		n, rows := rhs.Shape().Numel(), dims[len(dims)-2]
		chosen := Reshape(wrapIndex(op, rhs, stack), n)
		for i, p := range parts {
			parts[i] = Reshape(take(Reshape(p, stack, rows, p.Dim(1)), chosen, 0), n*rows, p.Dim(1))
		}
		dims, rhs = []int{n, rows, k}, Reshape(Arange64(n), rhs.Shape().Dims()...)
	}
	w := Reshape(apply(opDequantizeGroups, attrOfFormat(f, x.DType()), parts...), dims...)
	if !noTranspose {
		w = swapLast(w)
	}
	return GatherMm(x, w, lhs, rhs)
}
