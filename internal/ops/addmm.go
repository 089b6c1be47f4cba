package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// AddmmOptions are the factors of beta·input + alpha·product: numbers, nil meaning 1. With beta 0 the input is not
// read, so NaN in it does not matter.
type AddmmOptions struct {
	Beta  any // factor of the input, a number; nil: 1. With 0 the input is not read
	Alpha any // factor of the product, a number; nil: 1
}

// Addmm returns beta·x + alpha·(mat1 @ mat2); x broadcasts.
//
//lucid:func
//lucid:method
//lucid:amp half
func Addmm(x, mat1, mat2 *Node, o AddmmOptions) *Node {
	ampHalf(&x, &mat1, &mat2)
	oneDType("addmm", &x, &mat1, &mat2)
	return plusProduct("addmm", x, mat1, mat2, mmOf, o)
}

// Addbmm returns beta·x + alpha·(the sum over the stack of batch1 @ batch2); x broadcasts.
//
//lucid:func
//lucid:method
//lucid:amp half
func Addbmm(x, batch1, batch2 *Node, o AddmmOptions) *Node {
	ampHalf(&x, &batch1, &batch2)
	requireRank("addbmm", "batch1", batch1, 3)
	requireRank("addbmm", "batch2", batch2, 3)
	if batch1.Dim(0) != batch2.Dim(0) {
		fault.Throw(fault.Shape, "addbmm", "the stacks %v and %v differ in length", batch1.Shape(), batch2.Shape())
	}
	if batch1.Dim(2) != batch2.Dim(1) {
		fault.Throw(fault.Shape, "addbmm", "inner sizes differ: batch1 %v, batch2 %v; want batch1[-1] == batch2[-2], got %d and %d",
			batch1.Shape(), batch2.Shape(), batch1.Dim(2), batch2.Dim(1))
	}
	oneDType("addbmm", &x, &batch1, &batch2)
	return plusTerm("addbmm", x, tensordot("addbmm", batch1, batch2, []int{0, 2}, []int{0, 1}), o)
}

// Baddbmm returns beta·x + alpha·(batch1 @ batch2), matrix by matrix; x broadcasts.
//
//lucid:func
//lucid:method
//lucid:amp half
func Baddbmm(x, batch1, batch2 *Node, o AddmmOptions) *Node {
	ampHalf(&x, &batch1, &batch2)
	oneDType("baddbmm", &x, &batch1, &batch2)
	return plusProduct("baddbmm", x, batch1, batch2, bmmOf, o)
}

// Addmv returns beta·x + alpha·(mat @ vec); x broadcasts.
//
//lucid:func
//lucid:method
//lucid:amp half
func Addmv(x, mat, vec *Node, o AddmmOptions) *Node {
	ampHalf(&x, &mat, &vec)
	oneDType("addmv", &x, &mat, &vec)
	return plusProduct("addmv", x, mat, vec, mvOf, o)
}

// Addr returns beta·x + alpha·(outer product of vec1 and vec2); x broadcasts.
//
//lucid:func
//lucid:method
//lucid:amp half
func Addr(x, vec1, vec2 *Node, o AddmmOptions) *Node {
	ampHalf(&x, &vec1, &vec2)
	oneDType("addr", &x, &vec1, &vec2)
	return plusTerm("addr", x, Outer(vec1, vec2), o)
}

// oneDType casts tensors to the dtype they compute in: a product of small integers that is added to floats does not wrap before.
func oneDType(op string, x, a, b **Node) {
	d := resultType(op, *x, *a, *b)
	*x, *a, *b = Cast(*x, d), Cast(*a, d), Cast(*b, d)
}

// plusProduct returns beta·x + alpha·(a @ b). Half types are rounded once, when all is summed.
func plusProduct(op string, x, a, b *Node, of func(a, b *Node, multiply func(a, b *Node) *Node) *Node, o AddmmOptions) *Node {
	if !allHalf(x, a, b) {
		return plusTerm(op, x, of(a, b, Matmul), o)
	}
	p := of(a, b, sums)
	return Cast(plusTerm(op, addendOf(x, p), p, o), x.DType())
}

// allHalf reports whether operands have one half type.
func allHalf(x, a, b *Node) bool {
	d := x.DType()
	return d.IsHalf() && a.DType() == d && b.DType() == d
}

// addendOf shows x as an addend of p, in its dtype, if it can be broadcast to it. The shape comes first, so that what is added is widened
// on its way to the sum.
func addendOf(x, p *Node) *Node {
	if shape.BroadcastsTo(x.Shape(), p.Shape()) {
		x = broadcastTo(x, p.Shape())
	}
	return Cast(x, p.DType())
}

// plusTerm returns beta·x + alpha·p with the shape of p.
func plusTerm(op string, x, p *Node, o AddmmOptions) *Node {
	if !shape.BroadcastsTo(x.Shape(), p.Shape()) {
		fault.Throw(fault.Shape, op, "input %v cannot be broadcast to the product's shape %v", x.Shape(), p.Shape())
	}
	if p.DType() == dtype.Bool {
		o.Alpha, o.Beta = truth(o.Alpha), truth(o.Beta)
	}
	p = timesNumber(op, p, "alpha", o.Alpha)
	if b, ok := dtype.ScalarOf(o.Beta); ok && b.Complex() == 0 {
		return p
	}
	return Add(timesNumber(op, x, "beta", o.Beta), p)
}

// truth is what a number is as a factor of bools; nil stays.
func truth(number any) any {
	if s, ok := dtype.ScalarOf(number); ok {
		return s.Complex() != 0
	}
	return number
}

// timesNumber multiplies by a number that may not change the dtype; nil is 1.
func timesNumber(op string, x *Node, name string, by any) *Node {
	if by == nil {
		return x
	}
	s, ok := dtype.ScalarOf(by)
	if !ok {
		fault.Throw(fault.DType, op, "%s is a %T; want a number", name, by)
	}
	d := x.DType()
	if s.Kind == dtype.KindComplex && !d.IsComplex() || !d.IsInexact() &&
		(s.Kind == dtype.KindFloat && s.F != math.Trunc(s.F) || !fits(d, s)) {
		fault.Throw(fault.DType, op, "%s is %v, which %v cannot hold; cast the tensors first", name, by, d)
	}
	return Mul(x, as(op, by, d))
}

// Linear returns x @ weightᵀ + bias: weight is (out, in), x has size in as its last dimension. A weight of one
// dimension gives one number for each vector.
//
//lucid:pkg nn/functional
//lucid:optional bias
//lucid:amp half
func Linear(x, weight, bias *Node) *Node {
	if weight.Rank() != 1 && weight.Rank() != 2 || x.Rank() == 0 || x.Dim(-1) != weight.Dim(-1) {
		if x.Rank() > 0 && weight.Rank() == 2 {
			fault.Throw(fault.Shape, "linear", "input %v has %d features, weight %v takes %d; want input (…, in) and weight (out, in)",
				x.Shape(), x.Dim(-1), weight.Shape(), weight.Dim(1))
		}
		fault.Throw(fault.Shape, "linear", "input %v and weight %v do not fit; want input (…, in) and weight (out, in)", x.Shape(),
			weight.Shape())
	}
	ampHalf(&x, &weight, &bias)
	w := weight
	if w.Rank() == 2 {
		w = swapLast(w)
	}
	if bias == nil {
		return Matmul(x, w)
	}
	multiply, once := Matmul, allHalf(x, weight, bias)
	if once {
		multiply = sums
	}
	y := multiply(x, w)
	if !shape.BroadcastsTo(bias.Shape(), y.Shape()) {
		fault.Throw(fault.Shape, "linear", "bias %v does not fit the output %v; want (out)", bias.Shape(), y.Shape())
	}
	if once {
		return Cast(Add(y, addendOf(bias, y)), x.DType())
	}
	return Add(y, bias)
}

// Bilinear returns, for every output, input1ᵀ·weight[out]·input2 + bias: weight is (out, in1, in2).
//
//lucid:pkg nn/functional
//lucid:optional bias
//lucid:alias bilinear_layer
//lucid:amp half
func Bilinear(input1, input2, weight, bias *Node) *Node {
	ok := weight.Rank() == 3 && input1.Rank() > 0 && input1.Rank() == input2.Rank() &&
		input1.Dim(-1) == weight.Dim(1) && input2.Dim(-1) == weight.Dim(2)
	for i := 0; ok && i < input1.Rank()-1; i++ {
		ok = input1.Dim(i) == input2.Dim(i)
	}
	if !ok {
		fault.Throw(fault.Shape, "bilinear", "inputs %v and %v and weight %v do not fit; want (…, in1), (…, in2) and (out, in1, in2)",
			input1.Shape(), input2.Shape(), weight.Shape())
	}
	ampHalf(&input1, &input2, &weight, &bias)
	y := Einsum("...i,oij,...j->...o", input1, weight, input2)
	if bias == nil {
		return y
	}
	return Add(y, bias)
}
