package exec

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

type singleKey struct {
	dev *backend.Device
	op  *graph.Op
	out dtype.DType
	in  [singleMost]dtype.DType
}

// singles caches the one-instruction programs; the number of ops and dtypes bounds it. planMu guards it.
var singles = map[singleKey]*backend.Fused{}

// evalElementwise runs a program of one instruction.
func evalElementwise(n *graph.Node, d *backend.Device) (done bool, err error) {
	key := singleKey{dev: d, op: n.Op(), out: n.DType()}
	in := single.in[:n.NumIn()]
	for k := range in {
		x, ok := n.In(k), false
		switch {
		case x.IsConst() && d.Host:
			in[k], ok = immediate(k, x, n.Shape()), true
		case x.Stored() || d.Host:
			in[k], ok = storedView(x)
		}
		if ok && in[k].Shape != n.Shape() && in[k].Shape.Rank() == 0 && d.Host {
			v := &in[k]
			lay := *broadcastLayouts[n.Rank()]
			if v.Lay != nil {
				lay.Offset = v.Lay.Offset
			}
			v.Lay, v.Shape = &lay, n.Shape()
		}
		if !ok || !in[k].Shape.Equal(n.Shape()) {
			return false, nil
		}
		key.in[k] = x.DType()
	}
	prog := singleProgram(d, key, n.NumIn())
	if prog == nil {
		return false, nil
	}
	buf, err := d.Pool.GetFor(mem.Owner{Op: n.Op().Name, Module: moduleOf(n)}, n.Bytes(), nil)
	if err != nil {
		return true, locate(err, checkedNodes(nil, []*graph.Node{n}))
	}
	single.out[0] = backend.View{Buf: buf, DType: n.DType(), Shape: n.Shape()}
	single.st = step{op: n.Op().Name, fused: prog, dev: d, module: moduleOf(n)}
	if err := launch(singleCtx, &single.st, single.out[:], in); err != nil {
		buf.Free()
		return err != backend.ErrNotCompiled, err
	}
	storeSingle(n, d, buf)
	return true, nil
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
