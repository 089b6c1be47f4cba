package cudnn

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/dl"
)

// The attributes of engine selection and execution.
const (
	attrHeurMode, attrHeurGraph, attrHeurResults          = 200, 201, 202
	attrHeurDevice, attrPlanDevice                        = 204, 407
	attrConfigEngine, attrConfigWorkspace                 = 300, 303
	attrPlanHandle, attrPlanConfig, attrPlanWorkspace     = 400, 401, 402
	attrPlanText                                          = 405
	attrGraphHandle, attrGraphOps                         = 800, 801
	attrPackIDs, attrPackPointers, attrPackWorkspace      = 1000, 1001, 1003
	attrEngineNumber, attrEngineNotes, attrEngineBehavior = 1301, 1303, 1305

	heurA, heurFallback = 3, 2
)

// note is a numerical property of an engine.
type note int32

const (
	noteTensorCore note = iota
	noteDownConvert
	noteReducedSums
	noteFFT
	noteNondeterministic
	noteWinograd
	noteWinograd4
	noteWinograd6
	noteWinograd13
	noteCount = 10
)

const behaviorCompiles, behaviorCount = 0, 4

// plan is work ready to run; it lives as long as the program.
type plan struct {
	net      *net
	desc     uintptr
	space    int // bytes of workspace
	engine   int64
	compiles bool // its kernels are compiled when the plan is made
}

// String names the engine.
func (p *plan) String() string {
	return fmt.Sprintf("%s by engine %d, workspace %d", p.net.what, p.engine, p.space)
}

// maxSpace is the largest workspace an engine may use.
const maxSpace = 4 << 30

// choices is how many of the heuristics' suggestions are made plans and timed.
const choices = 8

// configs lists the allowed engine configurations for a net, the best guess first.
func (n *net) configs(handle uintptr, allow func(notes []note) bool) []config {
	g := n.desc(kindGraph)
	if handle != 0 {
		n.set(g, attrGraphHandle, typeHandle, 1, unsafe.Pointer(&handle))
	}
	n.descs(g, attrGraphOps, n.ops...)
	n.finish(g, "the graph")
	if n.err != nil {
		return nil
	}
	var list []config
	var refused error
	for _, mode := range []int32{heurA, heurFallback} {
		found, err := n.ask(g, mode)
		if err != nil {
			refused = err
			continue
		}
		for _, d := range found {
			c := n.config(d)
			if n.err != nil {
				return nil
			}
			if allow(c.notes) && c.space <= maxSpace {
				list = append(list, c)
			}
		}
		if len(list) >= choices {
			break
		}
	}
	if len(list) == 0 {
		if refused == nil {
			refused = failed(3000, "choosing an engine of "+n.what)
		}
		n.err = refused
	}
	return list
}

// ask returns the suggestions of one heuristic; a refusal is no error.
func (n *net) ask(g uintptr, mode int32) ([]uintptr, error) {
	h := n.desc(kindHeuristics)
	n.descs(h, attrHeurGraph, g)
	n.enum(h, attrHeurMode, typeHeurMode, mode)
	if n.device != 0 {
		n.descs(h, attrHeurDevice, n.device)
	}
	if n.err != nil {
		return nil, n.err
	}
	if s := uintptr(uint32(dl.Call(fn.descFinalize, h))); s != 0 {
		return nil, failed(s, fmt.Sprintf("asking heuristics %d for %s", mode, n.what))
	}
	count := new(int64)
	n.call("counting engines", func() uintptr {
		return dl.Call(fn.descGet, h, attrHeurResults, typeDescriptor, 0, uintptr(unsafe.Pointer(count)), 0)
	})
	list := make([]uintptr, min(*count, 24))
	for i := range list {
		list[i] = n.desc(kindEngineConfig)
	}
	if n.err != nil || len(list) == 0 {
		return nil, n.err
	}
	n.call("reading engines", func() uintptr {
		return dl.Call(fn.descGet, h, attrHeurResults, typeDescriptor, uintptr(len(list)), uintptr(unsafe.Pointer(count)),
			uintptr(unsafe.Pointer(&list[0])))
	})
	return list[:min(len(list), int(*count))], n.err
}

// config is an engine with its settings.
type config struct {
	desc     uintptr
	engine   int64
	space    int64
	notes    []note
	compiles bool
}

func (n *net) config(d uintptr) config {
	c, e, count := config{desc: d}, n.desc(kindEngine), new(int64)
	get := func(from, attr, typ uintptr, max int, to unsafe.Pointer) {
		n.call(fmt.Sprintf("reading attribute %d", attr), func() uintptr {
			return dl.Call(fn.descGet, from, attr, typ, uintptr(max), uintptr(unsafe.Pointer(count)), uintptr(to))
		})
	}
	get(d, attrConfigEngine, typeDescriptor, 1, unsafe.Pointer(&e))
	number, notes, behavior, space := new(int64), make([]note, noteCount), make([]int32, behaviorCount), new(int64)
	get(e, attrEngineNumber, typeInt64, 1, unsafe.Pointer(number))
	get(e, attrEngineNotes, typeNote, noteCount, unsafe.Pointer(&notes[0]))
	c.notes = notes[:min(len(notes), int(*count))]
	get(e, attrEngineBehavior, typeBehavior, behaviorCount, unsafe.Pointer(&behavior[0]))
	c.compiles = slices.Contains(behavior[:min(len(behavior), int(*count))], behaviorCompiles)
	get(d, attrConfigWorkspace, typeInt64, 1, unsafe.Pointer(space))
	c.engine, c.space = *number, *space
	return c
}

// plan makes a plan of a configuration; an engine that fails here is skipped.
func (n *net) plan(handle uintptr, c config) (*plan, error) {
	p := n.desc(kindPlan)
	if n.err != nil {
		return nil, n.err
	}
	n.descs(p, attrPlanConfig, c.desc)
	if n.device != 0 {
		n.descs(p, attrPlanDevice, n.device)
	} else { // early versions require it
		dl.Call(fn.descSet, p, attrPlanHandle, typeHandle, 1, uintptr(unsafe.Pointer(&handle)))
	}
	if n.err != nil {
		return nil, n.err
	}
	if s := uintptr(uint32(dl.Call(fn.descFinalize, p))); s != 0 {
		err := failed(s, fmt.Sprintf("making a plan by engine %d of %s", c.engine, n.what))
		n.drop(p)
		return nil, err
	}
	space, count := new(int64), new(int64)
	n.call("asking for the workspace", func() uintptr {
		return dl.Call(fn.descGet, p, attrPlanWorkspace, typeInt64, 1, uintptr(unsafe.Pointer(count)), uintptr(unsafe.Pointer(space)))
	})
	return &plan{net: n, desc: p, space: int(*space), engine: c.engine, compiles: c.compiles}, n.err
}

// text is the plan with its compiled kernels, as the library serialises it; nil if it cannot.
func (p *plan) text() []byte {
	count := new(int64)
	if s := dl.Call(fn.descGet, p.desc, attrPlanText, typeChar, 0, uintptr(unsafe.Pointer(count)), 0); uint32(s) != 0 || *count <= 0 {
		return nil
	}
	b := make([]byte, *count)
	if s := dl.Call(fn.descGet, p.desc, attrPlanText, typeChar, uintptr(len(b)), uintptr(unsafe.Pointer(count)),
		uintptr(unsafe.Pointer(&b[0]))); uint32(s) != 0 {
		return nil
	}
	return b
}

// read makes a plan of its text; nil if the library does not accept it.
func (n *net) read(handle uintptr, text []byte) *plan {
	p := n.desc(kindPlan)
	if n.err != nil || len(text) == 0 {
		return nil
	}
	space, count := new(int64), new(int64)
	for _, call := range []func() uintptr{
		func() uintptr {
			return dl.Call(fn.descSet, p, attrPlanHandle, typeHandle, 1, uintptr(unsafe.Pointer(&handle)))
		},
		func() uintptr {
			return dl.Call(fn.descSet, p, attrPlanText, typeChar, uintptr(len(text)), uintptr(unsafe.Pointer(&text[0])))
		},
		func() uintptr { return dl.Call(fn.descFinalize, p) },
		func() uintptr {
			return dl.Call(fn.descGet, p, attrPlanWorkspace, typeInt64, 1, uintptr(unsafe.Pointer(count)), uintptr(unsafe.Pointer(space)))
		},
	} {
		if uint32(call()) != 0 {
			n.drop(p)
			return nil
		}
	}
	return &plan{net: n, desc: p, space: int(*space), engine: -1}
}

// run submits a plan; the pointers are those of the net's tensors in memory, in the order they were made.
func (p *plan) run(d *driver.Device, handle uintptr, pointers []uintptr, space uintptr) uintptr {
	pack, work := new(uintptr), &space
	s := d.With(func() uintptr {
		if s := dl.Call(fn.descCreate, kindVariantPack, uintptr(unsafe.Pointer(pack))); s != 0 {
			return s
		}
		defer dl.Call(fn.descDestroy, *pack)
		if s := dl.Call(fn.descSet, *pack, attrPackWorkspace, typePointer, 1, uintptr(unsafe.Pointer(work))); s != 0 {
			return s
		}
		if s := dl.Call(fn.descSet, *pack, attrPackPointers, typePointer, uintptr(len(pointers)),
			uintptr(unsafe.Pointer(&pointers[0]))); s != 0 {
			return s
		}
		if s := dl.Call(fn.descSet, *pack, attrPackIDs, typeInt64, uintptr(len(p.net.ids)),
			uintptr(unsafe.Pointer(&p.net.ids[0]))); s != 0 {
			return s
		}
		if s := dl.Call(fn.descFinalize, *pack); s != 0 {
			return s
		}
		return dl.Call(fn.execute, handle, p.desc, *pack)
	})
	runtime.KeepAlive(pointers)
	return s
}
