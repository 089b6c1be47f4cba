package cuda

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/shape"
)

// foldedLast shows a view with the folded dimensions behind the kept ones, as one row for each kept element, and how many
// elements a row has.
func foldedLast(v backend.View, axes attr.Ints) (backend.View, int) {
	var dims, st, folded, fs []int
	strides := v.Strides()
	for i, n := range v.Shape.Dims() {
		if axes.Contains(i) {
			folded, fs = append(folded, n), append(fs, strides[i])
		} else {
			dims, st = append(dims, n), append(st, strides[i])
		}
	}
	off := v.Offset()
	v.Shape = shape.Of("cuda", append(dims, folded...)...)
	v.Lay = &shape.Layout{Strides: append(st, fs...), Offset: off}
	return v, product(folded)
}

// foldedSorter prepares rows of the folded elements.
func (d *call) foldedSorter(axes attr.Ints, in backend.View) (*sorter, error) {
	v, n := foldedLast(in, axes)
	x, b, err := d.dense(v)
	if err != nil {
		return nil, err
	}
	if n > longest || in.Numel()/n > longest {
		if b != nil {
			b.Free()
		}
		return nil, backend.ErrNoKernel
	}
	s := &sorter{call: d, t: in.DType, rows: in.Numel() / n, n: n, step: 1, k: 1, x: address(x)}
	if b != nil {
		s.bufs = append(s.bufs, b)
	}
	return s, nil
}

func (d *call) median(skip bool, a attr.Attr, out, in backend.View) error {
	s, err := d.foldedSorter(a.(attr.Axes).Axes, in)
	if err != nil {
		return err
	}
	defer s.free()
	s.out, s.skip = address(out), skip
	return s.launch("median", s.rows)
}

func argmode(d *call, a attr.Attr, out, in []backend.View) error {
	s, err := d.foldedSorter(a.(attr.Axes).Axes, in[0])
	if err != nil {
		return err
	}
	defer s.free()
	s.at = address(out[0])
	if err := s.scratch(s.rows * s.n); err != nil {
		return err
	}
	if err := s.ordered(); err != nil {
		return err
	}
	return s.launch("mode", s.rows)
}
