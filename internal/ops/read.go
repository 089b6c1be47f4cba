package ops

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// Read evaluates a value and shows its elements in host memory, in row-major order. Ops whose result's shape depends on
// values call it through readValue; the root sets it, since ops cannot see the evaluator.
var Read func(op string, n *Node) backend.View

// readValue looks at the elements of a value now. Inside a trace there are none, which is an error that names the op.
func readValue(op string, n *Node) backend.View {
	if t := n.Trace(); t != nil {
		fault.Throw(fault.Trace, op, "the shape of its result depends on values, which %s does not have while it is traced; use a form of fixed size, such as Where", t.Name)
	}
	return Read(op, n)
}

// readInts reads integers.
func readInts(op string, n *Node) []int {
	v := readValue(op, n)
	b, out := v.Bytes(), make([]int, v.Numel())
	for i := range out {
		out[i] = int(v.DType.Get(b, i).Int())
	}
	return out
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
