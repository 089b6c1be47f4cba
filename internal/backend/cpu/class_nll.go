package cpu

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// classNLL reduces the rows to log Σ exp(x) by that kernel, then reads one element of each.
func classNLL(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	axis := a.(attr.Axis).Axis
	if out[0].Numel() == 0 {
		return nil
	}
	if err := table["logsumexp"](c, attr.Axes{Axes: attr.MakeInts(axis), Keep: true}, out[1:], in[:1]); err != nil {
		return err
	}
	x := in[0]
	t, err := dense(c, in[1])
	if err != nil {
		return err
	}
	targets, n, stride := elems[int64](t, in[1].Numel()), x.Shape.Dim(axis), x.Strides()[axis]
	dims, strides := x.Shape.Dims(), x.Strides()
	offset := func(r int) int { // of row r's first element
		off := x.Offset()
		for d := len(dims) - 1; d >= 0; d-- {
			if d != axis {
				off += r % dims[d] * strides[d]
				r /= dims[d]
			}
		}
		return off
	}
	const per = 4096
	return c.For((len(targets)+per-1)/per, func(b int) {
		for r := b * per; r < min((b+1)*per, len(targets)); r++ {
			k := targets[r]
			if k < 0 || k >= int64(n) {
				fault.Throw(fault.Index, "cross_entropy", "target %d is out of range for %d classes", k, n)
			}
			v := x.DType.Get(x.Buf.Mem, offset(r)+int(k)*stride).F
			s := out[1].DType.Get(out[1].Buf.Mem, out[1].Offset()+r).F
			out[0].DType.Put(out[0].Buf.Mem, out[0].Offset()+r, dtype.Scalar{Kind: dtype.KindFloat, F: s - v})
		}
	})
}

func init() { register(backend.Table{"class_nll": classNLL}) }
