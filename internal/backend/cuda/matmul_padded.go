package cuda

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/cublas"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// Tensor cores load half-precision operands in 16-byte vectors. A large product whose sizes are no multiples of that, such
// as with a vocabulary of 50257, is several times slower than one over zero-padded copies.
const (
	piece    = 8
	worthPad = 1e11 // FLOPs
)

func whole(n int) int { return blocks(n, piece) * piece }

// pads reports whether padding a product pays: rows or columns are not aligned.
func pads(t dtype.DType, batch, m, n, k int, leads []int) bool {
	return t.IsHalf() && batch == 1 && 2*float64(m)*float64(n)*float64(k) > worthPad &&
		slices.ContainsFunc(leads, func(l int) bool { return l%piece != 0 })
}

// pitch aligns the rows of large half-precision temporaries: products with a vocabulary of 50257 and the cotangents of
// their losses then need no copies.
func pitch(op string, a attr.Attr, t dtype.DType, s *shape.Shape) int {
	const large = 1 << 22
	last := s.Rank() - 1
	switch {
	case !t.IsHalf() || s.Rank() != 2 || s.Numel() < large:
		return 0
	case op == "matmul", op == "class_nll_grad" && a.(attr.Axis).Axis == last:
		return whole(s.Dim(last))
	}
	return 0
}

// paddedProduct computes z = x·y with all sizes padded to the alignment.
func (d *call) paddedProduct(h *cublas.Handle, z, x, y backend.View, m, n, k int) error {
	var bufs []*mem.Buffer
	defer func() {
		for _, b := range bufs {
			b.Free()
		}
	}()
	p := cublas.Product{DType: x.DType, Wide: z.DType != x.DType, Batch: 1, M: whole(m), N: whole(n), K: whole(k), Pitch: whole(n),
		Deterministic: d.ctx.Deterministic}
	var at [2]uintptr
	for i, o := range []struct {
		v  backend.View
		to *cublas.Matrix
	}{{x, &p.X}, {y, &p.Y}} {
		r := o.v.Shape.Rank()
		s, st := o.v.Shape.Dims()[r-2:], o.v.Strides()[r-2:]
		transposed := st[0] == 1 && st[1] != 1 // column-major: the copy is too
		if transposed {
			s, st = []int{s[1], s[0]}, []int{st[1], st[0]}
		}
		if s[0]%piece == 0 && s[1]%piece == 0 && st[1] == 1 && st[0]%piece == 0 && st[0] >= s[1] && address(o.v)%16 == 0 {
			*o.to, at[i] = matrixBy(st[0], transposed), address(o.v)
			continue
		}
		v := o.v
		v.Shape, v.Lay = shape.Of("matmul", s...), &shape.Layout{Strides: st, Offset: v.Offset()}
		b, err := d.padded(v)
		if err != nil {
			return err
		}
		bufs = append(bufs, b)
		*o.to, at[i] = matrixBy(whole(s[1]), transposed), b.Dev
	}
	b, err := d.pool.Get("matmul", p.M*p.N*z.DType.Size())
	if err != nil {
		return err
	}
	bufs = append(bufs, b)
	if err := d.product(h, p, b.Dev, at[0], at[1]); err != nil {
		return err
	}
	to := z
	to.Shape = shape.Of("matmul", m, n)
	if z.Lay != nil {
		to.Lay = &shape.Layout{Strides: z.Strides()[z.Shape.Rank()-2:]}
	}
	return d.move(to, backend.View{Buf: b, DType: z.DType, Shape: to.Shape, Lay: &shape.Layout{Strides: []int{p.N, 1}}})
}

func matrixBy(lead int, transposed bool) cublas.Matrix {
	if transposed {
		return cublas.Matrix{Row: 1, Column: lead}
	}
	return cublas.Matrix{Row: lead, Column: 1}
}

// padded copies a matrix to a zero-padded one with aligned rows.
func (d *Device) padded(v backend.View) (*mem.Buffer, error) {
	rows, cols, size := v.Shape.Dim(0), v.Shape.Dim(1), v.DType.Size()
	lead := whole(cols)
	b, err := d.pool.Get("matmul", whole(rows)*lead*size)
	if err != nil {
		return nil, err
	}
	if err = d.FillRows(b.Dev+uintptr(cols*size), lead*size, 0, (lead-cols)*size, rows); err == nil {
		err = d.Fill(b.Dev+uintptr(rows*lead*size), 0, (whole(rows)-rows)*lead*size)
	}
	if err == nil {
		err = d.move(backend.View{Buf: b, DType: v.DType, Shape: v.Shape, Lay: &shape.Layout{Strides: []int{lead, 1}}}, v)
	}
	if err != nil {
		b.Free()
		return nil, err
	}
	return b, nil
}
