package cuda

import (
	"fmt"
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
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

// blockForm is the shape of the kernel of block_fast.cu.
type blockForm struct {
	rows   int
	groups int  // of 32 elements in a part of the ring
	unit   int  // bytes that are copied at once
	stages int  // parts of the ring
	held   bool // x is in shared memory
	own    int  // every block rounds x itself: vectors of it that a thread has; 0: block_round does
	weight dtype.DType
}

const (
	blockWarps   = 16       // of a block: WARPS in block_fast.cu
	mostBlockX   = 48 << 10 // bytes of rounded x that are held in shared memory
	groupBytes   = 40       // of 32 elements of it
	mostOwnRound = 8192     // elements of x that every block rounds for itself
)

// form decides how some rows of x are multiplied.
func (p blockProducts) form(d *driver.Device, rows int) blockForm {
	const driverOwn, static = 1 << 10, 256
	f := blockForm{rows: rows, groups: 64, unit: 16, weight: dtype.Float32}
	if p.format == ggml.Q8_0 {
		f.groups = 32
	}
	at := uintptr(p.w[0].Shape.Dim(1))
	for _, w := range p.w {
		at |= address(w)
	}
	for at%uintptr(f.unit) != 0 {
		f.unit /= 2
	}
	part := blockWarps * f.groups * 32 / p.format.BlockSize() * p.format.BlockBytes()
	free := min(d.Shared+driverOwn, streamShared) - driverOwn - static
	x := rows * p.heldRow(f)
	if f.held = x <= mostBlockX && (free-x)/part >= 2; f.held {
		free -= x
	}
	f.stages = max(2, min(8, free/part))
	if f.held && p.m == 1 && p.k <= mostOwnRound {
		f.own = blocks(p.k, 2048)
	}
	if f.own > 0 && p.norm != nil {
		f.weight = p.norm.weight
	}
	return f
}

// heldRow is the bytes of a row of x in shared memory: parts of it that the ring has parts for.
func (p blockProducts) heldRow(f blockForm) int {
	return blocks(p.k/32, f.groups) * f.groups * groupBytes
}

// shared is the bytes of shared memory that a block needs.
func (f blockForm) shared(p blockProducts) (bytes int) {
	if f.held {
		bytes = f.rows * p.heldRow(f)
	}
	return bytes + f.stages*blockWarps*f.groups*32/p.format.BlockSize()*p.format.BlockBytes()
}

// multiplyBlocks rounds x, then reads the weights once for every streamedRows rows of it.
func (d *Device) multiplyBlocks(p blockProducts) error {
	tmp := temporaries{d: d, op: "block_matmul"}
	defer tmp.free()
	groups := p.k / 32
	var q, scales, totals uintptr
	if p.form(d.Device, min(streamedRows, p.m)).own == 0 {
		var err error
		if q, err = tmp.get(p.m * (p.k + 8*groups)); err != nil {
			return err
		}
		scales = q + uintptr(p.m*p.k)
		totals = scales + uintptr(4*p.m*groups)
		if err := d.roundBlocks(p, q, scales, totals); err != nil {
			return err
		}
	}
	if d.mode == capturing {
		d.Device.Carveout = streamCarveout
	}
	for from := 0; from < p.m; from += streamedRows {
		form := p.form(d.Device, min(streamedRows, p.m-from))
		key := fmt.Sprint("block_fast ", p.format, form, len(p.w), p.norm != nil, p.gate.source)
		f, err := d.kernel(key, "block_fast", func() string { return p.source(form) })
		if err != nil {
			return err
		}
		var g args
		items, list := p.matrices(from)
		normWeight, eps, early := p.normOperands(d)
		g.int(p.k, p.w[0].Shape.Dim(1), items, number(early), int(math.Float64bits(eps)))
		g.ptr(p.x, normWeight, q+uintptr(from*p.k), scales+uintptr(4*from*groups), totals+uintptr(4*from*groups))
		n := min(d.SMs, blocks(items, blockWarps))
		if err := d.launchShared(f, n, 1, 32*blockWarps, form.shared(p), append(g, list...)); err != nil {
			return err
		}
	}
	return nil
}

// matrices passes the matrices for rows of x from one on; items is how many rows they have, each pair of a gate once.
func (p blockProducts) matrices(from int) (items int, g args) {
	for i, w := range p.w {
		n := w.Shape.Dim(0)
		if p.gate.source != "" {
			items = 0
		}
		g.int(items, n)
		g.ptr(address(w), p.z[i]+uintptr(4*from*n))
		if p.residual == 0 {
			g.ptr(0)
		} else {
			g.ptr(p.residual + uintptr(4*from*n))
		}
		items += n
	}
	return items, g
}

// normOperands gives the weight of the norm and its epsilon, and whether nothing in a captured graph writes that or a matrix.
func (p blockProducts) normOperands(d *Device) (weight uintptr, eps float64, early bool) {
	list := p.w
	if p.norm != nil {
		weight, eps, list = p.norm.at, p.norm.eps, append(slices.Clone(p.w), p.norm.params...)
	}
	return weight, eps, !slices.ContainsFunc(list, func(w backend.View) bool { return !d.early(w) })
}

func (p blockProducts) source(f blockForm) string {
	s := p.gate.files
	if s == "" {
		s = kernels.Source("prelude")
	}
	return s + formatDefines(p.format) + rowsOfX(f.rows) + fmt.Sprintf("#define MATRICES %d\n#define GATED %d\n#define GROUPS %d\n"+
		"#define UNIT %d\n#define STAGES %d\n#define HELD %d\n#define OWN %d\n#define W %s\n#define NORMED %d\n", len(p.w),
		number(p.gate.source != ""), f.groups, f.unit, f.stages, number(f.held), f.own, ctype[f.weight], number(p.norm != nil)) +
		p.gate.source + kernels.Source("block_int8", "block_fast")
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
		kernels.Source("block_int8", "block_round")
}
