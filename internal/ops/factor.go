package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// Factorisations are ops over matrices in the last two dimensions; those before them are a batch. With Check in their attribute a
// matrix that cannot be factored is the error of the evaluation, as a position out of range is; without it an output tells.

var factorTypes = dtype.SetOf(dtype.Float32, dtype.Float64, dtype.Complex64, dtype.Complex128)

// factorOp declares an op over matrices: the new axis of VMap is one more dimension of the batch.
func factorOp(o graph.Op) *graph.Op {
	var op *graph.Op
	o.Version, o.Kind, o.AMP, o.Checks = 1, graph.Factor, graph.AMPFloat32, true
	o.VMap = func(n *Node, in []*Node, batched []bool, size int) []*Node {
		return graph.TupleItems(graph.New(op, n.Attr(), allBatched(n, in, batched, size)...))
	}
	op = graph.Register(o)
	return op
}

// matricesOf checks an operand of a factorisation. Half types have too few digits for one; under automatic mixed precision they are
// float32 here.
func matricesOf(op string, x *Node) *Node {
	ampFloat32(&x)
	if x.Rank() < 2 {
		fault.Throw(fault.Shape, op, "%v has %d dims; want matrices in the last two", x.Shape(), x.Rank())
	}
	factorable(op, x)
	return x
}

// factorable refuses dtypes that matrices are not factored in.
func factorable(op string, x *Node) {
	switch d := x.DType(); {
	case factorTypes.Has(d):
	case d.IsHalf():
		fault.Throw(fault.DType, op, "%v has too few digits for it; cast to float32 and the result back", d)
	default:
		fault.Throw(fault.DType, op, "%v is no dtype of a factorisation; cast to float32, float64, complex64 or complex128", d)
	}
}

// squares is matricesOf for square matrices.
func squares(op string, x *Node) *Node {
	x = matricesOf(op, x)
	if x.Dim(-1) != x.Dim(-2) {
		fault.Throw(fault.Shape, op, "%v does not hold square matrices; the last two sizes are %d and %d", x.Shape(), x.Dim(-2), x.Dim(-1))
	}
	return x
}

// batchOf is the shape without the last k dimensions, and with some sizes behind it.
func batchOf(op string, x *Node, k int, more ...int) *shape.Shape {
	d := x.Shape().Dims()
	return shape.Of(op, append(slices.Clone(d[:len(d)-k]), more...)...)
}

// adjoint is the conjugate transpose of matrices.
func adjoint(x *Node) *Node { return conj(swapLast(x)) }

func hermitianPart(x *Node) *Node { return Mul(Add(x, adjoint(x)), 0.5) }

// eyeLike is the identity of n rows, in the dtype of x and for its batch of matrices.
func eyeLike(op string, x *Node, n int) *Node {
	eye := Eye(n, EyeOptions{DType: x.DType()})
	return broadcastTo(eye, batchOf(op, x, 2, n, n))
}

// columns scales the columns of x by v, rows its rows. v may be real where x is complex.
func columns(x, v *Node) *Node { return Mul(x, Unsqueeze(v, -2)) }
func rowsBy(x, v *Node) *Node  { return Mul(x, Unsqueeze(v, -1)) }

// mm multiplies matrices of one batch and dtype, whatever the mixed precision: factors need their digits.
func mm(a, b *Node) *Node { return graph.New(opMatmul, nil, a, b) }

func diagonals(x *Node) *Node {
	return graph.New(opDiagonal, attr.Diagonal{Dim1: x.Rank() - 2, Dim2: x.Rank() - 1}, x)
}

func embed(v *Node) *Node { return DiagEmbed(v, DiagEmbedOptions{}) }

func lower(x *Node, diagonal int) *Node { return Tril(x, TriOptions{Diagonal: diagonal}) }
func upper(x *Node, diagonal int) *Node { return Triu(x, TriOptions{Diagonal: diagonal}) }

// sameBatch broadcasts the batches of matrices against each other.
func sameBatch(op string, x, y *Node) (*Node, *Node) {
	s := shape.Broadcast(op, batchOf(op, x, 2), batchOf(op, y, 2))
	to := func(z *Node) *Node {
		return broadcastTo(z, shape.Of(op, append(slices.Clone(s.Dims()), z.Dim(-2), z.Dim(-1))...))
	}
	return to(x), to(y)
}

// sameType brings two operands to the wider dtype of both.
func sameType(op string, x, y *Node) (*Node, *Node) {
	d, ok := dtype.Promote(x.DType(), y.DType())
	if !ok {
		fault.Throw(fault.DType, op, "%v and %v have no common dtype; cast one of them", x.DType(), y.DType())
	}
	return Cast(x, d), Cast(y, d)
}

// asDType gives a cotangent or tangent the dtype of x: a complex one loses its imaginary part if x is real.
func asDType(g, x *Node) *Node {
	if g == nil {
		return nil
	}
	if g.DType().IsComplex() && !x.DType().IsComplex() {
		g = Real(g)
	}
	return Cast(g, x.DType())
}

// offDiagonal is x where row and column differ, and 0 on the diagonal.
func offDiagonal(x *Node) *Node {
	n := x.Dim(-1)
	return Where(Eq(Reshape(Arange64(n), n, 1), Arange64(n)), constLike(x, 0), x)
}

// gaps has v[j] - v[i] at row i, column j, and 1 on the diagonal.
func gaps(v *Node) *Node {
	n := v.Dim(-1)
	d := Sub(Unsqueeze(v, -2), Unsqueeze(v, -1))
	return Where(Eq(Reshape(Arange64(n), n, 1), Arange64(n)), constLike(v, 1), d)
}

// noDerivative refuses a derivative.
func noDerivative(op, format string, args ...any) []*Node {
	fault.Throw(fault.Gradient, op, format, args...)
	return nil
}

// The rules that Validate of factorisations is made of.

func (c check) factor(x *Node) attr.Factor {
	c.must(x.Rank() >= 2 && factorTypes.Has(x.DType()), "an operand of %v and shape %v", x.DType(), x.Shape())
	return attrOf[attr.Factor](c)
}

func (c check) square(x *Node) attr.Factor {
	a := c.factor(x)
	c.must(x.Dim(-1) == x.Dim(-2), "an operand of shape %v", x.Shape())
	return a
}

// shapedAs asks for an operand with the batch of x and these sizes behind it.
func (c check) shapedAs(y, x *Node, sizes ...int) {
	want := batchOf(c.op, x, 2, sizes...)
	c.must(y.Shape().Equal(want), "an operand of shape %v, not %v", y.Shape(), want)
}

// factored checks A, LU and pivots.
func (c check) factored() {
	a := c.in[0]
	c.square(a)
	c.must(c.in[1].DType() == a.DType() && c.in[2].DType() == dtype.Int32, "factors of %v and %v", c.in[1].DType(), c.in[2].DType())
	c.shapedAs(c.in[1], a, a.Dim(-1), a.Dim(-1))
	c.shapedAs(c.in[2], a, a.Dim(-1))
}
