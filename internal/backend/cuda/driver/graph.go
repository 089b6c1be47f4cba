package driver

import (
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/dl"
)

// Graph is an instantiated CUDA graph.
type Graph struct {
	d    *Device
	exec uintptr
}

// relaxed capture mode lets other goroutines call any driver function during a capture.
const relaxed = 2

// NewStream returns the device with another stream, for captures and for copies next to the main one.
func (d *Device) NewStream() (*Device, error) {
	r := *d
	r.launcher = nil
	const nonBlocking = 1
	return &r, d.call("making a stream", func() uintptr {
		return dl.Call(cu.streamCreate, uintptr(unsafe.Pointer(&r.Stream)), nonBlocking)
	})
}

// Begin starts a capture.
func (d *Device) Begin() error {
	return d.call("starting to record", func() uintptr { return dl.Call(cu.streamBeginCapture, d.Stream, relaxed) })
}

// End ends the capture and instantiates its graph, to run on the device's own stream.
func (d *Device) End(keep bool) (*Graph, error) {
	raw, g := new(uintptr), &Graph{d: d}
	if err := d.call("ending to record", func() uintptr {
		return dl.Call(cu.streamEndCapture, d.Stream, uintptr(unsafe.Pointer(raw)))
	}); err != nil || !keep {
		if *raw != 0 {
			_ = d.call("destroying a graph", func() uintptr { return dl.Call(cu.graphDestroy, *raw) })
		}
		return nil, err
	}
	err := d.call("making a graph", func() uintptr {
		return dl.Call(cu.graphInstantiate, uintptr(unsafe.Pointer(&g.exec)), *raw, 0)
	})
	if derr := d.call("destroying a graph", func() uintptr { return dl.Call(cu.graphDestroy, *raw) }); err == nil {
		err = derr
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// Nodes returns the current dependencies of the capture: what the next node would wait for.
func (d *Device) Nodes() ([]uintptr, error) {
	_, nodes, err := d.captured()
	return nodes, err
}

// captured returns the graph that is being captured and what its next node would wait for.
func (d *Device) captured() (graph uintptr, nodes []uintptr, err error) {
	status, id, to, list, n := new(int32), new(uint64), new(uintptr), new(unsafe.Pointer), new(uint64)
	err = d.call("asking what was recorded", func() uintptr {
		return dl.Call(cu.streamGetCaptureInfo, d.Stream, uintptr(unsafe.Pointer(status)), uintptr(unsafe.Pointer(id)),
			uintptr(unsafe.Pointer(to)), uintptr(unsafe.Pointer(list)), uintptr(unsafe.Pointer(n)))
	})
	if err != nil || *n == 0 {
		return *to, nil, err
	}
	return *to, slices.Clone(unsafe.Slice((*uintptr)(*list), *n)), nil
}

// SetNodes sets what the next captured node waits for.
func (d *Device) SetNodes(nodes []uintptr) error {
	const set = 1
	list := append(slices.Clone(nodes), 0)
	return d.call("setting the dependencies of a captured node", func() uintptr {
		return dl.Call(cu.streamUpdateCaptureDependencies, d.Stream, uintptr(unsafe.Pointer(&list[0])), uintptr(len(nodes)), set)
	})
}

// SupportsPDL reports whether programmatic dependent launch can be captured: from Hopper on, with a driver that has the
// function.
func (d *Device) SupportsPDL() bool {
	return d.Major >= 9 && cu.graphNodeGetType != 0 && cu.streamUpdateCaptureEdges != 0
}

// pdl makes the dependencies of the next captured node, a kernel, programmatic.
func (d *Device) pdl() error {
	nodes, err := d.Nodes()
	if err != nil || len(nodes) == 0 {
		return err
	}
	// An edge is {from port, to port, type}, a byte each, and five of padding.
	const set, kernel, programmatic = 1, 0, 1 | 1<<16
	edges, kind, any := make([]uint64, len(nodes)), new(int32), false
	for i, n := range nodes {
		if err := d.call("asking what was recorded", func() uintptr {
			return dl.Call(cu.graphNodeGetType, n, uintptr(unsafe.Pointer(kind)))
		}); err != nil {
			return err
		}
		if *kind == kernel {
			edges[i], any = programmatic, true
		}
	}
	if !any {
		return nil
	}
	return d.call("setting the dependencies of a captured node", func() uintptr {
		return dl.Call(cu.streamUpdateCaptureEdges, d.Stream, uintptr(unsafe.Pointer(&nodes[0])), uintptr(unsafe.Pointer(&edges[0])),
			uintptr(len(nodes)), set)
	})
}

// Launch submits the graph to a device's stream.
func (g *Graph) Launch(d *Device) error {
	return d.call("launching a graph", func() uintptr { return dl.Call(cu.graphLaunch, g.exec, d.Stream) })
}

// Close destroys the graph; a run in flight ends first.
func (g *Graph) Close() error {
	return g.d.call("freeing a graph", func() uintptr { return dl.Call(cu.graphExecDestroy, g.exec) })
}
