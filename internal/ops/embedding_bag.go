package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// EmbeddingBagOptions: Mode is "mean" (the default), "sum" or "max". IncludeLastOffset says that the last offset is the
// end of the last bag. Positions equal to PaddingIdx count for nothing.
type EmbeddingBagOptions struct {
	Mode              string   // "mean" (also by ""), "sum" or "max"
	MaxNorm           *float64 // rows longer than this are scaled down to it; nil: no bound
	NormType          *float64 // nil: 2
	ScaleGradByFreq   bool     // divide the gradient of a row by how often it is looked up
	IncludeLastOffset bool     // the last offset is the end of the last bag
	PaddingIdx        *int     // indices of this row count for nothing; nil: none
}

// EmbeddingBag folds the rows of weight at the positions of each bag into one: the rows of a matrix x are bags, in a
// vector x they begin at the offsets. An empty bag gives zeros. perSampleWeights multiply the rows of a sum.
//
//lucid:pkg nn/functional embeddingBag EmbeddingBag
//lucid:optional offsets perSampleWeights
func EmbeddingBag(x, weight, offsets, perSampleWeights *Node, o EmbeddingBagOptions) *Node {
	const op = "embedding_bag"
	switch {
	case o.Mode != "" && o.Mode != "mean" && o.Mode != "sum" && o.Mode != "max":
		fault.Throw(fault.Value, op, "mode is %q; want mean, sum or max", o.Mode)
	case perSampleWeights != nil && o.Mode != "sum":
		fault.Throw(fault.Value, op, "per_sample_weights need mode sum, not %q", o.Mode)
	case perSampleWeights != nil && !perSampleWeights.Shape().Equal(x.Shape()):
		fault.Throw(fault.Shape, op, "per_sample_weights have shape %v, input %v; want the same", perSampleWeights.Shape(), x.Shape())
	case x.Rank() == 2 && offsets != nil || x.Rank() == 1 && offsets == nil || x.Rank() < 1 || x.Rank() > 2:
		fault.Throw(fault.Shape, op, "input is %v; want a matrix of bags, or a vector with offsets", x.Shape())
	}
	if y := bagOfRows(x, weight, perSampleWeights, o); y != nil {
		return y
	}
	if y := raggedRowsOf(x, weight, offsets, perSampleWeights, o); y != nil {
		return y
	}
	flat := Reshape(x, -1)
	bags := 0
	var bag *Node // of every position
	if x.Rank() == 2 {
		bags = x.Dim(0)
		bag = Reshape(BroadcastTo(Reshape(Arange64(bags), -1, 1), x.Shape().Dims()...), -1)
	} else {
		bag, bags = bagsAt(op, offsets, x.Dim(0), o.IncludeLastOffset)
	}
	rows := Embedding(flat, weight, EmbeddingOptions{PaddingIdx: o.PaddingIdx, MaxNorm: o.MaxNorm, NormType: o.NormType,
		ScaleGradByFreq: o.ScaleGradByFreq})
	d := rows.DType()
	rows = Cast(rows, statDType(d))
	if perSampleWeights != nil {
		rows = Mul(rows, Cast(Reshape(perSampleWeights, -1, 1), rows.DType()))
	}
	counts := OnesLike(SliceDim(rows, 1, 0, 1, 1))
	if o.PaddingIdx != nil {
		keep := Reshape(Ne(Cast(flat, dtype.Int64), (*o.PaddingIdx+weight.Dim(0))%weight.Dim(0)), -1, 1)
		counts = Cast(keep, rows.DType())
		fill := 0.0
		if o.Mode == "max" {
			fill = math.Inf(-1)
		}
		rows = Where(keep, rows, fill)
	}
	full := func(width int, v float64) *Node {
		return FullOf(shape.Of(op, bags, width), rows.DType(), dtype.Scalar{Kind: dtype.KindFloat, F: v})
	}
	sum := func(v *Node) *Node {
		if x.Rank() == 2 { // bags have one length: no position need be looked up
			return Sum(Reshape(v, bags, x.Dim(1), v.Dim(1)), ReduceOptions{Dim: []int{1}})
		}
		return put(full(v.Dim(1), 0), bag, v, 0, attr.ReduceAdd)
	}
	if o.Mode == "max" {
		y := put(full(rows.Dim(1), math.Inf(-1)), bag, rows, 0, attr.ReduceMax)
		size := sum(counts)
		return Cast(Where(Eq(size, 0), constLike(y, 0), y), d)
	}
	y := sum(rows)
	if o.Mode != "sum" {
		y = Div(y, Maximum(sum(counts), 1.0))
	}
	return Cast(y, d)
}

// sumsRows reports whether no more is asked for than sums or means of rows, which are not written out then.
func (o *EmbeddingBagOptions) sumsRows(x, weight *Node) bool {
	return o.Mode != "max" && o.PaddingIdx == nil && o.MaxNorm == nil && !o.ScaleGradByFreq && weight.Rank() == 2 &&
		x.Shape().Numel() > 0 && (weight.DType() == dtype.Float32 || weight.DType() == dtype.Float64)
}

// bagOfRows sums bags of one length; nil where more is asked for.
func bagOfRows(x, weight, perSampleWeights *Node, o EmbeddingBagOptions) *Node {
	if x.Rank() != 2 || !o.sumsRows(x, weight) {
		return nil
	}
	w := broadcastTo(constLike(weight, 1), shape.Of("embedding_bag", x.Dim(1), x.Dim(0)))
	if perSampleWeights != nil {
		w = swapLast(Cast(perSampleWeights, weight.DType()))
	}
	y := bag(weight, swapLast(strictIndex("embedding", x, weight.Dim(0))), w)
	if o.Mode != "sum" {
		y = Div(y, float64(x.Dim(1)))
	}
	return y
}

// raggedRowsOf sums bags that begin at offsets; nil where more is asked for.
func raggedRowsOf(x, weight, offsets, perSampleWeights *Node, o EmbeddingBagOptions) *Node {
	const op = "embedding_bag"
	if x.Rank() != 1 || !o.sumsRows(x, weight) {
		return nil
	}
	bags, n := bagsOf(op, offsets, o.IncludeLastOffset), x.Dim(0)
	if bags == 0 {
		return nil
	}
	begins := strictIndex(op, SliceDim(offsets, 0, 0, bags, 1), n+1)
	starts := concat([]*Node{strictIndex(op, SliceDim(begins, 0, 0, 1, 1), 1), SliceDim(begins, 0, 1, bags-1, 1),
		FullOf(shape.Of(op, 1), dtype.Int64, dtype.Scalar{Kind: dtype.KindInt, I: int64(n)})}, 0)
	w := broadcastTo(constLike(weight, 1), x.Shape())
	if perSampleWeights != nil {
		w = Cast(perSampleWeights, weight.DType())
	}
	y := raggedBag(weight, starts, strictIndex("embedding", x, weight.Dim(0)), w)
	if o.Mode != "sum" {
		size := Sub(SliceDim(starts, 0, 1, bags, 1), SliceDim(starts, 0, 0, bags, 1))
		y = Div(y, Unsqueeze(Cast(Maximum(size, 1), y.DType()), 1))
	}
	return y
}

// bagsOf returns how many bags begin at offsets.
func bagsOf(op string, offsets *Node, includeLast bool) int {
	if offsets.Rank() != 1 || includeLast && offsets.Dim(0) == 0 {
		fault.Throw(fault.Shape, op, "offsets have shape %v; want a vector with one begin per bag", offsets.Shape())
	}
	if includeLast {
		return offsets.Dim(0) - 1
	}
	return offsets.Dim(0)
}

// bagsAt returns the bag of each of n positions, bags beginning at the offsets, and how many there are.
func bagsAt(op string, offsets *Node, n int, includeLast bool) (*Node, int) {
	bags := bagsOf(op, offsets, includeLast)
	at := strictIndex(op, SliceDim(offsets, 0, 0, bags, 1), n+1)
	one := broadcastTo(Number(dtype.Int64, 1), at.Shape())
	begins := put(FullOf(shape.Of(op, n+1), dtype.Int64, dtype.Scalar{}), at, one, 0, attr.ReduceAdd)
	return Sub(SliceDim(Cumsum(begins, 0, CumulativeOptions{}), 0, 0, n, 1), 1), bags
}
