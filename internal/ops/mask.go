package ops

import (
	"bytes"
	"math"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/par"
	"github.com/lucid-go/lucid/internal/shape"
)

func maskOf(op string, mask *Node) *Node {
	if mask.DType() != dtype.Bool {
		fault.Throw(fault.DType, op, "the mask is %v; want bool", mask.DType())
	}
	return mask
}

// nonzeroIndices reads x and lists the row-major indices of its elements that are not zero.
func nonzeroIndices(op string, x *Node) (at []int64) {
	if x.DType() != dtype.Bool {
		x = Ne(x, 0)
	}
	inspect(op, x, func(v backend.View) { at = trueIndices(v.Bytes()) })
	return at
}

// maskBlock is how many truth values are looked at together.
const maskBlock = 1 << 15

// inBlocks runs blocks at the same time; one that fails does so here too.
func inBlocks(n int, f func(b int)) {
	if err := par.For(n, f); err != nil {
		panic(err)
	}
}

// trueIndices lists where a mask is true. Blocks are counted first, so that each knows where its indices go. Then every index is
// written, and counting on retains it: there is no branch, which would be mispredicted.
func trueIndices(mask []byte) []int64 {
	blocks := (len(mask) + maskBlock - 1) / maskBlock
	block := func(b int) []byte { return mask[b*maskBlock : min((b+1)*maskBlock, len(mask))] }
	starts := make([]int, blocks+1)
	inBlocks(blocks, func(b int) { starts[b+1] = bytes.Count(block(b), []byte{0}) })
	for b := range blocks {
		starts[b+1] = starts[b] + len(block(b)) - starts[b+1]
	}
	at := make([]int64, starts[blocks])
	inBlocks(blocks, func(b int) {
		z, n := at[starts[b]:starts[b+1]], 0
		for i, t := range block(b) {
			if n == len(z) { // the others do not hold
				break
			}
			z[n] = int64(b*maskBlock + i)
			n += int((uint(t) + math.MaxUint8) >> 8)
		}
	})
	return at
}

// Nonzero lists the positions of the elements that are not zero, one a row. It evaluates x.
//
//lucid:func
//lucid:method
//lucid:nograd its result is a position
//lucid:novmap the size of its result depends on values
func Nonzero(x *Node) *Node { return nonzero("nonzero", x) }

// Argwhere is Nonzero.
//
//lucid:func ArgWhere
//lucid:method ArgWhere
//lucid:nograd its result is a position
//lucid:novmap the size of its result depends on values
func Argwhere(x *Node) *Node { return nonzero("argwhere", x) }

// nonzeroOnDevice is nonzeroIndices on a device that is not the host: the mask stays there, only the number of indices comes back. It is
// nil where x is on the host, or has no elements.
func nonzeroOnDevice(op string, x *Node) *Node {
	if d := x.Device(); d == nil || d.Host || x.Rank() == 0 || x.Shape().Numel() == 0 {
		return nil
	}
	if x.DType() != dtype.Bool {
		x = Ne(x, 0)
	}
	defer hold(x)()
	k := readInt(op, reduce(opCountNonzero, x, nil, false))
	values, at := Topk(Ravel(x), k, TopKOptions{}) // true ones, in their order
	giveUp(values)
	return at
}

func nonzero(op string, x *Node) *Node {
	r := x.Rank()
	if at := nonzeroOnDevice(op, x); at != nil {
		if r == 1 {
			return Unsqueeze(at, 1)
		}
		columns := make([]*Node, r)
		for i := r - 1; i >= 0; i-- {
			columns[i], at = Remainder(at, x.Dim(i)), FloorDivide(at, x.Dim(i))
		}
		return Stack(columns, 1)
	}
	at := nonzeroIndices(op, x)
	if r == 1 {
		return on(x, literal(at, len(at), 1))
	}
	rows := make([]int64, len(at)*r)
	inBlocks((len(at)+maskBlock-1)/maskBlock, func(b int) {
		for k := b * maskBlock; k < min((b+1)*maskBlock, len(at)); k++ {
			p := at[k]
			for i := r - 1; i > 0; i-- {
				n := int64(x.Dim(i))
				q := p / n
				rows[k*r+i] = p - q*n
				p = q
			}
			if r > 0 {
				rows[k*r] = p
			}
		}
	})
	return on(x, literal(rows, len(at), r))
}

// MaskedSelect returns the elements where the mask holds as a vector; x and mask broadcast. It evaluates the mask.
//
//lucid:func
//lucid:method
//lucid:novmap the size of its result depends on values
func MaskedSelect(x, mask *Node) *Node {
	maskOf("masked_select", mask)
	s := shape.Broadcast("masked_select", x.Shape(), mask.Shape())
	defer hold(x, mask)()
	m := broadcastTo(mask, s)
	at := nonzeroOnDevice("masked_select", m)
	if at == nil {
		list := nonzeroIndices("masked_select", m)
		at = on(x, literal(list, len(list)))
	}
	return take(Ravel(broadcastTo(x, s)), at, 0)
}

// MaskedFill returns x with a value, cast to its dtype, where the mask holds; x and mask broadcast.
//
//lucid:func
//lucid:method
//lucid:inplace
func MaskedFill(x, mask *Node, value Operand) *Node {
	v := stored("masked_fill", value, x.DType())
	if v.Rank() != 0 {
		fault.Throw(fault.Shape, "masked_fill", "value has shape %v; want a number or a 0-d tensor", v.Shape())
	}
	return Where(maskOf("masked_fill", mask), v, x)
}

// MaskedScatter returns x with elements of source, in order, where the mask holds; too few of them are an error when
// it is computed.
//
//lucid:func
//lucid:method
func MaskedScatter(x, mask, source *Node) *Node {
	const op = "masked_scatter"
	if source.DType() != x.DType() {
		fault.Throw(fault.DType, op, "source is %v, the tensor %v; want one dtype", source.DType(), x.DType())
	}
	s := shape.Broadcast(op, x.Shape(), maskOf(op, mask).Shape())
	return Where(mask, expandMasked(op, broadcastTo(mask, s), source), broadcastTo(x, s))
}

// expandMasked lays the slices of src, along its first dimensions flattened to one, out where the mask holds; elsewhere
// the result is some slice. src is taken whole as a vector.
func expandMasked(op string, mask, src *Node) *Node {
	return expandSlices(op, mask, Ravel(src), 0, false)
}

// expandSlices takes the k-th slice of dimension axis of src for the k-th true element of mask, whose dimensions
// stand in the result in place of axis. Too few slices are an error when it is computed; if exact, too many as well.
func expandSlices(op string, mask, src *Node, axis int, exact bool) *Node {
	n := src.Dim(axis)
	if exact && mask.Shape().Numel() < n {
		fault.Throw(fault.Shape, op, "%d values for a mask of %d elements", n, mask.Shape().Numel())
	}
	order := Reshape(Cumsum(Reshape(mask, -1), 0, CumulativeOptions{}), mask.Shape().Dims()...) // 1 at the first true one
	if n == 0 {
		// Nothing to take from: one element stands in, and the first true element of the mask is out of range.
		d := src.Shape().Clone()
		d[axis] = 1
		at := Where(mask, order, Number(dtype.Int64, 0))
		return take(broadcastTo(constLike(src, 0), shape.Of(op, d...)), wrapIndex(op, at, 1), axis)
	}
	at := Where(mask, Sub(order, 1), Number(dtype.Int64, 0))
	if exact {
		at = Where(Eq(Amax(order, ReduceOptions{}), n), at, Number(dtype.Int64, int64(n))) // out of range everywhere
	}
	return take(src, wrapIndex(op, at, n), axis)
}
