package fake

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// fuser runs the fused programs of another device, with its faults.
type fuser struct {
	from *backend.Device
	f    *Faults
}

// CanFuse is the other device's.
func (u fuser) CanFuse(op string, out dtype.DType, in []dtype.DType) bool {
	return u.from.CanFuse(op, out, in)
}

// Prepare makes programs without a product or a reduction candidates for horizontal fusion.
func (u fuser) Prepare(p *backend.Fused) {
	if u.from.Prepare(p); p.Producer == nil && p.Reduction == nil {
		p.HorizontalKey = p.Code()
	}
}

// PreparedFor asks the other device.
func (u fuser) PreparedFor(p *backend.Fused) bool {
	c, ok := u.from.Fuser.(backend.ShapeChecker)
	return !ok || c.PreparedFor(p)
}

// RunFused runs a program, or records it.
func (u fuser) RunFused(c *backend.Ctx, p *backend.Fused, out, in []backend.View) error {
	return take(c, out, in, func(c *backend.Ctx, out, in []backend.View) error {
		if err := u.f.launchedFused(p); err != nil {
			return err
		}
		return u.from.RunFused(c, p, out, in)
	})
}

// RunHorizontal runs a program over several sets of operands, the last one first: no caller may rely on an order.
func (u fuser) RunHorizontal(c *backend.Ctx, p *backend.Fused, sets int, out, in []backend.View) error {
	return take(c, out, in, func(c *backend.Ctx, out, in []backend.View) error {
		if err := u.f.launchedFused(p); err != nil {
			return err
		}
		u.f.many(sets)
		no, ni := len(out)/sets, len(in)/sets
		for k := sets - 1; k >= 0; k-- {
			q := *p
			q.Shape = out[k*no].Shape
			if err := u.from.RunFused(c, &q, out[k*no:(k+1)*no], in[k*ni:(k+1)*ni]); err != nil {
				return err
			}
		}
		return nil
	})
}

// JoinsKernel takes what keys and values are written to a cache with.
func (u fuser) JoinsKernel(op string, _ attr.Attr) (shared int, ok bool) {
	return 1, op == "put_slices"
}

// RunJoined runs a kernel over several sets of operands, the last one first.
func (u fuser) RunJoined(c *backend.Ctx, op string, a attr.Attr, sets int, out, in []backend.View) error {
	return take(c, out, in, func(c *backend.Ctx, out, in []backend.View) error {
		if err := u.f.launched(op); err != nil {
			return err
		}
		u.f.many(sets)
		no, ni := len(out)/sets, len(in)/sets
		for k := sets - 1; k >= 0; k-- {
			if err := u.from.Table[op](c, a, out[k*no:(k+1)*no], in[k*ni:(k+1)*ni]); err != nil {
				return err
			}
		}
		return nil
	})
}

// rowFuser runs the row fusions of another device, with its faults.
type rowFuser struct {
	backend.RowFuser
	f *Faults
}

// RunRowFusion runs programs over rows, or records them.
func (u rowFuser) RunRowFusion(c *backend.Ctx, p *backend.RowFusion, out, in []backend.View) error {
	return take(c, out, in, func(c *backend.Ctx, out, in []backend.View) error {
		for i := range p.Parts {
			if err := u.f.launchedFused(p.Parts[i].Fused); err != nil {
				return err
			}
		}
		return u.RowFuser.RunRowFusion(c, p, out, in)
	})
}
