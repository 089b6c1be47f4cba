package fake

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
)

// grouper runs the members of a product group one after the other on another device, and spoils what only they may read.
type grouper struct {
	from *backend.Device
	f    *Faults
}

// mostGroupedRows is how many rows a group may have.
const mostGroupedRows = 16

func (u grouper) GroupsProduct(op string, _ attr.Attr, x, _ backend.Operand) bool {
	r := x.Shape.Rank()
	return op == "matmul" && x.DType.IsFloat() && r > 0 && x.Shape.Numel() <= mostGroupedRows*x.Shape.Dim(r-1)
}

func (u grouper) GroupsNorm(op string, _ attr.Attr, x backend.Operand) bool {
	return op == "rms_norm" || op == "layer_norm"
}

func (u grouper) RunGroup(c *backend.Ctx, g *backend.ProductGroup, out, in []backend.View) error {
	return take(c, out, in, func(c *backend.Ctx, out, in []backend.View) error {
		u.f.group(len(g.Members))
		var inside []backend.View
		for _, m := range g.Members {
			var err error
			if m.Fused != nil {
				if err = u.f.launchedFused(m.Fused); err == nil {
					err = u.from.RunFused(c, m.Fused, out[:m.Outs], in[:m.Ins])
				}
			} else if err = u.f.launched(m.Op); err == nil {
				err = u.from.Table[m.Op](c, m.Attr, out[:m.Outs], in[:m.Ins])
			}
			if err != nil {
				return err
			}
			for i, v := range out[:m.Outs] {
				if m.Inside[i] {
					inside = append(inside, v)
				}
			}
			out, in = out[m.Outs:], in[m.Ins:]
		}
		for _, v := range inside {
			for i := range v.Buf.Mem {
				v.Buf.Mem[i] = 0xff
			}
		}
		return nil
	})
}

// group notes a group of products.
func (f *Faults) group(members int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.grouped = append(f.grouped, members)
}

// Grouped returns how many launches each group of products had.
func (f *Faults) Grouped() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]int(nil), f.grouped...)
}
