package cuda

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// temporaries are buffers that a kernel needs until its last launch was submitted: memory is reused in stream order.
type temporaries struct {
	d    *Device
	op   string
	bufs []*mem.Buffer
}

func (t *temporaries) free() {
	for _, b := range t.bufs {
		b.Free()
	}
	t.bufs = nil
}

// get takes some bytes.
func (t *temporaries) get(bytes int) (uintptr, error) {
	b, err := t.d.pool.Get(t.op, max(bytes, 1))
	if err != nil {
		return 0, err
	}
	t.bufs = append(t.bufs, b)
	return b.Dev, nil
}

// zeroed takes some bytes that are 0, and that the kernel leaves so: a captured graph has them to itself.
func (t *temporaries) zeroed(bytes int) (uintptr, error) {
	if t.d.mode != running {
		b, err := t.d.fixed(make([]byte, bytes))
		if err != nil {
			return 0, err
		}
		return b.Dev, nil
	}
	p, err := t.get(bytes)
	if err != nil {
		return 0, err
	}
	return p, t.d.Fill(p, 0, bytes)
}

// view takes a contiguous view.
func (t *temporaries) view(d dtype.DType, dims ...int) (backend.View, error) {
	s := shape.Of(t.op, dims...)
	b, err := t.d.pool.Get(t.op, max(s.Numel()*d.Size(), 1))
	if err != nil {
		return backend.View{}, err
	}
	t.bufs = append(t.bufs, b)
	return backend.View{Buf: b, DType: d, Shape: s}, nil
}

// dense returns v, or a contiguous copy of it.
func (t *temporaries) dense(v backend.View) (backend.View, error) {
	to, b, err := t.d.dense(v)
	if b != nil {
		t.bufs = append(t.bufs, b)
	}
	return to, err
}

// copied returns a contiguous copy of v.
func (t *temporaries) copied(v backend.View) (backend.View, error) {
	to, err := t.view(v.DType, v.Shape.Dims()...)
	if err != nil {
		return to, err
	}
	return to, t.d.move(to, v)
}

// lastAxis shows v with one dimension moved behind the others.
func lastAxis(v backend.View, axis int) backend.View {
	dims, st := v.Shape.Dims(), v.Strides()
	if axis == len(dims)-1 {
		return v
	}
	var d, s []int
	for i := range dims {
		if i != axis {
			d, s = append(d, dims[i]), append(s, st[i])
		}
	}
	v.Lay = &shape.Layout{Strides: append(s, st[axis]), Offset: v.Offset()}
	v.Shape = shape.Of("fft", append(d, dims[axis])...)
	return v
}

// swapped shows matrices transposed.
func swapped(v backend.View) backend.View {
	dims, st := append([]int(nil), v.Shape.Dims()...), append([]int(nil), v.Strides()...)
	n := len(dims)
	dims[n-2], dims[n-1] = dims[n-1], dims[n-2]
	st[n-2], st[n-1] = st[n-1], st[n-2]
	v.Lay, v.Shape = &shape.Layout{Strides: st, Offset: v.Offset()}, shape.Of("transpose", dims...)
	return v
}

// matrixLayout is the layout of matrices of which one is `each` elements behind the other and has rows `row` apart.
func matrixLayout(s *shape.Shape, each, row int) *shape.Layout {
	dims := s.Dims()
	st := make([]int, len(dims))
	for i := len(dims) - 1; i >= 0; i-- {
		switch i {
		case len(dims) - 1:
			st[i] = 1
		case len(dims) - 2:
			st[i] = row
		case len(dims) - 3:
			st[i] = each
		default:
			st[i] = st[i+1] * dims[i+1]
		}
	}
	return &shape.Layout{Strides: st}
}
