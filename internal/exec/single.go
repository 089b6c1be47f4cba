package exec

import (
	"context"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/par"
	"github.com/lucid-go/lucid/internal/shape"
)

// A single small op over stored operands is evaluated without a plan: a program that reads every value spends most of its time here.
// Everything else is planned, which also reports errors.

// singleWork bounds the elements of such an elementwise op, shortWork those of others: other plans wait for it.
const singleWork = 1 << 17

// singleMost is how many operands it may have.
const singleMost = 3

// single is the space for the operands of the op that runs. planMu guards it.
var single struct {
	in   [singleMost]backend.View
	out  [1]backend.View
	st   step
	bits [singleMost][2]uint64 // of immediates
	imm  [singleMost]*mem.Buffer
}

// broadcastLayouts are the layouts by rank that repeat one element everywhere.
var broadcastLayouts [shape.MaxRank + 1]*shape.Layout

func init() {
	for r := range broadcastLayouts {
		broadcastLayouts[r] = &shape.Layout{Strides: make([]int, r)}
	}
	for k := range single.imm {
		single.imm[k] = mem.FromGo(dtype.Bytes(single.bits[k][:]))
	}
}

var singleCtx = &backend.Ctx{Context: context.Background(), For: par.For, NoCompile: true}

// evalSingle evaluates n if it is such an op; done reports whether it was. The caller holds planMu.
func evalSingle(n *graph.Node) (done bool, err error) {
	if n.Stored() || n.IsTuple() || n.NumIn() == 0 || n.NumIn() > singleMost {
		return false, nil
	}
	d := n.Device()
	if d == nil {
		d = DefaultDevice()
	}
	if d.Enqueuer != nil {
		return false, nil
	}
	switch n.Op().Kind {
	case graph.Elementwise:
		if d.Fuser == nil || n.Attr() != nil || n.Shape().Numel() > singleWork {
			return false, nil
		}
		defer wipeSingle()
		return evalElementwise(n, d)
	case graph.View:
		if showView(n, d) {
			return true, nil
		}
		of := n.In(0)
		for of.Op().Kind == graph.View && of.NumIn() == 1 && !of.Stored() {
			of = of.In(0)
		}
		if of.Op().Kind == graph.View || of.Recomputable() {
			return false, nil
		}
		if done, err = evalSingle(of); !done || err != nil {
			return done, err
		}
		return showView(n, d), nil
	case graph.Reduce, graph.RowWise, graph.Move, graph.Contract:
		if !d.Host || d.HostFallback != nil || n.Op().Transparent {
			return false, nil
		}
		if _, item := n.IsTupleItem(); item {
			return false, nil
		}
		defer wipeSingle()
		return evalKernel(n, d)
	}
	return false, nil
}

// wipeSingle forgets the operands.
func wipeSingle() {
	single.in, single.out, single.st = [singleMost]backend.View{}, [1]backend.View{}, step{}
}

// storedView returns the value of an operand that is stored or a view of what is.
func storedView(x *graph.Node) (backend.View, bool) {
	if x.IsTuple() {
		return backend.View{}, false
	}
	if b, lay := x.Buffer(); b != nil {
		return backend.View{Buf: b, DType: x.DType(), Shape: x.Shape(), Lay: lay}, b.Ready()
	}
	if x.Op().Kind != graph.View || x.NumIn() != 1 || x.IsConst() {
		return backend.View{}, false
	}
	if _, item := x.IsTupleItem(); item {
		return backend.View{}, false
	}
	v, ok := storedView(x.In(0))
	if !ok {
		return v, false
	}
	lay := v.Lay
	if lay == nil {
		lay = shape.Contiguous(v.Shape)
	}
	if v.Lay = x.Op().Layout(x.Attr(), v.Shape, lay, x.Shape()); v.Lay == nil {
		return v, false // its elements must be brought in order first
	}
	v.Shape, v.DType = x.Shape(), x.DType() // bits may be shown as another dtype
	if v.Lay.Offset == 0 && v.Lay.IsContiguous(v.Shape) {
		v.Lay = nil
	}
	return v, true
}

// showView stores a view of what is stored; it reports whether it could.
func showView(n *graph.Node, d *backend.Device) bool {
	v, ok := storedView(n)
	if !ok {
		return false
	}
	Count.Plans.Add(1)
	setComputedDevice(n, d)
	n.Store(v.Buf, v.Lay)
	if !n.RetainsInputs() {
		n.DropInputs()
	}
	return true
}

// evalKernel runs the op's own kernel. If that fails, the op is planned.
func evalKernel(n *graph.Node, d *backend.Device) (done bool, err error) {
	kernel := d.Table[n.Op().Name]
	if kernel == nil {
		return false, nil
	}
	work := n.Shape().Numel()
	for k := range n.NumIn() {
		x, ok := n.In(k), false
		if single.in[k], ok = storedView(x); !ok {
			single.in[k], ok = checkedView(x)
		}
		if !ok || x.Device() != n.Device() {
			return false, nil
		}
		work += x.Shape().Numel()
	}
	if work > shortWork {
		return false, nil
	}
	buf, err := d.Pool.GetFor(mem.Owner{Op: n.Op().Name, Module: moduleOf(n)}, n.Bytes(), nil)
	if err != nil {
		return true, locate(err, checkedNodes(nil, []*graph.Node{n}))
	}
	single.out[0] = backend.View{Buf: buf, DType: n.DType(), Shape: n.Shape()}
	single.st = step{op: n.Op().Name, kernel: kernel, attr: n.Attr(), dev: d, module: moduleOf(n)}
	if launch(singleCtx, &single.st, single.out[:], single.in[:n.NumIn()]) != nil {
		buf.Free()
		return false, nil
	}
	storeSingle(n, d, buf)
	return true, nil
}

// storeSingle ends the evaluation of one node.
func storeSingle(n *graph.Node, d *backend.Device, buf *mem.Buffer) {
	Count.Plans.Add(1)
	if n.Unstored() {
		Count.Recomputed.Add(1)
	}
	setComputedDevice(n, d)
	n.Store(buf, nil)
	if !n.RetainsInputs() {
		n.DropInputs()
	}
}

// immediate returns an immediate, shown with a shape.
func immediate(k int, x *graph.Node, s *shape.Shape) backend.View {
	c := x.Attr().(attr.Const)
	single.bits[k] = [2]uint64{}
	c.DType.Put(single.imm[k].Mem, 0, c.Value)
	return backend.View{Buf: single.imm[k], DType: c.DType, Shape: s, Lay: broadcastLayouts[s.Rank()]}
}
