package cuda

import (
	"time"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/cublas"
	"github.com/lucid-go/lucid/internal/mem"
)

func init() { register(map[string]kernel{"matmul": matmul}) }

// cublas opens the library; a precompilation does not wait for it.
func (d *Device) cublas() (*cublas.Handle, error) {
	if d.mode == precompiling {
		go d.openBLAS()
		return nil, nil
	}
	d.blasAsked.Store(true)
	d.openBLAS()
	return d.blas, d.blasErr
}

func (d *Device) openBLAS() {
	d.blasOnce.Do(func() {
		if d.blas, d.blasErr = cublas.New(d.main()); d.blasErr == nil {
			used(usedBLAS)
		}
	})
}

// matmul multiplies batches of matrices.
func matmul(d *call, _ attr.Attr, out, in []backend.View) error {
	if !cublas.Supports(in[0].DType) {
		return d.integerMatmul(out[0], in[0], in[1])
	}
	return d.matmulEpilogue(out[0], in, cublas.Epilogue{}, cublas.Operands{Z: address(out[0])})
}

// matmulEpilogue computes a product with the layout of out and its epilogue, written to the addresses in o; it returns
// cublas.ErrUnsupported where the library cannot do both. A transposed operand is read as it is; one with other strides is
// copied first.
func (d *call) matmulEpilogue(out backend.View, in []backend.View, e cublas.Epilogue, o cublas.Operands) error {
	h, err := d.cublas()
	if err != nil {
		return err
	}
	var tmp []*mem.Buffer
	defer func() {
		for _, b := range tmp {
			b.Free()
		}
	}()
	r := out.Shape.Rank()
	m, n, k := out.Shape.Dim(r-2), out.Shape.Dim(r-1), in[0].Shape.Dim(r-1)
	pitch, batch, alone := n, out.Numel()/(m*n), e == (cublas.Epilogue{})
	if m > 1 {
		pitch = out.Strides()[r-2]
	}
	if !alone && (k == 0 || batch > 1) {
		return cublas.ErrUnsupported
	}
	if k == 0 {
		return d.Fill(o.Z, 0, ((batch*m-1)*pitch+n)*out.DType.Size())
	}
	var x [2]cublas.Matrix
	var at [2]uintptr
	leads := []int{pitch}
	for i, v := range in[:2] {
		mat, ok := matrixOf(v)
		if lead := max(mat.Row, mat.Column); ok {
			leads = append(leads, lead)
		} else {
			leads = append(leads, v.Shape.Dim(r-1))
		}
		x[i], at[i] = mat, address(v)
		if i == 1 && pads(in[0].DType, batch, m, n, k, leads) {
			if !alone {
				return cublas.ErrUnsupported
			}
			return d.paddedProduct(h, out, in[0], in[1], m, n, k)
		}
		if !ok {
			to, b, err := d.forceDense(v)
			if err != nil {
				return err
			}
			tmp = append(tmp, b)
			x[i], _ = matrixOf(to)
			at[i] = address(to)
		}
	}
	o.X, o.Y = at[0], at[1]
	p := cublas.Product{DType: in[0].DType, Wide: alone && out.DType != in[0].DType, Batch: batch, M: m, N: n, K: k, X: x[0], Y: x[1],
		Pitch: pitch, Epilogue: e, Deterministic: d.ctx.Deterministic}
	if mma, ok := takesFewRows(d.Device.Device, p, o); ok {
		return d.launchFewRows(fewRowsCall{fewRows: fewRowsFor(p, mma), products: []cublas.Product{p}, at: []cublas.Operands{o},
			early: at[1] == address(in[1]) && d.early(in[1])})
	}
	if worthSplitting(p) {
		if !alone {
			return cublas.ErrUnsupported
		}
		if err := d.splitProduct(h, p, o); err != cublas.ErrUnsupported {
			return err
		}
	}
	return d.productEpilogue(h, p, o)
}

// matrixOf describes a view as a strided batch of matrices, each row-major or column-major.
func matrixOf(v backend.View) (cublas.Matrix, bool) {
	dims, st := v.Shape.Dims(), v.Strides()
	r := len(dims)
	m := cublas.Matrix{Row: st[r-2], Column: st[r-1]}
	rows, cols := dims[r-2], dims[r-1]
	// The stride of a dimension of size 1 does not matter.
	switch {
	case cols == 1 && (m.Row == 1 || m.Column != 1):
		if m.Row == 1 {
			m.Column = max(rows, 1)
		} else {
			m.Column = 1
		}
	case rows == 1 && m.Column == 1:
		m.Row = max(cols, 1)
	case rows == 1:
		m.Row = 1
	}
	switch {
	case m.Column == 1 && m.Row >= max(cols, 1):
	case m.Row == 1 && m.Column >= max(rows, 1):
	default:
		return m, false
	}
	// The batch must collapse to one dimension.
	n, first := 1, true
	for i := r - 3; i >= 0; i-- {
		if dims[i] == 1 {
			continue
		}
		if first {
			m.Batch, first = st[i], false
		} else if st[i] != m.Batch*n {
			return m, false
		}
		n *= dims[i]
	}
	return m, m.Batch >= 0
}

// forceDense copies a view.
func (d *Device) forceDense(v backend.View) (backend.View, *mem.Buffer, error) {
	b, err := d.pool.Get("matmul", v.Numel()*v.DType.Size())
	if err != nil {
		return v, nil, err
	}
	to := backend.View{Buf: b, DType: v.DType, Shape: v.Shape}
	if err := d.move(to, v); err != nil {
		b.Free()
		return v, nil, err
	}
	return to, b, nil
}

// product submits a product in the Device's launch mode.
func (d *Device) product(h *cublas.Handle, p cublas.Product, z, x, y uintptr) error {
	return d.productEpilogue(h, p, cublas.Operands{Z: z, X: x, Y: y})
}

// productEpilogue is product with an epilogue. A precompilation has nothing to compile for it.
func (d *Device) productEpilogue(h *cublas.Handle, p cublas.Product, o cublas.Operands) error {
	if d.mode == precompiling {
		return nil
	}
	p.Align = [3]int{cublas.AlignOf(o.Z), cublas.AlignOf(o.X), cublas.AlignOf(o.Y)}
	if d.mode == capturing {
		var err error
		if o.Space, err = d.rec.useWorkspace(d, h.Spaces()); err != nil {
			return err
		}
	}
	begin := time.Now()
	err := h.Run(d.Device, p, d.mode == running, o)
	if err == nil && d.slow && d.mode == running {
		defer func() { d.spent("matmul "+p.String(), begin) }()
		return d.Sync()
	}
	return err
}
