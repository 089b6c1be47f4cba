package cuda

import (
	"fmt"
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/cublas"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// Attention that stores its score matrix: two or five matmuls with a row kernel between them. Queries that share keys are
// rows of one matrix. Half types are computed in float32.

// rowsOf holds the temporaries of such an attention, in the accumulator dtype.
type rowsOf struct {
	d              *call
	t              dtype.DType
	a              attr.Attention
	matrices, rows int // number of score matrices, rows of each
	keys, e, f     int
	heads, length  int
	mask           backend.View
	masked         bool
	bufs           []*mem.Buffer
}

func (r *rowsOf) free() {
	for _, b := range r.bufs {
		b.Free()
	}
}

func (d *call) newRows(a attr.Attention, q, k, v backend.View, mask []backend.View) *rowsOf {
	s, m := q.Shape.Dims(), k.Shape.Dims()
	r := &rowsOf{d: d, t: q.DType, a: a, matrices: m[0] * m[1], keys: m[2], e: s[3], f: v.Shape.Dim(3), heads: s[1], length: s[2]}
	if r.t.IsHalf() {
		r.t = dtype.Float32
	}
	r.rows = s[1] / max(1, m[1]) * s[2]
	if len(mask) > 0 {
		r.mask, r.masked = mask[0], true
	}
	return r
}

// space returns a contiguous temporary in the accumulator dtype.
func (r *rowsOf) space(s *shape.Shape) (backend.View, error) {
	b, err := r.d.pool.Get("attention", max(1, s.Numel())*r.t.Size())
	if err != nil {
		return backend.View{}, err
	}
	r.bufs = append(r.bufs, b)
	return backend.View{Buf: b, DType: r.t, Shape: s}, nil
}

// wide canFoldCast a view to a contiguous one in the accumulator dtype.
func (r *rowsOf) wide(v backend.View) (backend.View, error) {
	if v.DType == r.t && v.Contiguous() {
		return v, nil
	}
	to, err := r.space(v.Shape)
	if err != nil {
		return to, err
	}
	return to, r.d.cast(to, v)
}

// product computes z = x·y for all matrices; x is m×k, y k×n, either may be given transposed.
func (r *rowsOf) product(z, x, y backend.View, m, n, k int, transposeX, transposeY bool) error {
	if m == 0 || n == 0 || k == 0 {
		return r.d.Fill(address(z), 0, r.matrices*m*n*r.t.Size())
	}
	h, err := r.d.cublas()
	if err != nil {
		return err
	}
	matrix := func(rows, cols int, transposed bool) cublas.Matrix {
		if transposed {
			return cublas.Matrix{Row: 1, Column: rows, Batch: rows * cols}
		}
		return cublas.Matrix{Row: cols, Column: 1, Batch: rows * cols}
	}
	p := cublas.Product{DType: r.t, Batch: r.matrices, M: m, N: n, K: k, X: matrix(m, k, transposeX), Y: matrix(k, n, transposeY),
		Align:         [3]int{cublas.AlignOf(address(z)), cublas.AlignOf(address(x)), cublas.AlignOf(address(y))},
		Deterministic: r.d.ctx.Deterministic}
	return r.d.product(h, p, address(z), address(x), address(y))
}

// launch runs a kernel of attention_rows.cu over all rows.
func (r *rowsOf) launch(name, part string, scores, other, lse, sums uintptr) error {
	mask := r.t
	if r.masked {
		mask = r.mask.DType
	}
	f, err := r.d.kernel(fmt.Sprint(name, r.t, mask), name, func() string {
		return kernels.Source("prelude") + fmt.Sprintf("#define T %s\n#define MASK %s\n#define MASK_IS_BOOL %d\n#define %s\n",
			ctype[r.t], ctype[mask], number(mask == dtype.Bool), part) + kernels.Source("attention_rows")
	})
	if err != nil {
		return err
	}
	var g args
	rows := r.matrices * r.rows
	g.int(rows, r.heads, r.length, r.keys)
	g.ptr(scores, other, lse, sums)
	if r.masked {
		maskOf(&g, []backend.View{r.mask})
	} else {
		maskOf(&g, nil)
	}
	g.int(int(math.Float64bits(r.a.Scale)), number(r.a.Causal))
	return r.d.launch(f, rows, 1, threads, g)
}

func (d *call) attentionRows(a attr.Attention, out, in []backend.View) error {
	r := d.newRows(a, in[0], in[1], in[2], in[3:])
	defer r.free()
	var x [3]backend.View
	var err error
	for i := range x {
		if x[i], err = r.wide(in[i]); err != nil {
			return err
		}
	}
	s, err := r.space(shape.Of("attention", r.matrices, r.rows, r.keys))
	if err != nil {
		return err
	}
	y := out[0]
	if y.DType != r.t {
		if y, err = r.space(y.Shape); err != nil {
			return err
		}
	}
	if r.keys > 0 && r.e > 0 {
		err = r.product(s, x[0], x[1], r.rows, r.keys, r.e, false, true)
	} else {
		err = d.Fill(address(s), 0, s.Numel()*r.t.Size())
	}
	if err == nil {
		err = r.launch("attention_weights", "WEIGHTS", address(s), 0, address(out[1]), 0)
	}
	switch {
	case err != nil:
		return err
	case r.keys == 0 || r.f == 0:
		return d.Fill(address(out[0]), 0, out[0].Numel()*out[0].DType.Size())
	}
	if err := r.product(y, s, x[2], r.rows, r.f, r.keys, false, false); err != nil || y.DType == out[0].DType {
		return err
	}
	return d.cast(out[0], y)
}

func (d *call) attentionRowsGrad(a attr.Attention, out []backend.View, in gradOperands) error {
	r := d.newRows(a, in.q, in.k, in.v, in.mask)
	defer r.free()
	if r.keys == 0 || r.rows == 0 {
		for _, o := range out {
			if err := d.Fill(address(o), 0, o.Numel()*o.DType.Size()); err != nil {
				return err
			}
		}
		return nil
	}
	sums, err := d.attentionSums(in)
	if err != nil {
		return err
	}
	r.bufs = append(r.bufs, sums.Buf)
	var x [5]backend.View // cotangent, q, k, v, logsumexp
	var y [3]backend.View
	for i, v := range []backend.View{in.g, in.q, in.k, in.v, in.lse} {
		if x[i], err = r.wide(v); err != nil {
			return err
		}
	}
	for i, o := range out {
		if y[i] = o; o.DType != r.t {
			if y[i], err = r.space(o.Shape); err != nil {
				return err
			}
		}
	}
	all := shape.Of("attention", r.matrices, r.rows, r.keys)
	s, err := r.space(all)
	if err != nil {
		return err
	}
	g, err := r.space(all)
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return r.product(s, x[1], x[2], r.rows, r.keys, r.e, false, true) },
		func() error { return r.product(g, x[0], x[3], r.rows, r.keys, r.f, false, true) },
		func() error {
			return r.launch("attention_cotangents", "COTANGENTS", address(s), address(g), address(x[4]), address(sums))
		},
		func() error { return r.product(y[0], g, x[2], r.rows, r.e, r.keys, false, false) },
		func() error { return r.product(y[1], g, x[1], r.keys, r.e, r.rows, true, false) },
		func() error { return r.product(y[2], s, x[0], r.keys, r.f, r.rows, true, false) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	for i, o := range out {
		if o.DType != r.t {
			if err := d.cast(o, y[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
