package exec

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/graph"
)

// evalProduct is evalSingle for a small product of stored operands: one launch of its kernel. What the kernel refuses
// goes the common way, which says why. The caller holds planMu.
func evalProduct(n *graph.Node) (done bool, err error) {
	d := n.Device()
	if d == nil {
		d = DefaultDevice()
	}
	if n.Stored() || n.IsBundle() || n.NumIn() > len(single.in) || !d.Host || d.Enqueue != nil || d.Fallback != nil {
		return false, nil
	}
	kernel := d.Table[n.Op().Name]
	if kernel == nil {
		return false, nil
	}
	defer func() { single.in, single.out, single.st = [2]backend.View{}, [1]backend.View{}, step{} }()
	work := n.Shape().Numel()
	for k := range n.NumIn() {
		x := n.In(k)
		b, lay := x.Buffer()
		if b == nil || !b.Ready() || x.Device() != n.Device() {
			return false, nil
		}
		work += x.Shape().Numel()
		single.in[k] = backend.View{Buf: b, DType: x.DType(), Shape: x.Shape(), Lay: lay}
	}
	if work > shortWork {
		return false, nil
	}
	buf, err := d.Pool.Get(n.Op().Name, n.Bytes())
	if err != nil {
		return true, err
	}
	single.out[0] = backend.View{Buf: buf, DType: n.DType(), Shape: n.Shape()}
	single.st = step{op: n.Op().Name, kernel: kernel, attr: n.Attr(), dev: d}
	if launch(singleCtx, &single.st, single.out[:], single.in[:n.NumIn()]) != nil {
		buf.Free()
		return false, nil
	}
	storeSingle(n, d, buf)
	return true, nil
}
