package cuda

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/cublas"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/ggml"
)

// Product groups: products of the same few rows are one launch of the kernels for few rows, with the norm that makes the rows, and with
// the program that makes one value of two of them. What does not fit that runs one after the other.

// mostNormed is how many elements of x every block of a kernel normalises for itself. Dividing the sums by the norm at the end instead, so
// that no block waits for it, made the loop over the weights slower by more than that.
const mostNormed = 12 << 10

// GroupsProduct implements backend.ProductGrouper.
func (g capabilities) GroupsProduct(op string, a attr.Attr, x, w backend.Operand) bool {
	r := x.Shape.Rank()
	if r < 2 || x.Shape.Numel() == 0 {
		return false
	}
	rows, k := x.Shape.Numel()/x.Shape.Dim(r-1), x.Shape.Dim(r-1)
	switch op {
	case "matmul":
		return a == nil && x.DType.IsHalf() && g.d.Major >= 8 && rows <= mostRowsMMA && k%8 == 0 &&
			w.Shape.Numel() == k*w.Shape.Dim(w.Shape.Rank()-1)
	case "block_matmul":
		b := a.(attr.Block)
		return b.Fast && rows <= streamedRows && alignments[ggml.Type(b.Type)] > 0
	}
	return false
}

// GroupsNorm implements backend.ProductGrouper.
func (g capabilities) GroupsNorm(op string, _ attr.Attr, x backend.Operand) bool {
	return op == "rms_norm" && (x.DType.IsHalf() || x.DType == dtype.Float32)
}

// RunGroup implements backend.ProductGrouper.
func (g capabilities) RunGroup(c *backend.Ctx, p *backend.ProductGroup, out, in []backend.View) error {
	f := g.d.inMode(c)
	return f.tracked("products", out, in, func() error { return f.runGroup(c, p, out, in) })
}

// groupedLaunch is a member of a group with its operands.
type groupedLaunch struct {
	*backend.GroupMember
	out, in []backend.View
}

// product gives the operation of a member that is a product, and its operands.
func (m groupedLaunch) product() (op string, a attr.Attr, in []backend.View) {
	if m.Fused != nil {
		return m.Fused.Producer.Op, m.Fused.Producer.Attr, m.in[m.Fused.In:]
	}
	return m.Op, m.Attr, m.in
}

func (d *Device) runGroup(c *backend.Ctx, p *backend.ProductGroup, out, in []backend.View) error {
	var list []groupedLaunch
	for i := range p.Members {
		m := &p.Members[i]
		list = append(list, groupedLaunch{m, out[:m.Outs], in[:m.Ins]})
		out, in = out[m.Outs:], in[m.Ins:]
	}
	var norm *rowsNorm
	if list[0].Op == "rms_norm" && list[0].Fused == nil {
		if norm = normOf(list[0]); norm == nil {
			if err := d.runMember(c, list[0]); err != nil {
				return err
			}
		}
		list = list[1:]
	}
	done, err := d.runJoined(c, list, norm)
	if !done && err == nil && norm != nil {
		if err = d.runMember(c, norm.launch); err == nil {
			done, err = d.runJoined(c, list, nil)
		}
	}
	if done || err != nil {
		return err
	}
	for _, m := range list {
		if err := d.runMember(c, m); err != nil {
			return err
		}
	}
	return nil
}

// runMember runs a launch of a group by itself.
func (d *Device) runMember(c *backend.Ctx, m groupedLaunch) error {
	if !slices.ContainsFunc(m.out, func(v backend.View) bool { return v.Numel() > 0 }) {
		return nil
	}
	if m.Fused != nil {
		return d.runProducer(c, m.Fused, m.out, m.in)
	}
	return d.run(table[m.Op], c, m.Attr, m.out, m.in)
}

// rowsNorm is a norm that the launch of a group does itself.
type rowsNorm struct {
	launch groupedLaunch
	x      backend.View
	weight dtype.DType
	at     uintptr // of the weight; 0: none
	eps    float64
	params []backend.View
}

// normOf is nil if others need its results, or if its operands do not fit.
func normOf(m groupedLaunch) *rowsNorm {
	x := m.in[0]
	n := &rowsNorm{launch: m, x: x, weight: x.DType, eps: m.Attr.(attr.RowNorm).Eps}
	if slices.Contains(m.Inside, false) || x.Buf.Dev == 0 || !x.Contiguous() || address(x)%16 != 0 || x.Numel() > mostNormed ||
		m.Attr.(attr.RowNorm).Dims != 1 || len(m.in) > 2 {
		return nil
	}
	if len(m.in) == 2 {
		w := m.in[1]
		if w.Buf.Dev == 0 || !w.Contiguous() || address(w)%16 != 0 {
			return nil
		}
		n.weight, n.at, n.params = w.DType, address(w), m.in[1:]
	}
	return n
}

// runJoined runs products as one launch; done is false if they do not fit, and nothing was done.
func (d *Device) runJoined(c *backend.Ctx, list []groupedLaunch, norm *rowsNorm) (done bool, err error) {
	if op, _, _ := list[0].product(); op == "block_matmul" {
		return d.runJoinedBlocks(c, list, norm)
	}
	var call fewRowsCall
	early := true
	gate, gated := gateOf(list)
	for i, m := range list {
		e, o, ok := cublas.Epilogue{}, cublas.Operands{}, true
		switch {
		case gated && i == 1:
			o.Z = address(m.out[1])
		case m.Fused == nil:
			o.Z = address(m.out[0])
		default:
			a := m.Fused.Prep.(*program).epilogue
			if a == nil || !m.Fused.Producer.Unwritten {
				return false, nil
			}
			e, o, ok = a.operands(m.out, m.in)
		}
		_, _, in := m.product()
		p, fits := productOf(m.out[0], in, e)
		if !ok || !fits {
			return false, nil
		}
		if o.X, o.Y = address(in[0]), address(in[1]); norm != nil {
			o.X, p.X.Row = address(norm.x), p.K
		}
		if mma, ok := takesFewRows(d.Device, p, o); !ok || !mma {
			return false, nil
		}
		call.products, call.at = append(call.products, p), append(call.at, o)
		early = early && d.early(in[1])
	}
	first := call.products[0]
	call.fewRows, call.early = fewRowsFor(first, true), early
	call.matrices = len(list)
	if gated {
		call.gated, call.files = gate.source, gate.files
	}
	if norm != nil {
		if norm.x.Numel() != first.M*first.K || norm.x.DType != first.DType {
			return false, nil
		}
		for _, w := range norm.params {
			call.early = call.early && d.early(w)
		}
		call.normed, call.weight = blocks(first.K, 8*32*call.warps), norm.weight
		call.normWeight, call.eps = norm.at, norm.eps
	}
	return true, d.launchFewRows(call)
}

// early reports whether a weight may be read before the launches of a captured graph that come before are done.
func (d *Device) early(w backend.View) bool { return d.mode == capturing && d.rec.untouched(w.Buf) }

// productOf describes a product whose operands need no copies.
func productOf(out backend.View, in []backend.View, e cublas.Epilogue) (p cublas.Product, ok bool) {
	r := out.Shape.Rank()
	if r < 2 || in[0].Buf.Dev == 0 || in[1].Buf.Dev == 0 || out.Numel() == 0 || !out.Contiguous() {
		return p, false
	}
	m, n, k := out.Shape.Dim(r-2), out.Shape.Dim(r-1), in[0].Shape.Dim(r-1)
	x, okX := matrixOf(in[0])
	y, okY := matrixOf(in[1])
	return cublas.Product{DType: in[0].DType, Batch: out.Numel() / (m * n), M: m, N: n, K: k, X: x, Y: y, Pitch: n, Epilogue: e}, okX && okY
}

// gate is the program that makes one value of two products, as a function gated(first, second) in CUDA C++.
type gate struct{ source, files string }

// gateOf matches a group of two products, the second of which has a program over both results; nothing else reads the first.
func gateOf(list []groupedLaunch) (g gate, ok bool) {
	if len(list) != 2 || list[0].Fused != nil || list[1].Fused == nil || !list[0].Inside[0] {
		return g, false
	}
	p, made := list[1].Fused, list[0].out[0]
	q := p.Prep.(*program)
	if p.In != 2 || len(p.Out) != 1 || p.Producer.Stored || p.Reduction != nil || q.faults != "" {
		return g, false
	}
	other := 1 - p.Producer.Dst
	v, result := list[1].in[other], list[1].out[1]
	if v.Buf != made.Buf || !v.Contiguous() || v.Offset() != made.Offset() || v.Numel() != made.Numel() || p.DTypes[other] != made.DType ||
		p.DTypes[p.Producer.Dst] != made.DType || result.DType != made.DType || !result.Contiguous() {
		return g, false
	}
	var b strings.Builder
	t := ctype[made.DType]
	fmt.Fprintf(&b, "DEV Rep<%s>::R gated(Rep<%s>::R r%d, Rep<%s>::R r%d) {\n", t, t, other, t, p.Producer.Dst)
	names := make([]string, len(p.DTypes))
	names[0], names[1] = "r0", "r1"
	for _, ins := range p.Instrs {
		var x []string
		for _, s := range ins.Src {
			if s >= 0 {
				x = append(x, names[s])
			}
		}
		to := ctype[p.DTypes[ins.Dst]]
		names[ins.Dst] = fmt.Sprintf("v%d", ins.Dst)
		fmt.Fprintf(&b, "const Rep<%s>::R v%d = rounded<%s>(%s);\n", to, ins.Dst, to,
			expression(ins, p.DTypes[ins.Dst], operandType(q, ins.Src), x))
	}
	fmt.Fprintf(&b, "return %s;\n}\n", names[p.Out[0]])
	return gate{b.String(), kernels.Source(filesOf(q)...)}, true
}
