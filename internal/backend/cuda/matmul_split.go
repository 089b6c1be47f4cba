package cuda

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/cublas"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// A large half-precision product whose rows are aligned but whose sizes are no multiples of 8 is several times slower than
// an aligned one. It is split: an aligned block first, then the remainders of k (accumulated, as in split-K), columns and
// rows over zero-padded copies.

// worthSplitting reports whether a product is such a one.
func worthSplitting(p cublas.Product) bool {
	return p.DType.IsHalf() && !p.Wide && p.Batch == 1 && 2*float64(p.M)*float64(p.N)*float64(p.K) > worthPad &&
		(p.M%piece != 0 || p.N%piece != 0 || p.K%piece != 0) &&
		p.Pitch >= whole(p.N)
}

// split is a product being split.
type split struct {
	d    *Device
	h    *cublas.Handle
	p    cublas.Product
	o    cublas.Operands
	bufs []*mem.Buffer
}

func (d *Device) splitProduct(h *cublas.Handle, p cublas.Product, o cublas.Operands) error {
	c := &split{d: d, h: h, p: p, o: o}
	defer func() {
		for _, b := range c.bufs {
			b.Free()
		}
	}()
	m, n, k := p.M/piece*piece, p.N/piece*piece, p.K/piece*piece
	q := p
	q.M, q.N, q.K = m, n, k
	if err := d.productEpilogue(h, q, o); err != nil {
		return err
	}
	for _, rest := range []func(m, n, k int) error{c.addK, c.columns, c.rows} {
		if err := rest(m, n, k); err != nil {
			return err
		}
	}
	return nil
}

// remainder copies a part of an operand, zero-padded to the alignment.
func (c *split) remainder(m cublas.Matrix, at uintptr, row, column, rows, cols int) (cublas.Matrix, uintptr, error) {
	transposed := m.Column != 1
	s, st := []int{rows, cols}, []int{m.Row, m.Column}
	if transposed {
		s, st = []int{cols, rows}, []int{m.Column, m.Row}
	}
	from := &mem.Buffer{Dev: at + uintptr((row*m.Row+column*m.Column)*c.p.DType.Size())}
	b, err := c.d.padded(backend.View{Buf: from, DType: c.p.DType, Shape: shape.Of("matmul", s...), Lay: &shape.Layout{Strides: st}})
	if err != nil {
		return m, 0, err
	}
	c.bufs = append(c.bufs, b)
	return matrixBy(whole(s[1]), transposed), b.Dev, nil
}

// addK accumulates the terms behind the first k.
func (c *split) addK(m, n, k int) (err error) {
	if k == c.p.K {
		return nil
	}
	q, o := c.p, c.o
	q.M, q.N, q.K = m, n, piece
	if q.X, o.X, err = c.remainder(c.p.X, o.X, 0, k, m, c.p.K-k); err != nil {
		return err
	}
	if q.Y, o.Y, err = c.remainder(c.p.Y, o.Y, k, 0, c.p.K-k, n); err != nil {
		return err
	}
	if k > 0 {
		q.Epilogue.Residual, o.Residual = true, o.Z
	}
	return c.d.productEpilogue(c.h, q, o)
}

// columns computes those behind the first n; it also writes the padding behind the rows.
func (c *split) columns(m, n, _ int) (err error) {
	if n == c.p.N {
		return nil
	}
	q, o := c.p, c.o
	q.M, q.N = m, piece
	o.Z += uintptr(n * q.DType.Size())
	if q.Y, o.Y, err = c.remainder(c.p.Y, o.Y, 0, n, q.K, c.p.N-n); err != nil {
		return err
	}
	return c.d.productEpilogue(c.h, q, o)
}

// rows computes those behind the first m.
func (c *split) rows(m, _, _ int) (err error) {
	left := c.p.M - m
	if left == 0 {
		return nil
	}
	q, o := c.p, c.o
	q.M, q.Pitch = piece, whole(q.N)
	if q.X, o.X, err = c.remainder(c.p.X, o.X, m, 0, left, q.K); err != nil {
		return err
	}
	size := q.DType.Size()
	b, err := c.d.pool.Get("matmul", piece*q.Pitch*size)
	if err != nil {
		return err
	}
	c.bufs = append(c.bufs, b)
	o.Z = b.Dev
	if err := c.d.productEpilogue(c.h, q, o); err != nil {
		return err
	}
	s := shape.Of("matmul", left, q.N)
	to := &mem.Buffer{Dev: c.o.Z + uintptr(m*c.p.Pitch*size)}
	return c.d.move(backend.View{Buf: to, DType: q.DType, Shape: s, Lay: &shape.Layout{Strides: []int{c.p.Pitch, 1}}},
		backend.View{Buf: b, DType: q.DType, Shape: s, Lay: &shape.Layout{Strides: []int{q.Pitch, 1}}})
}
