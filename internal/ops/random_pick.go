package ops

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opRandomInt, opRandomPoisson, opRandomBinomial *graph.Op

// sampler declares an op that draws integers, each element by itself.
func sampler(name string, params int, takes dtype.Set) *graph.Op {
	op := samplerRule(name, params, takes)
	op.NoGrad = "it draws integers"
	return graph.Register(op)
}

// samplerRule is the declaration of an op that draws each element by itself, with as many words as it needs, less its gradient. The
// key is (batch…, 2); the parameters have the shape (batch…, dims…) of the result, and the first of them its dtype.
func samplerRule(name string, params int, takes dtype.Set) graph.Op {
	return graph.Op{Name: name, Version: 1, Kind: graph.Random,
		Inputs: graph.Exactly(1 + params), Validate: rule(func(c check) { c.sampled(takes) }),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			batch, s := keyBatch(name, in[0]), in[1].Shape()
			if s.Rank() < len(batch) || !slices.Equal(batch, s.Dims()[:len(batch)]) {
				fault.Throw(fault.Shape, name, "keys of shape %v do not fit parameters of shape %v", in[0].Shape(), s)
			}
			return []graph.Spec{{Shape: s, DType: in[1].DType()}}
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			return []*Node{graph.New(n.Op(), nil, allBatched(n, in, batched, size)...)}
		}}
}

func init() {
	opRandomInt = sampler("random_int", 1, dtype.SetOf(dtype.Uint64))
	opRandomPoisson = sampler("random_poisson", 1, dtype.SetFloats)
	opRandomBinomial = sampler("random_binomial", 2, dtype.SetFloats)
}

// RandomInt returns integers in [low, high), each equally likely, over the whole range of 64 bits. Bounds that are
// numbers and leave no integer are refused; where bounds that are tensors do, low is the result.
func RandomInt(key *Node, s *shape.Shape, low, high Operand, d dtype.DType) *Node {
	requireIntegers("randint", d)
	checkBounds("randint", low, high, d)
	lo, hi := asBits("randint", low), asBits("randint", high)
	span := Sub(hi, lo)
	_, a := low.(*Node)
	if _, b := high.(*Node); a || b {
		order := dtype.Int64
		if d == dtype.Uint64 {
			order = d
		}
		span = Where(Le(Cast(hi, order), Cast(lo, order)), Number(dtype.Uint64, 1), span)
	} else { // known here, and so where the numbers are sampled
		from, to := lo.Attr().(attr.Const).Value, hi.Attr().(attr.Const).Value
		span = scalar(dtype.Uint64, dtype.Scalar{Kind: dtype.KindUint, I: to.I - from.I})
	}
	full := func(x *Node) *Node {
		if !shape.BroadcastsTo(x.Shape(), s) {
			fault.Throw(fault.Shape, "randint", "a bound of shape %v does not fit the shape %v", x.Shape(), s)
		}
		return broadcastTo(x, s)
	}
	off := graph.New(opRandomInt, nil, key, full(span))
	return Cast(Add(off, lo), d)
}

// asBits is an integer as the uint64 with its bits.
func asBits(op string, x Operand) *Node {
	n, ok := x.(*Node)
	if !ok {
		return as(op, x, dtype.Uint64)
	}
	if n.DType().IsInexact() {
		n = Cast(n, dtype.Int64)
	}
	return Cast(n, dtype.Uint64)
}

func requireIntegers(op string, d dtype.DType) {
	if d.IsInexact() || !d.Valid() {
		fault.Throw(fault.DType, op, "dtype %v; want an integer dtype or bool", d)
	}
}

// checkBounds refuses numbers that are not integers, between which there is nothing, or that the dtype does not hold.
func checkBounds(op string, low, high Operand, d dtype.DType) {
	lo, lok := dtype.ScalarOf(low)
	hi, hok := dtype.ScalarOf(high)
	if !lok || !hok {
		return
	}
	for _, b := range []dtype.Scalar{lo, hi} {
		if b.Kind == dtype.KindComplex || b.Kind == dtype.KindFloat && b.F != math.Trunc(b.F) {
			fault.Throw(fault.Value, op, "from %v to %v: want integers as bounds", low, high)
		}
	}
	if !(less64(lo, hi)) {
		fault.Throw(fault.Value, op, "from %v to %v: want low below high", low, high)
	}
	last := hi
	if last.Kind != dtype.KindFloat {
		last.I-- // high itself is not sampled; hi > lo, so nothing wraps
		if hi.Kind == dtype.KindUint && last.I >= 0 {
			last.Kind = dtype.KindInt
		}
	}
	if !fits(d, lo) || !fits(d,
		last) || !d.IsSigned() && d != dtype.Bool && lo.Float() < 0 || d == dtype.Bool && (lo.Float() < 0 || hi.Float() > 2) {
		fault.Throw(fault.Value, op, "%v does not hold the integers from %v to below %v", d, low, high)
	}
}

func less64(a, b dtype.Scalar) bool {
	ka, kb := a.Kind == dtype.KindUint, b.Kind == dtype.KindUint // uint only where int64 does not hold it
	switch {
	case a.Kind >= dtype.KindFloat || b.Kind >= dtype.KindFloat:
		return a.Float() < b.Float()
	case ka != kb:
		return kb
	}
	return a.I < b.I
}

// RandomIntMLX is RandomInt by MLX's recipe, a float32 uniform cut to an integer, where that reaches every integer:
// bounds that are numbers within ±2²⁴.
func RandomIntMLX(key *Node, s *shape.Shape, low, high Operand, d dtype.DType) *Node {
	lo, lok := dtype.ScalarOf(low)
	hi, hok := dtype.ScalarOf(high)
	if !lok || !hok || math.Abs(lo.Float()) > 1<<24 || math.Abs(hi.Float()) > 1<<24 {
		return RandomInt(key, s, low, high, d)
	}
	requireIntegers("randint", d)
	checkBounds("randint", low, high, d)
	u := RandomUniform(key, s, lo.Float(), hi.Float(), dtype.Float32)
	return Cast(Maximum(Minimum(Floor(u), hi.Float()-1), lo.Float()), d)
}

// RandomPermutation returns 0 … n-1 in random order, by sorting random words of width bytes.
func RandomPermutation(key *Node, n, width int) *Node {
	if n < 0 {
		fault.Throw(fault.Value, "permutation", "n is %d; want 0 or more", n)
	}
	return Argsort(RandomBits(key, shape.Of("permutation", n), width), SortOptions{})
}

// RandomShuffle returns x with its slices along axis in random order.
func RandomShuffle(key, x *Node, axis int) *Node {
	axis = shape.Axis("permutation", axis, x.Rank())
	if x.Rank() == 0 {
		fault.Throw(fault.Shape, "permutation", "a 0-d tensor has nothing to permute")
	}
	return take(x, RandomPermutation(key, x.Dim(axis), 4), axis)
}

// RandomPoisson returns numbers of events of the given rates, in the rates' dtype. A rate that is negative
// or NaN fails when it is computed.
func RandomPoisson(key, rate *Node) *Node {
	requireFloat("poisson", rate.DType())
	return graph.New(opRandomPoisson, nil, key, require("poisson", attr.NotNegative, rate, rate))
}

// RandomBinomial returns numbers of successes in count trials of probability prob, NaN where that has no meaning.
func RandomBinomial(key, count, prob *Node) *Node {
	n, p := promote("binomial", count, prob)
	requireFloat("binomial", n.DType())
	s := shape.Broadcast("binomial", n.Shape(), p.Shape())
	return graph.New(opRandomBinomial, nil, key, broadcastTo(n, s), broadcastTo(p, s))
}
