package driver

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/dl"
)

// Conditional nodes of graphs: a node has a handle, a number that kernels set, and a graph that runs if it is not 0, once or as long as it
// stays so.

// SupportsConditional reports whether the driver has conditional nodes, from CUDA 12.4 on.
func (d *Device) SupportsConditional() bool {
	return Version >= 12040 && cu.graphConditionalHandleCreate != 0 && cu.graphAddNode != 0 && cu.streamBeginCaptureToGraph != 0
}

// NewHandle makes a handle for a node of the graph that is being captured; it is 0 when the graph starts.
func (d *Device) NewHandle() (uint64, error) {
	g, _, err := d.captured()
	if err != nil {
		return 0, err
	}
	const assignDefault = 1
	h := new(uint64)
	err = d.call("making a conditional handle", func() uintptr {
		return dl.Call(cu.graphConditionalHandleCreate, uintptr(unsafe.Pointer(h)), g, d.context, 0, assignDefault)
	})
	return *h, err
}

// nodeParams is CUgraphNodeParams of a conditional node.
type nodeParams struct {
	kind   int32
	_      [3]int32
	handle uint64
	when   int32
	size   uint32
	graphs *uintptr // written by the driver
	ctx    uintptr
	_      [26]uint64
}

// AddConditional adds a node behind what was captured so far. Its graph, in which capture captures with a stream of its own, runs while
// the handle is not 0, or once.
func (d *Device) AddConditional(handle uint64, while bool, capture func(d *Device) error) error {
	g, nodes, err := d.captured()
	if err != nil {
		return err
	}
	const conditional = 13
	p := &nodeParams{kind: conditional, handle: handle, size: 1, ctx: d.context}
	if while {
		p.when = 1
	}
	node, deps := new(uintptr), append(nodes, 0)
	if err := d.call("adding a conditional node", func() uintptr {
		return dl.Call(cu.graphAddNode, uintptr(unsafe.Pointer(node)), g, uintptr(unsafe.Pointer(&deps[0])), 0, uintptr(len(nodes)),
			uintptr(unsafe.Pointer(p)))
	}); err != nil {
		return err
	}
	if err := d.captureTo(*p.graphs, capture); err != nil {
		return err
	}
	return d.SetNodes([]uintptr{*node})
}

// captureTo captures into a graph.
func (d *Device) captureTo(graph uintptr, capture func(d *Device) error) error {
	inner, err := d.NewStream()
	if err != nil {
		return err
	}
	defer func() {
		_ = d.call("destroying a stream", func() uintptr { return dl.Call(cu.streamDestroy, inner.Stream) })
	}()
	if err := d.call("starting to record a part", func() uintptr {
		return dl.Call(cu.streamBeginCaptureToGraph, inner.Stream, graph, 0, 0, 0, relaxed)
	}); err != nil {
		return err
	}
	err = capture(inner)
	got := new(uintptr)
	if eerr := d.call("ending to record a part", func() uintptr {
		return dl.Call(cu.streamEndCapture, inner.Stream, uintptr(unsafe.Pointer(got)))
	}); err == nil {
		err = eerr
	}
	return err
}
