package ops

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// inspect evaluates n and calls f with its elements in row-major order. Inside a trace there are no values yet, which
// is an error that names the op.
func inspect(op string, n *Node, f func(v backend.View)) {
	if t := n.Trace(); t != nil {
		fault.Throw(fault.Trace, op,
			"the size of its result depends on values, and inside %s there are none yet: call it outside, or use a form of fixed size, "+
				"such as Where", t.Name)
	}
	c := Contiguous(n)
	defer hold(n, c)()
	v, err := Read(c)
	if err != nil {
		if e, ok := err.(*fault.Error); ok {
			panic(e)
		}
		panic(fault.Wrap(fault.Internal, op, err, "evaluation failed"))
	}
	f(v)
}

// literal is a constant int64 tensor.
func literal(data []int64, dims ...int) *Node {
	return graph.NewStored(mem.FromGo(dtype.Bytes(data)), graph.Spec{Shape: shape.Of("index", dims...), DType: dtype.Int64}, nil)
}

// on brings a constant made on the host to where x is.
func on(x, n *Node) *Node {
	if d := x.Device(); d != nil && !d.Host {
		return ToDevice(n, d)
	}
	return n
}
