package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/graph"
)

// device is the attribute of a transfer.
type deviceAttr struct{ To *backend.Device }

var opToDevice *graph.Op

func init() {
	opToDevice = graph.Register(graph.Op{Name: "to_device", Version: 1, Kind: graph.Move,
		Role: graph.RoleTransfer, Inputs: graph.Exactly(1), NotInFiles: "it names a device of this process",
		NoKernel: "is a copy between devices, chosen when planned",
		Infer:    inferSame,
		VMap: func(n *Node, in []*Node, _ []bool, _ int) []*Node {
			return []*Node{ToDevice(in[0], n.Device())}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{ToDevice(cot[0], n.In(0).Device())} },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{ToDevice(tan[0], n.Device())} }})
}

var _ attr.Attr = deviceAttr{}

// ToDevice records a copy to another device.
func ToDevice(x *Node, dev *backend.Device) *Node {
	n := graph.Make1(opToDevice, deviceAttr{dev}, x.Shape(), x.DType(), x)
	n.SetDevice(dev)
	return n
}
