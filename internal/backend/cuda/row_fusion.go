package cuda

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
)

// Row fusion: programs that run one after the other over the same rows are one kernel; threads that share a row hold the
// intermediate values in registers. A program is elementwise ops, row reductions, or an op along rows such as softmax. The
// kernel depends on these, on the operands' layouts, and on how threads share a row.

// longestRow is how long rows of such programs may be: a thread holds eight elements of each value.
const longestRow = 4096

// rowOps are the ops along rows, with functions of their own in row_fusion.cu.
var rowOps = map[string]bool{"softmax": true, "log_softmax": true, "softmax_grad": true}

// canReduceRows reports whether a reduction of rows of n elements can be part of a row-fusion group.
func canReduceRows(op string, _ attr.Attr, in dtype.DType, n int) bool {
	r, ok := reductions[op]
	return ok && n <= longestRow && !in.IsComplex() && contains(r.kinds, in)
}

// canRunAlongRows reports whether an op along rows of n elements can be part of a row-fusion group.
func canRunAlongRows(op string, in dtype.DType, n int) bool {
	return rowOps[op] && in.IsFloat() && n <= longestRow
}

// rowSharing is how threads share rows of n elements of a group.
func rowSharing(n, vector int) (s share, ok bool) {
	for _, lanes := range []int{32, 64, 128, 256, 512} {
		for held := 1; held*vector <= 8 && (lanes == 512 || held <= 2); held *= 2 {
			if n <= lanes*held*vector {
				return share{lanes, vector, held}, true
			}
		}
	}
	return share{}, false
}

// rowLayout is the layout of an operand of a row-fusion group.
type rowLayout byte

const (
	rowFull  rowLayout = 'f' // an element for each of all rows
	rowLine  rowLayout = 'l' // one row for all rows
	rowOnce  rowLayout = 'o' // an element for each row
	rowConst rowLayout = 'c' // one element
	rowValue rowLayout = 'v' // one element, passed with the launch
	rowElse  rowLayout = '?'
)

// rowLayoutOf classifies a view that has long elements for each of so many rows.
func rowLayoutOf(v backend.View, rows, long int) rowLayout {
	switch classOf(v) {
	case byValue:
		return rowValue
	case scalar:
		return rowConst
	case aligned:
		if long == 1 {
			return rowOnce
		}
		return rowFull
	}
	// The dimensions of a row are the last ones.
	st, at, n := v.Strides(), v.Shape.Rank(), 1
	for at > 0 && n < long {
		at--
		n *= v.Shape.Dim(at)
	}
	if n != long {
		return rowElse
	}
	inner, outer := layOf(v.Shape.Dims()[at:], st[at:]), layOf(v.Shape.Dims()[:at], st[:at])
	switch {
	case inner == 1 && outer == 0:
		return rowLine
	case inner == 0 && outer == 1:
		return rowOnce
	}
	return rowElse
}

// layOf is 1 if elements are contiguous, 0 if they are all the same one, -1 otherwise.
func layOf(dims, strides []int) int {
	same, next, step := true, true, 1
	for i := len(dims) - 1; i >= 0; i-- {
		if dims[i] == 1 {
			continue
		}
		same, next = same && strides[i] == 0, next && strides[i] == step
		step *= dims[i]
	}
	switch {
	case same:
		return 0
	case next:
		return 1
	}
	return -1
}

// runRows runs a row-fusion group as one launch, or its programs one by one where the kernel does not take a layout.
func (d *Device) runRows(c *backend.Ctx, p *backend.RowFusion, out, in []backend.View) error {
	f := d.inMode(c)
	return f.tracked("rows", out, in, func() error { return f.runRowFusion(c, p, out, in) })
}

func (d *Device) runRowFusion(c *backend.Ctx, p *backend.RowFusion, out, in []backend.View) error {
	w := newRowWriter(p)
	defer w.free()
	if err := w.write(d, out, in); err != nil {
		return err
	}
	if w.odd {
		return d.runRowParts(c, p, out, in)
	}
	fn, err := d.kernel("rows "+w.key(), "rows", w.source)
	if err != nil {
		return err
	}
	return d.launch(fn, blocks(p.Count, w.share.perBlock()), 1, w.share.threads(), w.args())
}

// runRowParts runs the programs one after the other; the group's local values get memory.
func (d *Device) runRowParts(c *backend.Ctx, p *backend.RowFusion, out, in []backend.View) error {
	locals := make([]*mem.Buffer, len(p.Locals))
	defer func() {
		for _, b := range locals {
			if b != nil {
				b.Free()
			}
		}
	}()
	for i, n := range p.Locals {
		b, err := d.pool.Get("rows", n*p.Count)
		if err != nil {
			return err
		}
		locals[i] = b
	}
	resolve := func(views []backend.View, of []int) []backend.View {
		list := append([]backend.View(nil), views[:len(of)]...)
		for i, l := range of {
			if l >= 0 {
				list[i].Buf = locals[l]
			}
		}
		return list
	}
	for i := range p.Parts {
		part := &p.Parts[i]
		o, v := resolve(out, part.Out), resolve(in, part.In)
		out, in = out[len(part.Out):], in[len(part.In):]
		var err error
		switch {
		case len(part.Instrs) == 0:
			for t, k := part.Reduction, 0; t != nil && err == nil; t, k = t.Next, k+1 {
				err = d.run(table[t.Op], c, t.Attr, o[k:k+1], v[t.Src:t.Src+1])
			}
		case rowOps[part.Instrs[0].Op]:
			err = d.run(table[part.Instrs[0].Op], c, part.Instrs[0].Attr, o, v)
		default:
			err = d.runFused(c, part.Fused, nil, o, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
