package ops

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/fault"
)

// Read evaluates a node and shows its value in host memory. The root package sets it: ops only record, but the size
// of some results depends on values.
var Read func(*Node) (backend.View, error)

// hold references nodes that are used again after a reading: an evaluation frees what has no reference. The caller must
// run what it returns once the new nodes are built; a held node itself may be returned only through Alias.
func hold(ns ...*Node) (release func()) {
	for _, n := range ns {
		n.Ref()
	}
	return func() {
		for _, n := range ns {
			n.Unref()
		}
	}
}

// readInt evaluates a 0-d integer on which the shape of op's result depends.
func readInt(op string, n *Node) int { return ReadInts(op, n)[0] }

// ReadInts evaluates integers on which the shape of op's result depends. Inside a trace there are no values yet.
func ReadInts(op string, n *Node) []int {
	if t := n.Trace(); t != nil {
		fault.Throw(fault.Trace, op,
			"the size of its result depends on values, and inside %s there are none yet: call it outside, or use a form of fixed size",
			t.Name)
	}
	defer hold(n)()
	v, err := Read(n)
	if err != nil {
		if e, ok := err.(*fault.Error); ok {
			panic(e)
		}
		panic(fault.Wrap(fault.Internal, op, err, "evaluation failed"))
	}
	out := make([]int, v.Numel())
	dims, strides := v.Shape.Dims(), v.Strides()
	for i := range out {
		at, k := v.Offset(), i
		for d := len(dims) - 1; d >= 0; d-- {
			at += k % dims[d] * strides[d]
			k /= dims[d]
		}
		out[i] = int(v.DType.Get(v.Buf.Mem, at).Int())
	}
	return out
}
