package nn

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// To brings all parameters and buffers of m to another dtype, another device, or both: each target is a DType, a
// Device, or a tensor to be like. A dtype changes floating tensors only. Gradients are cleared.
func To(m Module, targets ...any) {
	w := walker{tensor: func(_ string, t *lucid.Tensor, _ field) {
		v := t.Detach()
		for _, to := range targets {
			if like, ok := to.(*lucid.Tensor); ok {
				if v.DType().IsInexact() {
					v = v.To(like.DType())
				}
				v = v.To(like.Device())
				continue
			}
			if _, ok := to.(lucid.DType); ok && !v.DType().IsInexact() {
				continue
			}
			v = v.To(to)
		}
		rebind(t, v)
	}}
	w.visit(m)
}

// rebind makes t show v, of any dtype and shape; a leaf stays one.
func rebind(t, v *lucid.Tensor) {
	h := (*graph.Array)(t)
	n := (*graph.Array)(v).Acquire()
	defer n.Unref()
	s := h.Peek().OwnSlot()
	if s == nil {
		h.Rebind(n)
		return
	}
	s.SetGrad(nil)
	if h.Peek().Leaf() {
		h.Rebind(ops.NewLeaf(n, s))
	} else {
		h.Rebind(ops.NewFrozen(n, s))
	}
}

// Half brings the floating tensors of m to float16.
func Half(m Module) { To(m, lucid.Float16) }

// BFloat16 brings the floating tensors of m to bfloat16.
func BFloat16(m Module) { To(m, lucid.BFloat16) }

// Float brings the floating tensors of m to float32.
func Float(m Module) { To(m, lucid.Float32) }

// Double brings the floating tensors of m to float64.
func Double(m Module) { To(m, lucid.Float64) }
