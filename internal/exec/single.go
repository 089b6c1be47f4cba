package exec

import (
	"context"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/par"
	"github.com/lucid-go/lucid/internal/shape"
)

// A single small elementwise op over stored operands is evaluated without a plan: most of the time of a program that
// reads every value goes here. singleWork bounds its elements: others who plan wait for it.
const singleWork = 1 << 17

type singleKey struct {
	dev *backend.Device
	op  *graph.Op
	out dtype.DType
	in  [2]dtype.DType
}

// singles caches the one-instruction programs; the number of ops and dtypes bounds it. single is the space for the
// operands of the one that runs. planMu guards both.
var (
	singles = map[singleKey]*backend.Fused{}
	single  struct {
		in  [2]backend.View
		out [1]backend.View
		st  step
	}
)

var singleCtx = &backend.Ctx{Context: context.Background(), For: par.For, Ready: true}

// evalSingle evaluates n if it is such an op; done reports whether it was. The caller holds planMu.
func evalSingle(n *graph.Node) (done bool, err error) {
	if n.Op().Kind == graph.Contract {
		return evalProduct(n)
	}
	if n.Op().Kind != graph.Elementwise || n.Attr() != nil || n.Stored() || n.NumIn() == 0 || n.NumIn() > 2 || n.Shape().Numel() > singleWork {
		return false, nil
	}
	d := n.Device()
	if d == nil {
		d = DefaultDevice()
	}
	if d.RunFused == nil || d.Enqueue != nil {
		return false, nil
	}
	key := singleKey{dev: d, op: n.Op(), out: n.DType()}
	in := &single.in
	defer func() { single.in, single.out = [2]backend.View{}, [1]backend.View{} }() // holds on to nothing
	for k := range n.NumIn() {
		x := n.In(k)
		b, lay := x.Buffer()
		if b == nil || !b.Ready() || !x.Shape().Equal(n.Shape()) {
			return false, nil
		}
		in[k] = backend.View{Buf: b, DType: x.DType(), Shape: x.Shape(), Lay: lay}
		key.in[k] = x.DType()
	}
	prog := singleProgram(d, key, n.NumIn())
	if prog == nil {
		return false, nil
	}
	buf, err := d.Pool.Get(n.Op().Name, n.Bytes())
	if err != nil {
		return true, err
	}
	single.out[0] = backend.View{Buf: buf, DType: n.DType(), Shape: n.Shape()}
	if err := launchFused(d, prog, single.out[:], in[:n.NumIn()]); err != nil {
		buf.Free()
		return err != backend.ErrCold, err
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
	settle(n, d)
	n.Store(buf, nil)
	if !n.KeepsInputs() {
		n.DropInputs()
	}
}

func launchFused(d *backend.Device, prog *backend.Fused, out, in []backend.View) error {
	single.st = step{op: prog.Instrs[0].Op, fused: prog, dev: d}
	return launch(singleCtx, &single.st, out, in)
}

func singleProgram(d *backend.Device, key singleKey, numIn int) *backend.Fused {
	if p := singles[key]; p != nil {
		return p
	}
	if !d.CanFuse(key.op.Name, key.out, key.in[:numIn]) {
		return nil
	}
	p := &backend.Fused{Shape: shape.Scalar, In: numIn, Out: []int{numIn}}
	ins := backend.Instr{Op: key.op.Name, Dst: numIn, Src: [3]int{-1, -1, -1}}
	for k := range numIn {
		p.DTypes = append(p.DTypes, key.in[k])
		ins.Src[k] = k
	}
	p.DTypes = append(p.DTypes, key.out)
	p.Instrs = []backend.Instr{ins}
	d.Prepare(p)
	singles[key] = p
	return p
}
