package cuda

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

func init() { register(map[string]kernel{"argpartition": argpartition}) }

// argpartition finds the element that sorting would put at K; the indices before it, and those behind it, keep their order.
func argpartition(d *call, a attr.Attr, out, in []backend.View) error {
	t := a.(attr.TopK)
	s, err := d.sorter(in[0], t.Axis)
	if err != nil {
		return err
	}
	defer s.free()
	if s.fewAndLong() {
		return d.partitionSorted(t, out[0], in[0])
	}
	s.k, s.at = t.K, address(out[0])
	return s.choose("partition")
}

// partitionSorted sorts few long rows, then sorts the indices before K, and those behind it.
func (d *call) partitionSorted(t attr.TopK, z, x backend.View) error {
	n := x.Shape.Dim(t.Axis)
	var bufs []*mem.Buffer
	defer func() {
		for _, b := range bufs {
			b.Free()
		}
	}()
	get := func(elems int) (*mem.Buffer, error) {
		b, err := d.pool.Get("argpartition", elems*z.DType.Size())
		if err == nil {
			bufs = append(bufs, b)
		}
		return b, err
	}
	whole, err := get(z.Numel())
	if err != nil {
		return err
	}
	indices := backend.View{Buf: whole, DType: z.DType, Shape: z.Shape}
	if err := d.firstOf(x, nil, indices, t.Axis, n, false); err != nil {
		return err
	}
	var parts []backend.View
	for _, p := range [][2]int{{0, t.K}, {t.K, t.K + 1}, {t.K + 1, n}} {
		length := p[1] - p[0]
		if length == 0 {
			continue
		}
		dims := append([]int(nil), z.Shape.Dims()...)
		dims[t.Axis] = length
		s := shape.Of("argpartition", dims...)
		v := part(indices, s, indices.Strides(), p[0]*indices.Strides()[t.Axis])
		if length > 1 {
			sorted, err := get(s.Numel())
			if err != nil {
				return err
			}
			at, err := get(s.Numel())
			if err != nil {
				return err
			}
			w := backend.View{Buf: sorted, DType: z.DType, Shape: s}
			if err := d.firstOf(v, &w, backend.View{Buf: at, DType: z.DType, Shape: s}, t.Axis, length, false); err != nil {
				return err
			}
			v = w
		}
		parts = append(parts, v)
	}
	return cat(d, attr.Axis{Axis: t.Axis}, []backend.View{z}, parts)
}
