package cuda

import (
	"fmt"
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/ggml"
)

// blockProducts is products of the same rows, rounded to int8, with matrices of blocks of one format.
type blockProducts struct {
	format ggml.Type
	m, k   int
	x      uintptr
	w      []backend.View
	z      []uintptr
	gate   gate
	norm   *rowsNorm
	// residual, of a single product, is added to it; 0: none.
	residual uintptr
}

// runJoinedBlocks is runJoined for products with blocks.
func (d *Device) runJoinedBlocks(c *backend.Ctx, list []groupedLaunch, norm *rowsNorm) (done bool, err error) {
	_, a, in := list[0].product()
	p := blockProducts{format: ggml.Type(a.(attr.Block).Type), m: in[0].Shape.Dim(0), k: in[0].Shape.Dim(1), norm: norm}
	gate, gated := gateOf(list)
	if gated {
		p.gate = gate
	}
	if p.x = address(in[0]); norm != nil {
		if p.x = address(norm.x); norm.x.DType != dtype.Float32 || norm.x.Numel() != p.m*p.k {
			return false, nil
		}
	}
	for i, m := range list {
		_, a, in := m.product()
		w, z := in[1], m.out[0]
		if gated && i == 1 {
			z = m.out[1]
		}
		if m.Fused != nil && !gated || ggml.Type(a.(attr.Block).Type) != p.format || in[0].Buf.Dev == 0 || w.Buf.Dev == 0 ||
			!in[0].Contiguous() || !w.Contiguous() || !z.Contiguous() || address(w)%uintptr(alignments[p.format]) != 0 ||
			w.Shape.Dim(1) != in[1].Shape.Dim(1) || p.x%16 != 0 {
			return false, nil
		}
		p.w, p.z = append(p.w, w), append(p.z, address(z))
	}
	return true, d.multiplyBlocks(p)
}

// runBlockResidual runs a product and the program behind it as one launch if that adds one value of the same layout; done is false if
// it does something else.
func (d *Device) runBlockResidual(p *backend.Fused, out, in []backend.View) (done bool, err error) {
	a := p.Producer.Attr.(attr.Block)
	t := ggml.Type(a.Type)
	x, w := in[p.In], in[p.In+1]
	if !a.Fast || len(p.Instrs) != 1 || p.Instrs[0].Op != "add" || p.In != 2 || len(p.Out) != 1 || p.Producer.Stored ||
		x.Shape.Dim(0) > streamedRows || alignments[t] == 0 {
		return false, nil
	}
	v, z := in[1-p.Producer.Dst], out[1]
	for _, o := range []backend.View{x, w, v, z} {
		if o.Buf.Dev == 0 || !o.Contiguous() {
			return false, nil
		}
	}
	if v.DType != dtype.Float32 || v.Numel() != z.Numel() || address(x)%16 != 0 || address(w)%uintptr(alignments[t]) != 0 {
		return false, nil
	}
	return true, d.multiplyBlocks(blockProducts{format: t, m: x.Shape.Dim(0), k: x.Shape.Dim(1), x: address(x), w: []backend.View{w},
		z: []uintptr{address(z)}, residual: address(v)})
}

// multiplyBlocks rounds x, then reads the weights once for every streamedRows rows of it.
func (d *Device) multiplyBlocks(p blockProducts) error {
	tmp := temporaries{d: d, op: "block_matmul"}
	defer tmp.free()
	groups := p.k / 32
	q, err := tmp.get(p.m * (p.k + 8*groups))
	if err != nil {
		return err
	}
	scales := q + uintptr(p.m*p.k)
	totals := scales + uintptr(4*p.m*groups)
	if err := d.roundBlocks(p, q, scales, totals); err != nil {
		return err
	}
	for from := 0; from < p.m; from += streamedRows {
		rows := min(streamedRows, p.m-from)
		f, err := d.kernel(fmt.Sprint("block_fast ", p.format, rows, len(p.w), p.gate.source), "block_fast", func() string {
			return p.source(rows)
		})
		if err != nil {
			return err
		}
		var g args
		g.int(p.k, p.w[0].Shape.Dim(1), 4*d.SMs)
		g.ptr(q+uintptr(from*p.k), scales+uintptr(4*from*groups), totals+uintptr(4*from*groups))
		first := 0
		for i, w := range p.w {
			n := w.Shape.Dim(0)
			g.int(first, n)
			g.ptr(address(w), p.z[i]+uintptr(4*from*n))
			if p.residual == 0 {
				g.ptr(0)
			} else {
				g.ptr(p.residual + uintptr(4*from*n))
			}
			if first += blocks(n, 8); p.gate.source != "" {
				first = blocks(n, 8)
			}
		}
		if err := d.launch(f, first, 1, threads, g); err != nil {
			return err
		}
	}
	return nil
}

func (p blockProducts) source(rows int) string {
	s := p.gate.files
	if s == "" {
		s = kernels.Source("prelude")
	}
	return s + formatDefines(p.format) + rowsOfX(rows) + fmt.Sprintf("#define MATRICES %d\n#define GATED %d\n", len(p.w),
		number(p.gate.source != "")) + p.gate.source + kernels.Source("block_fast")
}

// roundBlocks rounds x, or what the norm makes of it, to int8.
func (d *Device) roundBlocks(p blockProducts, q, scales, totals uintptr) error {
	weight, at, eps := dtype.Float32, uintptr(0), 0.0
	if p.norm != nil {
		weight, at, eps = p.norm.weight, p.norm.at, p.norm.eps
	}
	f, err := d.kernel(fmt.Sprint("block_round", weight, p.norm != nil), "block_round", func() string {
		return roundSource(weight, p.norm != nil)
	})
	if err != nil {
		return err
	}
	var g args
	g.int(p.m, p.k, int(math.Float64bits(eps)))
	g.ptr(p.x, at, q, scales, totals)
	return d.launch(f, blocks(p.k, 1024), p.m, threads, g)
}

func roundSource(weight dtype.DType, norm bool) string {
	return kernels.Source("prelude") + fmt.Sprintf("#define W %s\n#define NORMED %d\n", ctype[weight], number(norm)) +
		kernels.Source("block_round")
}
