package cuda

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

func init() { register(map[string]kernel{"argpartition": argpartition}) }

// argpartition sorts, then puts the places before K, and those behind it, in order.
func argpartition(d *call, a attr.Attr, out, in []backend.View) error {
	t, z := a.(attr.TopK), out[0]
	n := in[0].Shape.Dim(t.Axis)
	if z.Numel() == 0 {
		return nil
	}
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
	places := backend.View{Buf: whole, DType: z.DType, Shape: z.Shape}
	if err := d.firstOf(in[0], nil, places, t.Axis, n, false); err != nil {
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
		v := part(places, s, places.Strides(), p[0]*places.Strides()[t.Axis])
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
	return cat(d, attr.Axis{Axis: t.Axis}, out, parts)
}
